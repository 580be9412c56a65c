"""What clearing changes in a motion, and the one cost by which ways of clearing are compared."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from writhe.arrays import Floats
from writhe.cleaning.feet_of_source import FeetOfSource
from writhe.kernels.skeleton.joint_limits import swing_twist
from writhe.quantities import SwingExtent
from writhe.skeleton import Figure, forward
from writhe.skeleton.kinematics import difference
from writhe.terms import CompiledTerms, joint_limits

MAX_POP = 1.2  # largest turn of a joint in a frame, relative to the largest in the source
# Each joint, such as that of a finger, is also compared with its own largest turn in the source, or
# with this share of the largest of all if that is more.
_OWN_POP = 0.5
LIMIT_RAD = 0.01  # beyond a limit, or farther beyond it than the source
SLIDE_M = 0.005  # of a planted foot in a frame
GLIDE_M = 0.05  # of a planted foot while it is planted
_MIN_POP_RAD = np.radians(2.0)  # turns in a frame below this are no pops
_HARD = 1.0  # cost of what must not happen, in metres of mean displacement
_POP_M = 0.1  # cost in metres of a pop above MAX_POP, per unit of the ratio
_METRES_PER_TURN = 0.03  # cost of the largest joint change, per radian


@dataclass(frozen=True)
class MotionChange:
    """How a cleared motion differs from its source."""

    mean_m: float  # displacement of the joints
    max_m: float
    joint: str  # whose rotation changes most
    turn_rad: float  # ... by this
    at_frame: int  # ... at this frame
    pop_ratio: float  # largest turn of a joint in a frame, over the largest in the source
    beyond_limits_rad: float  # beyond limits, or farther beyond them than the source
    slide_m: float  # largest motion of a planted foot in a frame beyond the source's
    glide_m: float  # largest motion of a foot, while it is planted, beyond the source's
    popping: str  # the joint whose turn in a frame is largest relative to its own in the source
    popping_rad: float  # ... by this in a frame
    popping_ratio: float  # ... relative to the source
    popping_at: int  # ... up to this frame

    @property
    def acceptable(self) -> bool:
        """Whether joint limits and planted feet are kept and nothing pops."""
        return self.beyond_limits_rad <= LIMIT_RAD and not self.feet_slide and not self.pops

    @property
    def feet_slide(self) -> bool:
        """Whether feet that are planted in the source slide."""
        return self.slide_m > SLIDE_M or self.glide_m > GLIDE_M

    @property
    def pops(self) -> bool:
        """Whether a joint, however small, turns faster in a frame than the source lets it."""
        return max(self.pop_ratio, self.popping_ratio) > MAX_POP

    @property
    def cost_m(self) -> float:
        """Distance from the source; broken limits and sliding feet outweigh any distance."""
        hard = (self.beyond_limits_rad > LIMIT_RAD) + self.feet_slide
        pop = _POP_M * max(0.0, max(self.pop_ratio, self.popping_ratio) - MAX_POP)
        return self.mean_m + _METRES_PER_TURN * self.turn_rad + pop + _HARD * hard


def motion_change(figure: Figure, source: Floats, q: Floats, fps: float) -> MotionChange:
    """The change from the source (frames, nq) to q (frames, nq)."""
    skeleton, tree = figure.skeleton, figure.skeleton.tree
    before, after = (forward(skeleton, rows).positions for rows in (source, q))
    apart = np.linalg.norm(after - before, axis=2)
    turns = np.array(
        [_turns(figure, difference(skeleton, a, b)) for a, b in zip(source, q, strict=True)]
    )
    frame, joint = np.unravel_index(int(turns.argmax()), turns.shape)
    rates, fastest = (_turns_in_a_frame(figure, rows) for rows in (source, q))
    most = max(float(rates.max(initial=0.0)), _MIN_POP_RAD)
    own = np.maximum(rates.max(axis=0, initial=0.0), max(_OWN_POP * most, _MIN_POP_RAD))
    step, jumps = np.unravel_index(int((fastest / own).argmax()), fastest.shape)
    return MotionChange(
        float(apart.mean()),
        float(apart.max()),
        skeleton.names[int(joint)] if len(tree.parent) else "",
        float(turns.max()),
        int(frame),
        float(fastest.max()) / most,
        _beyond_limits(figure, source, q),
        foot_slide(figure, before, after, fps),
        FeetOfSource(figure, before, fps).glide(after),
        skeleton.names[int(jumps)],
        float(fastest[step, jumps]),
        float(fastest[step, jumps] / own[jumps]),
        int(step),
    )


def _turns_in_a_frame(figure: Figure, rows: Floats) -> Floats:
    """(frames, joints) the angle by which each joint turns up to a frame; zero in the first."""
    skeleton = figure.skeleton
    turns = [_turns(figure, difference(skeleton, *two)) for two in pairwise(rows)]
    return np.array([np.zeros(len(skeleton)), *turns])


def _turns(figure: Figure, step: Floats) -> Floats:
    """(joints,) the angle by which each joint turns in a tangent step (nv)."""
    tree = figure.skeleton.tree
    squares = np.where(np.asarray(tree.dof_turns) == 1, step, 0.0) ** 2
    return np.sqrt(np.bincount(tree.dof_joint, squares, minlength=len(tree.parent)))


def _beyond_limits(figure: Figure, source: Floats, q: Floats) -> float:
    """Largest angle beyond a joint limit that the source does not have in that frame, rad."""
    skeleton = figure.skeleton
    limits = joint_limits(skeleton)
    terms = CompiledTerms(skeleton, limits)
    swings: dict[int, tuple[slice, Floats]] = {}
    for k, term in enumerate(limits):
        if isinstance(term.quantity, SwingExtent):
            of_joint = skeleton.joints[skeleton.index(term.quantity.joint)].limits
            assert of_joint is not None
            swings[k] = skeleton.q_slice(term.quantity.joint), of_joint.frame
    coordinates = np.empty(3)

    def outside(row: Floats) -> Floats:
        terms.update(row)
        out = np.maximum(np.maximum(terms.lower - terms.values, terms.values - terms.upper), 0.0)
        for k, (own, frame) in swings.items():
            if out[k] > 0.0:  # the extent is a ratio: 1 on the ellipse, in the same direction
                swing_twist(row[own], frame, coordinates)
                out[k] = np.hypot(coordinates[1], coordinates[2]) * out[k] / (1.0 + out[k])
        return out

    found = [(outside(b) - outside(a)).max(initial=0.0) for a, b in zip(source, q, strict=True)]
    return float(max(found, default=0.0))


def foot_slide(figure: Figure, before: Floats, after: Floats, fps: float) -> float:
    """Largest motion of a planted foot in a frame beyond that of the source, m.

    before, after: (frames, n, 3) positions of the joints in the source and in the changed motion.
    """
    return float(FeetOfSource(figure, before, fps).slides(after, 0).max(initial=0.0))

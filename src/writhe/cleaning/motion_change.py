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
LIMIT_RAD = 0.01  # beyond a limit, or farther beyond it than the source
SLIDE_M = 0.005  # of a planted foot in a frame
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

    @property
    def acceptable(self) -> bool:
        """Whether joint limits and planted feet are kept and nothing pops."""
        return (
            self.beyond_limits_rad <= LIMIT_RAD
            and self.slide_m <= SLIDE_M
            and self.pop_ratio <= MAX_POP
        )

    @property
    def cost_m(self) -> float:
        """Distance from the source; broken limits and sliding feet outweigh any distance."""
        hard = (self.beyond_limits_rad > LIMIT_RAD) + (self.slide_m > SLIDE_M)
        pop = _POP_M * max(0.0, self.pop_ratio - MAX_POP)
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
    before_pop, pop = (
        max(
            (_turns(figure, difference(skeleton, *two)).max() for two in pairwise(rows)),
            default=0.0,
        )
        for rows in (source, q)
    )
    return MotionChange(
        float(apart.mean()),
        float(apart.max()),
        skeleton.names[int(joint)] if len(tree.parent) else "",
        float(turns.max()),
        int(frame),
        float(pop / max(before_pop, _MIN_POP_RAD)),
        _beyond_limits(figure, source, q),
        foot_slide(figure, before, after, fps),
    )


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

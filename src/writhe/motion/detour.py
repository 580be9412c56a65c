"""Ways round: from one side of a limb to the other when a source motion passes through it.

The body changes from one track to another that lies on the other side. Limbs that are not in the
same place on both are led aside meanwhile, opened towards the rest posture or turned, so that they
leave the first track late and are back on the second soon, at a speed a body can have. A way that
is certified as it stands is taken; else the tracker follows the ways that came farthest, giving way
where they touch.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.skeleton import JointKind, Skeleton, forward
from writhe.skeleton.kinematics import integrate, interpolate
from writhe.solvers.tracking import PostureTracker

_LIMBS = (
    ("left_clavicle", "left_shoulder", "left_elbow", "left_wrist"),
    ("right_clavicle", "right_shoulder", "right_elbow", "right_wrist"),
    ("left_hip", "left_knee", "left_ankle"),
    ("right_hip", "right_knee", "right_ankle"),
)
_OPENINGS = (0.15, 0.35, 0.7, 1.0)  # how far a limb is led towards the rest posture
_TURNS = (0.15, 0.3, 0.5, 0.75, 1.0, 1.5)  # rad that a limb is turned aside
_UNBENT = 0.5  # share of its bend that an elbow or knee loses on the way
_APART_M = 0.06  # limbs farther apart than this on the two tracks are led aside
_FOLLOWED = 2  # ways that are followed when none is certified as it stands
_LEG = 2.0  # a leg moved aside counts so many times as an arm: it carries the body
_SHORTEST = 4  # frames of a way
_GROUND_M = 0.02  # a way may lead no joint farther than this below the lowest of the source
_LOST_M = 0.15  # a limb farther from where it is led does not get there


@dataclass(frozen=True)
class _Limb:
    joints: Ints  # (k,) the joint it hangs on and all that follow
    numbers: Ints  # where they stand in a configuration
    turning: Ints  # (3,) degrees of freedom of its first joint that turns freely
    mirror: Floats  # (3,) what an axis of turning is multiplied by: sides turn as in a mirror
    bending: Ints  # where its hinges stand in a configuration
    leg: bool  # or has one among several


def _together(limbs: list[_Limb]) -> _Limb:
    """Several limbs as one."""
    return _Limb(
        np.concatenate([limb.joints for limb in limbs]),
        np.concatenate([limb.numbers for limb in limbs]),
        np.concatenate([limb.turning for limb in limbs]),
        np.concatenate([limb.mirror for limb in limbs]),
        np.concatenate([limb.bending for limb in limbs]),
        any(limb.leg for limb in limbs),
    )


@dataclass(frozen=True)
class _Aside:
    """How a limb makes way: opened towards the rest posture, or turned and unbent."""

    limb: _Limb
    opening: float
    turn: Floats | None  # (nv,) tangent step

    def of(self, skeleton: Skeleton, row: Floats, share: float) -> Floats:
        """A posture with the limb a share of the way aside."""
        if self.turn is None:
            opened = interpolate(skeleton, row, skeleton.rest_configuration, share * self.opening)
            out = row.copy()
            out[self.limb.numbers] = opened[self.limb.numbers]
            return out
        out = integrate(skeleton, row, share * self.turn)
        out[self.limb.bending] *= 1.0 - share * _UNBENT
        return out


class _Lead:
    """From one track to another over `frames` frames, with a limb aside in between."""

    def __init__(
        self,
        skeleton: Skeleton,
        before: Floats,
        after: Floats,
        start: int,
        frames: int,
        aside: _Aside,
    ) -> None:
        self.aside, self.start, self.last = aside, start, frames
        self._skeleton, self._before, self._after = skeleton, before, after
        self._rows: dict[int, Floats] = {}

    def row(self, i: int) -> Floats:
        """The posture at frame i of the way."""
        if i not in self._rows:
            u, at = i / self.last, self.start + i
            # it changes tracks while the limb is well aside
            share = _eased(min(1.0, max(0.0, 2.0 * u - 0.5)))
            base = interpolate(self._skeleton, self._before[at], self._after[at], share)
            self._rows[i] = self.aside.of(self._skeleton, base, _eased(1.0 - abs(2.0 * u - 1.0)))
        return self._rows[i]

    def way(self) -> Floats:
        """(frames + 1, nq) all of it."""
        return np.array([self.row(i) for i in range(self.last + 1)])


class Detours:
    """Finds certified ways round for the limbs of a figure.

    quick_m: how far a joint may be led in a frame; longest: frames that half of a way may take.
    """

    def __init__(self, tracker: PostureTracker, quick_m: float, longest: int) -> None:
        self.longest = longest
        self._tracker, self._quick_m = tracker, quick_m
        self._skeleton = tracker.figure.skeleton
        roles = dict(tracker.figure.roles)
        self._limbs = [
            self._limb([roles[role] for role in chain], chain[0])
            for chain in _LIMBS
            if all(role in roles for role in chain)
        ]
        corners = np.array([c for c in product((-1.0, 0.0, 1.0), repeat=3) if any(c)])
        axes = corners / np.linalg.norm(corners, axis=1, keepdims=True)
        self._axes = axes[np.argsort(np.abs(corners).sum(axis=1), kind="stable")]

    def find(
        self,
        before: Floats,
        after: Floats,
        source: Floats,
        moment: int,
        worth_m: float = np.inf,
    ) -> tuple[int, Floats] | None:
        """A certified way from one track to the other: its first frame, and its rows (k, nq).

        before, after (frames, nq): the two tracks over the same frames; source (frames, joints, 3):
        where the joints are wanted; moment: the frame at which the tracks are best changed;
        worth_m: ways dearer than this (frames times mean displacement) are not looked at.
        """
        ends = forward(self._skeleton, np.array([before[moment], after[moment]])).positions
        apart = np.linalg.norm(ends[1] - ends[0], axis=1)
        least = min(_APART_M, 0.7 * float(apart.max()))
        late = [limb for limb in self._limbs if apart[limb.joints].max() > least]
        if not late:
            return None
        middle = interpolate(self._skeleton, before[moment], after[moment], 0.5)
        asides = [aside for limb in late for aside in self._asides(limb)]
        if len(late) > 1:
            asides += self._asides(_together(late))
        leads = self._shortest_first(asides, middle, before, after, source, moment, worth_m)
        for lead in leads:
            if self._clear(lead):
                way = lead.way()
                if self._certified(way):
                    return lead.start, way
        clear = [self._clear_rows(lead) for lead in leads]
        for k in np.argsort(clear, kind="stable")[::-1][:_FOLLOWED]:
            rows = self._followed(leads[k])
            if rows is not None:
                return leads[k].start, rows
        return None

    def _shortest_first(
        self,
        asides: list[_Aside],
        middle: Floats,
        before: Floats,
        after: Floats,
        source: Floats,
        moment: int,
        worth_m: float,
    ) -> list[_Lead]:
        """Ways that leave the source the least and the shortest first; none into the ground.

        The source's lowest joint is taken to be on it.
        """
        skeleton, room = self._skeleton, len(before) - 1
        if room < 2:
            return []
        rows = np.array(
            [middle, before[moment], after[moment]] + [a.of(skeleton, middle, 1.0) for a in asides]
        )
        places = forward(skeleton, rows).positions
        there = places[3:]
        above = there[:, :, 1].min(axis=1) >= source[:, :, 1].min() - _GROUND_M
        moved = np.maximum(
            np.linalg.norm(there - places[1], axis=2), np.linalg.norm(there - places[2], axis=2)
        )
        off = np.linalg.norm(there - source[moment], axis=2).mean(axis=1)
        # an eased move of half the way is half as fast again as an even one at its quickest
        needed = np.ceil(3.0 * moved.max(axis=1) / self._quick_m).astype(np.int64)
        frames = np.minimum(np.maximum(needed, _SHORTEST), room)
        hurried = np.maximum(needed / frames, 1.0)
        dear = 0.5 * off * frames * hurried**2
        found: list[_Lead] = []
        for k in np.argsort(dear * [_LEG if a.limb.leg else 1.0 for a in asides], kind="stable"):
            if above[k] and dear[k] < worth_m:
                length = int(frames[k])
                start = min(max(0, moment - length // 2), room - length)
                found.append(_Lead(skeleton, before, after, start, length, asides[k]))
        return found

    def _followed(self, lead: _Lead) -> Floats | None:
        """The tracker's way along a lead; None once it is far from it."""
        way = lead.way()
        joints = lead.aside.limb.joints
        for i in range(1, lead.last):
            led = way[i]
            way[i] = self._tracker.follow(way[i - 1], led, gated=True)
            apart = forward(self._skeleton, np.array([way[i], led])).positions[:, joints]
            if float(np.linalg.norm(apart[1] - apart[0], axis=1).max()) > _LOST_M:
                return None
        return way if self._tracker.gate.fraction(way[-2], way[-1]) >= 1.0 else None

    def _clear(self, lead: _Lead) -> bool:
        """Whether all rows of a way are clear; looks at the middle, where most are not, first.

        This is quick; what lies between the rows is only looked at in ways that pass it.
        """
        middle = lead.last // 2
        order = sorted(range(1, lead.last), key=lambda i: abs(i - middle))
        return all(self._clear_row(lead, i) for i in order)

    def _clear_rows(self, lead: _Lead) -> int:
        """How many rows of a way are clear, up to the first that is not."""
        for i in range(1, lead.last):
            if not self._clear_row(lead, i):
                return i
        return lead.last

    def _clear_row(self, lead: _Lead, i: int) -> bool:
        return self._tracker.clearance(lead.row(i)) >= -self._tracker.gate.slack_m

    def _certified(self, way: Floats) -> bool:
        fraction = self._tracker.gate.fraction
        return all(fraction(a, b) >= 1.0 for a, b in pairwise(way))

    def _asides(self, limb: _Limb) -> list[_Aside]:
        """Ways for a limb to make way: opened, then turned in many directions."""
        found = [_Aside(limb, opening, None) for opening in _OPENINGS]
        for turn, axis in product(_TURNS, self._axes):
            v = np.zeros(self._skeleton.dof_count)
            v[limb.turning] = turn * np.tile(axis, len(limb.turning) // 3) * limb.mirror
            found.append(_Aside(limb, 0.0, v))
        return found

    def _limb(self, chain: list[str], role: str) -> _Limb:
        skeleton, tree = self._skeleton, self._skeleton.tree
        first = skeleton.index(chain[0])
        joints = np.arange(first, int(tree.subtree_end[first]))
        kinds = {name: skeleton.joints[skeleton.index(name)].kind for name in chain}
        balls = [name for name, kind in kinds.items() if kind is JointKind.BALL]
        hinges = [name for name, kind in kinds.items() if kind is JointKind.HINGE]
        turning = skeleton.v_slice(balls[1] if len(balls) > 2 else balls[0])
        return _Limb(
            joints,
            np.arange(int(tree.q_start[first]), int(tree.q_start[joints[-1] + 1])),
            np.arange(turning.start, turning.stop),
            np.array([1.0, 1.0, 1.0] if role.startswith("left") else [1.0, -1.0, -1.0]),
            np.array([skeleton.q_slice(name).start for name in hinges], dtype=np.int64),
            role.endswith("hip"),
        )


def _eased(t: float) -> float:
    """From 0 to 1 without a jerk at either end."""
    return t * t * (3.0 - 2.0 * t)

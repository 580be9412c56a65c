"""Ways round: from one side of a limb to the other when a source motion passes through it.

A tracker that may not pass through stays behind where its source does. Then the limbs left behind
are led away from what is in the way and back to the source on the other side, over postures in
which they are turned aside, while everything else goes on as it is. A way that is certified as it
stands is taken; else the tracker follows the ways that came farthest, giving way where they touch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.skeleton import JointKind, Skeleton, forward
from writhe.skeleton.kinematics import difference, integrate, interpolate
from writhe.solvers.tracking import PostureTracker

_LIMBS = (
    ("left_clavicle", "left_shoulder", "left_elbow", "left_wrist"),
    ("right_clavicle", "right_shoulder", "right_elbow", "right_wrist"),
    ("left_hip", "left_knee", "left_ankle"),
    ("right_hip", "right_knee", "right_ankle"),
)
_OPENINGS = (0.35, 0.7, 1.0)  # how far a limb is led towards the rest posture
_TURNS = (0.3, 0.5, 0.75, 1.0, 1.5)  # rad that a limb is turned aside
_UNBENT = 0.5  # share of its bend that an elbow or knee loses on the way
_FOLLOWED = 4  # ways that are followed when none is certified as it stands
_LEG = 4.0  # a leg moved aside counts so many times as an arm: it carries the body
_GROUND_M = 0.02  # a way may lead no joint farther than this below the lowest of the source
_LOST_M = 0.15  # a limb farther from where it is led does not get there


@dataclass(frozen=True)
class _Limb:
    joints: Ints  # (k,) the joint it hangs on and all that follow
    numbers: Ints  # where they stand in a configuration
    turning: Ints  # (3,) degrees of freedom of its first joint that turns freely
    bending: Ints  # degrees of freedom of its hinges
    leg: bool  # or has one among several


def _together(limbs: list[_Limb]) -> _Limb:
    """Several limbs as one."""
    return _Limb(
        np.concatenate([limb.joints for limb in limbs]),
        np.concatenate([limb.numbers for limb in limbs]),
        np.concatenate([limb.turning for limb in limbs]),
        np.concatenate([limb.bending for limb in limbs]),
        any(limb.leg for limb in limbs),
    )


def _others(limbs: list[_Limb], limb: _Limb) -> list[_Limb]:
    """Those limbs that have no part of this one."""
    return [other for other in limbs if not np.isin(other.joints, limb.joints).any()]


class _Lead:
    """The wanted postures, but a limb goes over an opened one and others left behind stay so."""

    def __init__(
        self,
        skeleton: Skeleton,
        start: Floats,
        wanted: Floats,
        limb: _Limb,
        away: Floats,
        held: list[_Limb],
    ) -> None:
        self.limb, self.last = limb, len(wanted) - 1
        self._skeleton, self._start, self._wanted, self.away = skeleton, start, wanted, away
        self._held = held
        self._behind = difference(skeleton, wanted[0], start)
        self._rows: dict[int, Floats] = {}

    def row(self, i: int) -> Floats:
        """The posture at frame i of the way."""
        if i not in self._rows:
            self._rows[i] = self._row(i)
        return self._rows[i]

    def _row(self, i: int) -> Floats:
        skeleton, wanted, t = self._skeleton, self._wanted, i / self.last
        # what the start differs by fades in the first half, for all that is not left behind
        out = integrate(skeleton, wanted[i], max(0.0, 1.0 - 2.0 * t) ** 2 * self._behind)
        if self._held:
            kept = integrate(skeleton, wanted[i], self._behind)
            for other in self._held:
                out[other.numbers] = kept[other.numbers]
        if t < 0.5:
            led = interpolate(skeleton, self._start, self.away, _eased(2.0 * t))
        else:
            led = interpolate(skeleton, self.away, wanted[-1], _eased(2.0 * t - 1.0))
        out[self.limb.numbers] = led[self.limb.numbers]
        return out

    def way(self) -> Floats:
        """(frames, nq) all of it."""
        return np.array([self.row(i) for i in range(self.last + 1)])


class Detours:
    """Finds certified ways round for the limbs of a figure."""

    def __init__(self, tracker: PostureTracker, joined_m: float) -> None:
        self._tracker = tracker
        self._skeleton = tracker.figure.skeleton
        self._joined_m = joined_m  # how near to the source a way must end
        roles = dict(tracker.figure.roles)
        self._limbs = [
            self._limb([roles[role] for role in chain], chain[0].endswith("hip"))
            for chain in _LIMBS
            if all(role in roles for role in chain)
        ]
        corners = np.array([c for c in product((-1.0, 0.0, 1.0), repeat=3) if any(c)])
        axes = corners / np.linalg.norm(corners, axis=1, keepdims=True)
        self._axes = axes[np.argsort(np.abs(corners).sum(axis=1), kind="stable")][:14]

    def find(self, start: Floats, wanted: Floats, behind: Floats) -> Floats | None:
        """A certified way (frames, nq) from `start` to the last of `wanted` (frames, nq).

        Its first row is `start`, in the place of the first posture. behind (joints,): how far each
        joint is left behind, in metres; only limbs that are take a way round. None: no way found.
        """
        late = [limb for limb in self._limbs if behind[limb.joints].max() > self._joined_m]
        if not late:
            return None
        middle = wanted[len(wanted) // 2]
        leads: list[_Lead] = []
        for limb in [*late, _together(late)] if len(late) > 1 else late:
            held = _others(late, limb)
            leads += [
                _Lead(self._skeleton, start, wanted, limb, away, held)
                for away in self._aways(middle, limb)
            ]
        leads = self._shortest_first(leads, wanted)
        for lead in leads:
            if self._clear(lead) and self._joined(lead.row(lead.last), wanted[-1], lead.limb):
                way = lead.way()
                if self._certified(way):
                    return way
        clear = [self._clear_rows(lead) for lead in leads]
        for k in np.argsort(clear, kind="stable")[::-1][:_FOLLOWED]:
            rows = self._followed(leads[k])
            if rows is not None and any(self._joined(rows[-1], wanted[-1], o) for o in late):
                return rows
        return None

    def _shortest_first(self, leads: list[_Lead], wanted: Floats) -> list[_Lead]:
        """Ways that leave the source the least first; none into the ground.

        The source's lowest joint is taken to be on it.
        """
        skeleton = self._skeleton
        source = forward(skeleton, wanted).positions
        there = forward(skeleton, np.array([lead.away for lead in leads])).positions
        above = there[:, :, 1].min(axis=1) >= source[:, :, 1].min() - _GROUND_M
        aside = np.linalg.norm(there - source[len(wanted) // 2], axis=2)
        far = [
            float(row[lead.limb.joints].max()) * (_LEG if lead.limb.leg else 1.0)
            for row, lead in zip(aside, leads, strict=True)
        ]
        return [leads[k] for k in np.argsort(far, kind="stable") if above[k]]

    def _followed(self, lead: _Lead) -> Floats | None:
        """The tracker's way along a lead; None once it is far from it."""
        way = lead.way()
        for i in range(1, len(way)):
            led = way[i]
            way[i] = self._tracker.follow(way[i - 1], led, gated=True)
            if self._apart(way[i], led, lead.limb) > _LOST_M:
                return None
        return way

    def _clear(self, lead: _Lead) -> bool:
        """Whether all rows of a way are clear; looks at the middle, where most are not, first.

        This is quick; what lies between the rows is only looked at in ways that pass it.
        """
        middle = lead.last // 2
        order = sorted(range(1, lead.last + 1), key=lambda i: abs(i - middle))
        return all(self._clear_row(lead, i) for i in order)

    def _clear_rows(self, lead: _Lead) -> int:
        """How many rows of a way are clear, up to the first that is not."""
        for i in range(1, lead.last + 1):
            if not self._clear_row(lead, i):
                return i
        return lead.last + 1

    def _clear_row(self, lead: _Lead, i: int) -> bool:
        return self._tracker.clearance(lead.row(i)) >= -self._tracker.gate.slack_m

    def _certified(self, way: Floats) -> bool:
        fraction = self._tracker.gate.fraction
        return all(fraction(a, b) >= 1.0 for a, b in pairwise(way))

    def _joined(self, row: Floats, wanted: Floats, limb: _Limb) -> bool:
        """Whether the limb is where it is wanted."""
        return self._apart(row, wanted, limb) <= self._joined_m

    def _apart(self, row: Floats, wanted: Floats, limb: _Limb) -> float:
        apart = forward(self._skeleton, row).positions - forward(self._skeleton, wanted).positions
        return float(np.linalg.norm(apart[limb.joints], axis=1).max())

    def _aways(self, posture: Floats, limb: _Limb) -> Iterator[Floats]:
        """The posture with the limb opened, then turned aside many ways, near ones first."""
        for opening in _OPENINGS:
            yield interpolate(self._skeleton, posture, self._skeleton.rest_configuration, opening)
        if len(limb.turning) > 3:
            return  # several limbs at once are only opened
        for turn in _TURNS:
            for axis in self._axes:
                v = np.zeros(self._skeleton.dof_count)
                v[limb.turning] = turn * axis
                away = integrate(self._skeleton, posture, v)
                away[limb.bending] *= 1.0 - _UNBENT
                yield away

    def _limb(self, chain: list[str], leg: bool) -> _Limb:
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
            np.array([skeleton.q_slice(name).start for name in hinges], dtype=np.int64),
            leg,
        )


def _eased(t: float) -> float:
    """From 0 to 1 without a jerk at either end."""
    return t * t * (3.0 - 2.0 * t)

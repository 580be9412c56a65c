"""Stretches of a clip that are certified as they stand, and how a body goes on beyond their ends.

Postures that are clear one by one may still lie on two sides of a limb. Between such frames, and
where a correction would leap, a clip is cut into stretches. Beyond either end of a stretch a gated
tracker goes on, forwards or backwards in time, on the side where it is; it nears the wanted
postures no faster than a body can, and where it gets there it has come into another stretch.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from writhe.arrays import Bools, Floats
from writhe.skeleton import forward
from writhe.skeleton.kinematics import difference, integrate, interpolate
from writhe.solvers.tracking import PostureTracker

QUICK_M_S = 5.0  # a body leaves the source and comes back to it no faster than this
_SHORTEST_S = 0.1  # a shorter stretch is a flicker of the source
_FOOT = 2.0  # a foot off its place counts so many times as another joint
_WORTH_MS = 0.017  # mean displacement times seconds: going on is dearer than a way round then
_LEAP_S = 0.1  # seconds that a metre moved faster than a body can counts for


@dataclass(frozen=True)
class Stretch:
    """Frames `first` to `last` of the wanted postures, certified from one to the next."""

    first: int
    last: int

    def __contains__(self, frame: int) -> bool:
        """Whether the frame is in it."""
        return self.first <= frame <= self.last

    @property
    def middle(self) -> int:
        """Its middle frame."""
        return (self.first + self.last) // 2


@dataclass
class Tail:
    """How a body goes on beyond the end of a stretch, in the order in which it was found."""

    rows: list[Floats]  # the first is the end of the stretch itself
    places: list[Floats]  # (joints, 3) of each row
    dearer: list[float]  # what the rows up to each cost more than the wanted postures
    met: int | None = None  # the stretch it came into, where its last row is the wanted posture


def leaps_beyond(places: Floats, source: Floats) -> Floats:
    """(frames - 1,) how much farther than in the source a joint moves in a frame, at most.

    places, source (frames, joints, 3).
    """
    moved, given = (np.linalg.norm(np.diff(p, axis=0), axis=2) for p in (places, source))
    return np.maximum(moved - given, 0.0).max(axis=1, initial=0.0)


class Course:
    """A clip and the clear postures wanted in it, cut into stretches.

    source, wanted (frames, nq): the clip, and every frame of it clear where that was possible.
    What motions cost is their mean displacement from the source times seconds.
    """

    def __init__(self, tracker: PostureTracker, source: Floats, wanted: Floats, fps: float) -> None:
        self.tracker, self.source, self.wanted, self.fps = tracker, source, wanted, fps
        self.quick_m = QUICK_M_S / fps
        self.skeleton = tracker.figure.skeleton
        self.places = forward(self.skeleton, source).positions
        roles = {joint for role, joint in tracker.figure.roles if role.endswith(("ankle", "toe"))}
        self.weight = np.array([_FOOT if name in roles else 1.0 for name in self.skeleton.names])
        self.weight /= len(self.weight) * fps
        self.wanted_places = forward(self.skeleton, wanted).positions
        self.cost = np.linalg.norm(self.wanted_places - self.places, axis=2) @ self.weight
        self.stretches = self._cut()
        self._tails: dict[tuple[int, int], Tail] = {}

    def dearer(self, first: int, rows: Floats) -> float:
        """What rows from frame `first` on cost more than the wanted postures; leaps count too.

        The last row is where the body goes on from, and is not counted itself.
        """
        part = slice(first, first + len(rows))
        places = np.array([forward(self.skeleton, row).positions for row in rows])
        cost = np.linalg.norm(places - self.places[part], axis=2) @ self.weight - self.cost[part]
        leaps = leaps_beyond(places, self.places[part])
        return float(cost[:-1].sum() + _LEAP_S * np.maximum(leaps - self.quick_m, 0.0).sum())

    def tail(self, stretch: int, way: int, *, at_least: int = 0, endless: bool = False) -> Tail:
        """How the body goes on beyond the end of a stretch (way 1) or before its start (way -1).

        At least so many frames, and as long as that is not dear, or until it meets a stretch or
        the clip ends.
        """
        here = self.stretches[stretch]
        edge = here.last if way > 0 else here.first
        tail = self._tails.get((stretch, way))
        if tail is None:
            tail = Tail([self.wanted[edge]], [self.wanted_places[edge]], [0.0])
            self._tails[stretch, way] = tail
        while tail.met is None:
            frame = edge + way * len(tail.rows)
            if not 0 <= frame < len(self.wanted):
                break
            if not endless and tail.dearer[-1] > _WORTH_MS and len(tail.rows) > at_least:
                break
            row, there = self._next(tail.rows[-1], frame - way, frame)
            places = forward(self.skeleton, row).positions
            off = np.linalg.norm(places - self.places[frame], axis=1) @ self.weight
            leap = leaps_beyond(
                np.array([tail.places[-1], places]), self.places[[frame - way, frame]]
            )
            dearer = float(off - self.cost[frame]) + _LEAP_S * max(
                0.0, float(leap[0]) - self.quick_m
            )
            tail.dearer.append(tail.dearer[-1] + dearer)
            tail.rows.append(row)
            tail.places.append(places)
            if there:
                tail.met = self._at(frame)
        return tail

    def _next(self, row: Floats, before: int, frame: int) -> tuple[Floats, bool]:
        """The posture at `frame` after `row` at the frame before; whether it is the wanted one."""
        skeleton, wanted = self.skeleton, self.wanted[frame]
        carried = integrate(
            skeleton, self.source[frame], difference(skeleton, self.source[before], row)
        )
        apart = forward(skeleton, carried).positions - self.wanted_places[frame]
        far = float(np.linalg.norm(apart, axis=1).max())
        if far <= self.quick_m:
            if self._clear[frame] and self.tracker.gate.fraction(row, wanted) >= 1.0:
                return wanted, True
            target = wanted
        else:
            target = interpolate(skeleton, carried, wanted, self.quick_m / far)
        return self.tracker.follow(row, target, gated=True), False

    def _at(self, frame: int) -> int | None:
        for number, stretch in enumerate(self.stretches):
            if frame in stretch:
                return number
        return None

    def _cut(self) -> list[Stretch]:
        tracker, count = self.tracker, len(self.wanted)
        self._clear: Bools = np.array(
            [tracker.clearance(row) >= -tracker.gate.slack_m for row in self.wanted]
        )
        leaps = leaps_beyond(self.wanted_places, self.places)
        joined = [
            bool(self._clear[i] and self._clear[i + 1])
            and leaps[i] <= self.quick_m
            and tracker.gate.fraction(self.wanted[i], self.wanted[i + 1]) >= 1.0
            for i in range(count - 1)
        ]
        starts = [0, *(i + 1 for i in range(count - 1) if not joined[i]), count]
        pieces = [Stretch(a, b - 1) for a, b in pairwise(starts) if self._clear[a]]
        shortest = max(2, round(_SHORTEST_S * self.fps))
        kept = [p for p in pieces if p.last - p.first + 1 >= shortest]
        ends = [p for p in pieces if p not in kept and (p.first == 0 or p.last == count - 1)]
        return sorted([*kept, *ends], key=lambda p: p.first) or [Stretch(0, 0)]

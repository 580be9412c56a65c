"""Ways round: from one side of a limb to the other when a source motion passes through it.

The body changes from one track to another that lies on the other side. Limbs make way meanwhile
(`aside`), so that they leave the first track late and are back on the second soon, at a speed a
body can have. A way that is certified as it stands is taken; else the tracker follows the ways that
came farthest, giving way where they touch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from writhe.arrays import Floats
from writhe.cleaning.clear_segments import QUICK_M_S, leaps_beyond
from writhe.cleaning.limb_evasions import LimbAsides, Limbs
from writhe.kernels.planning.detour_candidates import Crossing
from writhe.skeleton import Skeleton, forward
from writhe.solvers.tracking import PostureTracker

_APART_M = 0.06  # a leg farther apart than this on the two tracks may have to make way
_FOLLOWED = 2  # ways that are followed when none is certified as it stands
_LEG = 4.0  # a leg moved aside counts so many times as an arm: it carries the body
_HALF_S = 0.6  # half of a way round takes no longer than this
_SHORTEST_S = 0.13  # and all of it no less
_GROUND_M = 0.02  # a way may lead no joint farther than this below the lowest of the source
_LOST_M = 0.15  # a limb farther from where it is led does not get there
_DEAR_MS = 0.01  # a way dearer than this is compared with those of other limbs
_HASTY = 12  # certified ways that are too fast, after which the first of them is taken
_NOT_ASIDE = 0  # the way of making way that is none
_AT_ONCE = 48  # ways whose middle is looked at together


@dataclass(frozen=True)
class Tracks:
    """Two tracks over the same frames, on two sides of something, and where they are wanted.

    moment: the frame at which to change from one to the other.
    """

    before: Floats  # (frames, nq)
    after: Floats  # (frames, nq)
    source: Floats  # (frames, joints, 3)
    moment: int

    @property
    def ground_m(self) -> float:
        """How low a joint may get: the source's lowest is taken to be on the ground."""
        return float(self.source[:, :, 1].min()) - _GROUND_M


class _Lead:
    """From one track to another over `last` frames, with a limb aside in between.

    dear_ms: about what it costs, in mean displacement times seconds.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        tracks: Tracks,
        frames: int,
        asides: LimbAsides,
        way_aside: int,
        dear_ms: float,
    ) -> None:
        self.asides, self.way_aside, self.last, self.dear_ms = asides, way_aside, frames, dear_ms
        room = len(tracks.before) - 1
        self.start = min(max(0, tracks.moment - frames // 2), room - frames)
        self._skeleton, self._tracks = skeleton, tracks
        self._rows: dict[int, Floats] = {}

    def slower(self, times: float) -> _Lead:
        """The same way over so many times as many frames, or as many as there are."""
        frames = min(len(self._tracks.before) - 1, math.ceil(times * self.last))
        return _Lead(
            self._skeleton, self._tracks, frames, self.asides, self.way_aside, self.dear_ms
        )

    def row(self, i: int) -> Floats:
        """The posture at frame i of the way."""
        if i not in self._rows:
            u, at = i / self.last, self.start + i
            crossing = Crossing(
                self._tracks.before[at],
                self._tracks.after[at],
                # it changes tracks while the limb is at least half aside
                _eased(min(1.0, max(0.0, 2.0 * u - 0.5))),
                _eased(1.0 - abs(2.0 * u - 1.0)),
            )
            self._rows[i] = self.asides.posture(crossing, self.way_aside)
        return self._rows[i]

    def way(self) -> Floats:
        """(last + 1, nq) all of it."""
        return np.array([self.row(i) for i in range(self.last + 1)])

    def above_ground(self) -> bool:
        """Whether no posture on the way is lower than the source."""
        rows = (self.row(i) for i in range(1, self.last))
        lowest = min(forward(self._skeleton, row).positions[:, 1].min() for row in rows)
        return float(lowest) >= self._tracks.ground_m


class Detours:
    """Finds certified ways round for the limbs of a figure.

    longest: frames that half of a way may take.
    """

    def __init__(self, tracker: PostureTracker, fps: float) -> None:
        self.longest = max(2, round(_HALF_S * fps))
        self._tracker, self._fps, self._quick_m = tracker, fps, QUICK_M_S / fps
        self._skeleton = tracker.figure.skeleton
        self._limbs = Limbs(tracker.figure, tracker.table)

    def find(self, tracks: Tracks, worth_ms: float = np.inf) -> tuple[int, Floats] | None:
        """A certified way from one track to the other: its first frame, and its rows (k, nq).

        Ways dearer than worth_ms (mean displacement times seconds) are not looked at.
        """
        at = tracks.moment
        middle = Crossing(tracks.before[at], tracks.after[at], 0.5, 1.0)
        ends = [
            forward(self._skeleton, rows[at]).positions for rows in (tracks.before, tracks.after)
        ]
        apart = np.linalg.norm(ends[1] - ends[0], axis=1)
        promising, plain, hasty = list[_Lead](), list[_Lead](), list[_Lead]()
        best: _Lead | None = None
        between = self._tracker.gate.check(middle.before, middle.after).blocked_by
        for groups in self._limbs.making_way(apart, _APART_M, between):
            leads = self._nearest_first(tracks, middle, ends, groups, worth_ms)
            if not plain:
                plain = [lead for lead in leads if lead.way_aside == _NOT_ASIDE][:1]
            for first in range(0, len(leads), _AT_ONCE):
                some = self._clear_in_the_middle(leads[first : first + _AT_ONCE], middle)
                promising += some
                calm = self._first_calm(some, tracks, hasty)
                if calm is not None:
                    best, worth_ms = calm, calm.dear_ms
                if calm is not None or len(hasty) >= _HASTY:
                    break
            if best is not None and best.dear_ms < _DEAR_MS:
                break
        if best is not None or hasty:
            lead = best or hasty[0]
            return lead.start, lead.way()
        farthest = sorted(promising, key=self._clear_rows, reverse=True)  # of two the nearer first
        for lead in [*plain, *farthest[:_FOLLOWED]]:
            rows = self._followed(lead)
            if rows is not None:
                return lead.start, rows
        return None

    def _first_calm(self, leads: list[_Lead], tracks: Tracks, hasty: list[_Lead]) -> _Lead | None:
        """The first certified way that is no faster than a body, slower than planned if need be.

        Those that are certified but too fast are added to `hasty`.
        """
        for lead in leads:
            if not self._passes(lead):
                continue
            part = slice(lead.start, lead.start + lead.last + 1)
            places = np.array([forward(self._skeleton, row).positions for row in lead.way()])
            times = float(leaps_beyond(places, tracks.source[part]).max()) / self._quick_m
            if times <= 1.0:
                return lead
            slower = lead.slower(times)
            if slower.last > lead.last and self._passes(slower):
                return slower
            hasty.append(lead)
            if len(hasty) >= _HASTY:
                break
        return None

    def _nearest_first(
        self,
        tracks: Tracks,
        middle: Crossing,
        ends: list[Floats],
        groups: list[LimbAsides],
        worth_ms: float,
    ) -> list[_Lead]:
        """Ways for groups of limbs, those that leave the source the least first."""
        source, room = tracks.source, len(tracks.before) - 1
        if room < 2:
            return []
        found: list[tuple[float, _Lead]] = []
        for asides in groups:
            there = asides.places(middle)
            moved = np.maximum(
                np.linalg.norm(there - ends[0], axis=2).max(axis=1),
                np.linalg.norm(there - ends[1], axis=2).max(axis=1),
            )
            off = np.linalg.norm(there - source[tracks.moment], axis=2).mean(axis=1)
            # an eased move of half the way is half as fast again as an even one at its quickest
            needed = np.ceil(3.0 * moved / self._quick_m)
            frames = np.clip(needed, min(max(2, round(_SHORTEST_S * self._fps)), room), room)
            dear = 0.5 * off * frames / self._fps * np.maximum(needed / frames, 1.0) ** 2
            allowed = (there[:, :, 1].min(axis=1) >= tracks.ground_m) & (dear < worth_ms)
            for k in np.flatnonzero(allowed):
                lead = _Lead(self._skeleton, tracks, int(frames[k]), asides, int(k), float(dear[k]))
                found.append((lead.dear_ms * (_LEG if asides.limb.leg else 1.0), lead))
        found.sort(key=lambda way: way[0])
        return [lead for _, lead in found]

    def _clear_in_the_middle(self, leads: list[_Lead], middle: Crossing) -> list[_Lead]:
        """Those of some ways that are clear where they are farthest aside."""
        clear = np.zeros(len(leads), dtype=np.bool_)
        for asides in dict.fromkeys(lead.asides for lead in leads):
            mine = [k for k, lead in enumerate(leads) if lead.asides is asides]
            ways = np.array([leads[k].way_aside for k in mine])
            clear[mine] = asides.clear(middle, ways, self._tracker.gate.slack_m)
        return [lead for lead, is_clear in zip(leads, clear, strict=True) if is_clear]

    def _followed(self, lead: _Lead) -> Floats | None:
        """The tracker's way along a lead; None once it is far from it."""
        way = lead.way()
        joints = lead.asides.limb.joints
        for i in range(1, lead.last):
            led = way[i]
            way[i] = self._tracker.follow(way[i - 1], led, gated=True)
            apart = (
                forward(self._skeleton, way[i]).positions - forward(self._skeleton, led).positions
            )
            if float(np.linalg.norm(apart[joints], axis=1).max()) > _LOST_M:
                return None
        return way if self._tracker.gate.fraction(way[-2], way[-1]) >= 1.0 else None

    def _passes(self, lead: _Lead) -> bool:
        """Whether a way is certified as it stands.

        First all its rows must be clear, which is quick; the middle, where most are not, before
        the others. What lies between the rows is only looked at in ways that pass this.
        """
        middle = lead.last // 2
        order = sorted(range(1, lead.last), key=lambda i: abs(i - middle))
        if not all(self._clear_row(lead, i) for i in order) or not lead.above_ground():
            return False
        fraction = self._tracker.gate.fraction
        return all(fraction(a, b) >= 1.0 for a, b in pairwise(lead.way()))

    def _clear_rows(self, lead: _Lead) -> int:
        """How many rows of a way are clear, up to the first that is not."""
        for i in range(1, lead.last):
            if not self._clear_row(lead, i):
                return i
        return lead.last

    def _clear_row(self, lead: _Lead, i: int) -> bool:
        return self._tracker.clearance(lead.row(i)) >= -self._tracker.gate.slack_m


def _eased(t: float) -> float:
    """From 0 to 1 without a jerk at either end."""
    return t * t * (3.0 - 2.0 * t)

"""Detours lead around a limb where the source motion passes through it.

A *track* is a certified motion, or the extension of one, on one side of the limb. An *evasion* is a
change of a limb's pose that moves it aside (`limb_evasions`). A detour starts on one track, fades
in an evasion, changes to the track on the other side, and fades the evasion out, within a speed
bound. The cheapest certified candidate is used. If none is certified, the *tracker*
(`PostureTracker`, which follows target postures by steps that the gate certifies) follows the
candidates with the most clear frames. `segment_path` decides where a detour is used.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from writhe.arrays import Floats
from writhe.cleaning.clear_segments import MAX_SPEED_M_S
from writhe.cleaning.leaps import excess_motion
from writhe.cleaning.limb_evasions import EvadingLimbs, LimbEvasions
from writhe.easing import smoothstep
from writhe.kernels.cleaning.detour_candidates import TrackCrossing
from writhe.skeleton import Skeleton, forward
from writhe.solvers.posture_tracking import PostureTracker

_APART_M = 0.06  # a leg whose positions on the two tracks differ by more may evade
_MAX_TRACKED = 2  # number of candidates that the tracker follows if none is certified
_LEG_COST = 4.0  # cost of an evading leg relative to an arm, since it carries the body
_HALF_S = 0.6  # longest duration of half a detour
_SHORTEST_S = 0.13  # shortest duration of a whole detour
_GROUND_M = 0.02  # allowed depth below the lowest joint of the source
_MAX_DEVIATION_M = 0.15  # tracking is given up when a limb deviates by more
_COMPARE_METRE_SECONDS = 0.01  # above this cost, detours by other limbs are searched for as well
# number of certified but too fast candidates after which the first of them is accepted
_MAX_TOO_FAST = 12
_NO_EVASION = 0  # index of the evasion that leaves the limb unchanged
_BATCH = 48  # candidates whose switch posture is checked in one kernel call


@dataclass(frozen=True)
class Tracks:
    """Two tracks over the same frames, on different sides, and the joint positions of the source.

    switch_frame: index of the frame around which to change from one to the other.
    """

    before: Floats  # (frames, nq)
    after: Floats  # (frames, nq)
    source: Floats  # (frames, joints, 3)
    switch_frame: int

    @property
    def ground_m(self) -> float:
        """Lowest allowed joint height; the lowest joint of the source is assumed to be grounded."""
        return float(self.source[:, :, 1].min()) - _GROUND_M


class _Candidate:
    """A detour of intervals + 1 frames with one evasion, not yet checked.

    cost_metre_seconds: estimated cost, mean displacement times seconds.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        tracks: Tracks,
        frames: int,
        evasions: LimbEvasions,
        evasion: int,
        cost_metre_seconds: float,
    ) -> None:
        self.evasions, self.evasion, self.intervals, self.cost_metre_seconds = (
            evasions,
            evasion,
            frames,
            cost_metre_seconds,
        )
        available = len(tracks.before) - 1
        self.start = min(max(0, tracks.switch_frame - frames // 2), available - frames)
        self._skeleton, self._tracks = skeleton, tracks
        self._rows: dict[int, Floats] = {}

    def slowed(self, factor: float) -> _Candidate:
        """The same detour stretched in time by a factor, within the frames available."""
        frames = min(len(self._tracks.before) - 1, math.ceil(factor * self.intervals))
        return _Candidate(
            self._skeleton,
            self._tracks,
            frames,
            self.evasions,
            self.evasion,
            self.cost_metre_seconds,
        )

    def row(self, i: int) -> Floats:
        """(nq,) the posture at frame i of the detour."""
        if i not in self._rows:
            u, at = i / self.intervals, self.start + i
            crossing = TrackCrossing(
                self._tracks.before[at],
                self._tracks.after[at],
                # the tracks are switched while the limb evades by at least half
                smoothstep(2.0 * u - 0.5),
                smoothstep(1.0 - abs(2.0 * u - 1.0)),
            )
            self._rows[i] = self.evasions.posture(crossing, self.evasion)
        return self._rows[i]

    def rows(self) -> Floats:
        """(intervals + 1, nq) all postures."""
        return np.array([self.row(i) for i in range(self.intervals + 1)])

    def above_ground(self) -> bool:
        """Whether no posture is below the ground level of the tracks."""
        rows = (self.row(i) for i in range(1, self.intervals))
        lowest = min(forward(self._skeleton, row).positions[:, 1].min() for row in rows)
        return float(lowest) >= self._tracks.ground_m


class Detours:
    """Finds certified detours for the limbs of a figure.

    longest: largest number of frames of half a detour.
    """

    def __init__(self, tracker: PostureTracker, fps: float) -> None:
        self.longest = max(2, round(_HALF_S * fps))
        self._tracker, self._fps, self._max_step_m = tracker, fps, MAX_SPEED_M_S / fps
        self._skeleton = tracker.figure.skeleton
        self._limbs = EvadingLimbs(tracker.figure, tracker.table)

    def find(
        self, tracks: Tracks, max_cost_metre_seconds: float = np.inf
    ) -> tuple[int, Floats] | None:
        """A certified detour from one track to the other: its first frame and its rows (k, nq).

        Candidates whose estimated cost exceeds max_cost_metre_seconds (m s) are not considered.
        """
        at = tracks.switch_frame
        middle = TrackCrossing(tracks.before[at], tracks.after[at], 0.5, 1.0)
        ends = [
            forward(self._skeleton, rows[at]).positions for rows in (tracks.before, tracks.after)
        ]
        apart_m = np.linalg.norm(ends[1] - ends[0], axis=1)
        promising, plain, too_fast = list[_Candidate](), list[_Candidate](), list[_Candidate]()
        best: _Candidate | None = None
        between = self._tracker.gate.check(middle.before, middle.after).blocked_by
        for groups in self._limbs.evasion_groups(apart_m, _APART_M, between):
            candidates = self._cheapest_first(tracks, middle, ends, groups, max_cost_metre_seconds)
            if not plain:
                plain = [candidate for candidate in candidates if candidate.evasion == _NO_EVASION][
                    :1
                ]
            for first in range(0, len(candidates), _BATCH):
                some = self._clear_at_switch(candidates[first : first + _BATCH], middle)
                promising += some
                slow_enough = self._first_within_speed(some, tracks, too_fast)
                if slow_enough is not None:
                    best, max_cost_metre_seconds = slow_enough, slow_enough.cost_metre_seconds
                if slow_enough is not None or len(too_fast) >= _MAX_TOO_FAST:
                    break
            if best is not None and best.cost_metre_seconds < _COMPARE_METRE_SECONDS:
                break
        if best is not None or too_fast:
            candidate = best or too_fast[0]
            return candidate.start, candidate.rows()
        # a stable sort: the cheaper of two equal counts comes first
        farthest = sorted(promising, key=self._clear_row_count, reverse=True)
        for candidate in [*plain, *farthest[:_MAX_TRACKED]]:
            rows = self._tracked(candidate)
            if rows is not None:
                return candidate.start, rows
        return None

    def _first_within_speed(
        self, candidates: list[_Candidate], tracks: Tracks, too_fast: list[_Candidate]
    ) -> _Candidate | None:
        """The first certified candidate within the speed bound, slowed down if necessary.

        Certified candidates above the bound are appended to `too_fast`.
        """
        for candidate in candidates:
            if not self._is_certified(candidate):
                continue
            part = slice(candidate.start, candidate.start + candidate.intervals + 1)
            positions = np.array(
                [forward(self._skeleton, row).positions for row in candidate.rows()]
            )
            factor = float(excess_motion(positions, tracks.source[part]).max()) / self._max_step_m
            if factor <= 1.0:
                return candidate
            slowed = candidate.slowed(factor)
            if slowed.intervals > candidate.intervals and self._is_certified(slowed):
                return slowed
            too_fast.append(candidate)
            if len(too_fast) >= _MAX_TOO_FAST:
                break
        return None

    def _cheapest_first(
        self,
        tracks: Tracks,
        middle: TrackCrossing,
        ends: list[Floats],
        groups: list[LimbEvasions],
        max_cost_metre_seconds: float,
    ) -> list[_Candidate]:
        """Candidates of all groups of limbs, by increasing estimated cost."""
        source, available = tracks.source, len(tracks.before) - 1
        if available < 2:
            return []
        found: list[tuple[float, _Candidate]] = []
        for evasions in groups:
            positions = evasions.positions(middle)
            distance = np.maximum(
                np.linalg.norm(positions - ends[0], axis=2).max(axis=1),
                np.linalg.norm(positions - ends[1], axis=2).max(axis=1),
            )
            displacement = np.linalg.norm(positions - source[tracks.switch_frame], axis=2).mean(
                axis=1
            )
            # the peak speed of a smoothstep is 1.5 times the mean, over half the frames
            needed = np.ceil(3.0 * distance / self._max_step_m)
            frames = np.clip(
                needed, min(max(2, round(_SHORTEST_S * self._fps)), available), available
            )
            cost = 0.5 * displacement * frames / self._fps * np.maximum(needed / frames, 1.0) ** 2
            allowed = (positions[:, :, 1].min(axis=1) >= tracks.ground_m) & (
                cost < max_cost_metre_seconds
            )
            for k in np.flatnonzero(allowed):
                candidate = _Candidate(
                    self._skeleton, tracks, int(frames[k]), evasions, int(k), float(cost[k])
                )
                found.append(
                    (
                        candidate.cost_metre_seconds * (_LEG_COST if evasions.limb.is_leg else 1.0),
                        candidate,
                    )
                )
        found.sort(key=lambda rows: rows[0])
        return [candidate for _, candidate in found]

    def _clear_at_switch(
        self, candidates: list[_Candidate], middle: TrackCrossing
    ) -> list[_Candidate]:
        """The candidates whose posture of full evasion is clear."""
        clear = np.zeros(len(candidates), dtype=np.bool_)
        for evasions in dict.fromkeys(candidate.evasions for candidate in candidates):
            mine = [k for k, candidate in enumerate(candidates) if candidate.evasions is evasions]
            indices = np.array([candidates[k].evasion for k in mine])
            clear[mine] = evasions.clear(middle, indices, self._tracker.gate.slack_m)
        return [
            candidate for candidate, is_clear in zip(candidates, clear, strict=True) if is_clear
        ]

    def _tracked(self, candidate: _Candidate) -> Floats | None:
        """(k, nq) the gated tracker along a candidate; None if it deviates too far."""
        rows = candidate.rows()
        joints = candidate.evasions.limb.joints
        for i in range(1, candidate.intervals):
            target = rows[i].copy()
            rows[i] = self._tracker.follow(rows[i - 1], target, gated=True)
            apart_m = (
                forward(self._skeleton, rows[i]).positions
                - forward(self._skeleton, target).positions
            )
            if float(np.linalg.norm(apart_m[joints], axis=1).max()) > _MAX_DEVIATION_M:
                return None
        return rows if self._tracker.gate.fraction(rows[-2], rows[-1]) >= 1.0 else None

    def _is_certified(self, candidate: _Candidate) -> bool:
        """Whether a candidate is certified.

        Its rows are checked first, from the middle outwards, since that rejects most candidates
        quickly; the motion between rows is checked last.
        """
        middle = candidate.intervals // 2
        order = sorted(range(1, candidate.intervals), key=lambda i: abs(i - middle))
        if not all(self._clear_row(candidate, i) for i in order) or not candidate.above_ground():
            return False
        fraction = self._tracker.gate.fraction
        return all(fraction(a, b) >= 1.0 for a, b in pairwise(candidate.rows()))

    def _clear_row_count(self, candidate: _Candidate) -> int:
        """Number of leading clear rows."""
        for i in range(1, candidate.intervals):
            if not self._clear_row(candidate, i):
                return i
        return candidate.intervals

    def _clear_row(self, candidate: _Candidate, i: int) -> bool:
        return self._tracker.clearance(candidate.row(i)) >= -self._tracker.gate.slack_m

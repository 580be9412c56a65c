"""The certified path through a whole clip that stays nearest to the source.

A segment is a run of frames whose motion is certified (`clear_segments`). A transition leads from
one segment to another: the first is extended forwards until it reaches the second, or the second is
extended backwards, or a detour changes from one extension to the other (`detour`, which calls the
extended segments tracks). The cheapest sequence of transitions is a shortest path in an acyclic
graph. Edge costs are estimates at first; an edge is evaluated when the current shortest path uses
it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.cleaning.clear_segments import SegmentedClip
from writhe.cleaning.detour import Detours, Tracks
from writhe.skeleton.kinematics import difference, integrate

# Costs are mean displacement times seconds, m s.
_ESTIMATED_SWITCH_METRE_SECONDS = (
    0.0017  # estimated cost of a change of segments before it is evaluated
)
_ESTIMATED_DISPLACEMENT_M = 0.02  # estimated mean displacement during a transition
_LOOK_AHEAD_S = 1.0  # transitions to segments farther ahead are not considered
_MAX_SWITCH_FRAMES = 3  # a detour is searched for around this many frames at most
_SWITCH_SPACING_S = 0.13  # time between these frames
_MIN_SAVING_METRE_SECONDS = 0.001  # a detour must save at least this much to be searched for
# further switch frames are tried while the best detour costs this much more than the extensions to
# its switch frame alone
_COMPARE_METRE_SECONDS = 0.01


@dataclass(frozen=True)
class Transition:
    """Rows that lead from one segment to another, or an estimate of their cost."""

    start_segment: int  # index of a segment, or -1: the start of the clip
    goal_segment: int  # index of a segment, or the segment count: the end of the clip
    leave_frame: int  # the last frame in the first segment
    enter_frame: int  # the first frame in the second segment
    cost_metre_seconds: float
    rows: Floats | None = None  # (enter_frame - leave_frame - 1, nq)
    estimated: bool = False


def nearest_path(
    clip: SegmentedClip, detours: Detours | None, report: Callable[[int], None]
) -> Floats:
    """(frames, nq) the certified motion nearest to the source.

    report: called with the number of leading frames whose path is known.
    """
    search = _PathSearch(clip, detours)
    while True:
        path = search.cheapest_path()
        estimate = next((p for p in path if p.estimated), None)
        if estimate is None:
            break
        report(min(len(clip.target), estimate.enter_frame))
        search.evaluate(estimate.start_segment, estimate.goal_segment)
    rows = clip.target.copy()
    for transition in path:
        if transition.rows is not None:
            rows[transition.leave_frame + 1 : transition.enter_frame] = transition.rows
    report(len(rows))
    return rows


class _PathSearch:
    """The graph of evaluated and estimated transitions, and the cheapest path over it."""

    def __init__(self, clip: SegmentedClip, detours: Detours | None) -> None:
        self._clip, self._detours = clip, detours
        self._frames, self._count = len(clip.target), len(clip.segments)
        self._out: dict[int, list[Transition]] = {}
        look_ahead = _LOOK_AHEAD_S * clip.fps
        for i in range(-1, self._count):
            # the end of the clip is reached from a segment only
            last = self._count if i >= 0 else self._count - 1
            self._out[i] = [
                estimate
                for j in range(i + 1, last + 1)
                if (estimate := self._estimate(i, j)).enter_frame - estimate.leave_frame
                <= look_ahead
                or j == i + 1
            ]

    def _estimate(self, i: int, j: int) -> Transition:
        leave_frame = self._clip.segments[i].last if i >= 0 else -1
        enter_frame = self._clip.segments[j].first if j < self._count else self._frames
        if enter_frame == leave_frame + 1 and (i < 0 or j == self._count):
            return Transition(i, j, leave_frame, enter_frame, 0.0)
        duration_s = (enter_frame - leave_frame - 1) / self._clip.fps
        return Transition(
            i,
            j,
            leave_frame,
            enter_frame,
            _ESTIMATED_SWITCH_METRE_SECONDS + _ESTIMATED_DISPLACEMENT_M * duration_s,
            estimated=True,
        )

    def cheapest_path(self) -> list[Transition]:
        """The cheapest path from the start to the end of the clip, including estimates."""
        while True:
            # for each segment its incoming transitions: cost from the start, edge, predecessor
            incoming: dict[int, list[tuple[float, Transition, int]]] = {
                k: [] for k in range(self._count + 1)
            }
            for i in range(-1, self._count):
                for transition in self._out[i]:
                    before = [
                        (cost, k)
                        for k, (cost, last, _) in enumerate(incoming.get(i, []))
                        if last.enter_frame <= transition.leave_frame
                    ]
                    if i < 0 or before:
                        cost, k = min(before, default=(0.0, -1))
                        incoming[transition.goal_segment].append(
                            (cost + transition.cost_metre_seconds, transition, k)
                        )
            if incoming[self._count]:
                break
            self._extend_unlimited(max(k for k in range(-1, self._count) if k < 0 or incoming[k]))
        path: list[Transition] = []
        at, k = self._count, int(np.argmin([cost for cost, _, _ in incoming[self._count]]))
        while at >= 0:
            _, transition, k = incoming[at][k]
            path.append(transition)
            at = transition.start_segment
        return path[::-1]

    def evaluate(self, i: int, j: int) -> None:
        """Replace the estimated transition from segment i to j by those that exist."""
        self._out[i] = [p for p in self._out[i] if not (p.estimated and p.goal_segment == j)]
        if i < 0:
            self._out[i] += self._from_start(j)
            return
        found = self._by_extension(i, j)
        if self._detours is not None and j < self._count:
            found += self._by_detour(
                i, j, min((p.cost_metre_seconds for p in found), default=np.inf)
            )
        self._out[i] += found

    def _extend_unlimited(self, i: int) -> None:
        """Extend segment i (-1: the clip's start) at any cost to a later segment or the clip's end.

        Used when no path reaches the end of the clip.
        """
        clip = self._clip
        if i < 0:
            clip.extension(0, -1, unlimited=True)
            self._out[i] += self._from_start(0)
            return
        extension = clip.extension(i, 1, unlimited=True)
        self._out[i] += self._by_extension(
            i, self._count if extension.reached is None else extension.reached
        )

    def _from_start(self, j: int) -> list[Transition]:
        """The transition from the start of the clip to segment j, by extending j backwards."""
        first = self._clip.segments[j].first
        extension = self._clip.extension(j, -1)
        if len(extension.rows) - 1 < first:
            return []
        return [
            Transition(
                -1, j, -1, first, extension.extra_cost[first], np.array(extension.rows[first:0:-1])
            )
        ]

    def _by_extension(self, i: int, j: int) -> list[Transition]:
        """Transitions in which the extension of one segment reaches the other."""
        clip, found = self._clip, list[Transition]()
        last = clip.segments[i].last
        onward = clip.extension(i, 1, min_frames=self._min_extension(i, j))
        if onward.reached == j or (j == self._count and last + len(onward.rows) == self._frames):
            reached = len(onward.rows) - (onward.reached is not None)
            rows = np.array(onward.rows[1:reached]).reshape(-1, clip.target.shape[1])
            found.append(Transition(i, j, last, last + reached, onward.extra_cost[-1], rows))
        if j < self._count:
            first = clip.segments[j].first
            backward = clip.extension(j, -1, min_frames=self._min_extension(i, j))
            if backward.reached == i:
                rows = np.array(backward.rows[-2:0:-1]).reshape(-1, clip.target.shape[1])
                left = first - len(backward.rows) + 1
                found.append(Transition(i, j, left, first, backward.extra_cost[-1], rows))
        return found

    def _min_extension(self, i: int, j: int) -> int:
        """Frames that an extension needs at least to come near the other segment."""
        if j == i + 1 and j < self._count:
            return self._clip.segments[j].first - self._clip.segments[i].last + 1
        return 0

    def _by_detour(self, i: int, j: int, max_cost: float) -> list[Transition]:
        """Detours from segment i to segment j that cost less than `max_cost`."""
        clip, detours = self._clip, self._detours
        assert detours is not None
        here, there = clip.segments[i], clip.segments[j]
        onward, backward = clip.extension(i, 1), clip.extension(j, -1)
        switch_frames: list[tuple[float, int]] = []
        first = max(self._first_detour_frame(i), there.first - len(backward.rows))
        last = min(self._last_detour_frame(j), here.last + len(onward.rows) - 1)
        for switch_frame in range(first, last + 1):
            cost_before = onward.extra_cost[max(0, switch_frame - here.last)]
            cost_after = backward.extra_cost[max(0, there.first - switch_frame - 1)]
            # of detours with equal costs, the nearest
            distance = max(here.last - switch_frame, switch_frame + 1 - there.first, 0)
            switch_frames.append((cost_before + cost_after + 1e-7 * distance, switch_frame))
        switch_frames.sort()
        tried, transitions = list[int](), list[Transition]()
        for cost, switch_frame in switch_frames:
            if len(tried) == _MAX_SWITCH_FRAMES or cost + _MIN_SAVING_METRE_SECONDS >= max_cost:
                break
            if any(abs(switch_frame - other) < _SWITCH_SPACING_S * clip.fps for other in tried):
                continue
            tried.append(switch_frame)
            start = max(self._first_detour_frame(i), switch_frame - detours.longest)
            stop = min(self._last_detour_frame(j), switch_frame + detours.longest)
            frames = range(start, stop + 1)
            before = np.array([self._posture_at(i, 1, frame) for frame in frames])
            after = np.array([self._posture_at(j, -1, frame) for frame in frames])
            tracks = Tracks(before, after, clip.positions[start : stop + 1], switch_frame - start)
            found = detours.find(tracks, max_cost - cost)
            if found is not None:
                transitions.append(self._transition(i, j, start + found[0], found[1]))
                max_cost = min(max_cost, transitions[-1].cost_metre_seconds)
                if max_cost < cost + _COMPARE_METRE_SECONDS:
                    break
        return transitions

    def _first_detour_frame(self, i: int) -> int:
        """The first frame of segment i at which a detour may begin."""
        here = self._clip.segments[i]
        return here.middle if i > 0 else here.first

    def _last_detour_frame(self, j: int) -> int:
        """The last frame of segment j at which a detour may end."""
        there = self._clip.segments[j]
        return there.middle if j + 1 < self._count else there.last

    def _transition(self, i: int, j: int, start: int, detour: Floats) -> Transition:
        """The transition with a detour (k, nq) at frame `start`, extensions included."""
        clip = self._clip
        here, there, stop = clip.segments[i], clip.segments[j], start + len(detour) - 1
        leave_frame, enter_frame = min(here.last, start), max(there.first, stop)
        lead_in = [self._posture_at(i, 1, frame) for frame in range(leave_frame, start)]
        lead_out = [self._posture_at(j, -1, frame) for frame in range(stop + 1, enter_frame + 1)]
        rows = np.array([*lead_in, *detour, *lead_out])
        return Transition(
            i, j, leave_frame, enter_frame, clip.extra_cost(leave_frame, rows), rows[1:-1]
        )

    def _posture_at(self, segment: int, direction: int, frame: int) -> Floats:
        """The posture at a frame of a segment or its extension.

        Beyond the extension its last offset from the source is kept.
        """
        clip, here = self._clip, self._clip.segments[segment]
        edge = here.last if direction > 0 else here.first
        beyond = direction * (frame - edge)
        if beyond <= 0:
            return clip.target[frame]
        rows = clip.extension(segment, direction).rows
        if beyond < len(rows):
            return rows[beyond]
        behind = difference(
            clip.skeleton, clip.source[edge + direction * (len(rows) - 1)], rows[-1]
        )
        return integrate(clip.skeleton, clip.source[frame], behind)

"""The nearest certified way through a whole clip, from stretch to stretch.

From one stretch (`stretches`) the body may go on where it is until it meets another, be there
early by having gone on backwards in time, or change sides on a way round (`detour`). Of all these
the ones are taken that together stay nearest to the source: a body waits where the source soon
comes back, and goes round where it does not. Ways are looked for only as far as the best way
known so far needs them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.cleaning.clear_segments import Course
from writhe.cleaning.detour import Detours, Tracks
from writhe.skeleton.kinematics import difference, integrate

# What motions cost is in metres of mean displacement times seconds.
_GUESS_MS = 0.0017  # what it costs to change stretches, as long as that is not known
_GUESS_M = 0.02  # and how far away the body is while it leaves others out
_AHEAD_S = 1.0  # stretches farther off are not looked at
_MOMENTS = 3  # at which a way round is looked for
_APART_S = 0.13  # between them
_SMALL_MS = 0.001  # what a way round must save to be looked for
_DEAR_MS = 0.01  # a way round that costs more than this is looked for at other moments too


@dataclass(frozen=True)
class Passage:
    """Rows that lead from one stretch to another, or a guess of what they would cost."""

    origin: int  # a stretch, or -1: the start of the clip
    goal: int  # a stretch, or their number: its end
    leaves: int  # the last frame in the first stretch
    enters: int  # the first frame in the second
    cost_ms: float
    rows: Floats | None = None  # (enters - leaves - 1, nq) what lies between
    guessed: bool = False


def nearest_way(course: Course, detours: Detours | None, tell: Callable[[int], None]) -> Floats:
    """(frames, nq) the certified motion nearest to the source.

    tell: called with the number of frames known to be on the way.
    """
    search = _Search(course, detours)
    while True:
        path = search.best()
        guess = next((p for p in path if p.guessed), None)
        if guess is None:
            break
        tell(min(len(course.wanted), guess.enters))
        search.look(guess.origin, guess.goal)
    rows = course.wanted.copy()
    for passage in path:
        if passage.rows is not None:
            rows[passage.leaves + 1 : passage.enters] = passage.rows
    tell(len(rows))
    return rows


class _Search:
    """Passages known and guessed, and the best path over them."""

    def __init__(self, course: Course, detours: Detours | None) -> None:
        self._course, self._detours = course, detours
        self._frames, self._count = len(course.wanted), len(course.stretches)
        self._out: dict[int, list[Passage]] = {}
        ahead = _AHEAD_S * course.fps
        for i in range(-1, self._count):
            last = self._count if i >= 0 else self._count - 1  # the end is reached from a stretch
            self._out[i] = [
                guess
                for j in range(i + 1, last + 1)
                if (guess := self._guess(i, j)).enters - guess.leaves <= ahead or j == i + 1
            ]

    def _guess(self, i: int, j: int) -> Passage:
        leaves = self._course.stretches[i].last if i >= 0 else -1
        enters = self._course.stretches[j].first if j < self._count else self._frames
        if enters == leaves + 1 and (i < 0 or j == self._count):
            return Passage(i, j, leaves, enters, 0.0)
        away = (enters - leaves - 1) / self._course.fps
        return Passage(i, j, leaves, enters, _GUESS_MS + _GUESS_M * away, guessed=True)

    def best(self) -> list[Passage]:
        """The cheapest path from the start to the end of the clip, guesses included."""
        while True:
            # for each stretch the passages into it: what they cost from the start, and before them
            into: dict[int, list[tuple[float, Passage, int]]] = {
                k: [] for k in range(self._count + 1)
            }
            for i in range(-1, self._count):
                for passage in self._out[i]:
                    before = [
                        (cost, k)
                        for k, (cost, last, _) in enumerate(into.get(i, []))
                        if last.enters <= passage.leaves
                    ]
                    if i < 0 or before:
                        cost, k = min(before, default=(0.0, -1))
                        into[passage.goal].append((cost + passage.cost_ms, passage, k))
            if into[self._count]:
                break
            self._insist(max(k for k in range(-1, self._count) if k < 0 or into[k]))
        path: list[Passage] = []
        at, k = self._count, int(np.argmin([cost for cost, _, _ in into[self._count]]))
        while at >= 0:
            _, passage, k = into[at][k]
            path.append(passage)
            at = passage.origin
        return path[::-1]

    def look(self, i: int, j: int) -> None:
        """Replace a guess by the passages that there are."""
        self._out[i] = [p for p in self._out[i] if not (p.guessed and p.goal == j)]
        if i < 0:
            self._out[i] += self._from_start(j)
            return
        found = self._meeting(i, j)
        if self._detours is not None and j < self._count:
            found += self._round(i, j, min((p.cost_ms for p in found), default=np.inf))
        self._out[i] += found

    def _insist(self, i: int) -> None:
        """Nothing else leads on from stretch i: the body goes on where it is, however far.

        It gets to a later stretch or to the end of the clip, or back to its start.
        """
        course = self._course
        if i < 0:
            course.tail(0, -1, endless=True)
            self._out[i] += self._from_start(0)
            return
        tail = course.tail(i, 1, endless=True)
        self._out[i] += self._meeting(i, self._count if tail.met is None else tail.met)

    def _from_start(self, j: int) -> list[Passage]:
        """The body is in stretch j from the start."""
        first = self._course.stretches[j].first
        tail = self._course.tail(j, -1)
        if len(tail.rows) - 1 < first:
            return []
        return [Passage(-1, j, -1, first, tail.dearer[first], np.array(tail.rows[first:0:-1]))]

    def _meeting(self, i: int, j: int) -> list[Passage]:
        """Passages without a way round: one tail meets the other stretch."""
        course, found = self._course, list[Passage]()
        last = course.stretches[i].last
        onward = course.tail(i, 1, at_least=self._needed(i, j))
        if onward.met == j or (j == self._count and last + len(onward.rows) == self._frames):
            met = len(onward.rows) - (onward.met is not None)
            rows = np.array(onward.rows[1:met]).reshape(-1, course.wanted.shape[1])
            found.append(Passage(i, j, last, last + met, onward.dearer[-1], rows))
        if j < self._count:
            first = course.stretches[j].first
            back = course.tail(j, -1, at_least=self._needed(i, j))
            if back.met == i:
                rows = np.array(back.rows[-2:0:-1]).reshape(-1, course.wanted.shape[1])
                left = first - len(back.rows) + 1
                found.append(Passage(i, j, left, first, back.dearer[-1], rows))
        return found

    def _needed(self, i: int, j: int) -> int:
        """Frames that a tail from one stretch must have to come near the other."""
        if j == i + 1 and j < self._count:
            return self._course.stretches[j].first - self._course.stretches[i].last + 1
        return 0

    def _round(self, i: int, j: int, worth: float) -> list[Passage]:
        """A way round from stretch i to stretch j that costs less than `worth`."""
        course, detours = self._course, self._detours
        assert detours is not None
        here, there = course.stretches[i], course.stretches[j]
        onward, back = course.tail(i, 1), course.tail(j, -1)
        moments: list[tuple[float, int]] = []
        first = max(self._from(i), there.first - len(back.rows))
        last = min(self._until(j), here.last + len(onward.rows) - 1)
        for moment in range(first, last + 1):
            waits = onward.dearer[max(0, moment - here.last)]
            early = back.dearer[max(0, there.first - moment - 1)]
            off = max(here.last - moment, moment + 1 - there.first, 0)  # of two as dear, the nearer
            moments.append((waits + early + 1e-7 * off, moment))
        moments.sort()
        tried, passages = list[int](), list[Passage]()
        for cost, moment in moments:
            if len(tried) == _MOMENTS or cost + _SMALL_MS >= worth:
                break
            if any(abs(moment - other) < _APART_S * course.fps for other in tried):
                continue
            tried.append(moment)
            start = max(self._from(i), moment - detours.longest)
            stop = min(self._until(j), moment + detours.longest)
            frames = range(start, stop + 1)
            before = np.array([self._row(i, 1, frame) for frame in frames])
            after = np.array([self._row(j, -1, frame) for frame in frames])
            tracks = Tracks(before, after, course.places[start : stop + 1], moment - start)
            found = detours.find(tracks, worth - cost)
            if found is not None:
                passages.append(self._passage(i, j, start + found[0], found[1]))
                worth = min(worth, passages[-1].cost_ms)
                if worth < cost + _DEAR_MS:
                    break
        return passages

    def _from(self, i: int) -> int:
        """The first frame of a stretch in which a way round may begin."""
        here = self._course.stretches[i]
        return here.middle if i > 0 else here.first

    def _until(self, j: int) -> int:
        """The last frame of a stretch in which a way round may end."""
        there = self._course.stretches[j]
        return there.middle if j + 1 < self._count else there.last

    def _passage(self, i: int, j: int, start: int, way: Floats) -> Passage:
        """A way round from frame `start` on, with what leads to it and away from it."""
        course = self._course
        here, there, stop = course.stretches[i], course.stretches[j], start + len(way) - 1
        leaves, enters = min(here.last, start), max(there.first, stop)
        lead = [self._row(i, 1, frame) for frame in range(leaves, start)]
        rest = [self._row(j, -1, frame) for frame in range(stop + 1, enters + 1)]
        rows = np.array([*lead, *way, *rest])
        return Passage(i, j, leaves, enters, course.dearer(leaves, rows), rows[1:-1])

    def _row(self, stretch: int, way: int, frame: int) -> Floats:
        """Where the body is at a frame in a stretch or on a tail; beyond it as its last row."""
        course, here = self._course, self._course.stretches[stretch]
        edge = here.last if way > 0 else here.first
        beyond = way * (frame - edge)
        if beyond <= 0:
            return course.wanted[frame]
        rows = course.tail(stretch, way).rows
        if beyond < len(rows):
            return rows[beyond]
        behind = difference(course.skeleton, course.source[edge + way * (len(rows) - 1)], rows[-1])
        return integrate(course.skeleton, course.source[frame], behind)

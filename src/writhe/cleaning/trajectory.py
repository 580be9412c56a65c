"""Windows of frames solved together until the exact certificate holds.

The path through the clip (`segment_path`) says on which side of each other the limbs pass. Here
every window of corrected frames becomes one trajectory problem (`window_problem`) that starts at
this path: corrections swell and fade smoothly and no joint moves much farther in a frame than in
the source. Where the motion between two frames is not certified, contacts at instants between them
are added to the problem and their margin is raised; intervals that still fail after that are
blended back to the path.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.cleaning.readings import BETWEEN
from writhe.cleaning.window_problem import ClipProblem, Instant, spans
from writhe.kernels.skeleton import kinematics
from writhe.skeleton import forward
from writhe.solvers.tracking import PostureTracker

# finds the intervals of a motion (frames, nq) that are not certified, as instants within them
Failures = Callable[[Floats], list[Instant]]

_RAISE_M = 0.001  # the margin at an uncertified interval grows by this in each round
_MOST_M = 0.003  # ... but by no more than this in total
_ROUNDS = 7  # of solving again around failed intervals, at most
_VAIN_ROUNDS = 2  # a reading is given up after so many rounds without fewer failures
_ROUNDS_FOR_SPEED = 3  # only the first rounds also solve frames again that are too fast
_TOO_FAST_M = 0.002  # a step longer than its bound by more than this is too fast
_ROUNDS_OF_MAIN = 2  # the first rounds solve for the main corrections only, later ones for all
_LONGEST = 360  # frames solved together at most
_OVERLAP_S = 1.0  # overlap of the pieces of a window that is longer
# a solution whose mean displacement exceeds _FARTHER times the path's plus _FARTHER_M is worse
_FARTHER, _FARTHER_M = 1.5, 0.004
_CHANGED_M = 1e-7  # smaller corrections count as none


class ClipTrajectory:
    """The trajectory problem of a clip and the loop with the certificate."""

    def __init__(self, tracker: PostureTracker, problem: ClipProblem, fade_frames: int) -> None:
        self._tracker, self._problem, self._fade = tracker, problem, fade_frames
        self._least_m = tracker.options.margin_m
        self._margin = np.full(len(problem.source), self._least_m)
        frames = len(problem.source)
        # of the last check: the frames, which of them are clear, which intervals are certified
        self._checked = problem.source
        self._clear: Bools = np.ones(frames, dtype=np.bool_)
        self._passed: Bools = np.ones(max(frames - 1, 0), dtype=np.bool_)
        self._all = np.flatnonzero(problem.may_change)
        self._instants: list[Instant] = []
        # by first frame of each corrected part of the clip: its end and its free degrees of freedom
        self._free: dict[int, tuple[int, Ints]] = {}

    def solve(self, path: Floats) -> Floats:
        """(frames, nq) the certified trajectory that starts at a certified path (frames, nq).

        Where the solution of a part of the clip is worse than the path, the path is kept there.
        """
        q = self._solve_windows(path)
        for first, (stop, _) in self._free.items():
            if self._worse(q, path, first, stop):
                q[first:stop] = path[first:stop]
        return q

    def _worse(self, q: Floats, path: Floats, first: int, stop: int) -> bool:
        """Whether q leaps farther than the path, or is much farther from the source."""
        problem = self._problem
        part = slice(max(0, first - 1), stop + 1)
        source, allowed = problem.source_positions[part], problem.allowed_step[part]
        leap, mean = np.zeros(2), np.zeros(2)
        for k, rows in enumerate((q, path)):
            positions = forward(problem.skeleton, rows[part]).positions
            step = np.linalg.norm(np.diff(positions, axis=0), axis=2)
            leap[k] = (step - allowed[: len(step)]).max(initial=0.0)
            mean[k] = np.linalg.norm(positions - source, axis=2).mean()
        return bool(leap[0] > leap[1] + _TOO_FAST_M or mean[0] > _FARTHER * mean[1] + _FARTHER_M)

    def _solve_windows(self, path: Floats) -> Floats:
        """(frames, nq) all windows of the path solved, certified by the gate."""
        q = path.copy()
        changed = np.any(path != self._problem.source, axis=1)
        for first, stop in spans(changed, self._fade):
            self._free[first] = stop, self._problem.main_corrections(q, first, stop)
        for first, stop in self._windows(changed):
            free = self._free_in(first, stop)
            q = self._solve(q, first, stop, free, self._problem.options.iterations)
        failed = self._slerp_failures(q)
        for number in range(_ROUNDS):
            fast = self._too_fast(q) if number < _ROUNDS_FOR_SPEED else []
            if not failed and not fast:
                return q
            q, last = self._solve_again(q, failed, number, fast), (q, failed)
            failed = self._slerp_failures(q)
            if failed and not last[1]:
                return last[0]  # it was certified, only too fast
        width = self._fade
        while failed and width < 4 * len(q):
            q = self._towards(q, path, failed, width)
            failed, width = self._slerp_failures(q), 2 * width
        return path.copy() if failed else q

    def settle(self, q: Floats, failures: Failures) -> Floats:
        """(frames, nq) q solved again so that another reading is certified too, where possible.

        failures: finds the intervals that are not certified in that reading. The result is
        certified by the gate, like q, and has at most as many failures as q.
        """
        failed = failures(q)
        best, fewest, vain = q, len(failed), 0
        for number in range(_ROUNDS):
            if not failed or vain == _VAIN_ROUNDS:
                break
            q = self._solve_again(q, failed, number)
            failed = [*self._slerp_failures(q), *failures(q)]
            vain += 1
            if len(failed) < fewest:
                best, fewest, vain = q, len(failed), 0
        return best

    def _solve_again(
        self, q: Floats, failed: list[Instant], number: int, fast: Sequence[int] = ()
    ) -> Floats:
        """(frames, nq) q solved again around failed instants, with contacts and a larger margin.

        fast: frames that are solved again too, with their margin unchanged.
        """
        self._instants += failed
        at = np.zeros(len(q), dtype=np.bool_)
        for instant in failed:
            at[instant.frame : instant.frame + 2] = True
        self._margin[at] = np.minimum(self._margin[at] + _RAISE_M, self._least_m + _MOST_M)
        at[list(fast)] = True
        for first, stop in self._windows(at):
            free = self._free_in(first, stop) if number < _ROUNDS_OF_MAIN else self._all
            q = self._solve(q, first, stop, free, self._problem.options.iterations_again)
        return q

    def _towards(self, q: Floats, path: Floats, failed: list[Instant], width: int) -> Floats:
        """(frames, nq) q blended with the path around the failed intervals, over `width` frames."""
        frames = np.arange(len(q))
        distance = np.full(len(q), np.inf)
        for instant in failed:
            gap = np.maximum(instant.frame - frames, frames - instant.frame - 1)
            distance = np.minimum(distance, np.maximum(gap, 0))
        share = np.clip(1.5 - distance / max(width, 1), 0.0, 1.0)
        share = share * share * (3.0 - 2.0 * share)
        out = q.copy()
        for t in np.flatnonzero(share > 0.0):
            kinematics.interpolate(
                self._problem.skeleton.tree, q[t], path[t], float(share[t]), out[t]
            )
        out[share >= 1.0] = path[share >= 1.0]
        return out

    def _too_fast(self, q: Floats) -> list[int]:
        """Frames after which a joint moves farther than allowed."""
        step = np.linalg.norm(np.diff(forward(self._problem.skeleton, q).positions, axis=0), axis=2)
        beyond = (step - self._problem.allowed_step).max(axis=1, initial=-np.inf)
        return np.flatnonzero(beyond > _TOO_FAST_M).tolist()

    def _slerp_failures(self, q: Floats) -> list[Instant]:
        """Instants of the intervals that the gate does not certify.

        Intervals that have not changed since the last call are not checked again.
        """
        tracker, gate, source = self._tracker, self._tracker.gate, self._problem.source
        corrected = np.any(q != source, axis=1)
        stale: Bools = np.any(q != self._checked, axis=1)
        for t in np.flatnonzero(stale):
            self._clear[t] = not corrected[t] or tracker.clearance(q[t]) >= -gate.slack_m
        for t in np.flatnonzero(np.logical_or(stale[:-1], stale[1:])):
            self._passed[t] = (
                not (corrected[t] or corrected[t + 1]) or gate.fraction(q[t], q[t + 1]) >= 1.0
            )
        self._checked = q.copy()
        touched = np.logical_or(corrected[:-1], corrected[1:])
        clear = np.logical_and(self._clear[:-1], self._clear[1:])
        passed = np.logical_and(self._passed, np.logical_or(clear, np.logical_not(touched)))
        found: list[Instant] = []
        for t in np.flatnonzero(np.logical_not(passed)):
            for u in BETWEEN:
                between = np.empty(q.shape[1])
                kinematics.interpolate(self._problem.skeleton.tree, q[t], q[t + 1], u, between)
                found.append(Instant(int(t), u, between))
        return found

    def _windows(self, chosen: Bools) -> list[tuple[int, int]]:
        """Ranges (first, stop) of frames near a chosen one; long ranges are split and overlap."""
        overlap = round(_OVERLAP_S * self._problem.fps)
        found: list[tuple[int, int]] = []
        for first, stop in spans(chosen, self._fade):
            start = first
            while stop - start > _LONGEST + overlap:
                found.append((start, start + _LONGEST + overlap))
                start += _LONGEST
            found.append((start, stop))
        return found

    def _free_in(self, first: int, stop: int) -> Ints:
        """The degrees of freedom that are free in a window."""
        parts = self._free.items()
        return next((free for a, (b, free) in parts if a < stop and first < b), self._all)

    def _solve(self, q: Floats, first: int, stop: int, free: Ints, iterations: int) -> Floats:
        """Solve one window; frames with negligible corrections become those of the source."""
        problem = self._problem
        out = problem.solve(q, first, stop, self._margin, self._instants, free, iterations)
        x = problem.corrections(out, first, stop)
        same = np.abs(x).max(axis=1) < _CHANGED_M
        out[first:stop][same] = problem.source[first:stop][same]
        return out

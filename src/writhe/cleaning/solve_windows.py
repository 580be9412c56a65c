"""Windows of frames solved together until the exact certificate holds.

Every window of penetrating frames is one trajectory problem (`window_problem`), started at the
source: corrections vary smoothly and no joint moves much farther in a frame than in the
source. Where the motion between two frames is not certified, contacts at instants between them are
added to the problem and their margin is raised.

What still fails mostly passes right through: the frames before pull to one side and those after to
the other. There a certified path through the part of the clip around it is searched
(`segment_path`), which decides the side, and the problem is solved again from that path.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.cleaning.gated_clip import GatedClip, frames_beside
from writhe.cleaning.leaps import leap_frames, spread_leaps
from writhe.cleaning.solution_cost import SLIDE_M, TOO_FAST_M, solution_cost
from writhe.cleaning.window_options import Instant
from writhe.cleaning.window_problem import ClipProblem, spans
from writhe.easing import smoothstep
from writhe.kernels.skeleton import kinematics
from writhe.solvers.posture_tracking import PostureTracker

# finds the intervals of a motion (frames, nq) that are not certified, as instants within them
Failures = Callable[[Floats], list[Instant]]
# paths (stop - first, nq) through the frames first .. stop - 1 of the clip, the likeliest first
FindPaths = Callable[[int, int], Sequence[Floats]]

_RAISE_M = 0.001  # the margin at an uncertified interval grows by this in each round
_MAX_RAISE_M = 0.003  # maximum growth of that margin in total
_ROUNDS = 7  # maximum number of rounds of solving failed intervals again
# ... when started at the source: a path decides the side sooner than further rounds do
_ROUNDS_FROM_SOURCE = 4
_ROUNDS_OF_INTERPOLATION = 3  # maximum number of such rounds for the interpolations of a file
_MAX_ROUNDS_WITHOUT_GAIN = 2  # then the interpolation of a file is given up
_ROUNDS_FOR_SPEED = 3  # only the first rounds also solve frames again that are too fast
_ROUNDS_OF_MAIN = 2  # the first rounds solve for the main corrections only, later ones for all
_YIELDING = 0.3  # share of the weights of planted feet in later rounds
_RELAXATIONS = 20  # steps at most by which a certified motion is moved towards the solution
_MAX_RELAXATIONS_WITHOUT_GAIN = 8  # then the relaxation ends
_HALVINGS = 5  # of the share of such a step; the last one leaves the frame as it was
_STILL_M = 1e-3  # frames that such a step moves less are done
_LONGEST = 360  # frames solved together at most
_OVERLAP_S = 1.0  # of windows that had to be split
_BESIDE_S = (1.0, 4.0)  # clip on both sides of what fails through which a path is searched
_FAR_M = 0.04  # mean displacement of a frame beyond which a path is searched too
_CHANGED_M = 1e-7


class ClipTrajectory:
    """The trajectory problem of a clip and the loop with the certificate."""

    def __init__(
        self,
        tracker: PostureTracker,
        problem: ClipProblem,
        fade_frames: int,
        report: Callable[[float], None],
    ) -> None:
        self._problem, self._fade = problem, fade_frames
        self._report = report  # called with the completed fraction of the work from the source
        self._min_margin_m = tracker.options.margin_m
        self._margin = np.full(len(problem.source), self._min_margin_m)
        self._gated = GatedClip(tracker.table, problem.pairs, tracker.gate.slack_m, problem.source)
        self._source_passes = self._gated.passed()
        self._main = problem.main_dofs
        self._instants: list[Instant] = []
        # first and last + 1 frame of the corrected parts of the clip, and what is free in them
        self._parts: list[tuple[int, int, Ints]] = []

    def solve(self, find_paths: FindPaths, *, from_path: bool = False) -> Floats:
        """(frames, nq) the certified trajectory nearest to the source that was found.

        from_path: never start at the source, from which limbs may change sides.
        """
        if from_path:
            source = self._problem.source.copy()
            bad = self._penetrating(source).any()
            return (
                self._by_paths(source, 0, len(source), find_paths(0, len(source)))
                if bad
                else source
            )
        q = self._from_source()
        hard = self._unsolved(q) | self._far(q)
        for seconds in _BESIDE_S:
            if not hard.any():
                break
            beside = min(len(q), round(seconds * self._problem.fps))
            for first, stop in spans(hard, beside):
                q = self._by_paths(q, first, stop, find_paths(first, stop))
            hard = self._uncertified(q)
        return self._polished(q)

    def replaced(self, q: Floats, other: Floats) -> Floats:
        """Another motion instead of q, solved again where necessary, if as many intervals pass."""
        found = self._spread(self._rounds(other, 0, len(q)))
        worse = len(self._gated.failures(found)) > len(self._gated.failures(q))
        return q if worse else found

    def _polished(self, q: Floats) -> Floats:
        """Q relaxed where a joint is too fast or a planted foot slides; elsewhere unchanged."""
        count = len(q)
        rough = np.zeros(count, dtype=np.bool_)
        rough[self._too_fast(q, 0, count)] = True
        rough[:-1] |= self._problem.slides(q, 0, count) > SLIDE_M
        for first, stop in spans(rough, 2 * self._fade):
            if not self._gated.failures(q, first, stop):
                candidates = (q, self._relaxed(q, first, stop))
                q = min(candidates, key=lambda one: solution_cost(self._problem, one, first, stop))
        return self._spread(q)

    def _spread(self, q: Floats) -> Floats:
        """Q with its leaps spread over more frames, where it stays certified."""
        problem = self._problem
        return spread_leaps(
            problem.skeleton,
            q,
            problem.source_positions,
            problem.options.speed_m_s / problem.fps,
            problem.may_change,
            lambda found, first, stop: not self._gated.failures(found, first, stop),
        )

    def _leaps(self, q: Floats) -> Ints:
        return leap_frames(self._problem.positions(q), self._problem.source_positions)

    def _far(self, q: Floats) -> Bools:
        """(frames,) frames so far from the source that another side may be nearer."""
        return self._problem.displacements(q, 0, len(q)) > _FAR_M

    def _from_source(self) -> Floats:
        """(frames, nq) all windows around penetrating frames solved, started at the source."""
        problem = self._problem
        q = problem.source.copy()
        for first, stop in self._windows(self._penetrating(q)):
            free = problem.colliding_dofs(q[first:stop], self._min_margin_m)
            if len(free) == 0:
                free = self._main
            self._parts.append((first, stop, free))
            for group in problem.independent(free):
                q = self._solve(q, first, stop, group, problem.options.iterations)
            self._report(0.5 * stop / len(q))
        q = self._rounds(q, 0, len(q), _ROUNDS_FROM_SOURCE)
        self._report(1.0)
        return q

    def _penetrating(self, source: Floats) -> Bools:
        """(frames,) source frames within the margin, beside a failed interval, or displaced."""
        bad = self._problem.clearances(source, self._min_margin_m) < self._min_margin_m
        bad[:-1] |= ~self._source_passes
        bad[1:] |= ~self._source_passes
        return bad | self._problem.displaced

    def _rounds(self, q: Floats, first: int, stop: int, max_rounds: int = _ROUNDS) -> Floats:
        """Q solved again where it is not certified or too fast, within first .. stop - 1.

        Ends when it is neither, or when a few rounds have not brought fewer such frames in all. The
        result is the motion with the fewest failures, and of these the one with the fewest frames
        that are too fast.
        """
        failed, fast = self._gated.failures(q, first, stop), self._too_fast(q, first, stop)
        best, score = q, (len(failed), len(fast))
        fewest, without_gain = len(failed) + len(fast), 0
        for number in range(max_rounds):
            again = fast if number < _ROUNDS_FOR_SPEED else []
            if (not failed and not again) or without_gain == _MAX_ROUNDS_WITHOUT_GAIN:
                break
            q = self._solve_again(q, failed, number, again)
            failed, fast = self._gated.failures(q, first, stop), self._too_fast(q, first, stop)
            best, score = min((best, score), (q, (len(failed), len(fast))), key=lambda one: one[1])
            without_gain = 0 if len(failed) + len(fast) < fewest else without_gain + 1
            fewest = min(fewest, len(failed) + len(fast))
        return best

    def _uncertified(self, q: Floats) -> Bools:
        """(frames,) the frames beside an interval that is not certified."""
        return frames_beside(self._gated.failures(q), len(q))

    def _unsolved(self, q: Floats) -> Bools:
        """(frames,) the frames beside an interval that is not certified or too fast."""
        out = self._uncertified(q)
        for frame in self._too_fast(q, 0, len(q)):
            out[frame : frame + 2] = True
        return out

    def _by_paths(self, q: Floats, first: int, stop: int, paths: Sequence[Floats]) -> Floats:
        """Q solved again from each of the paths; the best result, with its contacts and margins."""
        found = q
        for rows in paths:
            instants, margin = list(self._instants), self._margin.copy()
            before, found = found, self._by_path(found, first, stop, rows)
            if found is before:
                self._instants, self._margin = instants, margin
        return found

    def _by_path(self, q: Floats, first: int, stop: int, rows: Floats) -> Floats:
        """Q solved again in the frames first .. stop - 1, started at a path (stop - first, nq).

        Taken if it is certified there and q is not, or if it is better.
        """
        problem, part = self._problem, slice(first, stop)
        path = q.copy()
        path[part] = self._joined(q, first, stop, rows)
        self._instants = [i for i in self._instants if not first - 1 <= i.frame < stop]
        self._margin[part] = self._min_margin_m
        start = path.copy()
        for a, b in spans(np.any(start != problem.source, axis=1), self._fade):
            a, b = max(a, first), min(b, stop)
            if a < b:
                self._parts.append((a, b, problem.main_corrections(start, a, b)))
        found = start
        for a, b in self._windows(self._inside(first, stop)):
            for free in problem.independent(self._free_in(a, b)):
                found = self._solve(found, a, b, free, problem.options.iterations)
        found = self._rounds(found, first, stop)
        best = self._best((found, path, q), first, stop)
        # what is tried next, until a motion is certified and nowhere too fast
        further = (
            lambda: self._relaxed(best, first, stop),
            lambda: self._rounds(q, first, stop),
            lambda: self._relaxed(path, first, stop),
        )
        for attempt in further:
            if not self._unfinished(best, first, stop):
                break
            best = self._best((best, attempt()), first, stop)
        return best

    def _best(self, candidates: Sequence[Floats], first: int, stop: int) -> Floats:
        """The motion with the fewest failures, of these the one of least `solution_cost`."""
        return min(
            candidates,
            key=lambda one: (
                len(self._gated.failures(one, first, stop)),
                solution_cost(self._problem, one, first, stop),
            ),
        )

    def _unfinished(self, q: Floats, first: int, stop: int) -> bool:
        """Whether q is not certified or too fast somewhere from first to stop - 1."""
        return bool(self._gated.failures(q, first, stop) or self._too_fast(q, first, stop))

    def _relaxed(self, q: Floats, first: int, stop: int) -> Floats:
        """A certified motion q, moved towards the solution as far as it stays certified.

        A motion that is not certified is returned as it is.
        Every step of the solution is taken by a share of each frame. The shares are halved beside
        intervals that the step leaves uncertified. The result is the motion with the least cost on
        the way, which is not always the last one: contacts of later steps can push limbs apart.
        """
        problem, moving = self._problem, self._inside(first, stop)
        best, least, without_gain = q, solution_cost(problem, q, first, stop), 0
        if self._gated.failures(q, first, stop):
            return q
        self._margin[first:stop] = self._min_margin_m
        for _ in range(_RELAXATIONS):
            tried = q
            for a, b in self._windows(moving):
                a, b = max(a, first), min(b, stop)
                tried = problem.solve(tried, a, b, self._margin, self._instants, self._main, 1)
            taken, share = tried, np.ones(len(q))
            for number in range(_HALVINGS + 1):
                failed = self._gated.failures(taken, first, stop)
                if not failed:
                    break
                if number == 0:
                    self._instants += failed
                for a, b in spans(frames_beside(failed, len(q)), number):
                    share[a:b] *= 0.5 if number < _HALVINGS - 1 else 0.0
                taken = self._between(q, tried, share)
            if self._gated.failures(taken, first, stop):
                break
            moved = np.linalg.norm(problem.positions(taken) - problem.positions(q), axis=2)
            moving = moved.max(axis=1) > _STILL_M
            q, cost = taken, solution_cost(problem, taken, first, stop)
            better = cost < least
            best, least, without_gain = (q, cost, 0) if better else (best, least, without_gain + 1)
            if not moving.any() or without_gain == _MAX_RELAXATIONS_WITHOUT_GAIN:
                break
        return best

    def _between(self, q: Floats, other: Floats, share: Floats) -> Floats:
        """(frames, nq) frames at a share (frames,) of the way from q to another motion."""
        out = other.copy()
        for t in np.flatnonzero(share < 1.0):
            kinematics.interpolate(
                self._problem.skeleton.tree, q[t], other[t], float(share[t]), out[t]
            )
        out[share <= 0.0] = q[share <= 0.0]
        return out

    def _inside(self, first: int, stop: int) -> Bools:
        """(frames,) the frames whose fades lie within first .. stop - 1."""
        out = np.zeros(len(self._problem.source), dtype=np.bool_)
        last = len(out)
        out[first + (self._fade if first else 0) : stop - (self._fade if stop < last else 0)] = True
        return out

    def _joined(self, q: Floats, first: int, stop: int, rows: Floats) -> Floats:
        """The path (stop - first, nq), blended with q at its ends within the clip."""
        frames, count = np.arange(first, stop), len(q)
        width = max(1, min(self._fade, (stop - first) // 4))
        share = np.ones(stop - first)
        if first > 0:
            share *= smoothstep((frames - first) / width)
        if stop < count:
            share *= smoothstep((stop - 1 - frames) / width)
        return self._between(q[first:stop], rows, share)

    def solve_for_file(self, q: Floats, failures: Failures) -> Floats:
        """(frames, nq) q solved again so that its file is certified too, where possible.

        failures: finds the intervals that are not certified as the file is interpolated. The
        result has no more intervals that the gate does not certify than q and no more leaps, and of
        what was found the fewest failures: a file with more frames serves where some remain.
        """
        failed, known = failures(q), len(self._gated.failures(q))
        best, score = q, (known, len(self._leaps(q)), len(failed))
        without_gain = 0
        for number in range(_ROUNDS_OF_INTERPOLATION):
            if not failed or without_gain == _MAX_ROUNDS_WITHOUT_GAIN:
                break
            q = self._spread(self._solve_again(q, failed, number))
            gated, of_file = self._gated.failures(q), failures(q)
            failed = [*gated, *of_file]
            without_gain += 1
            reached = len(gated), len(self._leaps(q)), len(of_file)
            if reached < score:
                best, score, without_gain = q, reached, 0
        return best

    def _solve_again(
        self, q: Floats, failed: list[Instant], number: int, fast: Sequence[int] = ()
    ) -> Floats:
        """(frames, nq) q solved again around failed instants, with contacts and a larger margin.

        fast: frames that are solved again too, with their margin unchanged.
        """
        self._instants += failed
        at = frames_beside(failed, len(q))
        self._margin[at] = np.minimum(
            self._margin[at] + _RAISE_M, self._min_margin_m + _MAX_RAISE_M
        )
        at[list(fast)] = True
        for first, stop in self._windows(at):
            early = number < _ROUNDS_OF_MAIN
            free = self._free_in(first, stop)
            if not early:
                free = np.union1d(free, self._main)
            feet = 1.0 if early else _YIELDING
            iterations = self._problem.options.iterations_again
            for group in self._problem.independent(free):
                q = self._solve(q, first, stop, group, iterations, feet)
        return q

    def _too_fast(self, q: Floats, first: int, stop: int) -> list[int]:
        """Frames from `first` to stop - 1 after which a joint moves farther than allowed."""
        step = np.linalg.norm(np.diff(self._problem.positions(q[first:stop]), axis=0), axis=2)
        beyond = step - self._problem.allowed_step[first : stop - 1]
        return (first + np.flatnonzero(beyond.max(axis=1, initial=-np.inf) > TOO_FAST_M)).tolist()

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
        found = [free for a, b, free in self._parts if a < stop and first < b]
        return np.unique(np.concatenate(found)) if found else self._main

    def _solve(
        self,
        q: Floats,
        first: int,
        stop: int,
        free: Ints,
        iterations: int,
        feet: float = 1.0,
    ) -> Floats:
        """Solve one window; frames with negligible corrections become those of the source."""
        problem = self._problem
        out = problem.solve(q, first, stop, self._margin, self._instants, free, iterations, feet)
        x = problem.corrections(out, first, stop)
        same = np.abs(x).max(axis=1) < _CHANGED_M
        out[first:stop][same] = problem.source[first:stop][same]
        return out

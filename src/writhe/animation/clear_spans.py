"""Makes the motion between frames clear: wider margins first, then a planned path around.

An interval between two frames is clear if the gate certifies the step. Frames around an interval
that is not are solved again with a wider margin. If that does not help, the planner searches a path
between the two keys of the span, with the pins that hold during the whole span planted; the frames
follow this path instead of the blend.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from writhe.animation.in_between import InBetween
from writhe.animation.pins import PinTargets, pin_errors
from writhe.arrays import Bools, Floats, Ints
from writhe.collision import Gate
from writhe.easing import smoothstep
from writhe.errors import WritheError
from writhe.kernels.animation.key_blend import key_steps
from writhe.planning.energy import EnergyOptions
from writhe.planning.energy_planner import EnergyPlanner, PlanOptions
from writhe.planning.problem import PlanProblem
from writhe.planning.timing import Timing, blurred, smoothed, trapezoid
from writhe.skeleton import Skeleton
from writhe.skeleton.configuration_paths import path_rows
from writhe.solvers.posing import Pin

_BESIDE = 3  # frames on either side of an interval whose margin is widened too
_ROUNDS = 8  # of the narrowest blur
_ROUNDING = (0.15, 0.1, 0.06, 0.03)  # width of the blur of a path, as a share of its span
_POP, _MIN_POP = 1.2, 0.004  # relative to the blend, and rad added to that
_LEAP, _MIN_LEAP = 3.0, 0.15  # rotation in a frame relative to the blend's, and rad added to that
_BEYOND = 0.005  # rad beyond a limit that is solved for
_FAST = 1.15  # rotation in a frame of a planned path, relative to the largest of the blend
_SLOWER = 4  # rounds in which a path is timed again
_RAMPS = (0.05, 0.3)  # shortest and longest share of the time in which a path speeds up
_OFF_BALANCE_M = 0.02  # by which a path may leave the support
_FALLOFFS = (5, 2)  # of the planner's energy: paths close to the body, then far from it


class SpanClearing:
    """Clears the spans of one animation."""

    def __init__(self, frames: InBetween) -> None:
        self.frames = frames
        self._gate = Gate(frames.world.table)
        self._blend = frames.blend.copy()
        self._planner = {
            falloff: EnergyPlanner(
                PlanOptions(
                    energy=EnergyOptions(falloff=falloff),
                    limit_tolerance=_BEYOND,
                )
            )
            for falloff in _FALLOFFS
        }
        self.planned: list[tuple[float, float]] = []

    def blocked(self, first: int, last: int) -> Ints:
        """The intervals t to t + 1 between the frames first .. last that are not clear.

        A leap is not clear either: frames that are caught on one side of an obstacle, and the key
        on the other.
        """
        q, gate = self.frames.q, self._gate
        if last <= first:
            return np.zeros(0, dtype=np.int64)
        skeleton = self.frames.world.skeleton
        turns = _largest_turns(skeleton, q[first : last + 1])
        usual = self._fastest(self._blend, first, last)
        leaps = turns > _LEAP * usual + _MIN_LEAP
        found = [
            t for t in range(first, last) if leaps[t - first] or gate.fraction(q[t], q[t + 1]) < 1.0
        ]
        return np.array(found, dtype=np.int64)

    def clear(self) -> None:
        """Clear all spans."""
        times, keys = self.frames.times_s, self.frames.key_times_s
        edges = np.clip(np.searchsorted(times, keys - 1e-9), 0, len(times) - 1)
        for a, b in pairwise(edges):
            self.clear_span(int(a), int(b))

    def clear_span(self, first: int, last: int) -> bool:
        """Clear the frames between those of two keys; returns whether they are clear."""
        left = self.widen(first, last, self.blocked(first, last))
        if len(left):
            self._clear_blocked(first, last, left)
        elif self._pop(self.frames.q, first, last) > self._smooth_enough(first, last):
            self._restore(self._rounded(first, last))
        return not len(left) or not len(self.blocked(first, last))

    def widen(self, first: int, last: int, blocked: Ints) -> Ints:
        """Solve blocked frames with wider margins; returns what stays blocked."""
        frames, options = self.frames, self.frames.options
        best, fewest = frames.q[first : last + 1].copy(), blocked
        for _ in range(options.rounds):
            if not len(blocked):
                break
            chosen = np.zeros(len(frames.times_s))
            for t in blocked:
                away = np.arange(len(chosen))
                away = np.maximum(0, np.maximum(t - away, away - t - 1))
                chosen = np.maximum(chosen, smoothstep(1.0 - away / (_BESIDE + 1.0)))
            frames.raised += options.raise_m * chosen
            frames.solve(first, last + 1)
            blocked = self.blocked(first, last)
            if len(blocked) < len(fewest):
                best, fewest = frames.q[first : last + 1].copy(), blocked
        frames.q[first : last + 1] = best
        return fewest

    def _clear_blocked(self, first: int, last: int, blocked: Ints) -> None:
        """A detour in balance, else the blend out of balance, else a detour out of balance."""
        frames, part = self.frames, slice(first, last + 1)
        if self._go_around(first, last) or not np.isfinite(frames.support[part]).any():
            return
        before, support = self._kept(), frames.support[part].copy()
        frames.support[part], frames.raised[part] = np.inf, 0.0
        frames.solve(first, last + 1)
        left = self.widen(first, last, self.blocked(first, last))
        if len(left) and not self._go_around(first, last) and len(left) >= len(blocked):
            self._restore(before)
            frames.support[part] = support

    def _go_around(self, first: int, last: int) -> bool:
        """Follow the planned path that is clear and turns joints least fast, if there is one."""
        frames = self.frames
        if last - first < 2 or not frames.options.plan:
            return False
        before, best, slowest = self._kept(), None, np.inf
        for falloff in _FALLOFFS:
            if self._follow_path(first, last, falloff):
                self._restore(self._rounded(first, last))
                self._restore(self._slowed(first, last))
                fastest = self._fastest(frames.q, first, last)
                if fastest < slowest:
                    best, slowest = self._kept(), fastest
                if fastest < _FAST * self._fastest(self._blend, first, last):
                    break
            self._restore(before)
        if best is None:
            return False
        self._restore(best)
        self.planned.append((float(frames.times_s[first]), float(frames.times_s[last])))
        return True

    def _follow_path(self, first: int, last: int, falloff: int) -> bool:
        """Plan a path and follow it; returns whether it is clear."""
        frames = self.frames
        path = self._path(first, last, falloff)
        if path is None:
            return False
        frames.raised[first : last + 1] = 0.0
        frames.use_path(first, last + 1, path)
        # the path itself, else solved once more for balance, for pins that hold during a part
        # of the span, and for limits between the waypoints of the path
        left = self.blocked(first, last)
        beyond = frames.beyond_limits(first, last + 1) > _BEYOND
        falls = frames.off_balance(first, last + 1) > _OFF_BALANCE_M
        if len(left) or beyond or falls or self._off_pins(first, last):
            frames.solve(first, last + 1)
            left = self.widen(first, last, self.blocked(first, last))
        return not len(left)

    def _rounded(self, first: int, last: int) -> tuple[Floats, Floats, Floats]:
        """The frames of a clear path with its corners rounded: the smoothest that stays clear.

        Returns q, blend and raised of all frames.
        """
        frames = self.frames
        best, path = self._kept(), frames.q[first : last + 1].copy()
        smoothest, enough = self._pop(frames.q, first, last), self._smooth_enough(first, last)
        # a wide blur at once where there is room, then narrow ones repeatedly
        for share in (*_ROUNDING, *(_ROUNDING[-1],) * _ROUNDS):
            if smoothest < enough:
                break
            width = max(1.0, share * (last - first))
            frames.use_path(first, last + 1, blurred(frames.world.skeleton, path, width))
            frames.solve(first, last + 1)
            if len(self.blocked(first, last)):
                continue
            pop = self._pop(frames.q, first, last)
            path = frames.q[first : last + 1].copy()
            if pop < smoothest:
                best, smoothest = self._kept(), pop
        return best

    def _kept(self) -> tuple[Floats, Floats, Floats]:
        return self.frames.q.copy(), self.frames.blend.copy(), self.frames.raised.copy()

    def _restore(self, kept: tuple[Floats, Floats, Floats]) -> None:
        q, blend, raised = kept
        self.frames.use_path(0, len(q), blend)
        self.frames.q[:], self.frames.raised[:] = q, raised

    def _smooth_enough(self, first: int, last: int) -> float:
        """The pop that is accepted: a little more than that of the blend of the keys."""
        return _POP * self._pop(self._blend, first, last) + _MIN_POP

    def _pop(self, q: Floats, first: int, last: int) -> float:
        """The largest change of a joint's step from one frame to the next, rad or m."""
        steps = _steps(self.frames.world.skeleton, q[first : last + 1])
        return float(np.abs(np.diff(steps, axis=0)).max(initial=0.0))

    def _off_pins(self, first: int, last: int) -> bool:
        return frames_off_pins(self.frames, first, last + 1) > 1e-4

    def _path(self, first: int, last: int, falloff: int) -> Floats | None:
        """(last - first + 1, nq) a planned path between the two keys, or None."""
        frames, world = self.frames, self.frames.world
        variable: Bools = world.variables
        pins = tuple(
            timed.pin
            for timed in frames.pins
            if isinstance(timed.pin, Pin)
            and timed.holds(float(frames.times_s[first]))
            and timed.holds(float(frames.times_s[last]))
        )
        start, goal = frames.q[first].copy(), frames.q[last].copy()
        fixed = np.ones(len(start), dtype=bool)
        fixed[world.actor_q] = False
        goal[fixed] = start[fixed]
        try:
            problem = PlanProblem(
                world.table,
                start,
                goal,
                pins,
                variable,
                (world.limited_under,) if world.limited_under else (),
            )
            found = self._planner[falloff].plan(problem)
        except WritheError:
            return None
        if not found.solved:
            return None
        return self._timed(first, last, smoothed(found, Timing(fps=30.0, duration_s=1.0)))

    def _timed(self, first: int, last: int, rows: Floats) -> Floats:
        """(last - first + 1, nq) a path (n, nq) between two frames, at the times of the frames.

        The joint that turns most in a step sets its time: no joint is much faster than needed.
        """
        frames, world = self.frames, self.frames.world
        times = frames.times_s[first : last + 1]
        u = (times - times[0]) / (times[-1] - times[0])
        travel = np.concatenate([[0.0], np.cumsum(_largest_turns(world.skeleton, rows) + 1e-6)])
        mean = float(travel[-1]) / (last - first)
        usual = self._fastest(self._blend, first, last)
        ramp = float(np.clip(1.0 - mean / max(_FAST * usual, 1e-9), *_RAMPS))
        reached = trapezoid(u, ramp) * float(travel[-1])
        at = np.interp(reached, travel, np.arange(len(rows), dtype=float))
        out = frames.blend[first : last + 1].copy()
        out[:, world.actor_q] = path_rows(world.skeleton, rows, at)[:, world.actor_q]
        out[0], out[-1] = frames.q[first], frames.q[last]
        return out

    def _slowed(self, first: int, last: int) -> tuple[Floats, Floats, Floats]:
        """The frames of a clear path timed again if a joint is much faster than in the blend."""
        frames = self.frames
        best, fastest = self._kept(), self._fastest(frames.q, first, last)
        for _ in range(_SLOWER):
            if fastest < _FAST * self._fastest(self._blend, first, last):
                break
            path = self._timed(first, last, frames.q[first : last + 1].copy())
            frames.use_path(first, last + 1, path)
            frames.solve(first, last + 1)
            left = self.widen(first, last, self.blocked(first, last))
            now = self._fastest(frames.q, first, last)
            if now > fastest or len(left):
                break
            best, fastest = self._kept(), now
        return best

    def _fastest(self, q: Floats, first: int, last: int) -> float:
        """The largest rotation of a joint from one frame to the next, rad."""
        turns = _largest_turns(self.frames.world.skeleton, q[first : last + 1])
        return float(turns.max(initial=0.0))


def _steps(skeleton: Skeleton, rows: Floats) -> Floats:
    """(n - 1, nv) tangent steps between rows (n, nq)."""
    steps = np.zeros((len(rows) - 1, skeleton.dof_count))
    key_steps(skeleton.tree, np.ascontiguousarray(rows), steps)
    return steps


def _largest_turns(skeleton: Skeleton, rows: Floats) -> Floats:
    """(n - 1,) the largest rotation of a joint between successive rows (n, nq), rad."""
    return np.abs(_steps(skeleton, rows) * skeleton.tree.dof_turns).max(axis=1)


def frames_off_pins(frames: InBetween, first: int, stop: int) -> float:
    """The largest distance of a pin in these frames, m (0.1 m per radian)."""
    if not frames.pins:
        return 0.0
    at, targets = slice(first, stop), frames.targets
    part = PinTargets(
        targets.active[at], targets.exact[at], targets.position[at], targets.rotation[at]
    )
    distance, angle = pin_errors(frames.world.skeleton, frames.pins, part, frames.q[first:stop])
    return float(max(distance.max(initial=0.0), 0.1 * angle.max(initial=0.0)))

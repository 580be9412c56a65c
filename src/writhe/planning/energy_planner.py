"""The default planner: descent over the repulsive energy from both ends, with escapes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.planning import bidirectional_descent
from writhe.kernels.planning.path_shortening import cut_corners, pull_tight, skip, sound
from writhe.kernels.planning.straight_line import line
from writhe.kernels.planning.walk_constraints import correct
from writhe.kernels.planning.walk_model import certified, evaluate
from writhe.kernels.skeleton.kinematics import integrate
from writhe.planning.compiled_problem import MOST_ROWS, Walker
from writhe.planning.energy import EnergyOptions
from writhe.planning.problem import PlanProblem
from writhe.planning.result import Plan, PlanStatus, path_length
from writhe.planning.still_limbs import still_limbs

WIDE, NARROW = 2, 5  # fall-offs between which an escape changes: the paper's range


@dataclass(frozen=True)
class PlanOptions:
    """How a path is looked for; lengths in metres, steps in radians of the whole tangent step."""

    energy: EnergyOptions = field(default_factory=EnergyOptions)
    mix: float = 0.35  # of descent in a step that the energy holds back (the paper: 0)
    first_step: float = 0.08
    most_step: float = 0.35
    iterations: int = 600  # of one walk
    patience: int = 50  # iterations without progress that count as stuck (the paper's)
    check_every: int = 6  # iterations between looks at the straight line
    escapes: int = 10  # from local minima, in one attempt
    restarts: int = 3
    clear_m: float = 0.004  # ends nearer than this are moved off first
    limit_tolerance: float = 0.02  # radians beyond a joint limit, metres off a planted place
    spacing: float = 0.15  # of the steps of a line that has to be corrected
    corner_rounds: int = 24
    corner_patience: int = 8
    sweeps: int = 6  # of pulling a path tight
    seed: int = 1
    fallback: bool = False  # ask OMPL when stuck (extra `ompl`)
    fallback_iterations: int = 20_000


class DefaultPlanner:
    """Plans between postures; keeps what it compiled for problems that plant the same parts."""

    name = "default"

    def __init__(self, options: PlanOptions | None = None) -> None:
        self.options = options or PlanOptions()
        self._walker: Walker | None = None

    def plan(self, problem: PlanProblem) -> Plan:
        """A certified path from the start to the goal, or how far it got."""
        begin = time.perf_counter()
        walker = self._prepare(problem)
        bad = infeasible(walker, self.name, begin)
        if bad is not None:
            return bad
        path, steps, escapes = None, 0, 0
        for attempt in range(self.options.restarts + 1):
            path, walked, stuck = self._search(walker, attempt)
            steps, escapes = steps + walked, escapes + stuck
            if path is not None:
                break
        status, fallback = PlanStatus.EXACT, False
        if path is not None:
            path = self.shorten(walker, path)
        elif self.options.fallback:
            path = self._sampled(problem)
            fallback = path is not None
        if path is None:
            status = PlanStatus.STUCK
            path = walker.paths[0, : self._counts[0]].copy()
        seconds = time.perf_counter() - begin
        return Plan(problem, path, status, self.name, seconds, steps, escapes, fallback)

    def shorten(self, walker: Walker, path: Floats) -> Floats:
        """The path with what can be skipped left out, corners cut and idle limbs at rest."""
        if len(path) < 3:
            return path
        first = self._cut(walker, path)
        calm = still_limbs(walker, first, self.options.limit_tolerance)
        found = first if calm is first else self._cut(walker, calm)
        return self._tight(walker, found)

    def _tight(self, walker: Walker, path: Floats) -> Floats:
        """The path pulled tight where it is much longer than a straight line."""
        skeleton, options = walker.problem.skeleton, self.options
        straight = path_length(skeleton, path[[0, -1]])
        if len(path) < 3 or walker.planted or path_length(skeleton, path) < 1.05 * straight:
            return path
        rules = (options.limit_tolerance, options.spacing, walker.room, walker.way)
        pull_tight(
            walker.world, path, len(path), options.sweeps, *rules, walker.first, walker.second
        )
        return self._cut(walker, path)

    def _cut(self, walker: Walker, path: Floats) -> Floats:
        options, out = self.options, walker.paths[1]
        rules = (options.limit_tolerance, options.spacing, walker.room, walker.way)
        count = skip(walker.world, path, len(path), *rules, out)
        count = cut_corners(
            walker.world,
            out,
            count,
            options.corner_rounds,
            options.corner_patience,
            *rules,
            walker.sums,
            walker.spare,
            walker.first,
            walker.second,
        )
        return out[:count].copy()

    def compile(self, problem: PlanProblem) -> None:
        """Call every kernel once, whatever the problem needs."""
        walker = self._prepare(problem)
        counts, energies = np.ones(3, dtype=np.int64), np.zeros(2)
        walker.paths[0, 0], walker.paths[1, 0] = problem.start, problem.goal
        bidirectional_descent.clear_end(walker.world, 1.0, 1, 0.02, walker.room, walker.paths[0])
        self._walk(walker, counts, energies, 0.0, 1)
        self._kick(walker, 0, counts, 0.01, np.random.default_rng(0))
        path = np.array([problem.start, problem.goal, problem.start])
        self.shorten(walker, path)
        sound(walker.world, path[:1], 0.02, walker.room)
        rules = (0.02, 0.15, walker.room, walker.way)
        pull_tight(walker.world, path, 3, 0, *rules, walker.first, walker.second)
        walker.energy.along(path)
        walker.energy.value(problem.start)

    def _prepare(self, problem: PlanProblem) -> Walker:
        walker = self._walker
        kept = walker is not None and alike(walker.problem, problem)
        if walker is None or not kept:
            walker = self._walker = Walker(problem, self.options.energy)
        else:
            walker.set_problem(problem)
        return walker

    def _search(self, walker: Walker, attempt: int) -> tuple[Floats | None, int, int]:
        """A path that still wanders, how many steps were walked and how often it was stuck.

        Every other attempt uses another fall-off, and each its own random numbers.
        """
        options, problem = self.options, walker.problem
        counts = self._counts = np.ones(3, dtype=np.int64)
        paths, energies = walker.paths, np.zeros(2)
        paths[0, 0], paths[1, 0] = problem.start, problem.goal
        # the straight line first: most keyframes can simply be blended
        rules = (options.limit_tolerance, options.spacing, walker.room, walker.way)
        found = line(walker.world, problem.start, problem.goal, *rules)
        if found > 0:
            return np.concatenate([problem.start[None], walker.way[:found]]), 0, 0
        for side in range(2):
            counts[side] = bidirectional_descent.clear_end(
                walker.world, options.clear_m, 60, options.limit_tolerance, walker.room, paths[side]
            )
        rng = np.random.default_rng([options.seed, attempt])
        given = options.energy.falloff
        walker.use_falloff(given if attempt % 2 == 0 else _other_falloff(given))
        steps = 0
        for escape in range(options.escapes + 1):
            ended = self._walk(walker, counts, energies, 1.0, options.iterations)
            steps = int(counts[0] + counts[1]) - 2
            if ended == bidirectional_descent.MET:
                middle = walker.way[: counts[2]]
                back = paths[1, : counts[1]][::-1]
                return np.concatenate([paths[0, : counts[0]], middle, back[1:]]), steps, escape
            if ended == bidirectional_descent.FULL:
                break
            self._escape(walker, escape, counts, energies, rng)
        return None, steps, options.escapes + 1

    def _walk(
        self, walker: Walker, counts: Ints, energies: Floats, pull: float, iterations: int
    ) -> int:
        options = self.options
        return bidirectional_descent.meet(
            walker.world,
            options.mix,
            pull,
            options.first_step,
            options.most_step,
            iterations,
            options.patience,
            options.check_every,
            options.limit_tolerance,
            options.spacing,
            walker.room,
            walker.paths,
            counts,
            walker.way,
            energies,
        )

    def _escape(
        self,
        walker: Walker,
        number: int,
        counts: Ints,
        energies: Floats,
        rng: np.random.Generator,
    ) -> None:
        """Get out of a local minimum: open up, change the fall-off, or kick at random."""
        if number % 3 == 0:
            self._walk(walker, counts, energies, 0.0, 80 * (1 + number // 3))
        elif number % 3 == 1:
            walker.use_falloff(_other_falloff(int(walker.world.field.falloff.max())))
        else:
            for side in range(2):
                self._kick(walker, side, counts, 0.15 + 0.1 * (number // 3), rng)

    def _kick(
        self, walker: Walker, side: int, counts: Ints, size: float, rng: np.random.Generator
    ) -> None:
        """A few certified steps in random directions that keep planted parts and limits."""
        options, world, room = self.options, walker.world, walker.room
        for _ in range(8):
            at = int(counts[side]) - 1
            if at + 1 >= MOST_ROWS:
                return
            q = walker.paths[side, at]
            v = rng.normal(size=len(room.direction)) * world.field.variable
            v *= size / max(float(np.linalg.norm(v)), 1e-12)
            integrate(world.tree, q, v, walker.first)
            tried = walker.first
            if correct(world, tried, room) > options.limit_tolerance:
                continue
            evaluate(world, tried, room, room.tried_gradient)
            roomy = room.energy.least[0] > 0.5 * options.clear_m
            if roomy and certified(world, q, tried, room):
                walker.paths[side, at + 1] = tried
                counts[side] += 1

    def _sampled(self, problem: PlanProblem) -> Floats | None:
        from writhe.planning.ompl_planners import SamplingPlanner

        options = self.options
        planner = SamplingPlanner(
            "rrtconnect", seed=options.seed, iterations=options.fallback_iterations
        )
        found = planner.plan(problem)
        return found.path if found.solved else None


def _other_falloff(falloff: int) -> int:
    return WIDE if falloff > WIDE else NARROW


def alike(known: PlanProblem, other: PlanProblem) -> bool:
    """Whether two problems differ in their postures alone."""
    same = known.variable is other.variable or (
        known.variable is not None
        and other.variable is not None
        and np.array_equal(known.variable, other.variable)
    )
    return (
        known.table is other.table
        and same
        and known.planted == other.planted
        and known.bodies == other.bodies
    )


def infeasible(walker: Walker, method: str, begin: float) -> Plan | None:
    """The answer for ends that penetrate; None when both are sound."""
    problem = walker.problem
    for q, status in (
        (problem.start, PlanStatus.INFEASIBLE_START),
        (problem.goal, PlanStatus.INFEASIBLE_GOAL),
    ):
        parts = walker.penetrating_parts(q)
        if parts:
            note = f"these parts penetrate: {', '.join(parts)}"
            path, seconds = problem.start[None].copy(), time.perf_counter() - begin
            return Plan(problem, path, status, method, seconds, notes=(note,), blocked_by=parts)
    return None

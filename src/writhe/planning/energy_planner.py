"""The default planner: bidirectional descent on the repulsive energy, with escapes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from writhe.arguments import check_fields
from writhe.arrays import Floats, Ints
from writhe.kernels.planning import bidirectional_descent
from writhe.kernels.planning.path_shortening import (
    cut_corners,
    is_valid_path,
    pull_tight,
    shortcut_path,
)
from writhe.kernels.planning.search_constraints import correct_posture, keeps_limits
from writhe.kernels.planning.search_model import evaluate_energy, is_certified
from writhe.kernels.planning.straight_line import LineSettings, connect_straight
from writhe.kernels.skeleton.kinematics import integrate
from writhe.planning.compiled_problem import MAX_ROWS, CompiledProblem
from writhe.planning.energy import EnergyOptions
from writhe.planning.problem import PlanProblem
from writhe.planning.result import Plan, PlanStatus
from writhe.planning.still_limbs import straighten_limbs
from writhe.skeleton.configuration_paths import path_length

WIDE, NARROW = 2, 5  # fall-off exponents between which escapes alternate: the paper's range


@dataclass(frozen=True)
class PlanOptions:
    """Options of the search. Lengths in metres, steps are norms of the whole tangent step (rad)."""

    energy: EnergyOptions = field(default_factory=EnergyOptions)
    mix: float = 0.35  # weight of descent in a step that would raise the energy (paper: 0)
    first_step: float = 0.08  # initial step size
    max_step: float = 0.35  # largest step size
    iterations: int = 600  # of one descent
    patience: int = 50  # iterations without progress until a descent is stuck (as in the paper)
    check_every: int = 6  # iterations between tests of the straight line between both ends
    escapes: int = 10  # from local minima, in one attempt
    restarts: int = 3
    clear_m: float = 0.004  # a start or goal with less clearance is first pushed clear
    limit_tolerance: float = 0.02  # radians beyond a joint limit, metres off a planted position
    spacing: float = 0.15  # step length along a line that has to be corrected
    corner_rounds: int = 24  # most rounds of corner cutting
    corner_patience: int = 8  # rounds without success until corner cutting stops
    sweeps: int = 6  # sweeps that pull a path tight
    seed: int = 1
    fallback: bool = False  # use OMPL's RRT-Connect when stuck (extra `ompl`)
    fallback_iterations: int = 20_000

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def line(self) -> LineSettings:
        """How straight lines are divided and corrected."""
        return LineSettings(float(self.limit_tolerance), float(self.spacing))


class EnergyPlanner:
    """The default planner; problems with the same table and planted parts reuse compiled arrays."""

    name = "default"

    def __init__(self, options: PlanOptions | None = None) -> None:
        self.options = options or PlanOptions()
        self._compiled: CompiledProblem | None = None

    def plan(self, problem: PlanProblem) -> Plan:
        """A certified path from the start to the goal, or the part explored from the start."""
        begin = time.perf_counter()
        compiled = self._prepare(problem)
        bad = infeasible_plan(compiled, self.name, begin)
        if bad is not None:
            return bad
        path, steps, escapes = None, 0, 0
        for attempt in range(self.options.restarts + 1):
            path, taken, escaped = self._search(compiled, attempt)
            steps, escapes = steps + taken, escapes + escaped
            if path is not None:
                break
        status, fallback = PlanStatus.EXACT, False
        if path is not None:
            path = self.shorten(compiled, path)
        elif self.options.fallback:
            path = self._sample_with_ompl(problem)
            fallback = path is not None
        if path is None:
            status = PlanStatus.STUCK
            path = compiled.paths[0, : self._counts[0]].copy()
        seconds = time.perf_counter() - begin
        return Plan(problem, path, status, self.name, seconds, steps, escapes, fallback)

    def shorten(self, compiled: CompiledProblem, path: Floats) -> Floats:
        """The path with shortcuts, corners cut and idle limbs straightened."""
        if len(path) < 3:
            return path
        first = self._cut(compiled, path)
        straightened = straighten_limbs(compiled, first, self.options.limit_tolerance)
        found = first if straightened is first else self._cut(compiled, straightened)
        return self._pull_tight(compiled, found)

    def _pull_tight(self, compiled: CompiledProblem, path: Floats) -> Floats:
        """The path pulled tight where it is much longer than a straight line."""
        skeleton, options = compiled.problem.skeleton, self.options
        straight = path_length(skeleton, path[[0, -1]])
        if len(path) < 3 or compiled.planted or path_length(skeleton, path) < 1.05 * straight:
            return path
        pull_tight(
            compiled.model,
            path,
            len(path),
            options.sweeps,
            options.line,
            compiled.workspace,
            compiled.shortening,
        )
        return self._cut(compiled, path)

    def _cut(self, compiled: CompiledProblem, path: Floats) -> Floats:
        options, out = self.options, compiled.paths[1]
        count = shortcut_path(
            compiled.model, path, len(path), options.line, compiled.workspace, compiled.line, out
        )
        count = cut_corners(
            compiled.model,
            out,
            count,
            options.corner_rounds,
            options.corner_patience,
            options.line,
            compiled.workspace,
            compiled.shortening,
        )
        return out[:count].copy()

    def warm_up(self, problem: PlanProblem) -> None:
        """Call every kernel once, so that all are compiled."""
        compiled = self._prepare(problem)
        counts, energies = np.ones(3, dtype=np.int64), np.zeros(2)
        compiled.paths[0, 0], compiled.paths[1, 0] = problem.start, problem.goal
        bidirectional_descent.raise_clearance(
            compiled.model, 1.0, 1, 0.02, compiled.workspace, compiled.paths[0]
        )
        self._descend(compiled, counts, energies, 0.0, 1)
        self._kick(compiled, 0, counts, 0.01, np.random.default_rng(0))
        path = np.array([problem.start, problem.goal, problem.start])
        self.shorten(compiled, path)
        is_valid_path(compiled.model, path[:1], 0.02, compiled.workspace)
        line = self.options.line
        pull_tight(compiled.model, path, 3, 0, line, compiled.workspace, compiled.shortening)
        compiled.energy.along(path)
        compiled.energy.value(problem.start)

    def _prepare(self, problem: PlanProblem) -> CompiledProblem:
        compiled = self._compiled
        kept = compiled is not None and same_structure(compiled.problem, problem)
        if compiled is None or not kept:
            compiled = self._compiled = CompiledProblem(problem, self.options.energy)
        else:
            compiled.set_problem(problem)
        return compiled

    def _search(self, compiled: CompiledProblem, attempt: int) -> tuple[Floats | None, int, int]:
        """An unshortened path or None, the number of steps, and the number of escapes.

        Attempts alternate between two fall-offs and use different random seeds.
        """
        options, problem = self.options, compiled.problem
        counts = self._counts = np.ones(3, dtype=np.int64)
        paths, energies = compiled.paths, np.zeros(2)
        paths[0, 0], paths[1, 0] = problem.start, problem.goal
        # the straight line first: it suffices for most keyframes
        found = connect_straight(
            compiled.model,
            problem.start,
            problem.goal,
            options.line,
            compiled.workspace,
            compiled.line,
        )
        if found > 0:
            return np.concatenate([problem.start[None], compiled.line[:found]]), 0, 0
        for side in range(2):
            counts[side] = bidirectional_descent.raise_clearance(
                compiled.model,
                options.clear_m,
                60,
                options.limit_tolerance,
                compiled.workspace,
                paths[side],
            )
        rng = np.random.default_rng([options.seed, attempt])
        given = options.energy.falloff
        compiled.use_falloff(given if attempt % 2 == 0 else _other_falloff(given))
        steps = 0
        for escape in range(options.escapes + 1):
            ended = self._descend(compiled, counts, energies, 1.0, options.iterations)
            steps = int(counts[0] + counts[1]) - 2
            if ended == bidirectional_descent.MET:
                middle = compiled.line[: counts[2]]
                back = paths[1, : counts[1]][::-1]
                return np.concatenate([paths[0, : counts[0]], middle, back[1:]]), steps, escape
            if ended == bidirectional_descent.FULL:
                break
            self._escape(compiled, escape, counts, energies, rng)
        return None, steps, options.escapes + 1

    def _descend(
        self,
        compiled: CompiledProblem,
        counts: Ints,
        energies: Floats,
        pull: float,
        iterations: int,
    ) -> int:
        options = self.options
        return bidirectional_descent.connect_by_descent(
            compiled.model,
            bidirectional_descent.DescentSettings(
                options.mix,
                pull,
                options.first_step,
                options.max_step,
                iterations,
                options.patience,
                options.check_every,
                options.line,
            ),
            compiled.workspace,
            compiled.paths,
            counts,
            compiled.line,
            energies,
        )

    def _escape(
        self,
        compiled: CompiledProblem,
        number: int,
        counts: Ints,
        energies: Floats,
        rng: np.random.Generator,
    ) -> None:
        """Leave a local minimum: pure descent, another fall-off, or random steps, in rotation."""
        if number % 3 == 0:
            self._descend(compiled, counts, energies, 0.0, 80 * (1 + number // 3))
        elif number % 3 == 1:
            compiled.use_falloff(_other_falloff(int(compiled.model.field.falloff.max())))
        else:
            for side in range(2):
                self._kick(compiled, side, counts, 0.15 + 0.1 * (number // 3), rng)

    def _kick(
        self,
        compiled: CompiledProblem,
        side: int,
        counts: Ints,
        size: float,
        rng: np.random.Generator,
    ) -> None:
        """Append a few certified random steps that respect planted parts and limits."""
        options, model, workspace = self.options, compiled.model, compiled.workspace
        for _ in range(8):
            at = int(counts[side]) - 1
            if at + 1 >= MAX_ROWS:
                return
            q = compiled.paths[side, at]
            v = rng.normal(size=len(workspace.direction)) * model.field.variable
            v *= size / max(float(np.linalg.norm(v)), 1e-12)
            integrate(model.tree, q, v, compiled.shortening.first)
            tried = compiled.shortening.first
            if correct_posture(model, tried, workspace) > options.limit_tolerance:
                continue
            evaluate_energy(model, tried, workspace, workspace.tried_gradient)
            has_clearance = workspace.energy.min_clearance[0] > 0.5 * options.clear_m
            kept = keeps_limits(model, q, tried, options.limit_tolerance, workspace)
            if has_clearance and kept and is_certified(model, q, tried, workspace):
                compiled.paths[side, at + 1] = tried
                counts[side] += 1

    def _sample_with_ompl(self, problem: PlanProblem) -> Floats | None:
        from writhe.planning.ompl_planners import SamplingPlanner

        options = self.options
        planner = SamplingPlanner(
            "rrtconnect", seed=options.seed, iterations=options.fallback_iterations
        )
        found = planner.plan(problem)
        return found.path if found.solved else None


def _other_falloff(falloff: int) -> int:
    return WIDE if falloff > WIDE else NARROW


def same_structure(known: PlanProblem, other: PlanProblem) -> bool:
    """Whether two problems differ only in their postures."""
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


def infeasible_plan(compiled: CompiledProblem, method: str, begin: float) -> Plan | None:
    """The result for a penetrating start or goal; None if both are clear."""
    problem = compiled.problem
    for q, status in (
        (problem.start, PlanStatus.INFEASIBLE_START),
        (problem.goal, PlanStatus.INFEASIBLE_GOAL),
    ):
        parts = compiled.penetrating_parts(q)
        if parts:
            note = f"these parts penetrate: {', '.join(parts)}"
            path, seconds = problem.start[None].copy(), time.perf_counter() - begin
            return Plan(problem, path, status, method, seconds, notes=(note,), blocked_by=parts)
    return None

"""The default planner: descent over the repulsive energy from both ends, with escapes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

import numpy as np

from writhe.arrays import Floats
from writhe.collision import certify, violating_parts
from writhe.collision.gate import SLACK_M
from writhe.kernels import descent
from writhe.kernels.kinematics import integrate
from writhe.kernels.shorten import cut_corners, skip
from writhe.planning.energy import Energy, EnergyOptions
from writhe.planning.problem import PlanProblem
from writhe.planning.result import Plan, PlanStatus, path_length
from writhe.planning.world import MOST_ROWS, Walker


@dataclass(frozen=True)
class PlanOptions:
    """How a path is looked for; lengths in metres, steps in radians of the whole tangent step."""

    energy: EnergyOptions = field(default_factory=EnergyOptions)
    mix: float = 0.35  # of descent in a step that the energy holds back (the paper: 0)
    first_step: float = 0.08
    most_step: float = 0.35
    iterations: int = 600  # of one walk
    patience: int = 50  # iterations without progress that count as stuck (the paper's)
    check_every: int = 12  # iterations between looks at the straight line
    escapes: int = 10
    clear_m: float = 0.004  # ends nearer than this are moved off first
    limit_tolerance: float = 0.02  # radians beyond a joint limit, metres off a planted place
    spacing: float = 0.15  # of the steps of a line that has to be corrected
    corner_rounds: int = 80
    corner_patience: int = 16
    seed: int = 1
    fallback: bool = False  # ask OMPL when stuck (extra `ompl`)
    fallback_iterations: int = 20_000


class DefaultPlanner:
    """Plans one problem."""

    name = "default"

    def __init__(self, problem: PlanProblem, options: PlanOptions | None = None) -> None:
        self.problem = problem
        self.options = options or PlanOptions()
        self.walker = Walker(problem, self.options.energy)
        self._random = np.random.default_rng(self.options.seed)

    def plan(self) -> Plan:
        """A certified path from the start to the goal."""
        begin = time.perf_counter()
        problem, options = self.problem, self.options
        bad = infeasible(problem)
        if bad is not None:
            return replace(bad, seconds=time.perf_counter() - begin)
        found, steps, escapes = self._search()
        fallback = False
        if found is None and options.fallback:
            from writhe.planning.sampling import SamplingPlanner

            sampled = SamplingPlanner(
                problem, "rrtconnect", seed=options.seed, iterations=options.fallback_iterations
            ).plan()
            if sampled.solved:
                found, fallback = sampled.path, True
        if found is None:
            done = self.walker.paths[0, : self._counts[0]].copy()
            return _answer(problem, self.name, done, PlanStatus.STUCK, begin, steps, escapes)
        path = found if fallback else self.shorten(found)
        return _answer(
            problem, self.name, path, PlanStatus.EXACT, begin, steps, escapes, fallback
        )

    def shorten(self, path: Floats) -> Floats:
        """The path with what can be skipped left out and its corners cut."""
        walker, options = self.walker, self.options
        if len(path) < 3:
            return path
        out = walker.paths[1]
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
            walker.near,
            walker.far,
        )
        return out[:count].copy()

    def _search(self) -> tuple[Floats | None, int, int]:
        walker, options, problem = self.walker, self.options, self.problem
        counts = np.ones(3, dtype=np.int64)
        self._counts = counts
        paths, energies = walker.paths, np.zeros(2)
        paths[0, 0], paths[1, 0] = problem.start, problem.goal
        # the straight line first: most keyframes can simply be blended
        rules = (options.limit_tolerance, options.spacing, walker.room, walker.way)
        found = descent.line(walker.world, problem.start, problem.goal, *rules)
        if found > 0:
            return np.concatenate([problem.start[None], walker.way[:found]]), 0, 0
        for side in range(2):
            counts[side] = descent.clear_end(
                walker.world, options.clear_m, 60, options.limit_tolerance, walker.room, paths[side]
            )
        steps = 0
        field = walker.energy.field
        for escape in range(options.escapes + 1):
            ended = self._walk(counts, energies, pull=1.0, iterations=options.iterations)
            steps = int(counts[0] + counts[1]) - 2
            if ended == descent.MET:
                middle = walker.way[: counts[2]]
                back = paths[1, : counts[1]][::-1]
                whole = np.concatenate([paths[0, : counts[0]], middle, back[1:]])
                return whole, steps, escape
            if ended == descent.FULL or escape == options.escapes:
                break
            self._escape(escape, counts, energies)
        walker.world = walker.world._replace(field=field)
        return None, steps, options.escapes

    def _walk(
        self, counts: np.ndarray, energies: Floats, pull: float, iterations: int
    ) -> int:
        walker, options = self.walker, self.options
        return descent.meet(
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

    def _escape(self, number: int, counts: np.ndarray, energies: Floats) -> None:
        """Get out of a local minimum: open up, change the fall-off, or kick at random."""
        walker, options = self.walker, self.options
        if number % 3 == 0:
            self._walk(counts, energies, pull=0.0, iterations=80 * (1 + number // 3))
        elif number % 3 == 1:
            other = 2 if int(walker.world.field.falloff.max()) > 2 else 5
            given = replace(options.energy, falloff=other)
            fresh = Energy(walker.problem.table, given, walker.problem.variable)
            walker.world = walker.world._replace(field=fresh.field)
        else:
            for side in range(2):
                self._kick(side, counts, 0.15 + 0.1 * (number // 3))

    def _kick(self, side: int, counts: np.ndarray, size: float) -> None:
        """A certified step in a random direction that keeps planted parts and limits."""
        walker, options = self.walker, self.options
        world, room = walker.world, walker.room
        for _ in range(8):
            at = int(counts[side]) - 1
            if at + 1 >= MOST_ROWS:
                return
            q = walker.paths[side, at]
            v = self._random.normal(size=len(room.direction)) * world.field.variable
            v *= size / max(float(np.linalg.norm(v)), 1e-12)
            integrate(world.tree, q, v, room.tried)
            tried = room.tried.copy()
            if descent.correct(world, tried, room) > options.limit_tolerance:
                continue
            descent.evaluate(world, tried, room, room.tried_gradient)
            if room.energy.least[0] > 0.5 * options.clear_m and descent.certified(
                world, q, tried, room
            ):
                walker.paths[side, at + 1] = tried
                counts[side] += 1


def infeasible(problem: PlanProblem) -> Plan | None:
    """The answer for ends that penetrate; None when both are sound."""
    for q, status in (
        (problem.start, PlanStatus.INFEASIBLE_START),
        (problem.goal, PlanStatus.INFEASIBLE_GOAL),
    ):
        parts = violating_parts(problem.table, q, SLACK_M)[0]
        if parts:
            note = f"these parts penetrate: {', '.join(parts)}"
            return Plan(
                problem.skeleton,
                problem.start[None].copy(),
                status,
                "default",
                0.0,
                None,
                0.0,
                notes=(note,),
                blocked_by=parts,
            )
    return None


def _answer(
    problem: PlanProblem,
    method: str,
    path: Floats,
    status: PlanStatus,
    begin: float,
    steps: int,
    escapes: int,
    fallback: bool = False,
) -> Plan:
    proof = certify(problem.table, path)
    if status is PlanStatus.EXACT and not proof.certified:
        status = PlanStatus.STUCK
    return Plan(
        problem.skeleton,
        path,
        status,
        method,
        time.perf_counter() - begin,
        proof,
        path_length(problem.skeleton, path),
        steps,
        escapes,
        fallback,
    )

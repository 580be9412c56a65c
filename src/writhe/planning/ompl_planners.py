"""Sampling planners of OMPL (extra `ompl`): a fallback and a baseline.

They are compared with the energy planner in `research.experiments.energy_planning`.

States are tangent steps from the start posture. The motion validator is the gate, so the paths
have the same guarantee as those of the other planners.

Time limits are of CPU time, so that a busy machine does not shorten a search.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from writhe.arrays import Floats
from writhe.errors import MissingExtraError, UnknownNameError
from writhe.kernels.planning.search_constraints import correct_posture, satisfies_constraints
from writhe.kernels.planning.search_model import overlaps
from writhe.kernels.planning.straight_line import LineSettings, connect_straight
from writhe.kernels.skeleton.kinematics import FREE, integrate
from writhe.planning.compiled_problem import CompiledProblem
from writhe.planning.energy_planner import infeasible_plan
from writhe.planning.problem import PlanProblem
from writhe.planning.result import Plan, PlanStatus
from writhe.skeleton.kinematics import difference

PLANNERS = {
    "rrt": "RRT",
    "rrtconnect": "RRTConnect",
    "rrtstar": "RRTstar",
    "prm": "PRM",
    "prmstar": "PRMstar",
}
# planners that are compared only in sweeps of settings
MORE_PLANNERS = {
    "bkpiece": "BKPIECE1",
    "lbkpiece": "LBKPIECE1",
    "kpiece": "KPIECE1",
    "bitstar": "BITstar",
}
RANGE_RAD = 1.0  # longest edge of a tree
MARGIN_RAD = 1.5  # margin of the sampled box beyond the two postures, within joint limits
ROOT_RAD, ROOT_M = 0.3, 0.3  # the same for the root
TOLERANCE = 0.02  # radians beyond a limit, metres off a planted position
_LINE = LineSettings(TOLERANCE, 0.15)
STILL = 0.02  # margin of the root if the figure is alone, because its pose is then irrelevant
CLOCK_FACTOR = (
    20.0  # a search ends after this many times its limit in wall-clock time, whatever it used
)
WATCH_S = 0.02  # how often the CPU time of a search is looked at


class SamplingPlanner:
    """One of OMPL's planners with a seed, an iteration budget or a time limit.

    `seconds` limits the CPU time that this process uses while the planner searches.
    """

    def __init__(
        self,
        method: str = "rrtconnect",
        *,
        seed: int = 1,
        iterations: int | None = None,
        seconds: float = 60.0,
        simplify: bool = True,
        range_rad: float = RANGE_RAD,
    ) -> None:
        if method not in PLANNERS | MORE_PLANNERS:
            raise UnknownNameError("sampling planner", method, [*PLANNERS, *MORE_PLANNERS])
        self.name = method
        self.range_rad = range_rad
        self.seed = seed
        self.iterations = iterations
        self.seconds = seconds
        self.simplify = simplify

    def plan(self, problem: PlanProblem) -> Plan:
        """A certified path, simplified by OMPL; the status is STUCK if the budget ran out."""
        begin = time.perf_counter()
        compiled = CompiledProblem(problem)
        bad = infeasible_plan(compiled, self.name, begin)
        if bad is not None:
            return bad
        states = _States(problem, compiled)
        rows = search_states(
            states,
            (PLANNERS | MORE_PLANNERS)[self.name],
            seed=self.seed,
            seconds=self.seconds,
            iterations=self.iterations,
            longest_edge=self.range_rad,
            simplify=self.simplify,
        )
        if rows is None:
            spent = time.perf_counter() - begin
            path = problem.start[None].copy()
            return Plan(problem, path, PlanStatus.STUCK, self.name, spent, states.checked)
        path = np.array([states.configuration(row) for row in rows])
        path[0], path[-1] = problem.start, problem.goal
        spent = time.perf_counter() - begin
        found = Plan(problem, path, PlanStatus.EXACT, self.name, spent, states.checked)
        if not found.certificate.certified:
            return Plan(problem, path, PlanStatus.STUCK, self.name, spent, states.checked)
        return found


class SampledStates(Protocol):
    """The box of state vectors that a planner samples, from the start (0) to the goal."""

    size: int
    low: Floats
    high: Floats
    goal: Floats
    checked: int  # states checked so far

    def valid(self, state: Floats) -> bool:
        """Whether a state may be visited."""
        ...

    def motion_valid(self, a: Floats, b: Floats) -> bool:
        """Whether the straight motion between two valid states is free of collisions."""
        ...


def search_states(
    states: SampledStates,
    planner: str,
    *,
    seed: int,
    seconds: float,
    iterations: int | None = None,
    longest_edge: float | None = None,
    simplify: bool = False,
) -> list[Floats] | None:
    """States along a path found by the OMPL planner of this class name; None if there is none.

    The search ends when this process has used `seconds` of CPU time (at the latest after
    `CLOCK_FACTOR` times as many wall-clock seconds), or after about `iterations` checked states.
    """
    base, geometric = _ompl(seed)
    space = base.RealVectorStateSpace(states.size)
    bounds = base.RealVectorBounds(states.size)
    for k in range(states.size):
        bounds.setLow(k, float(states.low[k]))
        bounds.setHigh(k, float(states.high[k]))
    space.setBounds(bounds)
    setup = geometric.SimpleSetup(space)
    information = setup.getSpaceInformation()

    def state_valid(state: Any) -> bool:
        return states.valid(_to_array(state, states.size))

    setup.setStateValidityChecker(state_valid)
    information.setMotionValidator(_validator(base, information, states))
    start, goal = space.allocState(), space.allocState()
    for k in range(states.size):
        start[k], goal[k] = 0.0, float(states.goal[k])
    setup.setStartAndGoalStates(start, goal, 1e-6)
    method = getattr(geometric, planner)(information)
    if longest_edge is not None and hasattr(method, "setRange"):
        method.setRange(longest_edge)
    setup.setPlanner(method)
    stop = _stop(base, states, iterations, CLOCK_FACTOR * seconds)
    with _processor_limit(stop, seconds):
        setup.solve(stop)
    rows = None
    if setup.haveExactSolutionPath():
        line = setup.getSolutionPath()
        if simplify:
            geometric.PathSimplifier(information).simplifyMax(line)
        rows = [_to_array(line.getState(i), states.size) for i in range(line.getStateCount())]
    _break_reference_cycle(base, information, states)
    return rows


def warm_up(problem: PlanProblem) -> None:
    """Load (or compile) the kernels of sampling, so that timings exclude it."""
    states = _States(problem, CompiledProblem(problem))
    none = np.zeros(states.size)
    states.valid(none)
    states.motion_valid(none, states.goal)


class _States:
    """Converts OMPL's state vectors, tangent steps from the start posture, to configurations."""

    def __init__(self, problem: PlanProblem, compiled: CompiledProblem) -> None:
        self.problem, self.compiled = problem, compiled
        skeleton = problem.skeleton
        moving = np.ones(skeleton.dof_count, dtype=np.bool_)
        if problem.variable is not None:
            moving = problem.variable
        self.columns = np.flatnonzero(moving)
        self.size = len(self.columns)
        self.goal = difference(skeleton, problem.start, problem.goal)[self.columns]
        tree = skeleton.tree
        alone = not problem.bodies
        margin = np.full(self.size, MARGIN_RAD)
        free = tree.kind[tree.dof_joint[self.columns]] == FREE
        turns = tree.dof_turns[self.columns] == 1
        margin[free] = STILL if alone and not problem.planted else ROOT_RAD
        margin[free & ~turns] = STILL if alone and not problem.planted else ROOT_M
        self.low = np.minimum(self.goal, 0.0) - margin
        self.high = np.maximum(self.goal, 0.0) + margin
        self._step = np.zeros(skeleton.dof_count)
        self._rows = np.zeros((2, skeleton.configuration_size))
        self.checked = 0

    def configuration(self, state: Floats, into: int = 0) -> Floats:
        """The configuration of a state, planted parts in place."""
        out = self._rows[into]
        self._step[self.columns] = state
        integrate(self.problem.skeleton.tree, self.problem.start, self._step, out)
        if self.compiled.planted:
            correct_posture(self.compiled.model, out, self.compiled.workspace)
        return out.copy()

    def valid(self, state: Floats) -> bool:
        """Whether a state is within limits and free of penetration."""
        self.checked += 1
        compiled, q = self.compiled, self.configuration(state)
        if overlaps(compiled.model, q, compiled.workspace):
            return False
        return satisfies_constraints(compiled.model, q, TOLERANCE, compiled.workspace)

    def motion_valid(self, a: Floats, b: Floats) -> bool:
        """Whether the gate certifies the straight step between two states."""
        q_from, q_to = self.configuration(a, 0), self.configuration(b, 1)
        compiled = self.compiled
        found = connect_straight(
            compiled.model, q_from, q_to, _LINE, compiled.workspace, compiled.line
        )
        # more than one piece: the line was corrected to keep planted parts in place
        return found == 1 or (found > 1 and compiled.planted > 0)


def _to_array(state: Any, size: int) -> Floats:
    return np.array([state[k] for k in range(size)])


def _validator(base: Any, information: Any, states: SampledStates) -> Any:
    class GateValidator(base.MotionValidator):  # pyright: ignore[reportUntypedBaseClass]
        def __init__(self) -> None:
            super().__init__(information)

        def checkMotion(self, first: Any, second: Any, last: Any = None) -> bool:
            a, b = _to_array(first, states.size), _to_array(second, states.size)
            return states.valid(b) and states.motion_valid(a, b)

    return GateValidator()


def _break_reference_cycle(base: Any, information: Any, states: SampledStates) -> None:
    """Replace the validator of `information`: the two refer to each other and would leak."""
    other = base.SpaceInformation(base.RealVectorStateSpace(1))
    information.setMotionValidator(_validator(base, other, states))


@contextmanager
def _processor_limit(stop: Any, seconds: float) -> Generator[None]:
    """Terminate the condition `stop` once this process has used `seconds` of CPU time.

    A thread watches the processor clock and sets the flag of the condition, which OMPL reads
    without Python (see `_stop`).
    """
    end, searched = time.process_time() + seconds, threading.Event()

    def watch() -> None:
        while not searched.wait(WATCH_S):
            if time.process_time() >= end:
                stop.terminate()
                return

    watcher = threading.Thread(target=watch, name="processor limit", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        searched.set()
        watcher.join()


def _stop(base: Any, states: SampledStates, iterations: int | None, clock_s: float) -> Any:
    # PRM evaluates the condition in a thread of its own. A Python condition would wait for the GIL,
    # which the sampling thread holds while it waits for PRM's thread: a deadlock.
    timed = base.timedPlannerTerminationCondition(clock_s)
    if iterations is None:
        return timed
    counted = base.PlannerTerminationCondition(lambda: states.checked >= iterations)
    return base.plannerOrTerminationCondition(timed, counted)


def _ompl(seed: int) -> tuple[Any, Any]:
    try:
        from ompl import base, geometric, util
    except ImportError:
        raise MissingExtraError("sampling planners", "ompl") from None
    util.setLogLevel(util.LOG_NONE)
    util.RNG.setSeed(seed)
    return base, geometric

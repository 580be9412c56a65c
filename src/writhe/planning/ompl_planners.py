"""Sampling planners of OMPL (extra `ompl`): the fallback, and what we are compared with.

States are tangent steps from the start posture. The motion validator is the gate, so that the
planners stand on the same proof as everything else here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.errors import MissingExtraError, UnknownNameError
from writhe.kernels.planning.straight_line import line
from writhe.kernels.planning.walk_constraints import correct, keeps
from writhe.kernels.planning.walk_model import overlaps
from writhe.kernels.skeleton.kinematics import FREE, integrate
from writhe.planning.compiled_problem import Walker
from writhe.planning.energy_planner import infeasible
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
RANGE_RAD = 1.0  # the longest step of a tree
MARGIN_RAD = 1.5  # by which the box that is sampled goes beyond the two postures; limits cut it
ROOT_RAD, ROOT_M = 0.3, 0.3
TOLERANCE = 0.02  # radians beyond a limit, metres off a planted place
STILL = 0.02  # for a root whose place does not matter, since the figure is alone


class SamplingPlanner:
    """One of OMPL's planners with a seed, an iteration budget or a time limit."""

    def __init__(
        self,
        method: str = "rrtconnect",
        *,
        seed: int = 1,
        iterations: int | None = None,
        seconds: float = 60.0,
        simplify: bool = True,
    ) -> None:
        if method not in PLANNERS:
            raise UnknownNameError("sampling planner", method, list(PLANNERS))
        self.name = method
        self.seed = seed
        self.iterations = iterations
        self.seconds = seconds
        self.simplify = simplify

    def plan(self, problem: PlanProblem) -> Plan:
        """A certified path, simplified by OMPL; `stuck` when the budget was not enough."""
        base, geometric, _ = _ompl(self.seed)
        begin = time.perf_counter()
        walker = Walker(problem)
        bad = infeasible(walker, self.name, begin)
        if bad is not None:
            return bad
        states = _States(problem, walker)
        space = base.RealVectorStateSpace(states.size)
        bounds = base.RealVectorBounds(states.size)
        for k in range(states.size):
            bounds.setLow(k, float(states.low[k]))
            bounds.setHigh(k, float(states.high[k]))
        space.setBounds(bounds)
        setup = geometric.SimpleSetup(space)
        information = setup.getSpaceInformation()
        setup.setStateValidityChecker(states.valid_state)
        validator = _validator(base, information, states)
        information.setMotionValidator(validator)
        start, goal = space.allocState(), space.allocState()
        for k in range(states.size):
            start[k], goal[k] = 0.0, float(states.goal[k])
        setup.setStartAndGoalStates(start, goal, 1e-6)
        planner = getattr(geometric, PLANNERS[self.name])(information)
        if hasattr(planner, "setRange"):
            planner.setRange(RANGE_RAD)
        setup.setPlanner(planner)
        stop = _stop(base, states, self.iterations, self.seconds)
        setup.solve(stop)
        if not setup.haveExactSolutionPath():
            _let_go(base, information, states)
            spent = time.perf_counter() - begin
            path = problem.start[None].copy()
            return Plan(problem, path, PlanStatus.STUCK, self.name, spent, states.checked)
        way = setup.getSolutionPath()
        if self.simplify:
            geometric.PathSimplifier(information).simplifyMax(way)
        rows = [_numbers(way.getState(i), states.size) for i in range(way.getStateCount())]
        _let_go(base, information, states)
        path = np.array([states.configuration(row) for row in rows])
        path[0], path[-1] = problem.start, problem.goal
        spent = time.perf_counter() - begin
        found = Plan(problem, path, PlanStatus.EXACT, self.name, spent, states.checked)
        if not found.certificate.certified:
            return Plan(problem, path, PlanStatus.STUCK, self.name, spent, states.checked)
        return found


def warm_up(problem: PlanProblem) -> None:
    """Load (or compile) the kernels that sampling calls, before its time is taken."""
    states = _States(problem, Walker(problem))
    none = np.zeros(states.size)
    states.valid(none)
    states.joined(none, states.goal)


class _States:
    """Between OMPL's vectors and configurations: the tangent step from the start posture."""

    def __init__(self, problem: PlanProblem, walker: Walker) -> None:
        self.problem, self.walker = problem, walker
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
        if self.walker.planted:
            correct(self.walker.world, out, self.walker.room)
        return out.copy()

    def valid(self, state: Floats) -> bool:
        """Whether a state keeps its limits and penetrates nothing."""
        self.checked += 1
        walker, q = self.walker, self.configuration(state)
        if overlaps(walker.world, q, walker.room):
            return False
        return keeps(walker.world, q, TOLERANCE, walker.room)

    def valid_state(self, state: Any) -> bool:
        """`valid` for one of OMPL's states."""
        return self.valid(_numbers(state, self.size))

    def joined(self, a: Floats, b: Floats) -> bool:
        """Whether the gate lets the straight step from one state to the other pass."""
        q_from, q_to = self.configuration(a, 0), self.configuration(b, 1)
        walker = self.walker
        found = line(walker.world, q_from, q_to, TOLERANCE, 0.15, walker.room, walker.way)
        # more than one piece means that the line had to be bent: a vertex for each is needed
        return found == 1 or (found > 1 and walker.planted > 0)


def _numbers(state: Any, size: int) -> Floats:
    return np.array([state[k] for k in range(size)])


def _validator(base: Any, information: Any, states: _States) -> Any:
    class GateValidator(base.MotionValidator):  # pyright: ignore[reportUntypedBaseClass]
        def __init__(self) -> None:
            super().__init__(information)

        def checkMotion(self, first: Any, second: Any, last: Any = None) -> bool:
            a, b = _numbers(first, states.size), _numbers(second, states.size)
            return states.valid(b) and states.joined(a, b)

    return GateValidator()


def _let_go(base: Any, information: Any, states: _States) -> None:
    """Part `information` from its validator, which hold each other: for good, left alone."""
    other = base.SpaceInformation(base.RealVectorStateSpace(1))
    information.setMotionValidator(_validator(base, other, states))


def _stop(base: Any, states: _States, iterations: int | None, seconds: float) -> Any:
    # PRM asks from a thread of its own whether to stop; a Python answer would have it wait for the
    # interpreter, which the thread that samples holds, and that one in turn waits for PRM's
    timed = base.timedPlannerTerminationCondition(seconds)
    if iterations is None:
        return timed
    counted = base.PlannerTerminationCondition(lambda: states.checked >= iterations)
    return base.plannerOrTerminationCondition(timed, counted)


def _ompl(seed: int) -> tuple[Any, Any, Callable[[int], None]]:
    try:
        from ompl import base, geometric, util
    except ImportError:
        raise MissingExtraError("sampling planners", "ompl") from None
    util.setLogLevel(util.LOG_NONE)
    util.RNG.setSeed(seed)
    return base, geometric, util.RNG.setSeed

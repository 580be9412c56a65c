"""OMPL's planners behind the same interface."""

from __future__ import annotations

import time

import numpy as np
import pytest

from writhe.arrays import Floats
from writhe.collision import CollisionTable
from writhe.errors import UnknownNameError
from writhe.planning import PlanStatus, SamplingPlanner, figure_problem, ompl_planners
from writhe.planning.ompl_planners import PLANNERS, search_states
from writhe.planning.ompl_process import PlannerProcess
from writhe.research.evaluation.tangled_pairs import TangledPair
from writhe.skeleton import Figure

pytest.importorskip("ompl", reason="the extra `ompl` is not installed")


def test_rrtconnect_finds_the_same_path_for_the_same_seed(
    human: Figure, table: CollisionTable, tangled: list[TangledPair]
) -> None:
    problem = figure_problem(human, tangled[0].start, tangled[0].goal, table=table)
    found = [SamplingPlanner("rrtconnect", seed=3, iterations=3000).plan(problem) for _ in range(2)]
    assert found[0].status is PlanStatus.EXACT
    assert found[0].certificate.certified
    assert np.array_equal(found[0].path, found[1].path)


def test_an_iteration_budget_ends_the_search(
    human: Figure, table: CollisionTable, tangled: list[TangledPair]
) -> None:
    problem = figure_problem(human, tangled[-1].start, tangled[-1].goal, table=table)
    assert SamplingPlanner("rrt", iterations=2).plan(problem).status is PlanStatus.STUCK


def test_unknown_planners_raise() -> None:
    with pytest.raises(UnknownNameError):
        SamplingPlanner("bug2")


def test_a_process_gives_the_same_result_and_is_killed_at_its_limit(
    human: Figure, table: CollisionTable, tangled: list[TangledPair]
) -> None:
    problem = figure_problem(human, tangled[0].start, tangled[0].goal, table=table)
    with PlannerProcess() as process:
        found = process.plan("rrtconnect", problem, seed=3, seconds=30.0)
        assert found.status is PlanStatus.EXACT
        here = SamplingPlanner("rrtconnect", seed=3, seconds=30.0).plan(problem)
        assert np.array_equal(found.path, here.path)
        # less wall-clock time than the planner takes: the process is killed and a note says so
        process.clock_factor, process.grace_s = 0.0, 1.0
        ended = process.plan("rrtstar", problem, seed=3, seconds=30.0)
        assert ended.status is PlanStatus.STUCK
        assert "did not stop" in ended.notes[0]


@pytest.mark.parametrize("method", ["rrtstar", "prm"])
def test_a_search_ends_at_its_limit_of_processor_time_not_of_the_clock(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ompl_planners, "CLOCK_FACTOR", 1000.0)
    states = _WalledStates()
    begin_s = time.process_time()
    search_states(states, PLANNERS[method], seed=1, seconds=0.3)
    # the checks alone wait for longer than the limit, which uses no CPU time
    assert states.waited_s > 0.3
    assert time.process_time() - begin_s >= 0.3


class _WalledStates:
    """A box with a wall before its goal, whose first checks wait, as on a busy machine."""

    size = 3

    def __init__(self) -> None:
        self.low, self.high = np.full(3, -1.0), np.full(3, 1.0)
        self.goal = np.full(3, 0.9)
        self.checked, self.waited_s = 0, 0.0

    def valid(self, state: Floats) -> bool:
        """Outside the wall."""
        self.checked += 1
        if self.checked <= 4:
            time.sleep(0.1)
            self.waited_s += 0.1
        return not 0.4 < state[0] < 0.6

    def motion_valid(self, a: Floats, b: Floats) -> bool:
        """On one side of the wall."""
        return bool((a[0] < 0.5) == (b[0] < 0.5))

"""OMPL's planners behind the same interface."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.collision import CollisionTable
from writhe.errors import UnknownNameError
from writhe.planning import PlanStatus, SamplingPlanner, figure_problem
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
    with PlannerProcess(grace_s=60.0) as process:
        found = process.plan("rrtconnect", problem, seed=3, seconds=30.0)
        assert found.status is PlanStatus.EXACT
        here = SamplingPlanner("rrtconnect", seed=3, seconds=30.0).plan(problem)
        assert np.array_equal(found.path, here.path)
        # a limit shorter than the planner: the process is killed and a note says so
        process.grace_s = -29.0
        ended = process.plan("rrtstar", problem, seed=3, seconds=30.0)
        assert ended.status is PlanStatus.STUCK
        assert "did not stop" in ended.notes[0]

"""The paths that connect two poses of an animation."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.collision import CollisionTable, certify
from writhe.planning import PlanStatus, figure_problem
from writhe.planning.connect import KINDS, Stepping, connection, connections
from writhe.planning.ground_assumptions import floor_height
from writhe.skeleton import Figure
from writhe.skeleton.move_root import moved_roots


def test_every_kind_without_steps_gives_a_certified_motion_of_the_duration(
    human: Figure, table: CollisionTable
) -> None:
    goal = human.skeleton.rest_configuration
    goal[human.skeleton.q_slice("left_elbow")] = 1.0
    problem = figure_problem(human, human.skeleton.rest_configuration, goal, table=table)
    found = list(connections(problem, 1.5, 30.0))
    assert [one.kind for one in found] == [kind for kind in KINDS if not kind.steps]
    for one in found:
        assert one.motion is not None and one.motion.duration_s == pytest.approx(1.5)
        assert certify(table, one.motion.q, one.motion.fps).certified
        assert np.allclose(one.motion.q[[0, -1]], [problem.start, problem.goal], atol=1e-6)


def test_feet_that_stand_elsewhere_step_on_request(human: Figure) -> None:
    start = human.skeleton.rest_configuration
    goal = moved_roots(human.skeleton, start[None], np.eye(3), np.array([0.0, 0.0, 0.3]))[0]
    floor_m = floor_height(human, start, goal)
    problem, steps = figure_problem(human, start, goal, floor_m=floor_m), KINDS[0]
    assert connection(problem, steps, 3.0, 30.0) is None
    found = connection(problem, steps, 3.0, 30.0, stepping=Stepping(human, "", slice(None)))
    assert found is not None and found.motion is not None and found.plan.legs


def test_the_reason_names_what_overlaps_in_which_pose(human: Figure, table: CollisionTable) -> None:
    bad = human.skeleton.rest_configuration
    at = human.skeleton.q_slice("left_hip")
    bad[at] = [np.cos(0.4), 0.0, 0.0, -np.sin(0.4)]  # one thigh within the other
    problem = figure_problem(human, human.skeleton.rest_configuration, bad, table=table)
    found = connection(problem, KINDS[1], 1.0, 30.0, name_of=lambda part: part.replace("_", " "))
    assert found is not None and found.plan.status is PlanStatus.INFEASIBLE_GOAL
    assert found.motion is None and "in the second pose" in found.reason
    assert "left hip" in found.reason

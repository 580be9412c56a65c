"""The default planner: certified paths, planted parts, limits, infeasible ends."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.collision import CollisionTable, Gate, certify
from writhe.errors import UnknownNameError, WritheError
from writhe.planning import (
    EnergyPlanner,
    PlanStatus,
    figure_problem,
    make_planner,
    plan,
)
from writhe.research.evaluation.tangled_pairs import TangledPair
from writhe.skeleton import Figure, forward
from writhe.skeleton.configuration_paths import resample_evenly
from writhe.skeleton.limits import limit_excess


def test_the_pairs_have_a_witness_but_no_clear_straight_line(
    table: CollisionTable, tangled: list[TangledPair]
) -> None:
    gate = Gate(table)
    assert sorted({pair.level for pair in tangled}) == [1, 2, 3, 4]
    for pair in tangled:
        assert certify(table, pair.witness, fps=30.0).certified
        assert gate.fraction(pair.start, pair.goal) < 1.0
        assert np.array_equal(pair.witness[0], pair.start)
        assert np.array_equal(pair.witness[-1], pair.goal)


def test_tangled_pairs_are_connected_and_certified(
    human: Figure, table: CollisionTable, tangled: list[TangledPair]
) -> None:
    planner = EnergyPlanner()
    for pair in tangled:
        found = planner.plan(figure_problem(human, pair.start, pair.goal, table=table))
        assert found.status is PlanStatus.EXACT
        assert found.certificate.certified
        assert np.array_equal(found.path[0], pair.start)
        assert np.array_equal(found.path[-1], pair.goal)


def test_a_plan_is_the_same_every_time(
    human: Figure, table: CollisionTable, tangled: list[TangledPair]
) -> None:
    pair = tangled[-1]
    problem = figure_problem(human, pair.start, pair.goal, table=table)
    used = EnergyPlanner()
    used.plan(figure_problem(human, tangled[0].start, tangled[0].goal, table=table))
    first, second = used.plan(problem), EnergyPlanner().plan(problem)
    assert np.array_equal(first.path, second.path)


def test_limits_hold_along_the_path(
    human: Figure, table: CollisionTable, tangled: list[TangledPair]
) -> None:
    pair = tangled[2]
    found = plan(human, pair.start, pair.goal, table=table)
    ends = [limit_excess(human.skeleton, q) for q in (pair.start, pair.goal)]
    allowed = 0.03 + max((max(e.values(), default=0.0) for e in ends), default=0.0)
    for q in resample_evenly(human.skeleton, found.path, 80):
        assert max(limit_excess(human.skeleton, q).values(), default=0.0) < allowed


def test_planted_feet_stay(
    human: Figure, table: CollisionTable, tangled: list[TangledPair]
) -> None:
    # arms of a tangled pair on standing legs; one knee bends a little
    skeleton = human.skeleton
    ends = []
    for q in (tangled[-1].start, tangled[-1].goal):
        posed = skeleton.rest_configuration
        for side in ("left", "right"):
            for part in ("clavicle", "shoulder", "elbow", "wrist"):
                at = skeleton.q_slice(f"{side}_{part}")
                posed[at] = q[at]
        ends.append(posed)
    feet = ("left_ankle", "right_ankle")
    found = plan(human, ends[0], ends[1], planted=feet, table=table)
    if found.status in (PlanStatus.INFEASIBLE_START, PlanStatus.INFEASIBLE_GOAL):
        pytest.skip("these arms do not fit on a standing body")
    assert found.solved
    rows = resample_evenly(skeleton, found.path, 120)
    frames = forward(skeleton, rows)
    for foot in feet:
        moved = np.linalg.norm(frames.position(foot) - frames.position(foot)[0], axis=1)
        assert moved.max() < 2e-3


def test_penetrating_start_and_goal_are_reported(human: Figure, table: CollisionTable) -> None:
    rest = human.skeleton.rest_configuration
    bad = rest.copy()
    at = human.skeleton.q_slice("left_hip")
    bad[at] = [np.cos(0.4), 0.0, 0.0, -np.sin(0.4)]  # one thigh within the other
    assert plan(human, bad, rest, table=table).status is PlanStatus.INFEASIBLE_START
    found = plan(human, rest, bad, table=table)
    assert found.status is PlanStatus.INFEASIBLE_GOAL
    assert "left_hip" in found.blocked_by


def test_ends_are_cleared_only_on_request(human: Figure, table: CollisionTable) -> None:
    rest = human.skeleton.rest_configuration
    bad = rest.copy()
    at = human.skeleton.q_slice("left_hip")
    bad[at] = [np.cos(0.12), 0.0, 0.0, -np.sin(0.12)]  # one thigh a little into the other
    assert plan(human, rest, bad, table=table).status is PlanStatus.INFEASIBLE_GOAL
    found = plan(human, rest, bad, table=table, clear_ends=True)
    assert found.status is PlanStatus.APPROXIMATE and found.certificate.certified
    assert any("goal penetrates" in note for note in found.notes)
    assert plan(human, rest, rest, table=table, clear_ends=True).status is PlanStatus.EXACT


def test_a_clear_straight_line_is_the_path(human: Figure, table: CollisionTable) -> None:
    rest = human.skeleton.rest_configuration
    goal = rest.copy()
    goal[human.skeleton.q_slice("left_elbow")] = 1.0
    found = plan(human, rest, goal, table=table, planted=(), floor=False)
    assert len(found.path) == 2 and found.length_rad == pytest.approx(1.0)


def test_misuse_raises(human: Figure, table: CollisionTable) -> None:
    rest = human.skeleton.rest_configuration
    moved = rest.copy()
    moved[0] += 0.5
    with pytest.raises(WritheError, match="planted"):
        figure_problem(human, rest, moved, planted=("left_ankle",), table=table)
    with pytest.raises(UnknownNameError):
        make_planner("teleport")

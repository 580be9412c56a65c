"""Half-space IK as published beside ours: Algorithm 1, its penalty baseline, the relation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from writhe.research.experiments.half_space_ik.methods import make_methods
from writhe.research.experiments.half_space_ik.pictures import shown_frames
from writhe.research.experiments.half_space_ik.play_scenario import ScenarioRun, figures, play
from writhe.research.experiments.half_space_ik.scenarios import SCENARIOS, Scenario
from writhe.skeleton import forward


def _played(scenario: Scenario, method: str) -> ScenarioRun:
    return play(scenario, make_methods(scenario, [method])[method])


@pytest.mark.parametrize(
    "name",
    ["algorithm-1", "algorithm-1-until-clear", "algorithm-1-passes", "algorithm-1-on-object"],
)
def test_algorithm_1_acts_only_while_there_are_constraints(name: str):
    back = SCENARIOS["back"]()
    method = make_methods(back, [name])[name]
    away = {"object": np.array([0.0, 1.0, -3.0, 1.0, 0.0, 0.0, 0.0])}
    q, _, _ = method.step(back.start, [], away)
    own = back.scene.layout.actor_q["a"]
    assert np.array_equal(q[own], back.start[own])
    touching = {"object": np.array([0.12, 1.32, -0.16, 1.0, 0.0, 0.0, 0.0])}
    pushed, _, _ = method.step(q, [], touching)
    assert not np.allclose(pushed[own], q[own])


def test_algorithm_1_is_smoother_than_the_penalty_method_as_in_figure_8():
    back = replace(SCENARIOS["back"](), frames=130)
    printed, penalty = (
        figures(back, _played(back, method)) for method in ("algorithm-1", "penalty")
    )
    assert printed["jerk"] < 0.3 * penalty["jerk"]
    assert printed["penetrating_frames"] > 0  # it does not resolve the collision


def test_algorithm_1_in_passes_resolves_the_collision_of_the_cylinder():
    cylinder = SCENARIOS["cylinder"]()
    once, passes, penalty = (
        figures(cylinder, _played(cylinder, method))
        for method in ("algorithm-1", "algorithm-1-passes", "penalty")
    )
    assert once["penetrating_frames"] > 0
    assert passes["certified"] and passes["penetrating_frames"] == 0
    assert passes["jerk"] < 0.1 * penalty["jerk"]


def test_planes_fixed_in_the_world_do_not_pull_the_chest_along_with_the_cylinder():
    cylinder = SCENARIOS["cylinder"]()
    skeleton = cylinder.scene.layout.skeleton
    height = {
        method: float(
            np.ptp(forward(skeleton, _played(cylinder, method).q).position("a.chest")[:, 1])
        )
        for method in ("algorithm-1", "algorithm-1-on-object", "penalty")
    }
    assert height["algorithm-1"] < 0.005 < height["penalty"] < height["algorithm-1-on-object"]


def test_the_hand_keeps_the_world_vector_of_equation_5():
    scenario = SCENARIOS["holding"]()
    skeleton = scenario.scene.layout.skeleton
    run = _played(scenario, "algorithm-1-world-vector")
    frames = forward(skeleton, run.q)
    apart = frames.position("a.left_wrist") - frames.position("a.left_knee")
    away = np.linalg.norm(apart - apart[0], axis=1)
    assert away.max() == pytest.approx(run.relation_error_m)
    assert away.max() < 1e-3


def test_the_hand_stays_on_the_leg_only_with_the_relation():
    away: dict[str, float] = {}
    for name in ("holding", "not-holding"):
        scenario = SCENARIOS[name]()
        frames = forward(scenario.scene.layout.skeleton, _played(scenario, "half-space").q)
        turn = frames.rotation("a.left_knee")
        hand = frames.position("a.left_wrist") - frames.position("a.left_knee")
        place = np.einsum("fji,fj->fi", turn, hand)
        away[name] = float(np.linalg.norm(place - place[0], axis=1).max())
    assert away["holding"] < 1e-3 and away["not-holding"] > 0.1


def test_the_hands_stay_together_in_a_push_up():
    push_up = replace(SCENARIOS["push-up"](), frames=120)
    run = _played(push_up, "half-space")
    frames = forward(push_up.scene.layout.skeleton, run.q)
    chest = frames.position("a.chest")[:, 1]
    assert np.ptp(chest) > 0.1
    assert run.relation_error_m < 1e-3
    assert figures(push_up, run)["certified"]


def test_a_strip_shows_an_overlap_that_falls_between_its_frames():
    sphere = replace(SCENARIOS["sphere"](), shown=(0.1, 0.3, 0.5, 0.7, 0.9))
    still = np.tile(sphere.start, (101, 1))
    run = ScenarioRun(still, np.zeros(100), np.zeros(100), 0.0, 0)
    evenly = shown_frames(sphere, run)
    assert evenly == [10, 30, 50, 70, 90]
    hand = forward(sphere.scene.layout.skeleton, sphere.start).position("a.right_wrist")
    at = sphere.scene.layout.object_q["object"].start
    still[42:44, at : at + 3] = hand
    found = shown_frames(sphere, run)
    assert found[:2] == evenly[:2] and found[3:] == evenly[3:]
    assert 42 <= found[2] <= 44  # into the hand, inside it, or out of it

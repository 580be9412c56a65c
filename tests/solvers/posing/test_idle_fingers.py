"""Posing a body with fingers: rigid hands give the same guarantee, finger targets move fingers."""

from __future__ import annotations

import numpy as np
import pytest

from writhe import (
    Actor,
    Motion,
    Scene,
    Target,
    builtin_database,
    certify,
    figure,
    forward,
    hand_pose,
    make_poser,
    pin_here,
)
from writhe.collision import ball
from writhe.scene import ObjectKind, SceneObject
from writhe.solvers.posing.idle_fingers import FingerPoser


@pytest.fixture(scope="module")
def human():
    return figure("human_with_fingers")


def drag(poser, body, q, joint, goal, frames=80):
    feet = [pin_here(body.skeleton, q, f"{side}_ankle") for side in ("left", "right")]
    rows, start = [q], forward(body.skeleton, q).position(joint)
    for t in np.linspace(0.0, 1.0, frames):
        x, y, z = start + t * (np.array(goal) - start)
        result = poser.step(rows[-1], [Target(joint, (x, y, z))], feet)
        rows.append(result.q)
    return np.array(rows), result


def test_a_drag_with_rigid_hands_is_certified_for_the_whole_body(human):
    q = hand_pose(human, human.skeleton.rest_configuration, "left", "point")
    poser = make_poser("default", human, builtin_database("basic"))
    rows, result = drag(poser, human, q, "left_wrist", (-0.05, 1.30, 0.30))
    assert result.target_error_m["left_wrist"] < 0.01
    assert certify(human, Motion(human.skeleton, rows, 60.0)).certified
    at = human.skeleton.q_slice("left_index_2")
    np.testing.assert_array_equal(rows[-1][at], q[at])
    frames = forward(human.skeleton, rows[-1])
    assert result.frames is not None
    np.testing.assert_allclose(result.frames.positions, frames.positions, atol=1e-9)


def test_a_finger_target_bends_the_finger(human):
    q = hand_pose(human, human.skeleton.rest_configuration, "left", "relaxed")
    tip = "left_index_3"
    goal = forward(human.skeleton, q).position(tip) + np.array([-0.02, -0.03, 0.0])
    rows, result = drag(make_poser("default", human), human, q, tip, goal, frames=40)
    assert result.target_error_m[tip] < 0.005
    assert (
        abs(
            rows[-1][human.skeleton.q_slice("left_index_2")]
            - q[human.skeleton.q_slice("left_index_2")]
        ).max()
        > 0.02
    )
    assert certify(human, Motion(human.skeleton, rows, 60.0)).certified


def test_a_moved_object_is_an_obstacle_of_rigid_hands(human):
    obstacle = SceneObject("ball", (ball((0, 0, 0), 0.1),), ObjectKind.MOVED, np.array([5.0, 1, 0]))
    scene = Scene((Actor("anna", human),), (obstacle,))
    poser = make_poser("default", scene)
    assert isinstance(poser, FingerPoser)
    rest = human.skeleton.rest_configuration
    free, _ = drag(poser, human, rest, "left_wrist", (0.45, 1.43, 0.45), frames=30)
    # in the way of the fingertips, not of the wrist
    poser.actor.state[scene.layout.object_q["ball"]][:3] = (0.55, 1.43, 0.60)
    blocked, _ = drag(poser, human, rest, "left_wrist", (0.45, 1.43, 0.45), frames=30)
    layout = scene.layout
    rows = np.tile(layout.rest(), (len(blocked), 1))
    rows[:, layout.actor_q["anna"]] = blocked
    rows[:, layout.object_q["ball"]][:, :3] = (0.55, 1.43, 0.60)
    assert certify(layout.table, rows, fps=60.0).certified
    assert np.abs(blocked[-1] - free[-1]).max() > 0.01


def test_handles_and_presets_can_alternate(human):
    poser = make_poser("default", human)
    rest = human.skeleton.rest_configuration
    rows, _ = drag(poser, human, rest, "left_wrist", (0.6, 1.4, 0.2), frames=10)
    fist = hand_pose(human, rows[-1], "left", "fist")
    rows, result = drag(poser, human, fist, "left_wrist", (0.5, 1.4, 0.3), frames=30)
    at = human.skeleton.q_slice("left_middle_2")
    np.testing.assert_array_equal(rows[-1][at], fist[at])
    assert result.target_error_m["left_wrist"] < 0.01

"""Grips: fingers around objects of several forms, certified, by a person who reaches for them."""

from __future__ import annotations

import numpy as np
import pytest

from writhe import Actor, Scene, Target, WritheError, certify, figure, forward, grip, make_poser
from writhe.collision import ball, box, capsule, cylinder, half_space
from writhe.scene import ObjectKind, SceneObject
from writhe.solvers.posing.idle_fingers import FingerPoser

SHAPES = {
    "bar": capsule((-0.4, 0, 0), (0.4, 0, 0), 0.016),
    "cup": cylinder((0, -0.05, 0), (0, 0.05, 0), 0.037),
    "ball": ball((0, 0, 0), 0.04),
    "box": box((0, 0, 0), (0.06, 0.10, 0.06)),
}


@pytest.fixture(scope="module")
def human():
    return figure("human_with_fingers")


def standing(human):
    q = human.skeleton.rest_configuration
    for side, sign in (("left", -1.0), ("right", 1.0)):
        half = np.radians(sign * 66.0) / 2
        q[human.skeleton.q_slice(f"{side}_shoulder")] = [np.cos(half), 0, 0, np.sin(half)]
        q[human.skeleton.q_slice(f"{side}_elbow")] = 0.3
    return q


def with_object(human, shape, position):
    item = SceneObject("thing", (shape,), ObjectKind.MOVED, np.array(position))
    scene = Scene((Actor("anna", human),), (item,))
    q = scene.layout.rest()
    q[scene.layout.actor_q["anna"]] = standing(human)
    return scene, q


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_a_person_grips_an_object_in_front(human, name):
    scene, q = with_object(human, SHAPES[name], (-0.2, 1.1, 0.42))
    found = grip(scene, "anna", "right", "thing", q)
    assert found.closed
    assert found.certified
    assert found.hand_error_m < 0.012
    fingers = {touch.joint.split("_")[1] for touch in found.touches}
    assert "thumb" in fingers
    assert len(fingers) >= 4
    at = scene.layout.object_q["thing"]
    np.testing.assert_array_equal(found.q[at], q[at])  # the hand came to the object
    feet = [forward(scene.layout.skeleton, row).position("anna.left_ankle") for row in (q, found.q)]
    assert np.linalg.norm(feet[1] - feet[0]) < 0.005


def test_the_fingers_go_around_a_bar(human):
    scene, q = with_object(human, SHAPES["bar"], (5.0, 1.0, 0.0))
    found = grip(scene, "anna", "left", "thing", q, bring="object")
    assert found.certified
    normals = np.array([touch.normal for touch in found.touches])
    # some contacts push one way and some the opposite one
    assert (normals @ normals.T).min() < -0.7


def test_a_carried_object_follows_the_hand_and_stays_clear(human):
    scene, q = with_object(human, SHAPES["bar"], (5.0, 1.0, 0.0))
    scene, q = grip(scene, "anna", "left", "thing", q, bring="object").carried()
    layout, own = scene.layout, scene.layout.actor_q["anna"]
    poser = make_poser("default", scene, actor="anna")
    assert isinstance(poser, FingerPoser)
    poser.actor.state[:] = q
    before = forward(layout.skeleton, q)
    goal = before.position("anna.left_wrist") + np.array([-0.15, 0.25, 0.25])
    rows = [q]
    for _ in range(60):
        x, y, z = goal
        row = rows[-1].copy()
        row[own] = poser.step(row[own], [Target("left_wrist", (x, y, z))]).q
        rows.append(row)
    after = forward(layout.skeleton, rows[-1])
    assert np.linalg.norm(after.position("thing") - before.position("thing")) > 0.1
    relative = [
        f.rotation("anna.left_wrist").T @ (f.position("thing") - f.position("anna.left_wrist"))
        for f in (before, after)
    ]
    np.testing.assert_allclose(relative[0], relative[1], atol=1e-9)
    assert certify(layout.table, np.array(rows), fps=60.0).certified


def test_refusals(human):
    floor = SceneObject("thing", (half_space((0, 0, 0), (0, 1, 0)),))
    scene = Scene((Actor("anna", human),), (floor,))
    with pytest.raises(WritheError, match="floor or wall"):
        grip(scene, "anna", "left", "thing")
    with pytest.raises(WritheError, match="only a moved object"):
        grip(scene, "anna", "left", "thing", bring="object")

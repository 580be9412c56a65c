"""Carried objects: attached to a joint, put down again, written to a scene file and read."""

from __future__ import annotations

import numpy as np
import pytest

from writhe import Actor, Hold, Scene, Target, WritheError, certify, figure, forward, make_poser
from writhe.collision import capsule
from writhe.scene import ObjectKind, SceneObject, carried, carried_over, put_down


def rod_scene():
    rod = SceneObject(
        "rod",
        (capsule((0, -0.2, 0), (0, 0.2, 0), 0.02),),
        ObjectKind.MOVED,
        np.array([1.1, 1.4, 0]),
    )
    other = Actor("ben", figure("human"), np.array([0.0, 0.0, 1.2]), np.array([0.0, 0, 1, 0]))
    return Scene((Actor("anna", figure("human")), other), (rod,))


def test_attaching_and_putting_down_keep_the_pose():
    scene = rod_scene()
    q = scene.layout.rest()
    held = carried(scene, q, "rod", "anna.left_wrist")
    there = carried_over(scene, q, held)
    before, now = forward(scene.layout.skeleton, q), forward(held.layout.skeleton, there)
    np.testing.assert_allclose(now.position("rod"), before.position("rod"), atol=1e-12)
    turned = there.copy()
    turned[held.layout.skeleton.q_slice("anna.left_elbow")] = 0.8
    moved = forward(held.layout.skeleton, turned).position("rod")
    assert np.linalg.norm(moved - before.position("rod")) > 0.2
    left = put_down(held, turned, "rod")
    after = carried_over(held, turned, left)
    np.testing.assert_allclose(forward(left.layout.skeleton, after).position("rod"), moved)
    assert left.policy.ignored == scene.policy.ignored


def test_a_scene_file_keeps_who_carries_what(tmp_path):
    scene = rod_scene()
    held = carried(scene, scene.layout.rest(), "rod", "anna.left_wrist")
    held.save(tmp_path / "held.json")
    again = Scene.load(tmp_path / "held.json")
    assert again.object("rod").attached_to == "anna.left_wrist"
    assert "rod" in again.layout.skeleton
    with pytest.raises(WritheError, match="actor"):
        carried(scene, scene.layout.rest(), "rod", "rod")


def test_a_hand_holds_the_hand_of_another_actor_while_that_moves():
    scene = rod_scene()
    poser = make_poser("default", scene, actor="anna")
    layout = scene.layout
    q = layout.rest()
    own, theirs = layout.actor_q["anna"], layout.skeleton.q_slice("ben.right_elbow")
    palm = (0.08, -0.02, 0.0)
    hold = Hold("left_wrist", "ben.right_wrist", (0.0, -0.10, 0.0), palm)
    for angle in np.linspace(0.6, 1.0, 60):
        q[theirs] = angle
        poser.actor.state[:] = q  # type: ignore[attr-defined]
        result = poser.step(q[own], [Target("head", (0.0, 1.65, 0.1), softness=0.9)], [hold])
        q[own] = result.q
    frames = forward(layout.skeleton, q)
    there = frames.point("ben.right_wrist", (0.0, -0.10, 0.0))
    assert np.linalg.norm(frames.point("anna.left_wrist", palm) - there) < 0.01


def test_a_carried_object_is_tested_against_other_objects():
    ledge = SceneObject(
        "ledge",
        (capsule((0, 0, -0.1), (0, 0, 0.1), 0.02),),
        ObjectKind.FIXED,
        np.array([1.1, 1.15, 0]),  # 1 cm below the lower end of the rod
    )
    scene = rod_scene()
    scene = Scene(scene.actors, (*scene.objects, ledge))
    q = scene.layout.rest()
    held = carried(scene, q, "rod", "anna.left_wrist")
    row = carried_over(scene, q, held)
    sunk = np.tile(row, (3, 1))
    sunk[1, held.layout.actor_q["anna"].start + 1] -= 0.03
    worst = certify(held.layout.table, sunk, fps=10.0)
    assert not worst.certified
    assert {worst.worst_pairs[0].a, worst.worst_pairs[0].b} == {"rod", "ledge"}
    assert worst.worst_pairs[0].clearance_m == pytest.approx(-0.02, abs=1e-3)

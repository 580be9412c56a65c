"""A character that holds an object stands up with it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from writhe import Actor, Scene, WritheError, builtin_database, certify, figure, forward
from writhe.collision import capsule, cylinder
from writhe.hands import grip, grip_with_both, lift
from writhe.scene import ObjectKind, SceneObject, carried, carried_over
from writhe.studio.editing.starting_poses import starting_pose


def scene_with(*objects: SceneObject) -> tuple[Scene, np.ndarray]:
    body = figure("human_with_fingers")
    scene = Scene((Actor("anna", body),), objects)
    q = scene.layout.rest()
    q[scene.layout.actor_q["anna"]] = starting_pose(body)
    return scene, q


def bar_at(height_m: float) -> SceneObject:
    shape = capsule((-0.6, 0, 0), (0.6, 0, 0), 0.016)
    return SceneObject("bar", (shape,), ObjectKind.MOVED, np.array([0.1, height_m, 0.8]))


def elbows_deg(scene: Scene, q: np.ndarray) -> list[float]:
    skeleton = scene.layout.skeleton
    return [
        float(np.degrees(q[skeleton.q_slice(f"anna.{side}_elbow")][0]))
        for side in ("left", "right")
    ]


@pytest.mark.parametrize("height_m", [0.25, 0.98])
def test_a_bar_is_carried_upright_and_level_before_the_body(height_m):
    scene, q = scene_with(bar_at(height_m))
    database = builtin_database("basic")
    gripped = grip_with_both(scene, "anna", "bar", q, database=database)
    held = carried(scene, gripped.q, "bar", gripped.first.wrist)
    row = carried_over(scene, gripped.q, held)
    found = lift(held, "anna", "bar", row, holds=[gripped.second.hold], database=database)
    assert found.upright and found.certified and found.hand_error_m < 0.01
    assert certify(held.layout.table, found.path, fps=60.0).certified
    before, after = (forward(held.layout.skeleton, r) for r in (row, found.q))
    standing = forward(scene.layout.skeleton, q).position("anna.head")[1]
    assert after.position("anna.head")[1] > standing - 0.03
    assert all(70.0 < angle < 110.0 for angle in elbows_deg(held, found.q))
    assert abs(after.rotation("bar")[1, 0]) < 0.05  # level
    for side in ("left", "right"):  # one with both hands, and the feet stay
        ankle = f"anna.{side}_ankle"
        np.testing.assert_allclose(after.position(ankle), before.position(ankle), atol=0.002)
        in_bar = [
            f.rotation("bar").T @ (f.position(f"anna.{side}_wrist") - f.position("bar"))
            for f in (before, after)
        ]
        np.testing.assert_allclose(in_bar[0], in_bar[1], atol=0.002)


def test_a_bar_is_gripped_alike_whichever_way_its_frame_faces():
    scene, q = scene_with(bar_at(0.98))
    turned = replace(scene.object("bar"), rotation=np.array([0.0, 0.0, 1.0, 0.0]))
    for item in (scene.object("bar"), turned):
        asked = replace(scene, objects=(item,))
        row = asked.layout.rest()
        row[asked.layout.actor_q["anna"]] = q[scene.layout.actor_q["anna"]]
        found = grip_with_both(asked, "anna", "bar", row)
        assert found.closed and found.certified
        frames = forward(asked.layout.skeleton, found.q)
        across = [
            frames.position(f"anna.left_{part}") - frames.position(f"anna.right_{part}")
            for part in ("shoulder", "hip")
        ]
        shoulders, hips = (np.arctan2(vector[0], vector[2]) for vector in across)
        assert (
            abs(np.degrees(shoulders - hips)) < 6.0
        )  # the trunk is not turned to one of the hands


def test_a_lift_whose_hand_stays_behind_is_not_upright():
    scene, q = scene_with(bar_at(0.98))
    gripped = grip_with_both(scene, "anna", "bar", q)
    held = carried(scene, gripped.q, "bar", gripped.first.wrist)
    row = carried_over(scene, gripped.q, held)
    elsewhere = replace(gripped.second.hold, position_in_other=(3.0, 0.0, 0.0))
    found = lift(held, "anna", "bar", row, holds=[elsewhere])
    assert found.hand_error_m > 0.5 and not found.upright


def test_a_cup_in_one_hand_stays_as_it_is_turned():
    cup = cylinder((0, -0.05, 0), (0, 0.05, 0), 0.037)
    scene, q = scene_with(SceneObject("cup", (cup,), ObjectKind.MOVED, np.array([-0.2, 0.7, 0.42])))
    database = builtin_database("basic")
    held, row = grip(scene, "anna", "right", "cup", q, database=database).carried()
    found = lift(held, "anna", "cup", row, database=database)
    turns = [forward(held.layout.skeleton, r).rotation("cup")[:, 1] for r in (row, found.q)]
    assert found.upright and found.certified
    assert turns[0] @ turns[1] > np.cos(np.radians(3.0))
    assert 60.0 < elbows_deg(held, found.q)[1] < 115.0


def test_who_holds_nothing_is_told():
    scene, q = scene_with(bar_at(0.25))
    with pytest.raises(WritheError, match="grip it first"):
        lift(scene, "anna", "bar", q)

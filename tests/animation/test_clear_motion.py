"""Clearing the motion of a scene: feet stay planted, keys stay unless the user agrees."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.animation.clear_actor import ActorMotion
from writhe.animation.clear_motion import clear_scene, move_pose_out
from writhe.animation.motion_correction import feet_to_hold, floor_of
from writhe.collision import box, certify, half_space
from writhe.postures.preset_poses import preset_pose
from writhe.scene import Actor, Scene, SceneObject
from writhe.skeleton import Motion, forward
from writhe.skeleton.figures import figure
from writhe.skeleton.limbs import ANKLES

FPS = 30.0
FRAMES = 31


def stand() -> np.ndarray:
    database, number = preset_pose("basic", "stand")
    return database.q[number].copy()


def lowest_m(q: np.ndarray) -> float:
    human = figure("human")
    frames = forward(human.skeleton, q)
    return min(
        float(frames.point(c.joint, end)[1]) - c.radius_m
        for c in human.capsules
        for end in (c.start_in_joint, c.end_in_joint)
    )


def scene_with(*objects: SceneObject) -> Scene:
    floor = SceneObject(
        "floor", (half_space((0.0, lowest_m(stand()) - 0.003, 0.0), (0.0, 1.0, 0.0)),)
    )
    return Scene((Actor("human", figure("human")),), (floor, *objects))


def rows_of(scene: Scene, q: np.ndarray) -> np.ndarray:
    rows = np.tile(scene.layout.rest(), (len(q), 1))
    rows[:, scene.layout.actor_q["human"]] = q
    return rows


def swaying() -> np.ndarray:
    """A body that nods its hips up and down while it stands, as (FRAMES, nq)."""
    q = np.tile(stand(), (FRAMES, 1))
    at = figure("human").skeleton.q_slice("chest")
    angle = 0.15 * np.sin(np.linspace(0.0, 2.0 * np.pi, FRAMES))
    q[:, at] = 0.0
    q[:, at.start], q[:, at.start + 1] = np.cos(angle / 2), np.sin(angle / 2)
    return q


def test_a_clip_that_sinks_is_lifted_by_the_legs_or_the_body() -> None:
    """Not by the ankles: the feet keep their orientation and do not slide."""
    scene, q = scene_with(), swaying()
    q[:, 1] -= 0.04
    rows = rows_of(scene, q)
    assert not certify(scene.layout.table, rows, FPS).certified
    mover = ActorMotion(scene, "human", FPS)
    found = clear_scene({"human": mover}, rows, [0, FRAMES - 1])
    assert found.remaining == []
    ((_, motion, first),) = found.motions
    assert first == 0 and len(motion) == FRAMES
    assert certify(scene.layout.table, rows_of(scene, motion.q), FPS).certified
    before, after = (Motion(motion.skeleton, one, FPS).frames() for one in (q, motion.q))
    for ankle in ANKLES:
        shift = after.position(ankle) - before.position(ankle)
        np.testing.assert_allclose(shift[:, [0, 2]], 0.0, atol=1e-3)
        assert shift[:, 1].min() > 0.035
        np.testing.assert_allclose(after.rotation(ankle), before.rotation(ankle), atol=2e-3)
    (change,) = found.changes
    assert change.acceptable and change.pop_ratio <= 1.2


def test_a_keyed_pose_that_overlaps_is_moved_only_when_asked() -> None:
    human = figure("human")
    hand = forward(human.skeleton, stand()).position("left_wrist")
    scene = scene_with(
        SceneObject("box", (box(hand + np.array([0.0, 0.0, 0.09]), (0.1, 0.1, 0.1)),))
    )
    rows = rows_of(scene, np.tile(stand(), (FRAMES, 1)))
    mover = ActorMotion(scene, "human", FPS, key_frames=frozenset({0, FRAMES - 1}))
    asked = clear_scene({"human": mover}, rows, [0, FRAMES - 1])
    assert asked.motions == [] and asked.overlapping_keys == [0.0]
    (reason,) = asked.remaining  # said once
    assert "move the key out" in reason
    done = clear_scene({"human": mover}, rows, [0, FRAMES - 1], move_keys=True)
    assert [key.frame for key in done.moved_keys] == [0, FRAMES - 1]
    assert all(0.001 < key.distance_m < 0.1 for key in done.moved_keys)
    ((_, motion, _),) = done.motions
    assert certify(scene.layout.table, rows_of(scene, motion.q), FPS).certified
    np.testing.assert_array_equal(motion.q[0], done.moved_keys[0].q)


def test_a_still_pose_is_moved_out_and_its_feet_stay() -> None:
    human = figure("human")
    frames = forward(human.skeleton, stand())
    side = frames.position("left_elbow") + np.array([0.06, 0.0, 0.0])
    scene = scene_with(SceneObject("box", (box(side, (0.1, 0.1, 0.1)),)))
    row = rows_of(scene, stand()[None])[0]
    mover = ActorMotion(scene, "human", FPS, pins=ANKLES)
    moved = move_pose_out({"human": mover}, row)
    assert moved is not None and 0.0 < moved.distance_m < 0.2
    assert mover.clear(rows_of(scene, moved.q[None])[0])
    after = forward(human.skeleton, moved.q)
    for ankle in ANKLES:
        np.testing.assert_allclose(after.position(ankle), frames.position(ankle), atol=2e-3)


def test_feet_are_held_while_planted_and_lifted_onto_the_floor() -> None:
    human, q = figure("human"), swaying()
    floor = floor_of(scene_with())
    assert floor == pytest.approx(lowest_m(stand()) - 0.003)
    held = feet_to_hold(human, q, FPS, floor)
    assert set(held) == set(ANKLES)
    for frames, lift in held.values():
        assert frames.all() and not lift.any()
    q[:, 1] -= 0.03
    for frames, lift in feet_to_hold(human, q, FPS, floor, fixed=(0,)).values():
        assert frames.all()
        assert lift[0] == 0.0 and lift[-1] == pytest.approx(0.029, abs=0.002)

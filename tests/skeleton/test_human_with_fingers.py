"""The human with fingers: the same body as the human, with hands that can be saved and read."""

from __future__ import annotations

import numpy as np
import pytest

from writhe import Motion, certify, figure, figure_of, forward, hand_pose, load, retarget, save
from writhe.postures.preset_poses import posture_of
from writhe.skeleton.attached_joints import attached, finger_joints


@pytest.fixture(scope="module")
def human():
    return figure("human_with_fingers")


def test_it_is_the_human_with_thirty_more_joints(human):
    body = figure("human")
    assert len(human.skeleton) == 51
    assert len(finger_joints(human)) == 30
    rest = forward(human.skeleton, human.skeleton.rest_configuration)
    same = forward(body.skeleton, body.skeleton.rest_configuration)
    for name in body.skeleton.names:
        np.testing.assert_allclose(rest.position(name), same.position(name))
    assert human.skeleton.mass.sum() == pytest.approx(body.skeleton.mass.sum())
    rows = np.tile(human.skeleton.rest_configuration, (2, 1))
    assert certify(human, Motion(human.skeleton, rows, 30.0)).certified


def test_the_skin_of_the_hands_is_closed_and_near_its_capsules(human):
    skin = human.skin
    edges = np.sort(np.concatenate([skin.triangles[:, [i, (i + 1) % 3]] for i in range(3)]), axis=1)
    _, count = np.unique(edges, axis=0, return_counts=True)
    assert (count == 2).all()
    hands = np.abs(skin.vertices[:, 0]) > 0.76
    rest = forward(human.skeleton, human.skeleton.rest_configuration)
    outside = np.full(int(hands.sum()), np.inf)
    for c in human.capsules:
        a, b = (rest.point(c.joint, p) for p in (c.start_in_joint, c.end_in_joint))
        along = np.clip((skin.vertices[hands] - a) @ (b - a) / max((b - a) @ (b - a), 1e-12), 0, 1)
        away = np.linalg.norm(skin.vertices[hands] - a - along[:, None] * (b - a), axis=1)
        outside = np.minimum(outside, away - c.radius_m)
    assert outside.max() < 0.007
    assert np.percentile(outside, 95) < 0.003


@pytest.mark.parametrize("ending", ["bvh", "glb"])
def test_files_keep_the_fingers(human, tmp_path, ending):
    q = hand_pose(human, human.skeleton.rest_configuration, "left", "point")
    motion = Motion(human.skeleton, np.tile(q, (3, 1)), 30.0)
    save(motion, tmp_path / f"hand.{ending}")
    again = load(tmp_path / f"hand.{ending}")
    body = figure_of(again)
    assert dict(body.roles).keys() == dict(human.roles).keys()
    before, after = forward(human.skeleton, q), forward(again.skeleton, again.q[1])
    for joint in ("left_index_3", "left_pinky_3", "right_wrist", "left_toe"):
        away = after.position(joint) - before.position(joint)
        assert np.linalg.norm(away) < 1e-4


def test_motions_and_preset_poses_of_the_human_fit(human):
    body = figure("human")
    now = hand_pose(human, human.skeleton.rest_configuration, "right", "fist")
    placement = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    sitting = posture_of(human, "chair", "foot on chair", now, placement)
    expected = posture_of(
        body, "chair", "foot on chair", body.skeleton.rest_configuration, placement
    )
    for name in body.skeleton.names:
        at = human.skeleton.q_slice(name)
        np.testing.assert_allclose(sitting[at], expected[body.skeleton.q_slice(name)])
    at = human.skeleton.q_slice("right_index_2")
    np.testing.assert_array_equal(sitting[at], now[at])
    moved = retarget(Motion(body.skeleton, expected[None], 30.0), human, keep_feet=False)
    frames = forward(human.skeleton, moved.q[0])
    same = forward(body.skeleton, expected)
    for joint in ("left_wrist", "right_knee", "head"):
        assert np.linalg.norm(frames.position(joint) - same.position(joint)) < 1e-6


def test_attached_fingers_keep_their_shapes(human):
    q = hand_pose(human, human.skeleton.rest_configuration, "left", "fist")
    rigid = attached(human, q, finger_joints(human))
    assert rigid.figure.skeleton.names == figure("human").skeleton.names
    assert len(rigid.figure.capsules) == len(human.capsules)
    frames, after = forward(human.skeleton, q), forward(rigid.figure.skeleton, rigid.reduced(q))
    for one, other in zip(human.capsules, rigid.figure.capsules, strict=True):
        a, b = (
            frames.point(one.joint, one.end_in_joint),
            after.point(other.joint, other.end_in_joint),
        )
        np.testing.assert_allclose(a, b, atol=1e-12)
    np.testing.assert_array_equal(rigid.complete(rigid.reduced(q)), q)

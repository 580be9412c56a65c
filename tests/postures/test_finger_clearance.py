"""Preset poses of the human on the body with fingers: the fingers are in nothing."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.hands import hand_pose
from writhe.postures.builtin.pose_setting import PoseSetting
from writhe.postures.preset_poses import posture_of
from writhe.skeleton import forward
from writhe.skeleton.figures import figure

PLACE = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("library", "name"),
    [
        ("basic", "all fours"),
        ("basic", "cover face"),
        ("chair", "sit, arms folded"),
        ("chair", "sit, hands behind head"),
        ("ladder", "climb 2-1, rails"),
    ],
)
def test_relaxed_fingers_give_way_and_the_body_stays(library: str, name: str) -> None:
    body, human = figure("human_with_fingers"), figure("human")
    now = body.skeleton.rest_configuration
    for side in ("left", "right"):
        now = hand_pose(body, now, side, "relaxed")
    q = posture_of(body, library, name, now, PLACE)
    assert PoseSetting(body, "" if library == "basic" else library).clear(q)[0]
    known = posture_of(human, library, name, human.skeleton.rest_configuration, PLACE)
    found, expected = forward(body.skeleton, q), forward(human.skeleton, known)
    for joint in ("hips", "head", "left_ankle", "right_ankle"):
        assert np.linalg.norm(found.position(joint) - expected.position(joint)) < 0.005
    for joint in ("left_wrist", "right_wrist"):
        assert np.linalg.norm(found.position(joint) - expected.position(joint)) < 0.06


def test_a_clear_pose_keeps_its_fingers_at_a_turned_object() -> None:
    body = figure("human_with_fingers")
    now = hand_pose(body, body.skeleton.rest_configuration, "right", "fist")
    turned = np.array([1.0, 0.0, 2.0, np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0])
    at_origin, moved = (
        posture_of(body, "chair", "foot on chair", now, at) for at in (PLACE, turned)
    )
    np.testing.assert_allclose(at_origin[7:], moved[7:])
    first, second = (forward(body.skeleton, q).position("head") for q in (at_origin, moved))
    x, y, z = first
    np.testing.assert_allclose(second, [1.0 + z, y, 2.0 - x], atol=1e-9)

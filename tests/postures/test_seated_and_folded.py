"""Hands on the own body: the trunk is upright, the head level, and folded arms hold each other."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.postures.preset_poses import posture_of, preset_names
from writhe.skeleton import Figure, forward
from writhe.skeleton.figures import figure

POSES = [
    ("chair", "sit, hands on thighs"),
    ("chair", "sit, arms folded"),
    ("basic", "arms folded"),
]
NAMED = [("chair", "sit wide, hands in lap"), ("basic", "hug self"), ("basic", "kneel praying")]
AT_ORIGIN = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


def _posed(body: Figure, library: str, name: str):
    q = posture_of(body, library, name, body.skeleton.rest_configuration, AT_ORIGIN)
    return forward(body.skeleton, q)


@pytest.mark.parametrize("name", ["human", "human_with_fingers"])
@pytest.mark.parametrize(("library", "pose"), POSES)
def test_the_trunk_is_upright_and_the_head_level(name: str, library: str, pose: str) -> None:
    frames = _posed(figure(name), library, pose)
    for joint in ("chest", "head"):
        pitch = np.degrees(np.arcsin(frames.rotation(joint)[1, 2]))
        assert abs(pitch) < 5.0, joint


@pytest.mark.parametrize("pose", POSES[1:])
def test_a_folded_hand_rests_on_the_other_arm_and_the_other_is_at_the_chest(
    pose: tuple[str, str],
) -> None:
    frames = _posed(figure("human"), *pose)
    palm = frames.point("left_wrist", np.array([0.085, -0.022, 0.0]))
    shoulder, elbow = frames.position("right_shoulder"), frames.position("right_elbow")
    along = (elbow - shoulder) / np.linalg.norm(elbow - shoulder)
    apart = (palm - shoulder) - along * float((palm - shoulder) @ along)
    assert np.linalg.norm(apart) < 0.09
    chest = frames.position("chest")
    other = frames.point("right_wrist", np.array([-0.085, -0.022, 0.0])) - chest
    assert np.linalg.norm(other) < 0.27


@pytest.mark.parametrize("pose", ["sit, arms folded", "stand before chair folded"])
def test_shoulders_of_folded_arms_are_level_and_low(pose: str) -> None:
    frames = _posed(figure("human"), "chair", pose)
    left, right, neck = (
        frames.position(joint)[1] for joint in ("left_shoulder", "right_shoulder", "neck")
    )
    assert abs(left - right) < 0.015
    assert max(left, right) < neck - 0.02


@pytest.mark.parametrize(("library", "pose"), NAMED)
def test_poses_that_resemble_folded_ones_are_offered_too(library: str, pose: str) -> None:
    assert pose in preset_names(library)


def test_hands_lie_in_the_lap_of_an_upright_body() -> None:
    frames = _posed(figure("human"), *NAMED[0])
    assert frames.rotation("chest")[1, 1] > np.cos(np.radians(10.0))
    for side in ("left", "right"):
        hand = frames.point(f"{side}_wrist", np.zeros(3)) - frames.position("hips")
        assert hand[1] < 0.15
        assert abs(hand[0]) < 0.2
        assert 0.0 < hand[2] < 0.35

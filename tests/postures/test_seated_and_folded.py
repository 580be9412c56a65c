"""Hands on the own body: the trunk is upright, the head level, and folded arms hold each other."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.postures.preset_poses import posture_of
from writhe.skeleton import Figure, forward
from writhe.skeleton.figures import figure

POSES = [
    ("chair", "sit, hands on thighs"),
    ("chair", "sit, arms folded"),
    ("basic", "arms folded"),
]
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

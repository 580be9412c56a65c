"""Moving holds: the body breathes, what is planted stays, and the motion ends where it began."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.animation import moving_hold
from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.postures.builtin.pose_setting import PoseSetting
from writhe.postures.preset_poses import preset_pose, relative_to_object
from writhe.scene import Scene
from writhe.skeleton import Figure
from writhe.skeleton.figures import figure


def held(human: Figure, name: str, library: str) -> tuple[Figure | Scene, Floats]:
    database, number = preset_pose(library, name)
    if library == "basic":
        return human, database.q[number].copy()
    place = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    return PoseSetting(human, library).layout.scene, relative_to_object(database, number, place)


@pytest.mark.parametrize(
    ("name", "library", "sways"),
    [
        ("stand", "basic", True),
        ("hands on hips", "basic", True),
        ("sit, arms folded", "chair", False),
        ("sit, hands on thighs", "chair", False),
    ],
)
def test_a_held_pose_breathes_on_planted_feet(human: Figure, name: str, library: str, sways: bool):
    subject, q = held(human, name, library)
    found = moving_hold(subject, q, 8.0, fps=30.0)
    assert found.certificate.certified and not found.conflicts
    np.testing.assert_allclose(found.motion.q[[0, -1]], [q, q], atol=1e-9)
    frames = found.motion.frames()

    def moves_m(joint: str) -> float:
        path = frames.position(joint)
        return float(np.linalg.norm(path - path[0], axis=1).max())

    assert max(moves_m(f"{side}_ankle") for side in ("left", "right")) < 1e-3
    assert 2e-3 < moves_m("chest") < 0.02
    assert 2e-3 < moves_m("left_shoulder") < 0.03
    assert (moves_m("hips") > 5e-3) == sways
    fastest = np.linalg.norm(np.diff(frames.positions, axis=0), axis=2).max() * 30.0
    assert fastest < 0.06  # m/s: nobody would call it a gesture


def test_hands_that_rest_on_the_thighs_stay_there(human: Figure):
    subject, q = held(human, "sit, hands on thighs", "chair")
    frames = moving_hold(subject, q, 4.0, fps=30.0).motion.frames()
    for side in ("left", "right"):
        apart = frames.position(f"{side}_wrist") - frames.position(f"{side}_knee")
        assert np.linalg.norm(apart - apart[0], axis=1).max() < 2e-3


def test_bodies_without_a_trunk_do_not_breathe():
    octopus = figure("octopus")
    with pytest.raises(WritheError, match="breathe"):
        moving_hold(octopus, octopus.skeleton.rest_configuration, 4.0, fps=30.0)

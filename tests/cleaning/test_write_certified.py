"""A cleaned motion is written such that its file is certified, and grows only if that helps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from writhe import io
from writhe.cleaning.clean_file import write_certified
from writhe.collision.stored_channels import stored_channels
from writhe.errors import WritheError
from writhe.io.bvh.rotation_orders import steady_orders
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.skeleton import Motion, quaternions, transforms
from writhe.skeleton.figures import figure

HUMAN = figure("human")
SKELETON = HUMAN.skeleton


def wrist_near_gimbal_lock() -> Motion:
    """The wrist passes gimbal lock of the order ZXY quickly, at a small distance."""
    q, at = np.tile(standing(HUMAN), (8, 1)), SKELETON.q_slice("left_wrist")
    z = np.linspace(-1.1, 1.1, 8)
    about_x = quaternions.from_rotation_vectors(np.tile([0.45 * np.pi, 0.0, 0.0], (8, 1)))
    about_y = quaternions.from_rotation_vectors(z[:, None] * np.array([0.0, 1.0, 0.0]))
    # the rotations of a file are those in the axes of the world
    rest = transforms.rest_world_quaternions(SKELETON)[SKELETON.index("left_wrist")]
    q[:, at] = quaternions.multiply(quaternions.conjugate(rest), about_y, about_x, rest)
    return Motion(SKELETON, q, 30.0, "gimbal")


def halfway_error_deg(path: Path) -> float:
    """Largest angle between the slerp and the Euler angles of a file, halfway between frames."""
    motion = io.load(path)
    channels = stored_channels(path, motion)
    j = motion.skeleton.index("left_wrist")
    middle = 0.5 * (channels.angles[:-1, j] + channels.angles[1:, j])
    turned = quaternions.multiply(
        *(
            quaternions.from_rotation_vectors(middle[:, slot, None] * np.eye(3)[axis])
            for slot, axis in enumerate(channels.order[j])
        )
    )
    at = motion.skeleton.q_slice("left_wrist")
    between = quaternions.normalised(motion.q[:-1, at] + motion.q[1:, at])
    cosine = np.minimum(np.abs(np.sum(turned * between, axis=1)), 1.0)
    return float(np.degrees(2 * np.arccos(cosine)).max())


def test_a_joint_near_gimbal_lock_gets_another_rotation_order(tmp_path: Path):
    motion, usual, steady = wrist_near_gimbal_lock(), tmp_path / "a.bvh", tmp_path / "b.bvh"
    orders = steady_orders(motion)
    assert list(orders) == ["left_wrist"]  # all others keep theirs
    io.save(motion, usual)
    io.save(motion, steady, rotation_orders=orders)
    assert halfway_error_deg(usual) > 2.0
    assert halfway_error_deg(steady) < 0.5
    assert np.allclose(io.load(usual).q, io.load(steady).q, atol=1e-6)


def test_a_wrong_rotation_order_is_refused(tmp_path: Path):
    with pytest.raises(WritheError, match="left_wrist"):
        io.save(wrist_near_gimbal_lock(), tmp_path / "a.bvh", rotation_orders={"left_wrist": "ZXZ"})


def test_a_file_that_cannot_be_certified_does_not_grow(tmp_path: Path):
    """An arm stays in the body: more frames do not help, and none are added."""
    q = np.tile(standing(HUMAN), (6, 1))
    q[:, SKELETON.q_slice("left_shoulder")] = [np.cos(0.78), 0.0, 0.0, -np.sin(0.78)]
    written, certificate = write_certified(Motion(SKELETON, q, 30.0), tmp_path / "a.bvh")
    assert not certificate.certified
    assert len(written) == len(io.load(tmp_path / "a.bvh")) == 6


def test_denser_files_get_the_rotation_orders_that_suit_their_own_frames(tmp_path: Path):
    """A wide swing of an arm: with the orders that suit two frames, no density is certified."""
    q = np.tile(SKELETON.rest_configuration, (2, 1))
    arm = np.array([[0.6702, -0.4844, 0.1412, -0.5444], [0.6151, 0.6198, 0.3193, 0.3681]])
    q[:, SKELETON.q_slice("right_shoulder")] = arm / np.linalg.norm(arm, axis=1, keepdims=True)
    written, certificate = write_certified(Motion(SKELETON, q, 30.0), tmp_path / "a.bvh")
    assert certificate.certified and written.fps == 60.0

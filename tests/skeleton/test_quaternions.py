"""Rotations as values, and mirror images of configurations."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.arrays import vector3
from writhe.errors import WritheError
from writhe.skeleton import forward, quaternions
from writhe.skeleton.figures import figure
from writhe.skeleton.limits import random_configurations
from writhe.skeleton.mirror import mirrored, opposite_joints
from writhe.skeleton.quaternions import quaternion_of, rotation_matrix


def test_quaternions_and_matrices_agree(rng):
    for _ in range(50):
        a, b = rng.normal(size=(2, 4))
        product = rotation_matrix(quaternions.multiply(a, b))
        np.testing.assert_allclose(product, rotation_matrix(a) @ rotation_matrix(b), atol=1e-12)
        np.testing.assert_allclose(rotation_matrix(quaternion_of(product)), product, atol=1e-12)
        assert quaternion_of(product)[0] >= 0.0


def test_invalid_rotations_and_points_raise():
    with pytest.raises(WritheError, match="length zero"):
        rotation_matrix([0, 0, 0, 0])
    with pytest.raises(WritheError, match="shape 4"):
        rotation_matrix([1, 0, 0])
    with pytest.raises(WritheError, match="the target must have three numbers"):
        vector3([1, 2], "the target")


def test_a_mirror_image_has_every_joint_on_the_other_side(rng):
    skeleton = figure("human").skeleton
    others = opposite_joints(skeleton)
    q = random_configurations(skeleton, 5, rng)
    image = mirrored(skeleton, q)
    expected = forward(skeleton, q).positions[:, others] * np.array([-1.0, 1.0, 1.0])
    np.testing.assert_allclose(forward(skeleton, image).positions, expected, atol=1e-12)
    np.testing.assert_array_equal(mirrored(skeleton, image), q)
    np.testing.assert_array_equal(mirrored(skeleton, q[0]), image[0])

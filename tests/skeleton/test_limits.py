"""Swing and twist: coordinates that rebuild the rotation, with true derivatives."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from writhe.kernels.skeleton.joint_limits import swing_extent, swing_twist, swing_twist_jacobian

angles = st.floats(-2.8, 2.8)
frames = st.tuples(*[st.floats(-1, 1)] * 3)


def quaternion(r: Rotation) -> np.ndarray:
    return np.roll(r.as_quat(), 1)


@given(angles, angles, angles, frames)
def test_coordinates_rebuild_the_rotation(twist, y, z, frame):
    scale = min(1.0, 2.9 / (np.hypot(y, z) + 1e-9))
    swing = np.array([0.0, y * scale, z * scale])
    f = Rotation.from_rotvec(frame)
    rotation = Rotation.from_rotvec(swing) * Rotation.from_rotvec([twist, 0, 0])
    q = quaternion(f * rotation * f.inv())
    out = np.empty(3)
    swing_twist(q, quaternion(f), out)
    np.testing.assert_allclose(out, [twist, swing[1], swing[2]], atol=1e-7)


@given(angles, st.floats(-1.5, 1.5), st.floats(-1.5, 1.5), frames)
def test_jacobian_matches_finite_differences(twist, y, z, frame):
    f = Rotation.from_rotvec(frame)
    local = Rotation.from_rotvec([0, y, z]) * Rotation.from_rotvec([twist, 0, 0])
    r = f * local * f.inv()
    c, plus, minus, jacobian = np.empty(3), np.empty(3), np.empty(3), np.empty((3, 3))
    frame_q = quaternion(f)
    swing_twist(quaternion(r), frame_q, c)
    swing_twist_jacobian(c, frame_q, jacobian)
    for k in range(3):
        v = np.zeros(3)
        v[k] = 1e-6
        swing_twist(quaternion(r * Rotation.from_rotvec(v)), frame_q, plus)
        swing_twist(quaternion(r * Rotation.from_rotvec(-v)), frame_q, minus)
        np.testing.assert_allclose(jacobian[:, k], (plus - minus) / 2e-6, atol=1e-6)


def test_swing_extent_is_one_on_each_half_axis():
    lower, upper = np.array([-1.0, -0.5, -0.25]), np.array([1.0, 2.0, 1.5])
    gradient = np.empty(3)
    for point in ([0, 2.0, 0], [0, -0.5, 0], [0, 0, 1.5], [0, 0, -0.25]):
        assert np.isclose(swing_extent(np.array(point, float), lower, upper, gradient), 1.0)

"""Quaternions (w, x, y, z on the last axis) outside of kernels, single or batched."""

from __future__ import annotations

from functools import reduce

import numpy as np
from numpy.typing import ArrayLike

from writhe.arguments import checked
from writhe.arrays import Floats, Quaternion, floats
from writhe.errors import WritheError

HALF_TURN_RAD = 1e-5  # a rotation this close to pi has no unique shortest arc


@checked
def rotation_matrix(quaternion: ArrayLike) -> Floats:
    """The rotation matrix (3, 3) of a quaternion, which is normalised."""
    q = floats(quaternion, (4,), "a quaternion")
    length = float(np.linalg.norm(q))
    if length < 1e-12:
        raise WritheError(
            "a quaternion of length zero is not a rotation; the identity is (1, 0, 0, 0)"
        )
    return to_matrices(q if abs(length - 1.0) < 1e-12 else q / length)  # unit ones stay exact


@checked
def quaternion_of(matrix: ArrayLike) -> Quaternion:
    """The unit quaternion, w >= 0, of a rotation matrix (3, 3)."""
    from writhe.kernels.skeleton.rotation import matrix_to_quaternion

    out = np.empty(4)
    matrix_to_quaternion(floats(matrix, (3, 3), "a rotation matrix"), out)
    return float(out[0]), float(out[1]), float(out[2]), float(out[3])


def multiply(*factors: Floats) -> Floats:
    """The product of quaternions from left to right, broadcast."""
    return reduce(_product, factors)


def _product(a: Floats, b: Floats) -> Floats:
    aw, ax, ay, az = np.moveaxis(a, -1, 0)
    bw, bx, by, bz = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def conjugate(q: Floats) -> Floats:
    """The inverse of unit quaternions."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def rotate(q: Floats, v: Floats) -> Floats:
    """Vectors v rotated by unit quaternions q, broadcast."""
    w, u = q[..., :1], q[..., 1:]
    t = 2.0 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


def normalised(q: Floats) -> Floats:
    """Quaternions normalised to unit length; zero becomes the identity."""
    length = np.linalg.norm(q, axis=-1, keepdims=True)
    fine = length > 1e-12
    return np.where(fine, q / np.where(fine, length, 1.0), np.array([1.0, 0.0, 0.0, 0.0]))


def from_axis_angle(axis: Floats, angle: Floats) -> Floats:
    """Quaternions of rotations by `angle` about unit vectors `axis`, broadcast."""
    half = 0.5 * np.asarray(angle)[..., None]
    return np.concatenate([np.cos(half), np.sin(half) * axis], axis=-1)


def from_rotation_vectors(v: Floats) -> Floats:
    """Quaternions of rotation vectors."""
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    # sin(x/2)/x without a division by zero: sinc(x / 2 pi) / 2
    return np.concatenate([np.cos(0.5 * angle), 0.5 * np.sinc(angle / (2 * np.pi)) * v], axis=-1)


def rotation_of_vector(v: Floats) -> Floats:
    """The rotation matrix (3, 3) of a rotation vector (3,)."""
    return to_matrices(from_rotation_vectors(v[None]))[0]


def shortest_arcs(turns: Floats) -> Floats:
    """(rows - 1, 3) rotation vectors from unit quaternions (rows, 4) to the next ones."""
    between = multiply(conjugate(turns[:-1]), turns[1:])
    between = np.where(between[:, :1] < 0, -between, between)
    sine = np.linalg.norm(between[:, 1:], axis=1, keepdims=True)
    angle = 2 * np.arctan2(sine, between[:, :1])
    return np.where(sine > 1e-12, angle / np.maximum(sine, 1e-12), 2.0) * between[:, 1:]


def to_matrices(q: Floats) -> Floats:
    """(..., 3, 3) rotation matrices of unit quaternions (..., 4)."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def from_matrices(m: Floats) -> Floats:
    """Quaternions of rotation matrices (..., 3, 3)."""
    from scipy.spatial.transform import Rotation

    flat = Rotation.from_matrix(m.reshape(-1, 3, 3)).as_quat()
    return np.roll(flat, 1, axis=-1).reshape(*m.shape[:-2], 4)


def twist_angles(q: Floats, axis: Floats) -> Floats:
    """The angle about a unit axis of each quaternion's twist, in -pi .. pi."""
    angle = 2.0 * np.arctan2(q[..., 1:] @ axis, q[..., 0])
    return wrapped_angles(angle)


def wrapped_angles(angles: Floats) -> Floats:
    """Angles wrapped to [-pi, pi), rad."""
    return (angles + np.pi) % (2.0 * np.pi) - np.pi


def wrapped_angle(angle: float) -> float:
    """An angle wrapped to [-pi, pi), rad."""
    return float((angle + np.pi) % (2.0 * np.pi) - np.pi)


def angle_of(rotation: Floats) -> float:
    """The angle of a rotation matrix (3, 3), by its trace, in 0 .. pi."""
    return float(np.arccos(np.clip(0.5 * (np.trace(rotation) - 1.0), -1.0, 1.0)))


def rotation_about(axis: Floats, angle: float) -> Floats:
    """(3, 3) the rotation about a unit axis by an angle in radians, by Rodrigues' formula."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross)

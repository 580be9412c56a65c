"""Rotations outside of kernels: matrices and quaternions (wxyz) as new values."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Floats, Quaternion, floats
from writhe.errors import WritheError
from writhe.kernels.rotation import matrix_to_quaternion


def rotation_matrix(quaternion: ArrayLike) -> Floats:
    """The matrix (3, 3) of a quaternion of any length but zero."""
    q = floats(quaternion, (4,), "a quaternion")
    length = float(np.linalg.norm(q))
    if length < 1e-12:
        raise WritheError("a quaternion of length zero is no rotation: (1, 0, 0, 0) is none at all")
    w, x, y, z = q if abs(length - 1.0) < 1e-12 else q / length  # a unit one stays as it is
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternion_of(matrix: ArrayLike) -> Quaternion:
    """The unit quaternion, w >= 0, of a rotation matrix (3, 3)."""
    out = np.empty(4)
    matrix_to_quaternion(np.ascontiguousarray(matrix, dtype=np.float64), out)
    return float(out[0]), float(out[1]), float(out[2]), float(out[3])


def multiply_quaternions(*factors: Floats) -> Floats:
    """The product of quaternions (..., 4), from left to right."""
    out = factors[0]
    for b in factors[1:]:
        w = out[..., 0] * b[..., 0] - (out[..., 1:] * b[..., 1:]).sum(-1)
        v = (
            out[..., :1] * b[..., 1:]
            + b[..., :1] * out[..., 1:]
            + np.cross(out[..., 1:], b[..., 1:])
        )
        out = np.concatenate([w[..., None], v], axis=-1)
    return out

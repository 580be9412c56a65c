"""Quaternions (w, x, y, z), rotation matrices and rotation vectors, in batches."""

from __future__ import annotations

import numpy as np


def matrices(q: np.ndarray) -> np.ndarray:
    """(..., 3, 3) of quaternions (..., 4), which need not be normalised."""
    w, x, y, z = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    out = np.empty((*w.shape, 3, 3))
    out[..., 0, 0], out[..., 1, 1], out[..., 2, 2] = (
        1 - 2 * (y * y + z * z),
        1 - 2 * (x * x + z * z),
        1 - 2 * (x * x + y * y),
    )
    out[..., 0, 1], out[..., 1, 0] = 2 * (x * y - w * z), 2 * (x * y + w * z)
    out[..., 0, 2], out[..., 2, 0] = 2 * (x * z + w * y), 2 * (x * z - w * y)
    out[..., 1, 2], out[..., 2, 1] = 2 * (y * z - w * x), 2 * (y * z + w * x)
    return out


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The quaternion of b followed by a."""
    aw, av, bw, bv = a[..., :1], a[..., 1:], b[..., :1], b[..., 1:]
    scalar = aw * bw - (av * bv).sum(-1, keepdims=True)
    return np.concatenate([scalar, aw * bv + bw * av + np.cross(av, bv)], axis=-1)


def conjugate(q: np.ndarray) -> np.ndarray:
    """The inverse of unit quaternions."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def of_vector(v: np.ndarray) -> np.ndarray:
    """Quaternions of rotation vectors (..., 3)."""
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    scale = np.where(angle > 1e-12, np.sin(angle / 2) / np.maximum(angle, 1e-12), 0.5)
    return np.concatenate([np.cos(angle / 2), scale * v], axis=-1)


def to_vector(q: np.ndarray) -> np.ndarray:
    """The shortest rotation vectors of unit quaternions."""
    q = np.where(q[..., :1] < 0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(sine, q[..., :1])
    return np.where(sine > 1e-12, angle / np.maximum(sine, 1e-12), 2.0) * q[..., 1:]


def about_axis(axis: int, angle: np.ndarray) -> np.ndarray:
    """Quaternions of rotations about x, y or z (0, 1, 2)."""
    out = np.zeros((*angle.shape, 4))
    out[..., 0], out[..., 1 + axis] = np.cos(angle / 2), np.sin(angle / 2)
    return out

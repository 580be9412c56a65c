"""Distances between cores, by other formulas than writhe's kernels.

Segments: the smallest of the distances at the four ends and at the interior critical point. Hulls:
the nearest points by non-negative least squares. Every distance is that of two points of the cores,
so it is never too small.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from scipy import optimize

_WEIGHT = 1e4  # weight of the condition that the convex coefficients sum to one


def _point_segment(p: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    along = b - a
    square = np.maximum((along * along).sum(-1), 1e-300)
    share = np.clip(((p - a) * along).sum(-1) / square, 0, 1)
    return np.linalg.norm(p - a - share[..., None] * along, axis=-1)


def segment_distance(a0: np.ndarray, a1: np.ndarray, b0: np.ndarray, b1: np.ndarray) -> np.ndarray:
    """Distances of segments (..., 3)."""
    best = np.minimum.reduce(
        [
            _point_segment(a0, b0, b1),
            _point_segment(a1, b0, b1),
            _point_segment(b0, a0, a1),
            _point_segment(b1, a0, a1),
        ]
    )
    u, v, w = a1 - a0, b1 - b0, a0 - b0
    n = np.cross(u, v)
    n2 = (n * n).sum(-1)
    safe = np.where(n2 > 1e-16, n2, 1.0)
    s = (np.cross(v, w) * n).sum(-1) / safe
    t = (np.cross(u, w) * n).sum(-1) / safe
    inside = (n2 > 1e-16) & (s > 0) & (s < 1) & (t > 0) & (t < 1)
    across = np.abs((w * n).sum(-1)) / np.sqrt(safe)
    return cast("np.ndarray", np.where(inside, across, best))


def hull_distance(a: np.ndarray, b: np.ndarray) -> float:
    """The distance of the hulls of points a (k, 3) and b (m, 3); 0 if they meet."""
    centre = 0.5 * (a.mean(axis=0) + b.mean(axis=0))
    system = np.zeros((5, len(a) + len(b)))
    system[:3, : len(a)], system[:3, len(a) :] = (a - centre).T, -(b - centre).T
    system[3, : len(a)] = system[4, len(a) :] = _WEIGHT
    goal = np.array([0.0, 0.0, 0.0, _WEIGHT, _WEIGHT])
    shares, _ = cast("tuple[np.ndarray, float]", optimize.nnls(system, goal))
    first, second = shares[: len(a)], shares[len(a) :]
    apart = first @ a / first.sum() - second @ b / second.sum()
    return float(np.linalg.norm(apart))


def hull_separation(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(t,) lower bounds of the distances of hulls a (t, k, 3) and b (t, m, 3).

    The separation along a few directions; negative where none of them separates the hulls.
    """
    between = b.mean(axis=1) - a.mean(axis=1)
    length = np.maximum(np.linalg.norm(between, axis=1, keepdims=True), 1e-12)
    best = np.full(len(a), -np.inf)
    for direction in (*np.eye(3), *_DIAGONALS, between / length):
        along_a = (a * np.broadcast_to(direction, (len(a), 3))[:, None]).sum(-1)
        along_b = (b * np.broadcast_to(direction, (len(a), 3))[:, None]).sum(-1)
        best = np.maximum(best, along_b.min(axis=1) - along_a.max(axis=1))
        best = np.maximum(best, along_a.min(axis=1) - along_b.max(axis=1))
    return best


_DIAGONALS = np.array(
    [[1, 1, 0], [1, -1, 0], [1, 0, 1], [1, 0, -1], [0, 1, 1], [0, 1, -1]], dtype=float
) / np.sqrt(2.0)


def plane_distance(points: np.ndarray, plane: np.ndarray) -> np.ndarray:
    """(t,) signed distances of hulls (t, k, 3) above half-spaces (t, 2, 3)."""
    normal = plane[:, 1] - plane[:, 0]
    return ((points - plane[:, :1]) * normal[:, None]).sum(-1).min(axis=1)

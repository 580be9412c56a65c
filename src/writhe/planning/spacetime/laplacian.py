"""Laplacian coordinates of the tetrahedralised joints (Ho and Komura; the paper's Eq. 15)."""

from __future__ import annotations

import numpy as np
from scipy.spatial import Delaunay, QhullError

from writhe.arrays import Floats

SAME_M = 1e-3


def laplacians(points: Floats) -> Floats:
    """(F, n, n) matrices L with L p = p_i - sum w_j p_j over the neighbours in a tetrahedron.

    Weights fall off with the inverse of the distance and sum to one. Points (F, n, 3).
    """
    return np.array([_laplacian(frame) for frame in points])


def _laplacian(points: Floats) -> Floats:
    n = len(points)
    joined = np.zeros((n, n), dtype=np.bool_)
    # joints that coincide would make empty tetrahedra
    distinct = _distinct(points)
    try:
        for corners in Delaunay(points[distinct]).simplices:
            chosen = distinct[corners]
            joined[np.ix_(chosen, chosen)] = True
    except QhullError:
        joined[:] = True
    np.fill_diagonal(joined, False)
    apart = np.linalg.norm(points[:, None] - points[None], axis=-1)
    weight = np.where(joined, 1.0 / np.maximum(apart, SAME_M), 0.0)
    total = weight.sum(axis=1, keepdims=True)
    return np.eye(n) * (total > 0) - np.divide(weight, total, where=total > 0, out=weight * 0)


def _distinct(points: Floats) -> np.ndarray:
    kept: list[int] = []
    for i, point in enumerate(points):
        if all(np.linalg.norm(point - points[k]) > SAME_M for k in kept):
            kept.append(i)
    return np.array(kept)

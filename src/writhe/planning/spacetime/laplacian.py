"""Laplacian coordinates of the tetrahedralised joints (Ho and Komura; the paper's Eq. 15)."""

from __future__ import annotations

import numpy as np
from scipy.spatial import Delaunay, QhullError

from writhe.arrays import Floats, Ints

SAME_M = 1e-3


def laplacians(points: Floats) -> Floats:
    """(F, n, n) matrices L with (L p)_i = p_i - sum_j w_j p_j over neighbours in a tetrahedron.

    The weights are proportional to the inverse distance and sum to one. points (F, n, 3).
    """
    return np.array([_laplacian(frame) for frame in points])


def _laplacian(points: Floats) -> Floats:
    n = len(points)
    joined = np.zeros((n, n), dtype=np.bool_)
    apart = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=-1))
    # joints that coincide would make empty tetrahedra
    distinct = _distinct(apart)
    try:
        corners = distinct[Delaunay(points[distinct]).simplices]
        joined[corners[:, :, None], corners[:, None, :]] = True
    except QhullError:
        joined[:] = True
    np.fill_diagonal(joined, False)
    weight = np.where(joined, 1.0 / np.maximum(apart, SAME_M), 0.0)
    total = weight.sum(axis=1, keepdims=True)
    return np.eye(n) * (total > 0) - np.divide(weight, total, where=total > 0, out=weight * 0)


def _distinct(apart: Floats) -> Ints:
    """The joints that coincide with none before them, from their distances (n, n)."""
    before = np.tril(apart <= SAME_M, k=-1)
    return np.flatnonzero(~before.any(axis=1))

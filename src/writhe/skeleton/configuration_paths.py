"""Paths of configurations (rows, nq): length, resampling, smoothing."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.skeleton import path_length as kernels
from writhe.kernels.skeleton.kinematics import interpolate_batch
from writhe.skeleton.skeleton import Skeleton


def path_sums(skeleton: Skeleton, path: Floats) -> Floats:
    """(rows,) path length up to each row: the sum of the norms of the tangent steps."""
    out = np.empty(len(path))
    kernels.path_sums(skeleton.tree, np.ascontiguousarray(path), out)
    return out


def path_length(skeleton: Skeleton, path: Floats) -> float:
    """Sum of the norms of a path's tangent steps."""
    return float(path_sums(skeleton, path)[-1])


def path_rows(skeleton: Skeleton, path: Floats, rows: Floats) -> Floats:
    """(count, nq) the path at fractional row numbers (count,)."""
    out = np.empty((len(rows), skeleton.configuration_size))
    interpolate_batch(skeleton.tree, np.ascontiguousarray(path), rows, out)
    return out


def path_at(skeleton: Skeleton, path: Floats, share: Floats) -> Floats:
    """(count, nq) the path at fractions (count,), 0 to 1, of its length; its ends are exact."""
    sums = path_sums(skeleton, path)
    if sums[-1] <= 0.0:
        return np.repeat(path[:1], len(share), axis=0)
    rows = np.interp(share * float(sums[-1]), sums, np.arange(len(path), dtype=float))
    out = path_rows(skeleton, path, rows)
    out[share <= 0.0], out[share >= 1.0] = path[0], path[-1]
    return out


def resample_evenly(skeleton: Skeleton, path: Floats, count: int) -> Floats:
    """(count, nq) configurations at equal distances along a path."""
    return path_at(skeleton, path, np.linspace(0.0, 1.0, count))

"""Distances within a set of postures: the filter of a database, and coverage by another set."""

from __future__ import annotations

from math import sqrt

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel


@kernel
def thin_out(points: Floats, threshold: float, kept: Ints) -> int:
    """Greedy filter: keep a row of points (N, D) if it is far from all rows kept before it.

    Far means a sum of squared differences of at least `threshold`. Rows kept last are compared
    first, since neighbours in time are the most similar. kept (N) receives their indices; returns
    the count.
    """
    count = 0
    for i in range(points.shape[0]):
        close = False
        for back in range(count - 1, -1, -1):
            other = kept[back]
            total = 0.0
            for d in range(points.shape[1]):
                total += (points[i, d] - points[other, d]) ** 2
                if total >= threshold:
                    break
            if total < threshold:
                close = True
                break
        if not close:
            kept[count] = i
            count += 1
    return count


@kernel
def nearest_joint_distances(points: Floats, among: Floats, out: Floats) -> None:
    """out (N): mean joint distance of each posture of points (N, n, 3) to the nearest of `among`.

        out_i = min_k sum_j |p_ij - a_kj| / n,  metres;  among (K, n, 3).

    A candidate is abandoned as soon as its sum exceeds the smallest so far.
    """
    joints = points.shape[1]
    for i in range(points.shape[0]):
        best = 1e300
        for k in range(among.shape[0]):
            total = 0.0
            for j in range(joints):
                x = points[i, j, 0] - among[k, j, 0]
                y = points[i, j, 1] - among[k, j, 1]
                z = points[i, j, 2] - among[k, j, 2]
                total += sqrt(x * x + y * y + z * z)
                if total >= best:
                    break
            best = min(best, total)
        out[i] = best / joints

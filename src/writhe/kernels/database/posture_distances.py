"""Distances within a set of postures: the filter of a database, and how well another covers it."""

from __future__ import annotations

from math import sqrt

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel


@kernel
def thin_out(points: Floats, threshold: float, kept: Ints) -> int:
    """Greedy filter: a row of points (N, D) is kept if it is far from all kept before it.

    Far means a sum of squared differences of at least `threshold`. Newest kept rows are compared
    first, since neighbours in time are the likeliest to be close. Returns how many were kept.
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
    """out (N): mean joint distance of each posture of points (N, n, 3) to the nearest of among.

    The sum over joints of |p_j - a_j|, divided by n; a candidate is given up as soon as its sum
    exceeds the best one's.
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

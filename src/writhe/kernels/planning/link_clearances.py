"""Clearances of two links: of the capsules around them, and of their shapes with segment cores."""

from __future__ import annotations

from math import sqrt

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.collision.segment_distance import PARALLEL, POINT2
from writhe.kernels.jit import kernel


@kernel(vector=True, inline=True)
def segment_distance(points: Floats, i: int, j: int) -> tuple[float, float, float]:
    """Distance of the segments at rows i and j, and the parameters s, t of their nearest points.

    Minimises over one segment, the other, and the first again with clamping in between, which is
    exact for two segments and needs no branches.
    """
    ux, uy = points[i + 1, 0] - points[i, 0], points[i + 1, 1] - points[i, 1]
    uz, wx = points[i + 1, 2] - points[i, 2], points[i, 0] - points[j, 0]
    vx, vy = points[j + 1, 0] - points[j, 0], points[j + 1, 1] - points[j, 1]
    vz, wy = points[j + 1, 2] - points[j, 2], points[i, 1] - points[j, 1]
    wz = points[i, 2] - points[j, 2]
    uu = ux * ux + uy * uy + uz * uz + POINT2
    vv = vx * vx + vy * vy + vz * vz + POINT2
    uw = ux * wx + uy * wy + uz * wz
    vw = vx * wx + vy * wy + vz * wz
    uv = ux * vx + uy * vy + uz * vz
    determinant = uu * vv - uv * uv + PARALLEL * uu * vv
    s = min(max((uv * vw - uw * vv) / determinant, 0.0), 1.0)
    t = min(max((uv * s + vw) / vv, 0.0), 1.0)
    s = min(max((uv * t - uw) / uu, 0.0), 1.0)
    x, y, z = wx + s * ux - t * vx, wy + s * uy - t * vy, wz + s * uz - t * vz
    return sqrt(x * x + y * y + z * z), s, t


@kernel
def points_to_world(
    joint: Ints, ends: Floats, positions: Floats, rotations: Floats, out: Floats
) -> None:
    """out (k, 3): points `ends` (k, 3), two consecutive ones per joint, in the world frame."""
    for i in range(ends.shape[0]):
        j = joint[i // 2]
        x, y, z = ends[i, 0], ends[i, 1], ends[i, 2]
        for r in range(3):
            turned = rotations[j, r, 0] * x + rotations[j, r, 1] * y + rotations[j, r, 2] * z
            out[i, r] = positions[j, r] + turned


@kernel(vector=True, inline=True)
def closest_segments(
    points: Floats,
    start: Ints,
    radius: Floats,
    shape_a: Ints,
    shape_b: Ints,
    allowance: Floats,
    first: int,
    last: int,
    best: Floats,
) -> float:
    """The least clearance (m) of the shape pairs first .. last-1, whose cores are all segments.

    best (9): unit normal from b to a, nearest point on core a, on core b, world frame.
    """
    least, closest, s_best, t_best, distance_best = np.inf, -1, 0.0, 0.0, 0.0
    for k in range(first, last):
        i, j = shape_a[k], shape_b[k]
        distance, s, t = segment_distance(points, start[i], start[j])
        clearance = distance + allowance[k] - radius[i] - radius[j]
        if clearance < least:
            least, closest, s_best, t_best, distance_best = clearance, k, s, t, distance
    i, j = start[shape_a[closest]], start[shape_b[closest]]
    for c in range(3):
        best[3 + c] = points[i, c] + s_best * (points[i + 1, c] - points[i, c])
        best[6 + c] = points[j, c] + t_best * (points[j + 1, c] - points[j, c])
        best[c] = (best[3 + c] - best[6 + c]) / max(distance_best, 1e-12)
    return least


@kernel(vector=True)
def capsule_clearances(
    ends: Floats,
    along: Floats,
    square: Floats,
    inverse: Floats,
    radius: Floats,
    a: Ints,
    b: Ints,
    offset: Floats,
    clearance: Floats,
    axis_parameters: Floats,
) -> None:
    """clearance (m): that of the capsules around all pairs of links, metres.

    axis_parameters (2, m) are the nearest points on their axes. As `segment_distance`, with the
    values of one link computed once: along (l, 3) is the axis from end to end, square (l,) its
    squared length, inverse (l,) the inverse of that.
    """
    for p in range(a.shape[0]):
        i, j = a[p], b[p]
        ux, uy, uz = along[i, 0], along[i, 1], along[i, 2]
        vx, vy, vz = along[j, 0], along[j, 1], along[j, 2]
        wx = ends[2 * i, 0] - ends[2 * j, 0]
        wy = ends[2 * i, 1] - ends[2 * j, 1]
        wz = ends[2 * i, 2] - ends[2 * j, 2]
        uw = ux * wx + uy * wy + uz * wz
        vw = vx * wx + vy * wy + vz * wz
        uv = ux * vx + uy * vy + uz * vz
        both = square[i] * square[j]
        s = (uv * vw - uw * square[j]) / (both - uv * uv + PARALLEL * both)
        s = min(max(s, 0.0), 1.0)
        t = min(max((uv * s + vw) * inverse[j], 0.0), 1.0)
        s = min(max((uv * t - uw) * inverse[i], 0.0), 1.0)
        x, y, z = wx + s * ux - t * vx, wy + s * uy - t * vy, wz + s * uz - t * vz
        clearance[p] = sqrt(x * x + y * y + z * z) - radius[i] - radius[j] + offset[p]
        axis_parameters[0, p] = s
        axis_parameters[1, p] = t

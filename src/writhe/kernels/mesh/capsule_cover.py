"""Depth of points inside the capsules of their own body part."""

from __future__ import annotations

from math import sqrt

from numba import prange

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.mesh.segment_offset import from_segment


@kernel(parallel=True)
def depth_in_own_capsules(
    points: Floats,
    joint: Ints,
    capsule_start: Ints,
    starts: Floats,
    ends: Floats,
    radii: Floats,
    positions: Floats,
    rotations: Floats,
    out: Floats,
) -> None:
    """out (f, v): depth of points (f, v, 3) in the capsules of their joint (v,); negative outside.

    Capsules are sorted by joint: those of joint j are capsule_start[j] .. capsule_start[j + 1] - 1,
    with starts and ends (c, 3) in the joint's frame; positions (f, n, 3), rotations (f, n, 3, 3).
    """
    for frame in prange(points.shape[0]):
        for v in range(points.shape[1]):
            j = joint[v]
            x = points[frame, v, 0] - positions[frame, j, 0]
            y = points[frame, v, 1] - positions[frame, j, 1]
            z = points[frame, v, 2] - positions[frame, j, 2]
            r = rotations[frame, j]
            lx = r[0, 0] * x + r[1, 0] * y + r[2, 0] * z
            ly = r[0, 1] * x + r[1, 1] * y + r[2, 1] * z
            lz = r[0, 2] * x + r[1, 2] * y + r[2, 2] * z
            best = -1e3
            for c in range(capsule_start[j], capsule_start[j + 1]):
                _, ax, ay, az = from_segment(starts[c], ends[c], lx, ly, lz)
                best = max(best, radii[c] - sqrt(ax * ax + ay * ay + az * az))
            out[frame, v] = best

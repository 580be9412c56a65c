"""The distance field of a body made of blended tapered ellipsoids.

A blob is a segment a-b whose points carry ellipsoids of semi-axes r (sideways), r * flat (along
`flat_direction`) and r (along the segment), r going linearly from a to b. With v the vector from
the nearest point of the segment and s the semi-axes there, the distance is approximated to first
order by k0 (k0 - 1) / k1, k0 = |v / s|, k1 = |v / s^2| (Quilez, "Ellipsoid SDF").

Blobs of one group are blended in order by the quadratic smooth minimum
m(a, b) = min(a, b) - k/4 max(1 - |a - b|/k, 0)^2. Group 0 is the trunk; every other group is
blended with the trunk, and the results are united by the plain minimum, so that two limbs never
melt into each other.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from numba import prange

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel

FAR_M = 1e3


class Blobs(NamedTuple):
    """n blobs in g groups as arrays."""

    start: Floats  # (n, 3)
    end: Floats  # (n, 3)
    radius: Floats  # (n, 2) at start and end
    flat_direction: Floats  # (n, 3) unit
    flat: Floats  # (n,)
    blend: Floats  # (n,) k within the group
    group: Ints  # (n,) ascending
    group_blend: Floats  # (g,) k with the trunk
    floor: float  # nothing reaches below this height (-inf: no floor)
    floor_blend: float


@kernel
def smooth_min(a: float, b: float, k: float) -> float:
    """The quadratic smooth minimum of a and b over a width k."""
    if k <= 0.0:
        return min(a, b)
    h = max(1.0 - abs(a - b) / k, 0.0)
    return min(a, b) - 0.25 * k * h * h


@kernel
def blob_distance(blobs: Blobs, i: int, x: float, y: float, z: float) -> float:
    """The approximate distance from a point to blob i, negative inside."""
    dx = blobs.end[i, 0] - blobs.start[i, 0]
    dy = blobs.end[i, 1] - blobs.start[i, 1]
    dz = blobs.end[i, 2] - blobs.start[i, 2]
    vx = x - blobs.start[i, 0]
    vy = y - blobs.start[i, 1]
    vz = z - blobs.start[i, 2]
    length2 = dx * dx + dy * dy + dz * dz
    t = 0.0
    if length2 > 0.0:
        t = min(max((vx * dx + vy * dy + vz * dz) / length2, 0.0), 1.0)
    vx -= t * dx
    vy -= t * dy
    vz -= t * dz
    r = blobs.radius[i, 0] + t * (blobs.radius[i, 1] - blobs.radius[i, 0])
    across = r * blobs.flat[i]
    nx, ny, nz = (
        blobs.flat_direction[i, 0],
        blobs.flat_direction[i, 1],
        blobs.flat_direction[i, 2],
    )
    c = vx * nx + vy * ny + vz * nz
    rest2 = max(vx * vx + vy * vy + vz * vz - c * c, 0.0)
    k0 = sqrt(rest2 / (r * r) + c * c / (across * across))
    k1 = sqrt(rest2 / (r * r * r * r) + c * c / (across * across * across * across))
    if k1 < 1e-9:
        return -min(r, across)
    return k0 * (k0 - 1.0) / k1


@kernel
def field(blobs: Blobs, x: float, y: float, z: float) -> float:
    """The body's distance field at a point."""
    trunk = FAR_M
    n = blobs.group.shape[0]
    i = 0
    while i < n and blobs.group[i] == 0:
        trunk = smooth_min(trunk, blob_distance(blobs, i, x, y, z), blobs.blend[i])
        i += 1
    best = trunk
    while i < n:
        group = blobs.group[i]
        limb = FAR_M
        while i < n and blobs.group[i] == group:
            limb = smooth_min(limb, blob_distance(blobs, i, x, y, z), blobs.blend[i])
            i += 1
        best = min(best, smooth_min(trunk, limb, blobs.group_blend[group]))
    if blobs.floor > -FAR_M:
        best = -smooth_min(-best, y - blobs.floor, blobs.floor_blend)
    return best


@kernel(parallel=True)
def field_at(blobs: Blobs, points: Floats, out: Floats) -> None:
    """out (p) = the field at points (p, 3)."""
    for i in prange(points.shape[0]):
        out[i] = field(blobs, points[i, 0], points[i, 1], points[i, 2])


@kernel(parallel=True)
def project(blobs: Blobs, points: Floats, rounds: int, normals: Floats) -> None:
    """Move points (p, 3) onto the surface by Newton steps x -= f grad f / |grad f|^2.

    normals (p, 3) receives the unit gradient (by central differences) at the last step.
    """
    h = 1e-5
    for i in prange(points.shape[0]):
        for _ in range(rounds):
            x, y, z = points[i, 0], points[i, 1], points[i, 2]
            f = field(blobs, x, y, z)
            gx = (field(blobs, x + h, y, z) - field(blobs, x - h, y, z)) / (2 * h)
            gy = (field(blobs, x, y + h, z) - field(blobs, x, y - h, z)) / (2 * h)
            gz = (field(blobs, x, y, z + h) - field(blobs, x, y, z - h)) / (2 * h)
            g2 = max(gx * gx + gy * gy + gz * gz, 1e-6)
            points[i, 0] -= f * gx / g2
            points[i, 1] -= f * gy / g2
            points[i, 2] -= f * gz / g2
            g = sqrt(g2)
            normals[i, 0], normals[i, 1], normals[i, 2] = gx / g, gy / g, gz / g

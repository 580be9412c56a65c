"""The distance field of a body made of blended tapered ellipsoids.

A blob is a segment a-b whose points carry ellipsoids of semi-axes r (sideways), r * flat (along
`flat_direction`) and r (along the segment), extended by `spread` to both sides along
`wide_direction`; r and spread vary linearly from a to b. With v the vector from the nearest point
of the segment, shortened by the spread, and s the semi-axes there, the distance is approximated to
first order by k0 (k0 - 1) / k1, k0 = |v / s|, k1 = |v / s^2| (Quilez, "Ellipsoid SDF").

Consecutive blobs form a tube and are united with a minimal blend; the tubes of one group are
blended in order by the quadratic smooth minimum m(a, b) = min(a, b) - k/4 max(1 - |a - b|/k, 0)^2.
Group 0 is the trunk; every other group is blended with the trunk, and the results are united by the
plain minimum, so that two limbs never blend with each other. Finally the body is clipped to a floor
and to a set of capsules (less an inset), with smooth edges. Around a few points (joint zones) it
may swell out of the capsules: there they are inflated, and blended so that no crease shows between
two of them. Metres.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numba import prange

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.mesh.segment_offset import from_segment

FAR_M = 1e3
TUBE_BLEND_M = 0.004  # smooths the joints between the blobs of a tube
SWELL_INFLATES = 0.8  # fraction of a swell's height; the rest comes from blending two capsules
REACH_M = 0.1  # groups whose box is farther from a point are ignored there


class Blobs(NamedTuple):
    """n blobs in g groups as arrays. Metres."""

    start: Floats  # (n, 3)
    end: Floats  # (n, 3)
    radius: Floats  # (n, 2) at start and end
    spread: Floats  # (n, 2) at start and end
    wide_direction: Floats  # (n, 3) unit
    flat_direction: Floats  # (n, 3) unit
    flat: Floats  # (n,)
    blend: Floats  # (n,) k within the group
    continues: Ints  # (n,) 1: in the same tube as the previous blob
    group: Ints  # (n,) ascending
    group_start: Ints  # (g + 1,) the first blob of each group
    box: Floats  # (g, 2, 3) low and high corner of each group
    group_blend: Floats  # (g,) k with the trunk
    floor: float  # lowest height of the body (-inf: no floor)
    floor_blend: float
    hull_start: Floats  # (h, 3) capsules that the body stays inside; h = 0: none
    hull_end: Floats  # (h, 3)
    hull_radius: Floats  # (h,) less the inset
    hull_blend: float
    swell_centre: Floats  # (s, 3) where the body may extend beyond the hull
    swell_reach: Floats  # (s, 2) radii of full effect and of no effect
    swell: Floats  # (s,) height of the swell


@kernel
def smooth_min(a: float, b: float, k: float) -> float:
    """The quadratic smooth minimum of a and b over a width k."""
    if k <= 0.0:
        return min(a, b)
    h = max(1.0 - abs(a - b) / k, 0.0)
    return min(a, b) - 0.25 * k * h * h


@kernel
def blob_distance(blobs: Blobs, i: int, x: float, y: float, z: float) -> float:
    """The approximate signed distance from a point to blob i, negative inside."""
    t, vx, vy, vz = from_segment(blobs.start[i], blobs.end[i], x, y, z)
    spread = blobs.spread[i, 0] + t * (blobs.spread[i, 1] - blobs.spread[i, 0])
    if spread > 0.0:
        ux, uy, uz = (
            blobs.wide_direction[i, 0],
            blobs.wide_direction[i, 1],
            blobs.wide_direction[i, 2],
        )
        w = min(max(vx * ux + vy * uy + vz * uz, -spread), spread)
        vx -= w * ux
        vy -= w * uy
        vz -= w * uz
    r = blobs.radius[i, 0] + t * (blobs.radius[i, 1] - blobs.radius[i, 0])
    flat_radius = r * blobs.flat[i]
    nx, ny, nz = (
        blobs.flat_direction[i, 0],
        blobs.flat_direction[i, 1],
        blobs.flat_direction[i, 2],
    )
    c = vx * nx + vy * ny + vz * nz
    rest2 = max(vx * vx + vy * vy + vz * vz - c * c, 0.0)
    k0 = sqrt(rest2 / (r * r) + c * c / (flat_radius * flat_radius))
    k1 = sqrt(
        rest2 / (r * r * r * r) + c * c / (flat_radius * flat_radius * flat_radius * flat_radius)
    )
    if k1 < 1e-9:
        return -min(r, flat_radius)
    return k0 * (k0 - 1.0) / k1


@kernel
def group_distance(blobs: Blobs, group: int, x: float, y: float, z: float) -> float:
    """The distance to the blended blobs of one group; FAR_M where its box is beyond REACH_M."""
    dx = max(max(blobs.box[group, 0, 0] - x, x - blobs.box[group, 1, 0]), 0.0)
    dy = max(max(blobs.box[group, 0, 1] - y, y - blobs.box[group, 1, 1]), 0.0)
    dz = max(max(blobs.box[group, 0, 2] - z, z - blobs.box[group, 1, 2]), 0.0)
    if dx * dx + dy * dy + dz * dz > REACH_M * REACH_M:
        return FAR_M
    total, tube, blend = FAR_M, FAR_M, 0.0
    for i in range(blobs.group_start[group], blobs.group_start[group + 1]):
        if blobs.continues[i] == 0:
            total = smooth_min(total, tube, blend)
            tube, blend = FAR_M, blobs.blend[i]
        tube = smooth_min(tube, blob_distance(blobs, i, x, y, z), TUBE_BLEND_M)
    return smooth_min(total, tube, blend)


@kernel
def hull_swell(blobs: Blobs, x: float, y: float, z: float) -> float:
    """How far the body may extend beyond the hull at a point."""
    best = 0.0
    for i in range(blobs.swell.shape[0]):
        dx = x - blobs.swell_centre[i, 0]
        dy = y - blobs.swell_centre[i, 1]
        dz = z - blobs.swell_centre[i, 2]
        near, far = blobs.swell_reach[i, 0], blobs.swell_reach[i, 1]
        t = (far - sqrt(dx * dx + dy * dy + dz * dz)) / (far - near)
        t = min(max(t, 0.0), 1.0)
        best = max(best, blobs.swell[i] * t * t * (3.0 - 2.0 * t))
    return best


@kernel
def hull_distance(blobs: Blobs, x: float, y: float, z: float) -> float:
    """The signed distance from a point to the union of the hull's inflated capsules."""
    swell = hull_swell(blobs, x, y, z)
    blend = 4.0 * (1.0 - SWELL_INFLATES) * swell  # two capsules bulge by a quarter of this
    best = FAR_M
    for i in range(blobs.hull_radius.shape[0]):
        _, vx, vy, vz = from_segment(blobs.hull_start[i], blobs.hull_end[i], x, y, z)
        distance = sqrt(vx * vx + vy * vy + vz * vz) - blobs.hull_radius[i]
        best = smooth_min(best, distance, blend)
    return best - SWELL_INFLATES * swell


@kernel
def field(blobs: Blobs, x: float, y: float, z: float) -> float:
    """The body's signed distance field at a point, negative inside."""
    trunk = group_distance(blobs, 0, x, y, z)
    best = trunk
    for group in range(1, blobs.group_blend.shape[0]):
        limb = group_distance(blobs, group, x, y, z)
        best = min(best, smooth_min(trunk, limb, blobs.group_blend[group]))
    if blobs.floor > -FAR_M:
        best = -smooth_min(-best, y - blobs.floor, blobs.floor_blend)
    # points outside the blobs stay outside
    if blobs.hull_radius.shape[0] > 0 and best < blobs.hull_blend:
        best = -smooth_min(-best, -hull_distance(blobs, x, y, z), blobs.hull_blend)
    return best


@kernel(parallel=True)
def field_at(blobs: Blobs, points: Floats, out: Floats) -> None:
    """out (p) = the field at points (p, 3)."""
    for i in prange(points.shape[0]):
        out[i] = field(blobs, points[i, 0], points[i, 1], points[i, 2])


@kernel(parallel=True)
def project(blobs: Blobs, points: Floats, rounds: int, normals: Floats) -> None:
    """Move points (p, 3) onto the surface by Newton steps x -= f grad f / |grad f|^2.

    normals (p, 3) receives the unit gradient (by finite differences) at the last step.
    """
    h = 1e-6
    for i in prange(points.shape[0]):
        f = np.empty(4)
        for _ in range(rounds):
            for k in range(4):  # the point itself, then a little along each axis
                f[k] = field(
                    blobs,
                    points[i, 0] + (h if k == 1 else 0.0),
                    points[i, 1] + (h if k == 2 else 0.0),
                    points[i, 2] + (h if k == 3 else 0.0),
                )
            gx, gy, gz = (f[1] - f[0]) / h, (f[2] - f[0]) / h, (f[3] - f[0]) / h
            g2 = max(gx * gx + gy * gy + gz * gz, 1e-6)
            points[i, 0] -= f[0] * gx / g2
            points[i, 1] -= f[0] * gy / g2
            points[i, 2] -= f[0] * gz / g2
            g = sqrt(g2)
            normals[i, 0], normals[i, 1], normals[i, 2] = gx / g, gy / g, gz / g

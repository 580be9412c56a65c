"""Penetration depth between the parts of posed triangle meshes.

A vertex x of one part is inside another part when it lies behind that part's nearest surface point
p, and its depth is |x - p|. Of several nearest triangles (p on an edge or corner) the one that
faces x most decides. The parts of a skin are open where they meet their neighbours, so a vertex is
not inside if p is on the rim, or if the part's generalised winding number (Jacobson et al. 2013) at
x is below 1/2. An open part alone may seem to enclose points outside the whole skin (between the
thighs of a sitting body), so the rest of that skin, without the vertex's own part, has to enclose x
too; a winding number of 1/4 is enough for that, since the own part leaves holes. Metres.
"""

from __future__ import annotations

from math import atan2, pi, sqrt
from typing import NamedTuple

import numpy as np
from numba import prange

from writhe.arrays import Bools, Floats, Ints
from writhe.kernels.jit import kernel

TIE_M2 = 1e-12  # squared distances that differ by less are equal
ENCLOSED = 0.25  # least winding number of the mesh without the vertex's own part


class MeshParts(NamedTuple):
    """Triangles sorted by part, in clusters of neighbours."""

    triangles: Ints  # (t, 3) vertex indices
    rim: Bools  # (t, 6) whether edge (01, 12, 20) or corner (0, 1, 2) is on the rim of its part
    cluster_start: Ints  # (c + 1,) rows of `triangles`
    part_cluster: Ints  # (p + 1,) rows of clusters
    vertex_start: Ints  # (p + 1,) rows of `part_vertices`
    part_vertices: Ints  # the vertices of each part that are tested
    tested: Bools  # (v, p) whether a vertex is tested against a part
    mesh_parts: Ints  # (p, 2) first and one past the last part of the mesh that a part is cut from


@kernel
def nearest_on_triangle(
    x: float, y: float, z: float, points: Floats, a: int, b: int, c: int, out: Floats
) -> int:
    """out (3): the point of triangle abc nearest to (x, y, z); returns the feature it lies on.

    0, 1, 2: the edges ab, bc, ca; 3, 4, 5: the corners a, b, c; 6: the interior (Ericson,
    "Real-time collision detection", section 5.1.5).
    """
    ax, ay, az = points[a, 0], points[a, 1], points[a, 2]
    bx, by, bz = points[b, 0], points[b, 1], points[b, 2]
    cx, cy, cz = points[c, 0], points[c, 1], points[c, 2]
    abx, aby, abz = bx - ax, by - ay, bz - az
    acx, acy, acz = cx - ax, cy - ay, cz - az
    apx, apy, apz = x - ax, y - ay, z - az
    d1 = abx * apx + aby * apy + abz * apz
    d2 = acx * apx + acy * apy + acz * apz
    if d1 <= 0.0 and d2 <= 0.0:
        out[0], out[1], out[2] = ax, ay, az
        return 3
    bpx, bpy, bpz = x - bx, y - by, z - bz
    d3 = abx * bpx + aby * bpy + abz * bpz
    d4 = acx * bpx + acy * bpy + acz * bpz
    if d3 >= 0.0 and d4 <= d3:
        out[0], out[1], out[2] = bx, by, bz
        return 4
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        fraction = d1 / (d1 - d3) if d1 - d3 > 0.0 else 0.0
        out[0], out[1], out[2] = ax + fraction * abx, ay + fraction * aby, az + fraction * abz
        return 0
    cpx, cpy, cpz = x - cx, y - cy, z - cz
    d5 = abx * cpx + aby * cpy + abz * cpz
    d6 = acx * cpx + acy * cpy + acz * cpz
    if d6 >= 0.0 and d5 <= d6:
        out[0], out[1], out[2] = cx, cy, cz
        return 5
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        fraction = d2 / (d2 - d6) if d2 - d6 > 0.0 else 0.0
        out[0], out[1], out[2] = ax + fraction * acx, ay + fraction * acy, az + fraction * acz
        return 2
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        span = (d4 - d3) + (d5 - d6)
        fraction = (d4 - d3) / span if span > 0.0 else 0.0
        out[0] = bx + fraction * (cx - bx)
        out[1] = by + fraction * (cy - by)
        out[2] = bz + fraction * (cz - bz)
        return 1
    total = va + vb + vc
    if total <= 0.0:
        out[0], out[1], out[2] = ax, ay, az
        return 3
    v, w = vb / total, vc / total
    out[0] = ax + v * abx + w * acx
    out[1] = ay + v * aby + w * acy
    out[2] = az + v * abz + w * acz
    return 6


@kernel
def box_distance2(x: float, y: float, z: float, low: Floats, high: Floats) -> float:
    """The squared distance of a point from a box (0 inside)."""
    dx = max(low[0] - x, 0.0, x - high[0])
    dy = max(low[1] - y, 0.0, y - high[1])
    dz = max(low[2] - z, 0.0, z - high[2])
    return dx * dx + dy * dy + dz * dz


@kernel
def depth_in_part(
    parts: MeshParts,
    points: Floats,
    low: Floats,
    high: Floats,
    part: int,
    x: float,
    y: float,
    z: float,
    threshold_m: float,
    out: Floats,
) -> float:
    """The depth of (x, y, z) inside a part; 0 when outside or not deeper than `threshold_m`.

    low, high (c, 3) are the boxes of the clusters, out (3) is workspace.
    """
    first, last = parts.part_cluster[part], parts.part_cluster[part + 1]
    nearest = first
    least = np.inf
    for c in range(first, last):
        d = box_distance2(x, y, z, low[c], high[c])
        if d < least:
            least, nearest = d, c
    best, facing, behind, rim = np.inf, 0.0, False, False
    for turn in range(-1, last - first):
        c = nearest if turn < 0 else first + turn
        if turn >= 0 and c == nearest:
            continue
        if box_distance2(x, y, z, low[c], high[c]) > best + TIE_M2:
            continue
        for t in range(parts.cluster_start[c], parts.cluster_start[c + 1]):
            i, j, k = parts.triangles[t, 0], parts.triangles[t, 1], parts.triangles[t, 2]
            feature = nearest_on_triangle(x, y, z, points, i, j, k, out)
            dx, dy, dz = x - out[0], y - out[1], z - out[2]
            square = dx * dx + dy * dy + dz * dz
            if square > best + TIE_M2:
                continue
            ux, uy, uz = (
                points[j, 0] - points[i, 0],
                points[j, 1] - points[i, 1],
                points[j, 2] - points[i, 2],
            )
            wx, wy, wz = (
                points[k, 0] - points[i, 0],
                points[k, 1] - points[i, 1],
                points[k, 2] - points[i, 2],
            )
            nx, ny, nz = uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx
            length = sqrt(nx * nx + ny * ny + nz * nz)
            if length == 0.0:
                continue
            along = (dx * nx + dy * ny + dz * nz) / length
            on_rim = feature < 6 and parts.rim[t, feature]
            if square < best - TIE_M2:
                best, facing, behind, rim = square, abs(along), along < 0.0, on_rim
                if best <= threshold_m * threshold_m:
                    return 0.0
            else:
                best = min(best, square)
                rim = rim or on_rim
                if abs(along) > facing:
                    facing, behind = abs(along), along < 0.0
    if rim or not behind or winding(parts, points, part, x, y, z) < 0.5:
        return 0.0
    return sqrt(best)


@kernel
def winding(parts: MeshParts, points: Floats, part: int, x: float, y: float, z: float) -> float:
    """The generalised winding number of a part about (x, y, z): 1 inside a closed surface.

    The solid angle of a triangle with corners a, b, c seen from the origin is 2 atan2(a . (b x c),
    |a||b||c| + (a.b)|c| + (b.c)|a| + (c.a)|b|) (van Oosterom, Strackee 1983).
    """
    total = 0.0
    first = parts.cluster_start[parts.part_cluster[part]]
    last = parts.cluster_start[parts.part_cluster[part + 1]]
    for t in range(first, last):
        i, j, k = parts.triangles[t, 0], parts.triangles[t, 1], parts.triangles[t, 2]
        ax, ay, az = points[i, 0] - x, points[i, 1] - y, points[i, 2] - z
        bx, by, bz = points[j, 0] - x, points[j, 1] - y, points[j, 2] - z
        cx, cy, cz = points[k, 0] - x, points[k, 1] - y, points[k, 2] - z
        la = sqrt(ax * ax + ay * ay + az * az)
        lb = sqrt(bx * bx + by * by + bz * bz)
        lc = sqrt(cx * cx + cy * cy + cz * cz)
        volume = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
        below = (
            la * lb * lc
            + (ax * bx + ay * by + az * bz) * lc
            + (bx * cx + by * cy + bz * cz) * la
            + (cx * ax + cy * ay + cz * az) * lb
        )
        total += 2.0 * atan2(volume, below)
    return total / (4.0 * pi)


@kernel
def _encloses(
    parts: MeshParts, points: Floats, own: int, part: int, x: float, y: float, z: float
) -> bool:
    """Whether the mesh of `part`, without the part `own`, encloses (x, y, z)."""
    total = 0.0
    for p in range(parts.mesh_parts[part, 0], parts.mesh_parts[part, 1]):
        if p != own:
            total += winding(parts, points, p, x, y, z)
    return total >= ENCLOSED


@kernel
def deepest(
    parts: MeshParts,
    points: Floats,
    threshold_m: float,
    low: Floats,
    high: Floats,
    part_low: Floats,
    part_high: Floats,
    out: Floats,
    pair: Ints,
) -> float:
    """The largest depth of a vertex of one part in another part, 0 when none exceeds `threshold_m`.

    points (v, 3); pair (2) receives the part of the vertex and the part it is inside. low, high (c,
    3), part_low and part_high (p, 3) and out (3) are workspace.
    """
    count = parts.part_cluster.shape[0] - 1
    pair[0], pair[1] = -1, -1
    for p in range(count):
        for axis in range(3):
            part_low[p, axis], part_high[p, axis] = np.inf, -np.inf
        for c in range(parts.part_cluster[p], parts.part_cluster[p + 1]):
            for axis in range(3):
                low[c, axis], high[c, axis] = np.inf, -np.inf
            for t in range(parts.cluster_start[c], parts.cluster_start[c + 1]):
                for corner in range(3):
                    v = parts.triangles[t, corner]
                    for axis in range(3):
                        low[c, axis] = min(low[c, axis], points[v, axis])
                        high[c, axis] = max(high[c, axis], points[v, axis])
            for axis in range(3):
                part_low[p, axis] = min(part_low[p, axis], low[c, axis])
                part_high[p, axis] = max(part_high[p, axis], high[c, axis])
    worst = threshold_m
    for a in range(count):
        for b in range(count):
            if a == b:
                continue
            disjoint = False
            for axis in range(3):
                if (
                    part_low[a, axis] > part_high[b, axis] - worst
                    or part_high[a, axis] < part_low[b, axis] + worst
                ):
                    disjoint = True
            if disjoint:
                continue
            for row in range(parts.vertex_start[a], parts.vertex_start[a + 1]):
                v = parts.part_vertices[row]
                if not parts.tested[v, b]:
                    continue
                x, y, z = points[v, 0], points[v, 1], points[v, 2]
                # a vertex deeper than `worst` lies that far inside the part's box
                if (
                    x < part_low[b, 0] + worst
                    or x > part_high[b, 0] - worst
                    or y < part_low[b, 1] + worst
                    or y > part_high[b, 1] - worst
                    or z < part_low[b, 2] + worst
                    or z > part_high[b, 2] - worst
                ):
                    continue
                depth = depth_in_part(parts, points, low, high, b, x, y, z, worst, out)
                if depth > worst and _encloses(parts, points, a, b, x, y, z):
                    worst = depth
                    pair[0], pair[1] = a, b
    return worst if pair[0] >= 0 else 0.0


@kernel(parallel=True)
def deepest_of_frames(
    parts: MeshParts, points: Floats, threshold_m: float, depth: Floats, pair: Ints
) -> None:
    """`deepest` of every frame: points (f, v, 3) give depth (f) and pair (f, 2)."""
    clusters, count = parts.cluster_start.shape[0] - 1, parts.part_cluster.shape[0] - 1
    for frame in prange(points.shape[0]):
        depth[frame] = deepest(
            parts,
            points[frame],
            threshold_m,
            np.empty((clusters, 3)),
            np.empty((clusters, 3)),
            np.empty((count, 3)),
            np.empty((count, 3)),
            np.empty(3),
            pair[frame],
        )

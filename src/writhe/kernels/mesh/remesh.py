"""Edge collapses and flips on a closed triangle mesh, keeping it a manifold.

A mesh is held as vertices (v, 3), triangles (t, 3) (dead ones have -1 first) and, for every vertex,
the list of its triangles: ring (v, MAX_RING) with ring_count (v,).
"""

from __future__ import annotations

from math import acos, sqrt

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.kernels.jit import kernel

MAX_RING = 24  # triangles around a vertex, at most
MAX_VALENCE = 10  # of a vertex, after a collapse or flip


@kernel
def build_rings(triangles: Ints, ring: Ints, ring_count: Ints) -> bool:
    """Fill the lists of triangles around each vertex; False if one has more than MAX_RING."""
    ring_count[:] = 0
    for t in range(triangles.shape[0]):
        if triangles[t, 0] < 0:
            continue
        for k in range(3):
            vertex = triangles[t, k]
            if ring_count[vertex] >= MAX_RING:
                return False
            ring[vertex, ring_count[vertex]] = t
            ring_count[vertex] += 1
    return True


@kernel
def _remove_from_ring(ring: Ints, ring_count: Ints, vertex: int, triangle: int) -> None:
    """Remove a triangle from the list of a vertex."""
    for i in range(ring_count[vertex]):
        if ring[vertex, i] == triangle:
            ring_count[vertex] -= 1
            ring[vertex, i] = ring[vertex, ring_count[vertex]]
            return


@kernel
def _neighbours(triangles: Ints, ring: Ints, ring_count: Ints, vertex: int, out: Ints) -> int:
    """Store the neighbours of a vertex of a closed mesh in `out`; returns their number."""
    for i in range(ring_count[vertex]):
        t = ring[vertex, i]
        for k in range(3):
            if triangles[t, k] == vertex:
                out[i] = triangles[t, (k + 1) % 3]
    return ring_count[vertex]


@kernel
def _normal(vertices: Floats, a: int, b: int, c: int, out: Floats) -> float:
    """out (3): the normal of triangle abc, not normalised; returns its length (twice the area)."""
    ux, uy, uz = (
        vertices[b, 0] - vertices[a, 0],
        vertices[b, 1] - vertices[a, 1],
        vertices[b, 2] - vertices[a, 2],
    )
    vx, vy, vz = (
        vertices[c, 0] - vertices[a, 0],
        vertices[c, 1] - vertices[a, 1],
        vertices[c, 2] - vertices[a, 2],
    )
    out[0], out[1], out[2] = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    return sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2])


@kernel
def _distance(vertices: Floats, a: int, b: int) -> float:
    """|b - a| of two vertices."""
    return sqrt(
        (vertices[a, 0] - vertices[b, 0]) ** 2
        + (vertices[a, 1] - vertices[b, 1]) ** 2
        + (vertices[a, 2] - vertices[b, 2]) ** 2
    )


@kernel
def collapse(
    vertices: Floats,
    triangles: Ints,
    ring: Ints,
    ring_count: Ints,
    edges: Ints,
    size: Floats,
    ratio: float,
) -> int:
    """Merge the ends of edges (e, 2) shorter than ratio * size (v,); returns how many were merged.

    An edge is merged when its ends have exactly two common neighbours (the link condition, which
    keeps the surface a manifold), no triangle flips or becomes a sliver, and no vertex gets more
    than MAX_VALENCE neighbours.
    """
    neighbours_a, neighbours_b = np.empty(MAX_RING, np.int64), np.empty(MAX_RING, np.int64)
    before, after, keep_a = np.empty(3), np.empty(3), np.empty(3)
    keep_b = np.empty(3)
    merged = 0
    for e in range(edges.shape[0]):
        a, b = edges[e, 0], edges[e, 1]
        if ring_count[a] == 0 or ring_count[b] == 0:
            continue
        if _distance(vertices, a, b) >= ratio * min(size[a], size[b]):
            continue
        count_a = _neighbours(triangles, ring, ring_count, a, neighbours_a)
        count_b = _neighbours(triangles, ring, ring_count, b, neighbours_b)
        common, adjacent = 0, False
        for i in range(count_a):
            if neighbours_a[i] == b:
                adjacent = True
            for k in range(count_b):
                if neighbours_a[i] == neighbours_b[k]:
                    common += 1
        if not adjacent or common != 2 or count_a + count_b - 4 > MAX_VALENCE:
            continue
        folds = False  # a common neighbour with few triangles would be folded flat
        for i in range(count_a):
            for k in range(count_b):
                if neighbours_a[i] == neighbours_b[k] and ring_count[neighbours_a[i]] <= 4:
                    folds = True
        if folds:
            continue
        for r in range(3):
            keep_a[r], keep_b[r] = vertices[a, r], vertices[b, r]
        valid = True
        for which in range(2):
            end = a if which == 0 else b
            for i in range(ring_count[end]):
                t = ring[end, i]
                p, q, s = triangles[t, 0], triangles[t, 1], triangles[t, 2]
                if (p == a or q == a or s == a) and (p == b or q == b or s == b):
                    continue
                size_before = _normal(vertices, p, q, s, before)
                for r in range(3):
                    vertices[end, r] = 0.5 * (keep_a[r] + keep_b[r])
                size_after = _normal(vertices, p, q, s, after)
                longest = max(
                    _distance(vertices, p, q),
                    max(_distance(vertices, q, s), _distance(vertices, s, p)),
                )
                for r in range(3):
                    vertices[end, r] = keep_a[r] if which == 0 else keep_b[r]
                dot = before[0] * after[0] + before[1] * after[1] + before[2] * after[2]
                if (
                    dot < 0.5 * size_before * size_after
                    or size_after < 0.15 * longest * longest
                    or longest > 1.7 * size[end]
                ):
                    valid = False
                    break
            if not valid:
                break
        if not valid:
            continue
        for r in range(3):
            vertices[a, r] = 0.5 * (keep_a[r] + keep_b[r])
        size[a] = min(size[a], size[b])
        for i in range(ring_count[b]):
            t = ring[b, i]
            has_a = triangles[t, 0] == a or triangles[t, 1] == a or triangles[t, 2] == a
            if has_a:
                for k in range(3):
                    if triangles[t, k] != b:
                        _remove_from_ring(ring, ring_count, triangles[t, k], t)
                triangles[t, 0] = -1
            else:
                for k in range(3):
                    if triangles[t, k] == b:
                        triangles[t, k] = a
                ring[a, ring_count[a]] = t
                ring_count[a] += 1
        ring_count[b] = 0
        merged += 1
    return merged


@kernel
def _angle(vertices: Floats, at: int, a: int, b: int) -> float:
    """The angle at vertex `at` between vertices a and b, radians."""
    dot = 0.0
    for r in range(3):
        dot += (vertices[a, r] - vertices[at, r]) * (vertices[b, r] - vertices[at, r])
    cosine = dot / max(_distance(vertices, at, a) * _distance(vertices, at, b), 1e-30)
    return acos(min(max(cosine, -1.0), 1.0))


@kernel
def flip(
    vertices: Floats, triangles: Ints, ring: Ints, ring_count: Ints, edges: Ints, changed: Bools
) -> int:
    """Flip edges (e, 2) whose opposite angles sum to more than pi (Delaunay); returns how many."""
    neighbours = np.empty(MAX_RING, np.int64)
    old_a, old_b, new_a, new_b = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    flipped = 0
    for e in range(edges.shape[0]):
        a, b = edges[e, 0], edges[e, 1]
        first, second, c, d = -1, -1, -1, -1
        for i in range(ring_count[a]):
            t = ring[a, i]
            for k in range(3):
                if triangles[t, k] == a and triangles[t, (k + 1) % 3] == b:
                    first, c = t, triangles[t, (k + 2) % 3]
                elif triangles[t, k] == b and triangles[t, (k + 1) % 3] == a:
                    second, d = t, triangles[t, (k + 2) % 3]
        if first < 0 or second < 0 or c == d:
            continue
        if _angle(vertices, c, a, b) + _angle(vertices, d, a, b) < np.pi + 1e-3:
            continue
        if ring_count[a] <= 4 or ring_count[b] <= 4:
            continue
        if ring_count[c] >= MAX_VALENCE or ring_count[d] >= MAX_VALENCE:
            continue
        adjacent_already = False
        for i in range(_neighbours(triangles, ring, ring_count, c, neighbours)):
            if neighbours[i] == d:
                adjacent_already = True
        if adjacent_already:
            continue
        size_a = _normal(vertices, a, b, c, old_a)
        size_b = _normal(vertices, b, a, d, old_b)
        size_c = _normal(vertices, a, d, c, new_a)
        size_d = _normal(vertices, b, c, d, new_b)
        flatness, facing = 0.0, 0.0
        for r in range(3):
            flatness += new_a[r] * new_b[r]
            facing += (new_a[r] + new_b[r]) * (old_a[r] + old_b[r])
        if flatness < 0.5 * size_c * size_d or facing <= 0.0 or min(size_a, size_b) < 0.0:
            continue
        triangles[first, 0], triangles[first, 1], triangles[first, 2] = a, d, c
        triangles[second, 0], triangles[second, 1], triangles[second, 2] = b, c, d
        _remove_from_ring(ring, ring_count, b, first)
        _remove_from_ring(ring, ring_count, a, second)
        ring[d, ring_count[d]] = first
        ring_count[d] += 1
        ring[c, ring_count[c]] = second
        ring_count[c] += 1
        changed[e] = True
        flipped += 1
    return flipped

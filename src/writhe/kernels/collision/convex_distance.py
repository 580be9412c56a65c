"""Signed distance of convex polytopes given by their corners.

Disjoint: Gilbert, Johnson, Keerthi (1988), "A fast procedure for computing the distance between
complex objects in three-dimensional space". Overlapping: the face normals of the Minkowski
difference of two polytopes are their own face normals and the cross products of their edges, so the
largest separation over these directions is the exact (negative) depth.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.collision.segment_distance import segment_parameters
from writhe.kernels.jit import kernel

GJK_STEPS = 80
OVERLAP2 = 1e-18  # m^2: cores nearer than a nanometre count as overlapping
TIE_M = 1e-9  # corners this close to the support plane lie on it
STALLED_M = 1e-9  # GJK stalled if |v| exceeds the separation along v by more


@kernel
def lowest_row(points: Floats, first: int, last: int, x: float, y: float, z: float) -> int:
    """The row of points[first:last] with the smallest dot product with (x, y, z)."""
    best = first
    least = points[first, 0] * x + points[first, 1] * y + points[first, 2] * z
    for i in range(first + 1, last):
        along = points[i, 0] * x + points[i, 1] * y + points[i, 2] * z
        if along < least:
            best, least = i, along
    return best


@kernel(inline=True)
def _edge_product(w: Floats, o: int, i: int, j: int) -> float:
    """(w_i - w_o) . (w_j - w_o)"""
    return (
        (w[i, 0] - w[o, 0]) * (w[j, 0] - w[o, 0])
        + (w[i, 1] - w[o, 1]) * (w[j, 1] - w[o, 1])
        + (w[i, 2] - w[o, 2]) * (w[j, 2] - w[o, 2])
    )


@kernel(inline=True)
def _origin_product(w: Floats, o: int, i: int) -> float:
    """-(w_i - w_o) . w_o"""
    return (
        (w[o, 0] - w[i, 0]) * w[o, 0]
        + (w[o, 1] - w[i, 1]) * w[o, 1]
        + (w[o, 2] - w[i, 2]) * w[o, 2]
    )


@kernel
def _subset_weights(w: Floats, chosen: Ints, m: int, weights: Floats) -> bool:
    """Barycentric weights of the point of the simplex w[chosen[:m]] nearest to the origin.

    With edges e_i = w_i - w_0 they solve  G x = -(e_i . w_0),  G_ij = e_i . e_j. False if the
    simplex is degenerate or that point lies outside it.
    """
    if m == 1:
        weights[0] = 1.0
        return True
    o, i = chosen[0], chosen[1]
    g00, r0 = _edge_product(w, o, i, i), _origin_product(w, o, i)
    x, y, z = 0.0, 0.0, 0.0
    if m == 2:
        if g00 <= 1e-28:
            return False
        x = r0 / g00
    else:
        j = chosen[2]
        g01, g11, r1 = (
            _edge_product(w, o, i, j),
            _edge_product(w, o, j, j),
            _origin_product(w, o, j),
        )
        minor = g00 * g11 - g01 * g01
        scale = max(g00, g11)
        if m == 3:
            if minor <= 1e-14 * scale * scale:
                return False
            x, y = (r0 * g11 - r1 * g01) / minor, (g00 * r1 - g01 * r0) / minor
        else:
            k = chosen[3]
            g02, g12 = _edge_product(w, o, i, k), _edge_product(w, o, j, k)
            g22, r2 = _edge_product(w, o, k, k), _origin_product(w, o, k)
            scale = max(scale, g22)
            c00, c01, c02 = g11 * g22 - g12 * g12, g12 * g02 - g01 * g22, g01 * g12 - g11 * g02
            determinant = g00 * c00 + g01 * c01 + g02 * c02
            if determinant <= 1e-14 * scale * scale * scale:
                return False
            c11, c12 = g00 * g22 - g02 * g02, g01 * g02 - g00 * g12
            x = (c00 * r0 + c01 * r1 + c02 * r2) / determinant
            y = (c01 * r0 + c11 * r1 + c12 * r2) / determinant
            z = (c02 * r0 + c12 * r1 + minor * r2) / determinant
    if x < 0.0 or y < 0.0 or z < 0.0:
        return False
    weights[0], weights[1] = 1.0 - x - y - z, x
    if m > 2:
        weights[2] = y
    if m > 3:
        weights[3] = z
    return weights[0] >= 0.0


@kernel
def _nearest_on_simplex(
    w: Floats, size: int, keep: Ints, weights: Floats, chosen: Ints, trial: Floats, v: Floats
) -> int:
    """The point v of the simplex w[:size] nearest to the origin.

    Returns the number of rows of w that span it, listed in `keep`, with their `weights`. Tries
    every face, which is robust for flat simplices. chosen (4) and trial (4) are scratch.
    """
    best, count = np.inf, 0
    for mask in range(1, 1 << size):
        m = 0
        for i in range(size):
            if mask & (1 << i):
                chosen[m] = i
                m += 1
        if not _subset_weights(w, chosen, m, trial):
            continue
        x, y, z = 0.0, 0.0, 0.0
        for i in range(m):
            x += trial[i] * w[chosen[i], 0]
            y += trial[i] * w[chosen[i], 1]
            z += trial[i] * w[chosen[i], 2]
        norm2 = x * x + y * y + z * z
        if norm2 < best:
            best, count = norm2, m
            v[0], v[1], v[2] = x, y, z
            for i in range(m):
                keep[i], weights[i] = chosen[i], trial[i]
    return count


@kernel
def _separation(
    points: Floats, a0: int, a1: int, b0: int, b1: int, x: float, y: float, z: float
) -> float:
    i = lowest_row(points, a0, a1, x, y, z)
    j = lowest_row(points, b0, b1, -x, -y, -z)
    return (
        (points[i, 0] - points[j, 0]) * x
        + (points[i, 1] - points[j, 1]) * y
        + (points[i, 2] - points[j, 2]) * z
    )


@kernel
def convex_distance(points: Floats, a0: int, a1: int, b0: int, b1: int, out: Floats) -> float:
    """Distance of the hulls of points[a0:a1] and points[b0:b1], zero when they overlap.

    out (9): unit normal from b to a, witness point on a, witness point on b.
    """
    # two allocations: more would cost as much as the search
    numbers, indices = np.empty((7, 4)), np.empty((4, 4), dtype=np.int64)
    w, weights, trial, v = numbers[:4], numbers[4], numbers[5], numbers[6]
    rows_a, rows_b, keep, chosen = indices[0], indices[1], indices[2], indices[3]
    rows_a[0], rows_b[0] = a0, b0
    for c in range(3):
        w[0, c] = points[a0, c] - points[b0, c]
        v[c] = w[0, c]
    weights[0] = 1.0
    size = 1
    for _ in range(GJK_STEPS):
        norm2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
        if norm2 <= OVERLAP2:
            break
        i = lowest_row(points, a0, a1, v[0], v[1], v[2])
        j = lowest_row(points, b0, b1, -v[0], -v[1], -v[2])
        along = 0.0
        for c in range(3):
            along += v[c] * (points[i, c] - points[j, c])
        if norm2 - along <= 1e-13 * norm2 + 1e-20:
            break
        known = False
        for k in range(size):
            known = known or (rows_a[k] == i and rows_b[k] == j)
        if known:
            break
        rows_a[size], rows_b[size] = i, j
        for c in range(3):
            w[size, c] = points[i, c] - points[j, c]
        count = _nearest_on_simplex(w, size + 1, keep, weights, chosen, trial, v)
        for k in range(count):  # keep is ascending, so no row is overwritten before use
            rows_a[k], rows_b[k] = rows_a[keep[k]], rows_b[keep[k]]
            for c in range(3):
                w[k, c] = w[keep[k], c]
        size = count
        if size == 4:
            break
    distance = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    if distance * distance <= OVERLAP2 or size == 4:
        return 0.0
    length = distance
    # |v| is an upper bound; if GJK stalled, return the separation along v, a lower bound
    proven = _separation(points, a0, a1, b0, b1, v[0] / length, v[1] / length, v[2] / length)
    if proven < distance - STALLED_M:
        distance = proven
        if distance <= 0.0:
            return 0.0
    for c in range(3):
        out[c] = v[c] / length
        out[3 + c] = 0.0
        out[6 + c] = 0.0
        for k in range(size):
            out[3 + c] += weights[k] * points[rows_a[k], c]
            out[6 + c] += weights[k] * points[rows_b[k], c]
    return distance


@kernel
def _better_separation(
    points: Floats, a0: int, a1: int, b0: int, b1: int, d: Floats, best: float, n: Floats
) -> float:
    """The largest of `best` and the separations along +d and -d; n becomes its direction."""
    for sign in (1.0, -1.0):
        along = _separation(points, a0, a1, b0, b1, sign * d[0], sign * d[1], sign * d[2])
        if along > best:
            best = along
            n[0], n[1], n[2] = sign * d[0], sign * d[1], sign * d[2]
    return best


@kernel
def _support_points(points: Floats, first: int, last: int, n: Floats, out: Floats) -> int:
    """Support points of points[first:last] along -n: out[0] their mean, out[1:3] two of them.

    Returns their number.
    """
    low = lowest_row(points, first, last, n[0], n[1], n[2])
    least = points[low, 0] * n[0] + points[low, 1] * n[1] + points[low, 2] * n[2]
    count = 0
    for c in range(3):
        out[0, c] = 0.0
    for i in range(first, last):
        along = points[i, 0] * n[0] + points[i, 1] * n[1] + points[i, 2] * n[2]
        if along <= least + TIE_M:
            count += 1
            for c in range(3):
                out[0, c] += points[i, c]
                if count == 1:
                    out[1, c] = points[i, c]
                if count <= 2:
                    out[2, c] = points[i, c]
    for c in range(3):
        out[0, c] /= count
    return count


@kernel
def convex_depth(
    points: Floats,
    a0: int,
    a1: int,
    b0: int,
    b1: int,
    facets: Floats,
    fa0: int,
    fa1: int,
    fb0: int,
    fb1: int,
    edges: Floats,
    ea0: int,
    ea1: int,
    eb0: int,
    eb1: int,
    out: Floats,
) -> float:
    """Signed distance (0 or less) of overlapping hulls; out (9) as `convex_distance`.

    facets[fa0:fa1] and [fb0:fb1] are unit face normals, edges[...] unit edge directions.
    """
    best = -np.inf
    n, d = np.zeros(3), np.empty(3)
    source = 0
    n[1] = 1.0
    for f in range(fa0, fa1):
        new = _better_separation(points, a0, a1, b0, b1, facets[f], best, n)
        if new > best:
            best, source = new, 1
    for f in range(fb0, fb1):
        new = _better_separation(points, a0, a1, b0, b1, facets[f], best, n)
        if new > best:
            best, source = new, 2
    for i in range(ea0, ea1):
        for j in range(eb0, eb1):
            d[0] = edges[i, 1] * edges[j, 2] - edges[i, 2] * edges[j, 1]
            d[1] = edges[i, 2] * edges[j, 0] - edges[i, 0] * edges[j, 2]
            d[2] = edges[i, 0] * edges[j, 1] - edges[i, 1] * edges[j, 0]
            length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
            if length < 1e-8:
                continue
            for c in range(3):
                d[c] /= length
            new = _better_separation(points, a0, a1, b0, b1, d, best, n)
            if new > best + 1e-12:
                best, source = new, 3
    low, high = np.empty((3, 3)), np.empty((3, 3))
    _support_points(points, a0, a1, n, low)
    for c in range(3):
        d[c] = -n[c]
    _support_points(points, b0, b1, d, high)
    pair = np.empty((4, 3))
    for c in range(3):
        pair[0, c], pair[1, c], pair[2, c], pair[3, c] = (
            low[1, c],
            low[2, c],
            high[1, c],
            high[2, c],
        )
    s, t = segment_parameters(pair, 0, 2)
    for c in range(3):
        out[c] = n[c]
        if source == 1:  # a face of a touches a corner, edge or face of b
            out[6 + c] = high[0, c]
            out[3 + c] = high[0, c] + best * n[c]
        elif source == 2:
            out[3 + c] = low[0, c]
            out[6 + c] = low[0, c] - best * n[c]
        else:
            out[3 + c] = pair[0, c] + s * (pair[1, c] - pair[0, c])
            out[6 + c] = pair[2, c] + t * (pair[3, c] - pair[2, c])
    return min(best, 0.0)

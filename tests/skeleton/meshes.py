"""Checks of triangle meshes: closed, outward, free of self-intersection; girths."""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull, KDTree


def directed_edges(triangles):
    return np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])


def is_closed_manifold(triangles) -> bool:
    """Every edge has one triangle on either side, turning the same way; vertices have one fan."""
    edges = directed_edges(triangles)
    forward = {tuple(e) for e in edges}
    if len(forward) != len(edges) or any((b, a) not in forward for a, b in forward):
        return False
    following = {}
    for a, b, c in triangles:
        for x, y, z in ((a, b, c), (b, c, a), (c, a, b)):
            following.setdefault(x, {})[y] = z
    for fan in following.values():
        start = next(iter(fan))
        at, steps = fan[start], 1
        while at != start:
            at, steps = fan[at], steps + 1
        if steps != len(fan):
            return False
    return True


def volume(vertices, triangles) -> float:
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def handles(vertices, triangles) -> int:
    edges = len(directed_edges(triangles)) // 2
    return (2 - (len(vertices) - edges + len(triangles))) // 2


def crossing_triangles(vertices, triangles) -> int:
    """How many pairs of triangles without a common vertex cross each other."""
    centres = vertices[triangles].mean(axis=1)
    reach = np.linalg.norm(vertices[triangles] - centres[:, None], axis=2).max()
    pairs = KDTree(centres).query_pairs(2 * reach, output_type="ndarray")
    shared = (triangles[pairs[:, 0]][:, :, None] == triangles[pairs[:, 1]][:, None]).any(
        axis=(1, 2)
    )
    pairs = pairs[~shared]
    hit = np.zeros(len(pairs), dtype=bool)
    for one, other in ((0, 1), (1, 0)):
        corners = vertices[triangles[pairs[:, one]]]
        target = vertices[triangles[pairs[:, other]]]
        for k in range(3):
            hit |= _segments_hit(corners[:, k], corners[:, (k + 1) % 3], target)
    return int(hit.sum())


def _segments_hit(p, q, triangle):
    a, u, v = triangle[:, 0], triangle[:, 1] - triangle[:, 0], triangle[:, 2] - triangle[:, 0]
    d = q - p
    h = np.cross(d, v)
    det = np.einsum("ij,ij->i", u, h)
    ok = np.abs(det) > 1e-16
    inverse = 1 / np.where(ok, det, 1.0)
    s = p - a
    x = np.einsum("ij,ij->i", s, h) * inverse
    r = np.cross(s, u)
    y = np.einsum("ij,ij->i", d, r) * inverse
    t = np.einsum("ij,ij->i", v, r) * inverse
    return ok & (x > 0) & (y > 0) & (x + y < 1) & (t > 0) & (t < 1)


def girth(vertices, triangles, normal_axis: int, at: float, keep) -> float:
    """Girth (perimeter of the convex hull) of the cut of a mesh, of the part where `keep`."""
    height = vertices[:, normal_axis] - at
    edges = np.unique(np.sort(directed_edges(triangles), axis=1), axis=0)
    cut = edges[np.sign(height[edges[:, 0]]) != np.sign(height[edges[:, 1]])]
    t = height[cut[:, 0]] / (height[cut[:, 0]] - height[cut[:, 1]])
    points = vertices[cut[:, 0]] + t[:, None] * (vertices[cut[:, 1]] - vertices[cut[:, 0]])
    points = points[keep(points)]
    flat = np.delete(points, normal_axis, axis=1)
    return float(ConvexHull(flat).area)  # the perimeter, in two dimensions

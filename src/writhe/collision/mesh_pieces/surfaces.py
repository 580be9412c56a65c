"""Triangle meshes of the surfaces of shapes, for drawing and for checking skins."""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull

from writhe.arrays import Floats, Ints
from writhe.collision.shapes import Core, Shape

SPACING_M = 0.02
_SLAB_M = (20.0, 1.0)  # half the width and the thickness of the slab that shows a half-space


def surface(shape: Shape, spacing_m: float = SPACING_M) -> tuple[Floats, Ints]:
    """Vertices (v, 3) in the joint's frame and outward triangles (t, 3) of a shape's surface.

    No edge is longer than `spacing_m`; round parts lie slightly inside the true surface. A
    half-space becomes a wide slab, which is not subdivided.
    """
    if shape.core is Core.HALF_SPACE:
        return _slab(shape)
    return split_long_edges(*coarse_surface(shape, spacing_m), spacing_m)


def coarse_surface(shape: Shape, spacing_m: float = SPACING_M) -> tuple[Floats, Ints]:
    """As `surface` for a shape other than a half-space, without subdividing flat faces."""
    around = _directions(shape.radius_m, spacing_m) * shape.radius_m
    cloud = (shape.points_in_joint[:, None] + around[None]).reshape(-1, 3)
    hull = ConvexHull(cloud)
    return _compact(cloud, _outward(cloud, hull))


def _directions(radius_m: float, spacing_m: float) -> Floats:
    """Unit directions, evenly spread, about `spacing_m` apart on a ball of this radius."""
    count = int(np.clip(12.6 * (radius_m / spacing_m) ** 2, 14, 400))
    return np.concatenate([fibonacci_sphere(count), np.eye(3), -np.eye(3)])


def fibonacci_sphere(count: int) -> Floats:
    """(count, 3) evenly spread unit directions, along a spiral by the golden angle."""
    k = np.arange(count) + 0.5
    height, turn = 1.0 - 2.0 * k / count, np.pi * (1.0 + 5.0**0.5) * k
    ring = np.sqrt(1.0 - height**2)
    return np.column_stack([ring * np.cos(turn), height, ring * np.sin(turn)])


def _outward(points: Floats, hull: ConvexHull) -> Ints:
    triangles = np.array(hull.simplices, dtype=np.int64)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0
    triangles[inward] = triangles[inward][:, ::-1]
    return triangles


def _compact(points: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    used, renamed = np.unique(triangles, return_inverse=True)
    return points[used], renamed.reshape(triangles.shape).astype(np.int64)


def _slab(shape: Shape) -> tuple[Floats, Ints]:
    point = shape.points_in_joint[0]
    normal = shape.points_in_joint[1] - point
    side = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    side /= np.linalg.norm(side)
    other = np.cross(normal, side)
    half, thick = _SLAB_M
    corners = np.array(
        [
            point + half * (x * side + z * other) - y * thick * normal
            for y in (0, 1)
            for x in (-1, 1)
            for z in (-1, 1)
        ]
    )
    return corners, _outward(corners, ConvexHull(corners))


def split_long_edges(vertices: Floats, triangles: Ints, longest_m: float) -> tuple[Floats, Ints]:
    """Halve edges until none is longer; neighbours are split at the same points (no cracks)."""
    for _ in range(12):
        edges = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        # one integer per edge: sorting rows would take ten times as long
        key, which = np.unique(edges[:, 0] * len(vertices) + edges[:, 1], return_inverse=True)
        unique = np.stack([key // len(vertices), key % len(vertices)], axis=1)
        length = np.linalg.norm(vertices[unique[:, 0]] - vertices[unique[:, 1]], axis=1)
        long = np.flatnonzero(length > longest_m)
        if len(long) == 0:
            break
        middle = np.full(len(unique), -1, dtype=np.int64)
        middle[long] = len(vertices) + np.arange(len(long))
        vertices = np.concatenate([vertices, vertices[unique[long]].mean(axis=1)])
        triangles = _split(triangles, middle[which].reshape(-1, 3))
    return vertices, triangles


def _split(triangles: Ints, middle: Ints) -> Ints:
    """Split triangles at the midpoints (t, 3) of their edges 01, 12, 20 (-1: not split)."""
    out: list[Ints] = [triangles[(middle < 0).all(axis=1)]]
    for turn in range(3):
        corner = np.roll(triangles, -turn, axis=1)
        edge = np.roll(middle, -turn, axis=1)
        only_first = (edge[:, 0] >= 0) & (edge[:, 1] < 0) & (edge[:, 2] < 0)
        (a, b, c), m = corner[only_first].T, edge[only_first, 0]
        out += [np.column_stack([a, m, c]), np.column_stack([m, b, c])]
        first_two = (edge[:, 0] >= 0) & (edge[:, 1] >= 0) & (edge[:, 2] < 0)
        (a, b, c), m, n = corner[first_two].T, edge[first_two, 0], edge[first_two, 1]
        out += [np.column_stack([m, b, n]), np.column_stack([a, m, c]), np.column_stack([m, n, c])]
    every = (middle >= 0).all(axis=1)
    (a, b, c), (m, n, k) = triangles[every].T, middle[every].T
    out += [np.column_stack(t) for t in ((a, m, k), (m, b, n), (k, n, c), (m, n, k))]
    return np.concatenate(out).astype(np.int64)

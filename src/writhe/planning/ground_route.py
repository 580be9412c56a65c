"""The path over the ground from one position to another, around obstacles.

Obstacles are convex outlines on the ground, widened by the clearance that a walking body
needs. The shortest path around convex outlines turns only at their corners (the visibility graph;
Lozano-Perez and Wesley 1979, "An algorithm for planning collision-free paths among polyhedral
obstacles", Communications of the ACM 22(10)).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull

from writhe.arrays import Bools, Floats
from writhe.collision.shapes import Core
from writhe.scene import Scene
from writhe.skeleton import forward

CLEARANCE_M = 0.34  # from the middle of a walking body to what it passes
# by which the outlines of other actors, whose arms swing, and of parts that a swinging hand reaches
# are wider
_ARMS_M, _HANDS_FROM_M = 0.1, 0.6
_HIGHEST_M, _LOWEST_M = 1.9, 0.03  # what is above a body or below its steps is not in the way
_CORNERS = 16  # of a widened disc
_BLOCKS_M = 1e-3  # a path that is farther inside an outline is blocked
_FARTHEST_ASIDE_M = 0.6  # from a place to the nearest one with clearance


class _ConvexPolygon(NamedTuple):
    """A convex polygon: its corners, and n . p + c <= 0 for the points p inside."""

    corners: Floats  # (k, 2)
    normals: Floats  # (k, 2)
    offsets: Floats  # (k,)


class Outline(NamedTuple):
    """The hull of discs over the ground: what an object or a person covers."""

    centres: Floats  # (n, 2) x, z
    radii: Floats  # (n,)

    def widened(self, by_m: float) -> _ConvexPolygon:
        """Its hull, each disc enlarged."""
        angles = 2.0 * np.pi * np.arange(_CORNERS) / _CORNERS
        ring = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        discs = self.centres[:, None] + (self.radii + by_m)[:, None, None] * ring
        points = discs.reshape(-1, 2)
        hull = ConvexHull(points)
        return _ConvexPolygon(points[hull.vertices], hull.equations[:, :2], hull.equations[:, 2])

    def distance(self, point: Floats) -> float:
        """At most the distance of a point (x, z) from it, m; negative inside."""
        return _outside(self.widened(0.0), point)


def outlines(scene: Scene, actor: str, row: Floats) -> list[Outline]:
    """The outlines of the objects and the other actors at a configuration (nq) of a scene.

    What the actor carries is left out.
    """
    frames = forward(scene.layout.skeleton, row)
    own = {item.name for item in scene.objects if item.attached_to.startswith(f"{actor}.")}
    people = {other.name for other in scene.actors}
    found: dict[str, list[Floats]] = {}
    for shape in scene.layout.table.source:
        owner = shape.part.partition(".")[0]
        if shape.core is Core.HALF_SPACE or owner in own | {actor}:
            continue
        turn = frames.rotation(shape.joint)
        points = shape.points_in_joint @ turn.T + frames.position(shape.joint)
        low, high = points[:, 1].min() - shape.radius_m, points[:, 1].max() + shape.radius_m
        if low < _HIGHEST_M and high > _LOWEST_M:
            more = _ARMS_M if owner in people or high > _HANDS_FROM_M else 0.0
            radii = np.full((len(points), 1), max(shape.radius_m, 1e-3) + more)
            found.setdefault(owner, []).append(np.hstack([points[:, [0, 2]], radii]))
    rows = [np.concatenate(discs) for discs in found.values()]
    return [Outline(discs[:, :2], discs[:, 2]) for discs in rows]


def route(start: Floats, goal: Floats, around: Sequence[Outline]) -> Floats:
    """(n, 2) the corners of the shortest path from start to goal (x, z), both included.

    The path keeps CLEARANCE_M from the outlines, less if start or goal is nearer. Outlines that
    contain start or goal are not avoided. If there is no path, the result is the straight line.
    """
    hulls: list[_ConvexPolygon] = []
    for outline in around:
        nearest = min(outline.distance(point) for point in (start, goal))
        if nearest > _BLOCKS_M:
            hulls.append(outline.widened(min(CLEARANCE_M, nearest - _BLOCKS_M)))
    corners = np.concatenate([np.zeros((0, 2)), *(hull.corners for hull in hulls)])
    points = np.concatenate([[start, goal], corners[_free(corners, hulls)]])
    before, length, heap = {0: 0}, {0: 0.0}, [(0.0, 0)]
    while heap:
        far, i = heapq.heappop(heap)
        if i == 1:
            break
        if far > length[i]:
            continue
        for j in np.flatnonzero(_visible(points[i], points, hulls)):
            reach = far + float(np.linalg.norm(points[j] - points[i]))
            if j != i and reach < length.get(int(j), np.inf):
                length[int(j)], before[int(j)] = reach, i
                heapq.heappush(heap, (reach, int(j)))
    if 1 not in before:
        return np.array([start, goal])
    path = [1]
    while path[-1] != 0:
        path.append(before[path[-1]])
    return points[path[::-1]]


def place_with_clearance(point: Floats, around: Sequence[Outline]) -> Floats:
    """The place (x, z) near a point that is CLEARANCE_M from the outlines.

    The point itself if it is, if an outline contains it, or if there is no such place nearby.
    """
    near = [one for one in around if 0.0 < one.distance(point) < CLEARANCE_M]
    hulls, out = [one.widened(CLEARANCE_M + _BLOCKS_M) for one in near], point.copy()
    for _ in range(20):
        outside = [_outside(hull, out) for hull in hulls]
        if not hulls or min(outside) >= -1e-9:
            break
        hull = hulls[int(np.argmin(outside))]
        sides = hull.normals @ out + hull.offsets
        side = int(np.argmax(sides))
        out = out - sides[side] * hull.normals[side]
    free = all(one.distance(out) > CLEARANCE_M - _BLOCKS_M for one in near)
    return out if free and np.linalg.norm(out - point) < _FARTHEST_ASIDE_M else point


def _outside(hull: _ConvexPolygon, point: Floats) -> float:
    """At most the distance of a point from a hull, m; negative inside."""
    return float((hull.normals @ point + hull.offsets).max())


def _free(points: Floats, hulls: Sequence[_ConvexPolygon]) -> Bools:
    """(n,) whether points (n, 2) are inside no hull."""
    out = np.ones(len(points), dtype=np.bool_)
    for hull in hulls:
        sides = points @ hull.normals.T + hull.offsets
        out &= sides.max(axis=1, initial=-np.inf) > -_BLOCKS_M
    return out


def _visible(start: Floats, points: Floats, hulls: Sequence[_ConvexPolygon]) -> Bools:
    """(n,) whether the straight lines from start to points (n, 2) pass through no hull."""
    out = np.ones(len(points), dtype=np.bool_)
    for hull in hulls:
        first = hull.normals @ start + hull.offsets + _BLOCKS_M
        change = (points - start) @ hull.normals.T
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = -first / change
        # the fraction of the line that is inside all sides
        enters = np.where(change < 0.0, crossing, 0.0).max(axis=1)
        leaves = np.where(change > 0.0, crossing, 1.0).min(axis=1)
        never = ((change == 0.0) & (first > 0.0)).any(axis=1)
        out &= never | (np.maximum(enters, 0.0) >= np.minimum(leaves, 1.0))
    return out

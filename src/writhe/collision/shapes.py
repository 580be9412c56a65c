"""Solid shapes as data: a core (points) inflated by a radius, fixed to a joint."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike

from writhe.arguments import check_fields, checked
from writhe.arrays import MAX_COORDINATE_M, Floats, floats, lengths, number, vector3
from writhe.errors import WritheError
from writhe.kernels.collision import shape_gaps
from writhe.skeleton import Capsule

MAX_CORNERS = 256
MAX_ROUNDING_M = 0.02


class Core(IntEnum):
    """The kind of a shape's core, with the values of `kernels.collision.shape_gaps`."""

    SEGMENT = shape_gaps.SEGMENT
    CONVEX = shape_gaps.CONVEX
    HALF_SPACE = shape_gaps.HALF_SPACE


@dataclass(frozen=True)
class Shape:
    """A core inflated by a radius, fixed to a joint; shapes of one part are never tested together.

    points_in_joint has the two ends of a segment, the corners of a convex core (its hull), or a
    point of a half-space's surface and that point moved by the unit outward normal.
    """

    core: Core
    points_in_joint: Floats
    radius_m: float
    joint: str = ""
    part: str = ""

    def __post_init__(self) -> None:
        check_fields(self)
        what = f"a shape on {self.joint!r}"
        points = lengths(self.points_in_joint, (None, 3), f"a point of {what}")
        object.__setattr__(self, "points_in_joint", points)
        if self.core is not Core.CONVEX and len(points) != 2:
            raise WritheError(f"a {self.core.name.lower()} needs two points, not {len(points)}")
        if self.core is Core.CONVEX and not 4 <= len(points) <= MAX_CORNERS:
            raise WritheError(
                f"a convex shape needs 4 to {MAX_CORNERS} corners, not {len(points)}:"
                " simplify or split it"
            )
        number(self.radius_m, f"the radius of {what}", maximum=MAX_COORDINATE_M)
        if self.radius_m < 0 or (self.radius_m == 0 and self.core is not Core.HALF_SPACE):
            raise WritheError(f"a shape on {self.joint!r} has no radius: it must be above 0")

    def on(self, joint: str, part: str) -> Shape:
        """The same shape on another joint and part."""
        return replace(self, joint=joint, part=part)

    def moved(self, rotation: Floats, shift: ArrayLike) -> Shape:
        """The same shape rotated (3 x 3) and then translated in its joint's frame."""
        turn = floats(rotation, (3, 3), "a rotation")
        points = self.points_in_joint @ turn.T + floats(shift, (3,), "a shift")
        return replace(self, points_in_joint=points)


@checked
def capsule(start: ArrayLike, end: ArrayLike, radius_m: float) -> Shape:
    """A segment inflated by a radius."""
    return Shape(Core.SEGMENT, np.array([vector3(start), vector3(end)]), radius_m)


@checked
def ball(centre: ArrayLike, radius_m: float) -> Shape:
    """A ball."""
    return capsule(centre, centre, radius_m)


@checked
def half_space(point: ArrayLike, normal: ArrayLike) -> Shape:
    """The half-space below a plane through `point`; `normal` points out of the solid."""
    n = floats(normal, (3,), "the normal of a half-space")
    length = float(np.linalg.norm(n))
    if length == 0 or not np.isfinite(length):
        raise WritheError("the normal of a half-space must be finite and not zero")
    p = floats(point, (3,), "the point of a half-space")
    return Shape(Core.HALF_SPACE, np.array([p, p + n / length]), 0.0)


def _rounding(smallest_half_m: float, rounding_m: float | None) -> float:
    if smallest_half_m <= 0:
        raise WritheError("a box or cylinder needs a positive size in every direction")
    chosen = min(0.5 * smallest_half_m, MAX_ROUNDING_M) if rounding_m is None else rounding_m
    if not 0 < chosen <= smallest_half_m:
        raise WritheError(
            f"the rounding must be above 0 and at most {smallest_half_m:g} m, not {chosen:g}"
        )
    return chosen


@checked
def box(centre: ArrayLike, size: ArrayLike, rounding_m: float | None = None) -> Shape:
    """A box aligned with its joint's axes; edges and corners are rounded by `rounding_m`.

    The core is inset by the rounding, so that faces lie exactly on the box. The default rounding is
    half of the smallest half-width, at most 2 cm.
    """
    half = 0.5 * lengths(size, (3,), "the size of a box")
    radius = _rounding(float(half.min()), rounding_m)
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    # a core needs some volume for its faces and edges to be defined
    inner = np.maximum(half - radius, 1e-6)
    return Shape(Core.CONVEX, signs * inner + floats(centre, (3,), "the centre of a box"), radius)


@checked
def cylinder(
    start: ArrayLike, end: ArrayLike, radius_m: float, rounding_m: float | None = None
) -> Shape:
    """A solid cylinder with flat ends, as an inset prism of 16 sides inflated by the rounding.

    The prism is circumscribed, so that the shape covers the cylinder except for its rounded rims;
    it protrudes by at most 2 % of the radius.
    """
    first, last = (lengths(p, (3,), "an end of a cylinder") for p in (start, end))
    number(radius_m, "the radius of a cylinder", above=0.0, maximum=MAX_COORDINATE_M)
    axis = last - first
    length = float(np.linalg.norm(axis))
    if length <= 0:
        raise WritheError("the two ends of a cylinder must differ")
    axis = axis / length
    rounding = _rounding(min(radius_m, 0.5 * length), rounding_m)
    side = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    side /= np.linalg.norm(side)
    up = np.cross(axis, side)
    sides = 16
    inner = max(radius_m - rounding, 1e-6) / np.cos(np.pi / sides)
    angles = 2 * np.pi * np.arange(sides) / sides
    ring = inner * (np.cos(angles)[:, None] * side + np.sin(angles)[:, None] * up)
    inset = min(rounding, 0.5 * length - 1e-6)
    points = np.concatenate([first + inset * axis + ring, last - inset * axis + ring])
    return Shape(Core.CONVEX, points, rounding)


@checked
def hull(corners: ArrayLike, radius_m: float) -> Shape:
    """The convex hull of points (n, 3), inflated by a radius, which extends beyond the hull."""
    return Shape(Core.CONVEX, floats(corners, (None, 3), "corners"), radius_m)


def from_capsule(given: Capsule) -> Shape:
    """A figure's capsule as a shape on its joint."""
    shape = capsule(given.start_in_joint, given.end_in_joint, given.radius_m)
    return shape.on(given.joint, given.part_name)


def hull_directions(shape: Shape) -> tuple[Floats, Floats, Floats]:
    """Corners, unit face normals and unit edge directions of a core, without duplicates."""
    points = shape.points_in_joint
    if shape.core is Core.HALF_SPACE:
        return points, np.empty((0, 3)), np.empty((0, 3))
    if shape.core is Core.SEGMENT:
        along = points[1] - points[0]
        length = float(np.linalg.norm(along))
        none = np.empty((0, 3))
        return points, none, none if length < 1e-9 else (along / length)[None]
    from scipy.spatial import ConvexHull, QhullError

    try:
        found = ConvexHull(points)
    except QhullError:
        raise WritheError(
            f"a convex shape on {shape.joint!r} is flat: give it some thickness"
        ) from None
    normals = found.equations[:, :3]
    edges: list[Floats] = []
    for i, (triangle, others) in enumerate(zip(found.simplices, found.neighbors, strict=True)):
        for corner, other in enumerate(others):
            if other > i and normals[i] @ normals[other] < 1 - 1e-12:
                u, v = (points[triangle[k]] for k in range(3) if k != corner)
                edges.append((v - u) / np.linalg.norm(v - u))
    return points[found.vertices], _directions(normals), _directions(np.array(edges))


def _directions(given: Floats) -> Floats:
    """The directions without those equal or opposite to an earlier one."""
    kept = np.empty((len(given), 3))
    count = 0
    for direction in given:
        if not (np.abs(kept[:count] @ direction) >= 1 - 1e-12).any():
            kept[count] = direction
            count += 1
    return kept[:count].copy()

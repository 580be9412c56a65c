"""Shapes fixed to joints, and the gap of two of them.

A shape is a core inflated by a radius. A core is a segment (two points; equal for a ball), a convex
polytope (its corners), or a half-space (a point of its surface and that point moved by the unit
outward normal).
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from writhe.arrays import Floats, Ints
from writhe.kernels.collision.convex_distance import convex_depth, convex_distance, lowest_row
from writhe.kernels.collision.segment_distance import segment_distance, segment_parameters
from writhe.kernels.jit import kernel

SEGMENT, CONVEX, HALF_SPACE = 0, 1, 2


class Shapes(NamedTuple):
    """All shapes of a scene; the shapes of one body are consecutive."""

    joint: Ints  # (s,)
    core: Ints  # (s,) SEGMENT, CONVEX or HALF_SPACE
    radius: Floats  # (s,) metres
    body: Ints  # (s,)
    point_start: Ints  # (s + 1,) rows of `points`
    points: Floats  # (p, 3) in the joint's frame
    facet_start: Ints  # (s + 1,)
    facets: Floats  # (f, 3) unit face normals of convex cores
    edge_start: Ints  # (s + 1,)
    edges: Floats  # (e, 3) unit edge directions of segments and convex cores


class Bodies(NamedTuple):
    """Groups of shapes of one part on one joint, with a bounding ball and capsule of each."""

    joint: Ints  # (b,)
    part: Ints  # (b,)
    shape_start: Ints  # (b + 1,)
    reach: Floats  # (b,) distance of the farthest core point from the joint's centre
    centre: Floats  # (b, 3) of the bounding ball, in the joint's frame
    ball_radius: Floats  # (b,) infinite for a half-space
    axis_ends: Floats  # (2 b, 3) of the bounding capsule, in the joint's frame
    capsule_radius: Floats  # (b,)


class Pairs(NamedTuple):
    """Body pairs to test. Shape pairs of pair p are numbered from first[p], shape b fastest."""

    a: Ints  # (m,)
    b: Ints  # (m,)
    ancestor: Ints  # (m,) lowest common ancestor joint of both, -1 for the world
    first: Ints  # (m + 1,)
    allowance: Floats  # (k,) metres, per shape pair
    deep: Floats  # (k,) half the smaller radius, metres: overlaps beyond it are deep


class PlacedShapes(NamedTuple):
    """Rows of `Shapes` and `Bodies` transformed from joint frames to one common frame."""

    points: Floats
    facets: Floats
    edges: Floats
    centre: Floats
    axis_ends: Floats


@kernel(inline=True)
def _rotate_rows(source: Floats, first: int, last: int, rotation: Floats, out: Floats) -> None:
    for i in range(first, last):
        x, y, z = source[i, 0], source[i, 1], source[i, 2]
        for r in range(3):
            out[i, r] = rotation[r, 0] * x + rotation[r, 1] * y + rotation[r, 2] * z


@kernel(inline=True)
def transform_rows(
    source: Floats, first: int, last: int, position: Floats, rotation: Floats, out: Floats
) -> None:
    """out[first:last] = position + rotation source[first:last], for rows of points."""
    for i in range(first, last):
        x, y, z = source[i, 0], source[i, 1], source[i, 2]
        for r in range(3):
            out[i, r] = position[r] + rotation[r, 0] * x + rotation[r, 1] * y + rotation[r, 2] * z


@kernel(inline=True)
def place_shape(
    shapes: Shapes, shape: int, position: Floats, rotation: Floats, placed: PlacedShapes
) -> None:
    """Transform one shape by the frame (position, rotation) of its joint."""
    first, last = shapes.point_start[shape], shapes.point_start[shape + 1]
    transform_rows(shapes.points, first, last, position, rotation, placed.points)
    first, last = shapes.facet_start[shape], shapes.facet_start[shape + 1]
    _rotate_rows(shapes.facets, first, last, rotation, placed.facets)
    first, last = shapes.edge_start[shape], shapes.edge_start[shape + 1]
    _rotate_rows(shapes.edges, first, last, rotation, placed.edges)


@kernel
def place_shapes(
    shapes: Shapes, bodies: Bodies, positions: Floats, rotations: Floats, placed: PlacedShapes
) -> None:
    """Transform all shapes and bounding volumes by the joint frames (n, 3), (n, 3, 3)."""
    for i in range(shapes.joint.shape[0]):
        j = shapes.joint[i]
        place_shape(shapes, i, positions[j], rotations[j], placed)
    for b in range(bodies.joint.shape[0]):
        j = bodies.joint[b]
        transform_rows(bodies.centre, b, b + 1, positions[j], rotations[j], placed.centre)
        transform_rows(
            bodies.axis_ends, 2 * b, 2 * b + 2, positions[j], rotations[j], placed.axis_ends
        )


@kernel
def _perpendicular(points: Floats, a: int, b: int, out: Floats) -> None:
    """out (3): unit normal of two crossing segments, of one if parallel, else any direction."""
    ux = points[a + 1, 0] - points[a, 0]
    uy = points[a + 1, 1] - points[a, 1]
    uz = points[a + 1, 2] - points[a, 2]
    vx = points[b + 1, 0] - points[b, 0]
    vy = points[b + 1, 1] - points[b, 1]
    vz = points[b + 1, 2] - points[b, 2]
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    length = sqrt(x * x + y * y + z * z)
    if length < 1e-12:
        if ux * ux + uy * uy + uz * uz < 1e-18:
            ux, uy, uz = vx, vy, vz
        if abs(ux) <= abs(uy) and abs(ux) <= abs(uz):
            x, y, z = 0.0, uz, -uy
        elif abs(uy) <= abs(uz):
            x, y, z = -uz, 0.0, ux
        else:
            x, y, z = uy, -ux, 0.0
        length = sqrt(x * x + y * y + z * z)
        if length < 1e-12:
            x, y, z, length = 0.0, 1.0, 0.0, 1.0
    out[0], out[1], out[2] = x / length, y / length, z / length


@kernel(inline=True)
def segment_gap(points: Floats, a: int, b: int, out: Floats) -> float:
    """Distance of the segments at rows a and b, with normal and witness points in out (9)."""
    s, t = segment_parameters(points, a, b)
    for c in range(3):
        out[3 + c] = points[a, c] + s * (points[a + 1, c] - points[a, c])
        out[6 + c] = points[b, c] + t * (points[b + 1, c] - points[b, c])
    x, y, z = out[3] - out[6], out[4] - out[7], out[5] - out[8]
    distance = sqrt(x * x + y * y + z * z)
    if distance < 1e-12:
        _perpendicular(points, a, b, out)
        return 0.0
    out[0], out[1], out[2] = x / distance, y / distance, z / distance
    return distance


@kernel
def core_distance(shapes: Shapes, placed: PlacedShapes, a: int, b: int, out: Floats) -> float:
    """Signed distance of two cores, at least one not a segment; a is never a half-space.

    out (9): unit normal from b to a, witness point on core a, witness point on core b.
    """
    points = placed.points
    a0, a1 = shapes.point_start[a], shapes.point_start[a + 1]
    b0, b1 = shapes.point_start[b], shapes.point_start[b + 1]
    if shapes.core[b] == HALF_SPACE:
        for c in range(3):
            out[c] = points[b0 + 1, c] - points[b0, c]
        i = lowest_row(points, a0, a1, out[0], out[1], out[2])
        depth = 0.0
        for c in range(3):
            depth += out[c] * (points[i, c] - points[b0, c])
        for c in range(3):
            out[3 + c] = points[i, c]
            out[6 + c] = points[i, c] - depth * out[c]
        return depth
    distance = convex_distance(points, a0, a1, b0, b1, out)
    if distance > 0.0:
        return distance
    return convex_depth(
        points,
        a0,
        a1,
        b0,
        b1,
        placed.facets,
        shapes.facet_start[a],
        shapes.facet_start[a + 1],
        shapes.facet_start[b],
        shapes.facet_start[b + 1],
        placed.edges,
        shapes.edge_start[a],
        shapes.edge_start[a + 1],
        shapes.edge_start[b],
        shapes.edge_start[b + 1],
        out,
    )


@kernel(inline=True)
def segment_core_gap(points: Floats, start: Ints, radius: Floats, a: int, b: int) -> float:
    """The gap of two shapes whose cores are segments, without normal and witness points.

    Takes arrays instead of a NamedTuple: passing one counts references to all its arrays, which
    costs more than the arithmetic.
    """
    return segment_distance(points, start[a], start[b]) - radius[a] - radius[b]


@kernel
def gap(shapes: Shapes, placed: PlacedShapes, a: int, b: int, out: Floats) -> float:
    """g = signed distance of the cores - r_a - r_b; out (9) as `core_distance`."""
    if shapes.core[a] == SEGMENT and shapes.core[b] == SEGMENT:
        distance = segment_gap(placed.points, shapes.point_start[a], shapes.point_start[b], out)
        return distance - shapes.radius[a] - shapes.radius[b]
    return core_distance(shapes, placed, a, b, out) - shapes.radius[a] - shapes.radius[b]


@kernel(inline=True)
def separation(
    points: Floats,
    start: Ints,
    radius: Floats,
    core: Ints,
    a: int,
    b: int,
    x: float,
    y: float,
    z: float,
) -> float:
    """Lower bound of the gap: min over core a minus max over core b along (x, y, z), minus radii.

    Equals the gap if the direction is the gap's normal. For a half-space the direction given is
    replaced by its outward normal. Takes arrays, see `segment_core_gap`.
    """
    j = start[b]
    if core[b] == HALF_SPACE:
        x = points[j + 1, 0] - points[j, 0]
        y = points[j + 1, 1] - points[j, 1]
        z = points[j + 1, 2] - points[j, 2]
    else:
        j = lowest_row(points, j, start[b + 1], -x, -y, -z)
    i = lowest_row(points, start[a], start[a + 1], x, y, z)
    return (
        (points[i, 0] - points[j, 0]) * x
        + (points[i, 1] - points[j, 1]) * y
        + (points[i, 2] - points[j, 2]) * z
        - radius[a]
        - radius[b]
    )


@kernel(inline=True)
def segment_separation(points: Floats, a: int, b: int, x: float, y: float, z: float) -> float:
    """Separation along (x, y, z) of the segments that start at rows a and b, without radii."""
    near = points[a, 0] * x + points[a, 1] * y + points[a, 2] * z
    far = points[a + 1, 0] * x + points[a + 1, 1] * y + points[a + 1, 2] * z
    start = points[b, 0] * x + points[b, 1] * y + points[b, 2] * z
    end = points[b + 1, 0] * x + points[b + 1, 1] * y + points[b + 1, 2] * z
    return min(near, far) - max(start, end)


@kernel(inline=True)
def bounding_ball_gap(centre: Floats, radius: Floats, a: int, b: int) -> float:
    """Lower bound of every gap between two bodies, from their bounding balls."""
    x = centre[a, 0] - centre[b, 0]
    y = centre[a, 1] - centre[b, 1]
    z = centre[a, 2] - centre[b, 2]
    return sqrt(x * x + y * y + z * z) - radius[a] - radius[b]


@kernel(inline=True)
def bounding_capsule_gap(axis_ends: Floats, radius: Floats, a: int, b: int) -> float:
    """Tighter lower bound of every gap between two bodies, from their bounding capsules."""
    return segment_distance(axis_ends, 2 * a, 2 * b) - radius[a] - radius[b]

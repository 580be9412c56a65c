"""Shape pairs below a distance, with the data of a solver's contact constraint."""

from __future__ import annotations

from typing import NamedTuple

from writhe.arrays import Floats, Ints
from writhe.kernels.collision.shape_gaps import (
    SEGMENT,
    Bodies,
    Pairs,
    PlacedShapes,
    Shapes,
    bounding_ball_gap,
    bounding_capsule_gap,
    gap,
    place_shapes,
    segment_core_gap,
    segment_gap,
    separation,
)
from writhe.kernels.jit import kernel

LEFT_OUT = 1e8  # m: shape pairs with a larger allowance are not tested at all


class NearPairRows(NamedTuple):
    """Output rows of `near_pairs`; their number m is its capacity."""

    shape_pair: Ints  # (m,) index of the shape pair
    shapes: Ints  # (m, 2) shapes a and b
    joints: Ints  # (m, 2) the joints that carry them
    gap: Floats  # (m,)
    allowance: Floats  # (m,)
    normal: Floats  # (m, 3) unit, from b to a, in the world
    surface_a: Floats  # (m, 3) the point of a's surface nearest to b, in the world
    surface_b: Floats  # (m, 3)


@kernel
def near_pairs(
    shapes: Shapes,
    bodies: Bodies,
    pairs: Pairs,
    positions: Floats,
    rotations: Floats,
    distance: float,
    placed: PlacedShapes,
    out: Floats,
    last_normals: Floats,
    near: NearPairRows,
) -> int:
    """List the shape pairs with g < distance at the joint frames (n, 3), (n, 3, 3).

    Returns their number; if it exceeds the rows of `near`, the rest was dropped. The gap changes
    with a tangent step v as  dg = normal . (J_a(surface_a) - J_b(surface_b)) v.

    last_normals (k, 3), one unit direction per shape pair, is kept between calls: a pair of convex
    cores that is still separated along its last normal is skipped without a distance query.
    """
    place_shapes(shapes, bodies, positions, rotations, placed)
    centre, ball_radius = placed.centre, bodies.ball_radius
    axis_ends, capsule_radius = placed.axis_ends, bodies.capsule_radius
    core, point_start, radius = shapes.core, shapes.point_start, shapes.radius
    points, shape_start = placed.points, bodies.shape_start
    pair_a, pair_b, pair_first = pairs.a, pairs.b, pairs.first
    allowances = pairs.allowance
    capacity, count = near.gap.shape[0], 0
    for p in range(pair_a.shape[0]):
        body_a, body_b = pair_a[p], pair_b[p]
        if bounding_ball_gap(centre, ball_radius, body_a, body_b) >= distance:
            continue
        if bounding_capsule_gap(axis_ends, capsule_radius, body_a, body_b) >= distance:
            continue
        k = pair_first[p] - 1
        for a in range(shape_start[body_a], shape_start[body_a + 1]):
            for b in range(shape_start[body_b], shape_start[body_b + 1]):
                k += 1
                if allowances[k] > LEFT_OUT:
                    continue
                if core[a] == SEGMENT and core[b] == SEGMENT:
                    if segment_core_gap(points, point_start, radius, a, b) >= distance:
                        continue
                    g = segment_gap(points, point_start[a], point_start[b], out)
                    g -= radius[a] + radius[b]
                else:
                    x, y, z = last_normals[k, 0], last_normals[k, 1], last_normals[k, 2]
                    if separation(points, point_start, radius, core, a, b, x, y, z) >= distance:
                        continue
                    g = gap(shapes, placed, a, b, out)
                    for c in range(3):
                        last_normals[k, c] = out[c]
                if g >= distance:
                    continue
                if count < capacity:
                    near.shape_pair[count] = k
                    near.shapes[count, 0], near.shapes[count, 1] = a, b
                    near.joints[count, 0] = shapes.joint[a]
                    near.joints[count, 1] = shapes.joint[b]
                    near.gap[count] = g
                    near.allowance[count] = allowances[k]
                    for c in range(3):
                        near.normal[count, c] = out[c]
                        near.surface_a[count, c] = out[3 + c] - radius[a] * out[c]
                        near.surface_b[count, c] = out[6 + c] + radius[b] * out[c]
                count += 1
    return count

"""Which shapes are near each other, with all that a solver's inequality needs."""

from __future__ import annotations

from typing import NamedTuple

from writhe.arrays import Floats, Ints
from writhe.kernels.collision.shape_gaps import (
    SEGMENT,
    Bodies,
    Pairs,
    Placed,
    Shapes,
    ball_gap,
    capsule_gap,
    gap,
    place_all,
    rounded_gap,
    segment_gap,
    separation,
)
from writhe.kernels.jit import kernel

LEFT_OUT = 1e8  # m: shape pairs with a larger allowance are not tested at all


class Near(NamedTuple):
    """Rows that `near_pairs` fills; their length is the most it can list."""

    shape_pair: Ints  # (m,) number of the shape pair
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
    placed: Placed,
    out: Floats,
    apart_along: Floats,
    near: Near,
) -> int:
    """List the shape pairs with g < distance at the joint frames (n, 3), (n, 3, 3).

    Returns how many there are; more than the rows of `near` means that the list is cut short. The
    gap changes with a tangent step v as  dg = normal . (J_a(surface_a) - J_b(surface_b)) v.

    apart_along (k, 3), one unit direction a shape pair, is kept between calls: pairs of convex
    cores that are still far apart along the normal they had last are passed over quickly.
    """
    place_all(shapes, bodies, positions, rotations, placed)
    centre, ball_radius = placed.centre, bodies.ball_radius
    axis_ends, capsule_radius = placed.axis_ends, bodies.capsule_radius
    core, point_start, radius = shapes.core, shapes.point_start, shapes.radius
    points, shape_start = placed.points, bodies.shape_start
    pair_a, pair_b, pair_first = pairs.a, pairs.b, pairs.first
    allowances = pairs.allowance
    room, count = near.gap.shape[0], 0
    for p in range(pair_a.shape[0]):
        body_a, body_b = pair_a[p], pair_b[p]
        if ball_gap(centre, ball_radius, body_a, body_b) >= distance:
            continue
        if capsule_gap(axis_ends, capsule_radius, body_a, body_b) >= distance:
            continue
        k = pair_first[p] - 1
        for a in range(shape_start[body_a], shape_start[body_a + 1]):
            for b in range(shape_start[body_b], shape_start[body_b + 1]):
                k += 1
                if allowances[k] > LEFT_OUT:
                    continue
                if core[a] == SEGMENT and core[b] == SEGMENT:
                    if rounded_gap(points, point_start, radius, a, b) >= distance:
                        continue
                    g = segment_gap(points, point_start[a], point_start[b], out)
                    g -= radius[a] + radius[b]
                else:
                    x, y, z = apart_along[k, 0], apart_along[k, 1], apart_along[k, 2]
                    if separation(points, point_start, radius, core, a, b, x, y, z) >= distance:
                        continue
                    g = gap(shapes, placed, a, b, out)
                    for c in range(3):
                        apart_along[k, c] = out[c]
                if g >= distance:
                    continue
                if count < room:
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

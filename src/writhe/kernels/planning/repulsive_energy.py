"""The repulsive energy of a posture and its gradient by the tangent step.

    E = sum over pairs of links  w / c^d

(He Wang, Ho and Komura, "An Energy-driven Motion Planning Method for Two Distant Postures", Eqs. 1
and 2), with c the clearance of two links: the smallest gap of their shapes beyond its allowance. A
link holds all shapes on one joint. Near links are measured shape by shape, far ones by the capsules
around them, with a smooth passage between the two. The gradient gathers forces and moments on the
joints and hands them down the tree, so that it costs one pass over the joints
whatever the number of pairs.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.collision.segment_distance import PARALLEL, POINT2
from writhe.kernels.collision.shape_gaps import Bodies, Placed, Shapes, gap, place_all
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import Tree, forward, motion_axes

NEAR_M, FAR_M = 0.04, 0.10  # capsule clearance between which the two measures are blended
WEAK = 1e-8  # of the largest push: weaker ones do not change the direction of the gradient
LEAST_M = 1e-4  # the energy of bodies nearer than this no longer grows, its slope stays


class Field(NamedTuple):
    """Links, their pairs with the shape pairs in each, and what may move."""

    joint: Ints  # (l,) of each link
    ends: Floats  # (2 l, 3) of the capsule around each link, in its joint's frame
    radius: Floats  # (l,) of that capsule, infinite for a half-space
    square: Floats  # (l,) squared length of its axis
    inverse: Floats  # (l,) 1 / square
    a: Ints  # (m,) links of each pair
    b: Ints  # (m,)
    weight: Floats  # (m,)
    falloff: Ints  # (m,) d
    offset: Floats  # (m,) allowance of the capsules, metres
    first: Ints  # (m + 1,) rows of what follows
    shape_a: Ints  # (k,)
    shape_b: Ints  # (k,)
    allowance: Floats  # (k,)
    round: Ints  # (m,) 1: the cores of all shapes in the pair are segments
    simple: int  # 1: the cores of all shapes are segments
    variable: Floats  # (nv,) 1: may change, 0: held


class EnergyRoom(NamedTuple):
    """Working space of one evaluation; the frames stay filled for whoever needs them next."""

    positions: Floats  # (n, 3)
    rotations: Floats  # (n, 3, 3)
    axes: Floats  # (nv, 3)
    placed: Placed
    ends: Floats  # (2 l, 3) of the links' capsules in the world
    along: Floats  # (l, 3) from end to end
    force: Floats  # (n, 3)
    moment: Floats  # (n, 3) about the world's origin
    clearance: Floats  # (m,) of the pairs
    places: Floats  # (2, m) of the nearest points on the axes of the links' capsules
    push: Floats  # (m,) -dE / d clearance
    near: Ints  # (m,) the pairs measured shape by shape
    blend: Floats  # (m, 2) of those: what the exact and the capsules' clearance count
    witness: Floats  # (m, 9) of those: unit normal from b to a, nearest points on both cores
    out: Floats  # (9,)
    least: Floats  # (1,) the smallest clearance


@kernel(inline=True)
def _push(
    force: Floats,
    moment: Floats,
    joint: int,
    x: float,
    y: float,
    z: float,
    fx: float,
    fy: float,
    fz: float,
) -> None:
    """A force at a world point, added to what its joint carries."""
    force[joint, 0] += fx
    force[joint, 1] += fy
    force[joint, 2] += fz
    moment[joint, 0] += y * fz - z * fy
    moment[joint, 1] += z * fx - x * fz
    moment[joint, 2] += x * fy - y * fx


@kernel(vector=True, inline=True)
def _nearest_places(points: Floats, i: int, j: int) -> tuple[float, float, float]:
    """Distance of the segments at rows i and j, and where on them the nearest points lie.

    Minimises over one segment, the other, and the first again with clamping in between, which is
    exact for two segments and needs no branches.
    """
    ux, uy = points[i + 1, 0] - points[i, 0], points[i + 1, 1] - points[i, 1]
    uz, wx = points[i + 1, 2] - points[i, 2], points[i, 0] - points[j, 0]
    vx, vy = points[j + 1, 0] - points[j, 0], points[j + 1, 1] - points[j, 1]
    vz, wy = points[j + 1, 2] - points[j, 2], points[i, 1] - points[j, 1]
    wz = points[i, 2] - points[j, 2]
    uu = ux * ux + uy * uy + uz * uz + POINT2
    vv = vx * vx + vy * vy + vz * vz + POINT2
    uw = ux * wx + uy * wy + uz * wz
    vw = vx * wx + vy * wy + vz * wz
    uv = ux * vx + uy * vy + uz * vz
    determinant = uu * vv - uv * uv + PARALLEL * uu * vv
    s = min(max((uv * vw - uw * vv) / determinant, 0.0), 1.0)
    t = min(max((uv * s + vw) / vv, 0.0), 1.0)
    s = min(max((uv * t - uw) / uu, 0.0), 1.0)
    x, y, z = wx + s * ux - t * vx, wy + s * uy - t * vy, wz + s * uz - t * vz
    return sqrt(x * x + y * y + z * z), s, t


@kernel
def _move_ends(
    joint: Ints, ends: Floats, positions: Floats, rotations: Floats, out: Floats
) -> None:
    """out (2 l, 3): the ends of the links' capsules in the world."""
    for i in range(ends.shape[0]):
        j = joint[i // 2]
        x, y, z = ends[i, 0], ends[i, 1], ends[i, 2]
        for r in range(3):
            turned = rotations[j, r, 0] * x + rotations[j, r, 1] * y + rotations[j, r, 2] * z
            out[i, r] = positions[j, r] + turned


@kernel(vector=True, inline=True)
def _closest_round(
    points: Floats,
    start: Ints,
    radius: Floats,
    shape_a: Ints,
    shape_b: Ints,
    allowance: Floats,
    first: int,
    last: int,
    best: Floats,
) -> float:
    """The least clearance of the shape pairs first .. last-1, whose cores are all segments.

    best (9): unit normal from b to a, nearest point on core a, on core b.
    """
    least, closest, where, there, apart = np.inf, -1, 0.0, 0.0, 0.0
    for k in range(first, last):
        i, j = shape_a[k], shape_b[k]
        distance, s, t = _nearest_places(points, start[i], start[j])
        clearance = distance + allowance[k] - radius[i] - radius[j]
        if clearance < least:
            least, closest, where, there, apart = clearance, k, s, t, distance
    i, j = start[shape_a[closest]], start[shape_b[closest]]
    for c in range(3):
        best[3 + c] = points[i, c] + where * (points[i + 1, c] - points[i, c])
        best[6 + c] = points[j, c] + there * (points[j + 1, c] - points[j, c])
        best[c] = (best[3 + c] - best[6 + c]) / max(apart, 1e-12)
    return least


@kernel
def _closest(
    shapes: Shapes, placed: Placed, field: Field, p: int, out: Floats, best: Floats
) -> float:
    """As `_closest_round`, for pair p of links with any shapes."""
    least = np.inf
    for k in range(field.first[p], field.first[p + 1]):
        clearance = gap(shapes, placed, field.shape_a[k], field.shape_b[k], out)
        clearance += field.allowance[k]
        if clearance < least:
            least = clearance
            best[:] = out
    return least


@kernel(vector=True)
def _capsule_clearances(
    ends: Floats,
    along: Floats,
    square: Floats,
    inverse: Floats,
    radius: Floats,
    a: Ints,
    b: Ints,
    offset: Floats,
    clearance: Floats,
    places: Floats,
) -> None:
    """clearance (m) of the capsules around all pairs of links; places (2, m) on their axes.

    As `_nearest_places`, with what belongs to one link worked out once: along (l, 3) is the axis
    from end to end, square (l,) its squared length, inverse (l,) the inverse of that.
    """
    for p in range(a.shape[0]):
        i, j = a[p], b[p]
        ux, uy, uz = along[i, 0], along[i, 1], along[i, 2]
        vx, vy, vz = along[j, 0], along[j, 1], along[j, 2]
        wx = ends[2 * i, 0] - ends[2 * j, 0]
        wy = ends[2 * i, 1] - ends[2 * j, 1]
        wz = ends[2 * i, 2] - ends[2 * j, 2]
        uw = ux * wx + uy * wy + uz * wz
        vw = vx * wx + vy * wy + vz * wz
        uv = ux * vx + uy * vy + uz * vz
        both = square[i] * square[j]
        s = (uv * vw - uw * square[j]) / (both - uv * uv + PARALLEL * both)
        s = min(max(s, 0.0), 1.0)
        t = min(max((uv * s + vw) * inverse[j], 0.0), 1.0)
        s = min(max((uv * t - uw) * inverse[i], 0.0), 1.0)
        x, y, z = wx + s * ux - t * vx, wy + s * uy - t * vy, wz + s * uz - t * vz
        clearance[p] = sqrt(x * x + y * y + z * z) - radius[i] - radius[j] + offset[p]
        places[0, p] = s
        places[1, p] = t


@kernel(inline=True)
def _power(base: float, exponent: int) -> float:
    """base^exponent for exponents up to 15, without a branch so that loops over it vectorise."""
    square = base * base
    fourth = square * square
    out = base if exponent & 1 else 1.0
    out *= square if exponent & 2 else 1.0
    out *= fourth if exponent & 4 else 1.0
    return out * (fourth * fourth if exponent & 8 else 1.0)


@kernel(vector=True)
def _measure_near(shapes: Shapes, field: Field, room: EnergyRoom) -> int:
    """Measure the pairs whose capsules are nearer than FAR_M shape by shape; returns how many.

    Fills room.near and, row by row, room.blend and room.witness; room.clearance becomes the
    blended one.
    """
    first, rounds = field.first, field.round
    shape_a, shape_b, allowance = field.shape_a, field.shape_b, field.allowance
    radius, start, points = shapes.radius, shapes.point_start, room.placed.points
    clearances, near, blend, witness = room.clearance, room.near, room.blend, room.witness
    count = 0
    for p in range(clearances.shape[0]):
        coarse = clearances[p]
        if coarse >= FAR_M:
            continue
        best = witness[count]
        if rounds[p] == 1:
            exact = _closest_round(
                points, start, radius, shape_a, shape_b, allowance, first[p], first[p + 1], best
            )
        else:
            exact = _closest(shapes, room.placed, field, p, room.out, best)
        share, slope = 0.0, 0.0  # how much the capsules' clearance counts
        if coarse > NEAR_M:
            x = (coarse - NEAR_M) / (FAR_M - NEAR_M)
            share = x * x * (3.0 - 2.0 * x)
            slope = 6.0 * x * (1.0 - x) / (FAR_M - NEAR_M)
            clearances[p] = share * coarse + (1.0 - share) * exact
            slope *= coarse - exact
        else:
            clearances[p] = exact
        near[count] = p
        blend[count, 0] = 1.0 - share
        blend[count, 1] = share + slope
        count += 1
    return count


@kernel(vector=True)
def _sum_pairs(
    clearance: Floats, weight: Floats, falloff: Ints, push: Floats
) -> tuple[float, float, float]:
    """The energy of all pairs, the largest push and the smallest clearance.

    push (m,) = -dE / d clearance is filled.
    """
    energy, most, least = 0.0, 0.0, np.inf
    for p in range(clearance.shape[0]):
        inverse = 1.0 / max(clearance[p], LEAST_M)
        term = weight[p] * _power(inverse, falloff[p])
        energy += term
        push[p] = falloff[p] * term * inverse
        most = max(most, push[p])
        least = min(least, clearance[p])
    return energy, most, least


@kernel
def _gather_forces(field: Field, room: EnergyRoom, near: int, most: float) -> None:
    """Forces and moments of all pairs on their joints; those too weak to matter are left out."""
    joint, link_a, link_b = field.joint, field.a, field.b
    ends, along, places, pushes = room.ends, room.along, room.places, room.push
    force, moment, witness, blend = room.force, room.moment, room.witness, room.blend
    force[:] = 0.0
    moment[:] = 0.0
    least, row = WEAK * most, 0
    for p in range(link_a.shape[0]):
        is_near = row < near and room.near[row] == p
        row += is_near
        push = -pushes[p]
        if -push <= least:
            continue
        a, b = link_a[p], link_b[p]
        share = 1.0
        if is_near:
            best, f = witness[row - 1], push * blend[row - 1, 0]
            share = blend[row - 1, 1]
            fx, fy, fz = f * best[0], f * best[1], f * best[2]
            _push(force, moment, joint[a], best[3], best[4], best[5], fx, fy, fz)
            _push(force, moment, joint[b], best[6], best[7], best[8], -fx, -fy, -fz)
            if share == 0.0:
                continue
        s, t, i, j = places[0, p], places[1, p], 2 * a, 2 * b
        ax, bx = ends[i, 0] + s * along[a, 0], ends[j, 0] + t * along[b, 0]
        ay, by = ends[i, 1] + s * along[a, 1], ends[j, 1] + t * along[b, 1]
        az, bz = ends[i, 2] + s * along[a, 2], ends[j, 2] + t * along[b, 2]
        x, y, z = ax - bx, ay - by, az - bz
        f = push * share / sqrt(x * x + y * y + z * z)
        _push(force, moment, joint[a], ax, ay, az, f * x, f * y, f * z)
        _push(force, moment, joint[b], bx, by, bz, -f * x, -f * y, -f * z)


@kernel
def _hand_down(
    tree: Tree,
    positions: Floats,
    axes: Floats,
    force: Floats,
    moment: Floats,
    variable: Floats,
    gradient: Floats,
) -> None:
    """gradient (nv) of what pushes with force and moment on the joints; both end up per subtree."""
    parent = tree.parent
    for j in range(parent.shape[0] - 1, -1, -1):
        up = parent[j]
        fx, fy, fz = force[j, 0], force[j, 1], force[j, 2]
        if up >= 0:
            for r in range(3):
                force[up, r] += force[j, r]
                moment[up, r] += moment[j, r]
        x, y, z = positions[j, 0], positions[j, 1], positions[j, 2]
        mx = moment[j, 0] - (y * fz - z * fy)
        my = moment[j, 1] - (z * fx - x * fz)
        mz = moment[j, 2] - (x * fy - y * fx)
        for k in range(tree.v_start[j], tree.v_start[j + 1]):
            if tree.dof_turns[k] == 1:
                along = axes[k, 0] * mx + axes[k, 1] * my + axes[k, 2] * mz
            else:
                along = axes[k, 0] * fx + axes[k, 1] * fy + axes[k, 2] * fz
            gradient[k] = variable[k] * along


@kernel
def place_links(
    tree: Tree, shapes: Shapes, bodies: Bodies, field: Field, q: Floats, room: EnergyRoom
) -> None:
    """Frames at q, the shapes in them, and the clearances of the capsules around all links."""
    forward(tree, q, room.positions, room.rotations)
    if field.simple == 1:
        _move_ends(shapes.joint, shapes.points, room.positions, room.rotations, room.placed.points)
    else:
        place_all(shapes, bodies, room.positions, room.rotations, room.placed)
    ends, along = room.ends, room.along
    _move_ends(field.joint, field.ends, room.positions, room.rotations, ends)
    for i in range(along.shape[0]):
        for r in range(3):
            along[i, r] = ends[2 * i + 1, r] - ends[2 * i, r]
    _capsule_clearances(
        ends,
        along,
        field.square,
        field.inverse,
        field.radius,
        field.a,
        field.b,
        field.offset,
        room.clearance,
        room.places,
    )


@kernel
def energy_gradient(
    tree: Tree,
    shapes: Shapes,
    bodies: Bodies,
    field: Field,
    q: Floats,
    room: EnergyRoom,
    gradient: Floats,
) -> float:
    """E at q and its gradient (nv); room.least holds the smallest clearance."""
    place_links(tree, shapes, bodies, field, q, room)
    near = _measure_near(shapes, field, room)
    energy, most, room.least[0] = _sum_pairs(room.clearance, field.weight, field.falloff, room.push)
    _gather_forces(field, room, near, most)
    motion_axes(tree, room.positions, room.rotations, room.axes)
    _hand_down(tree, room.positions, room.axes, room.force, room.moment, field.variable, gradient)
    return energy


@kernel
def penetrates(
    tree: Tree,
    shapes: Shapes,
    bodies: Bodies,
    field: Field,
    q: Floats,
    slack: float,
    room: EnergyRoom,
) -> bool:
    """Whether some pair of links overlaps by more than `slack` at q; leaves no energy behind."""
    place_links(tree, shapes, bodies, field, q, room)
    shape_a, shape_b, allowance = field.shape_a, field.shape_b, field.allowance
    radius, start, points = shapes.radius, shapes.point_start, room.placed.points
    clearances, first, rounds, best = room.clearance, field.first, field.round, room.witness[0]
    for p in range(clearances.shape[0]):
        if clearances[p] >= -slack:
            continue
        if rounds[p] == 1:
            exact = _closest_round(
                points, start, radius, shape_a, shape_b, allowance, first[p], first[p + 1], best
            )
        else:
            exact = _closest(shapes, room.placed, field, p, room.out, best)
        if exact < -slack:
            return True
    return False

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
from writhe.kernels.gaps import (
    Bodies,
    Placed,
    Shapes,
    gap,
    place_all,
)
from writhe.kernels.jit import kernel
from writhe.kernels.kinematics import Tree, forward, motion_axes
from writhe.kernels.segments import PARALLEL, POINT2

NEAR_M, FAR_M = 0.04, 0.10  # capsule clearance between which the two measures are blended
LEAST_M = 1e-4  # the energy of bodies nearer than this no longer grows, its slope stays


class Field(NamedTuple):
    """Links, their pairs with the shape pairs in each, and what may move."""

    joint: Ints  # (l,) of each link
    ends: Floats  # (2 l, 3) of the capsule around each link, in its joint's frame
    radius: Floats  # (l,) of that capsule, infinite for a half-space
    a: Ints  # (m,) links of each pair
    b: Ints  # (m,)
    weight: Floats  # (m,) 0: the pair is left out
    falloff: Ints  # (m,) d
    offset: Floats  # (m,) allowance of the capsules, metres
    first: Ints  # (m + 1,) rows of what follows
    shape_a: Ints  # (k,)
    shape_b: Ints  # (k,)
    allowance: Floats  # (k,)
    round: Ints  # (m,) 1: the cores of all shapes in the pair are segments
    variable: Floats  # (nv,) 1: may change, 0: held


class EnergyRoom(NamedTuple):
    """Working space of one evaluation; the frames stay filled for whoever needs them next."""

    positions: Floats  # (n, 3)
    rotations: Floats  # (n, 3, 3)
    axes: Floats  # (nv, 3)
    placed: Placed
    ends: Floats  # (2 l, 3) of the links' capsules in the world
    force: Floats  # (n, 3)
    moment: Floats  # (n, 3) about the world's origin
    capsule_clearance: Floats  # (m,)
    capsule_places: Floats  # (2, m)
    out: Floats  # (9,)
    best: Floats  # (9,)
    least: Floats  # (1,) the smallest clearance
    nearest: Ints  # (1,) the pair that has it


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


@kernel(vector=True)
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
    radius: Floats,
    a: Ints,
    b: Ints,
    offset: Floats,
    clearance: Floats,
    places: Floats,
) -> None:
    """clearance (m) of the capsules around all pairs of links; places (2, m) on their axes."""
    for p in range(a.shape[0]):
        distance, s, t = _nearest_places(ends, 2 * a[p], 2 * b[p])
        clearance[p] = distance - radius[a[p]] - radius[b[p]] + offset[p]
        places[0, p] = s
        places[1, p] = t


@kernel(inline=True)
def _power(base: float, exponent: int) -> float:
    out = 1.0
    for _ in range(exponent):
        out *= base
    return out


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


@kernel(vector=True)
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
    positions, rotations, axes, placed = room.positions, room.rotations, room.axes, room.placed
    force, moment, out, best, ends = room.force, room.moment, room.out, room.best, room.ends
    forward(tree, q, positions, rotations)
    motion_axes(tree, positions, rotations, axes)
    place_all(shapes, bodies, positions, rotations, placed)
    force[:] = 0.0
    moment[:] = 0.0
    joint, around = field.joint, field.radius
    _move_ends(joint, field.ends, positions, rotations, ends)
    link_a, link_b, first = field.a, field.b, field.first
    shape_a, shape_b, allowance = field.shape_a, field.shape_b, field.allowance
    radius, start, points, rounds = shapes.radius, shapes.point_start, placed.points, field.round
    weights, falloff, offset = field.weight, field.falloff, field.offset
    coarses, places = room.capsule_clearance, room.capsule_places
    _capsule_clearances(ends, around, link_a, link_b, offset, coarses, places)
    energy, least, nearest = 0.0, np.inf, -1
    for p in range(link_a.shape[0]):
        weight = weights[p]
        if weight == 0.0:
            continue
        a, b = link_a[p], link_b[p]
        coarse, share, slope = 0.0, 0.0, 0.0  # share: how much the capsules' distance counts
        ax, ay, az, bx, by, bz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        nx, ny, nz = 0.0, 0.0, 0.0
        if around[b] < np.inf:
            coarse = coarses[p]
            if coarse > NEAR_M:
                s, t = places[0, p], places[1, p]
                i, j = 2 * a, 2 * b
                ax = ends[i, 0] + s * (ends[i + 1, 0] - ends[i, 0])
                ay = ends[i, 1] + s * (ends[i + 1, 1] - ends[i, 1])
                az = ends[i, 2] + s * (ends[i + 1, 2] - ends[i, 2])
                bx = ends[j, 0] + t * (ends[j + 1, 0] - ends[j, 0])
                by = ends[j, 1] + t * (ends[j + 1, 1] - ends[j, 1])
                bz = ends[j, 2] + t * (ends[j + 1, 2] - ends[j, 2])
                distance = coarse + around[a] + around[b] - offset[p]
                nx, ny, nz = (ax - bx) / distance, (ay - by) / distance, (az - bz) / distance
                share = 1.0
                if coarse < FAR_M:
                    x = (coarse - NEAR_M) / (FAR_M - NEAR_M)
                    share = x * x * (3.0 - 2.0 * x)
                    slope = 6.0 * x * (1.0 - x) / (FAR_M - NEAR_M)
        clearance = coarse
        if share < 1.0:
            if rounds[p] == 1:
                exact = _closest_round(
                    points, start, radius, shape_a, shape_b, allowance, first[p], first[p + 1], best
                )
            else:
                exact = _closest(shapes, placed, field, p, out, best)
            clearance = share * coarse + (1.0 - share) * exact
            slope *= coarse - exact
        if clearance < least:
            least, nearest = clearance, p
        held = max(clearance, LEAST_M)
        d = falloff[p]
        term = weight / _power(held, d)
        energy += term
        push = -d * term / held
        if share < 1.0:
            f = push * (1.0 - share)
            fx, fy, fz = f * best[0], f * best[1], f * best[2]
            _push(force, moment, joint[a], best[3], best[4], best[5], fx, fy, fz)
            _push(force, moment, joint[b], best[6], best[7], best[8], -fx, -fy, -fz)
        if share > 0.0:
            f = push * (share + slope)
            fx, fy, fz = f * nx, f * ny, f * nz
            _push(force, moment, joint[a], ax, ay, az, fx, fy, fz)
            _push(force, moment, joint[b], bx, by, bz, -fx, -fy, -fz)
    room.least[0] = least
    room.nearest[0] = nearest
    _hand_down(tree, positions, axes, force, moment, field.variable, gradient)
    return energy

"""The repulsive energy of a posture and its gradient with respect to the tangent step.

    E = sum over pairs of links  w / c^d

(He Wang, Ho and Komura, "An Energy-driven Motion Planning Method for Two Distant Postures", Eqs. 1
and 2), with c the clearance of two links in metres: the smallest gap of their shapes plus its
allowance. A link is the set of all shapes of one joint. Near links are measured shape by shape, far
ones by their bounding capsules, with a smooth blend in between. The gradient sums forces and
moments on the joints and accumulates them up the tree, so that it costs one pass over the joints
whatever the number of pairs.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.collision.segment_distance import PARALLEL, POINT2
from writhe.kernels.collision.shape_gaps import Bodies, PlacedShapes, Shapes, gap, place_shapes
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import Tree, forward, motion_axes

NEAR_M, FAR_M = 0.04, 0.10  # range of capsule clearance in which both measures are blended
NEGLIGIBLE_PUSH = 1e-8  # relative to the largest; smaller ones hardly change the gradient
MIN_CLEARANCE_M = 1e-4  # smaller clearances have the energy and slope of this one


class RepulsiveField(NamedTuple):
    """l links, their m pairs with k shape pairs in all, and the variable degrees of freedom."""

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
    first: Ints  # (m + 1,) range of each pair in the next three arrays
    shape_a: Ints  # (k,)
    shape_b: Ints  # (k,)
    allowance: Floats  # (k,)
    segment_cores: Ints  # (m,) 1: the cores of all shapes in the pair are segments
    all_segments: int  # 1: the cores of all shapes are segments
    variable: Floats  # (nv,) 1: variable, 0: fixed


class EnergyWorkspace(NamedTuple):
    """Preallocated arrays of one evaluation; frames and axes stay filled for the caller."""

    positions: Floats  # (n, 3)
    rotations: Floats  # (n, 3, 3)
    axes: Floats  # (nv, 3)
    placed: PlacedShapes
    ends: Floats  # (2 l, 3) of the links' capsules in the world
    along: Floats  # (l, 3) from end to end
    force: Floats  # (n, 3)
    moment: Floats  # (n, 3) about the world's origin
    clearance: Floats  # (m,) of the pairs
    axis_parameters: Floats  # (2, m) nearest points on the capsule axes, as parameters in [0, 1]
    push: Floats  # (m,) -dE / d clearance
    near: Ints  # (m,) the pairs measured shape by shape
    blend: Floats  # (m, 2) of those: weights of the exact and of the capsule clearance
    witness: Floats  # (m, 9) of those: unit normal from b to a, nearest points on both cores
    out: Floats  # (9,)
    min_clearance: Floats  # (1,) the smallest clearance


@kernel(inline=True)
def _add_force(
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
    """Add a force at a world point (x, y, z) to the force and moment of its joint."""
    force[joint, 0] += fx
    force[joint, 1] += fy
    force[joint, 2] += fz
    moment[joint, 0] += y * fz - z * fy
    moment[joint, 1] += z * fx - x * fz
    moment[joint, 2] += x * fy - y * fx


@kernel(vector=True, inline=True)
def _segment_distance(points: Floats, i: int, j: int) -> tuple[float, float, float]:
    """Distance of the segments at rows i and j, and the parameters s, t of their nearest points.

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
def _points_to_world(
    joint: Ints, ends: Floats, positions: Floats, rotations: Floats, out: Floats
) -> None:
    """out (k, 3): points `ends` (k, 3), two consecutive ones per joint, in the world frame."""
    for i in range(ends.shape[0]):
        j = joint[i // 2]
        x, y, z = ends[i, 0], ends[i, 1], ends[i, 2]
        for r in range(3):
            turned = rotations[j, r, 0] * x + rotations[j, r, 1] * y + rotations[j, r, 2] * z
            out[i, r] = positions[j, r] + turned


@kernel(vector=True, inline=True)
def _closest_segments(
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
    """The least clearance (m) of the shape pairs first .. last-1, whose cores are all segments.

    best (9): unit normal from b to a, nearest point on core a, on core b, world frame.
    """
    least, closest, s_best, t_best, distance_best = np.inf, -1, 0.0, 0.0, 0.0
    for k in range(first, last):
        i, j = shape_a[k], shape_b[k]
        distance, s, t = _segment_distance(points, start[i], start[j])
        clearance = distance + allowance[k] - radius[i] - radius[j]
        if clearance < least:
            least, closest, s_best, t_best, distance_best = clearance, k, s, t, distance
    i, j = start[shape_a[closest]], start[shape_b[closest]]
    for c in range(3):
        best[3 + c] = points[i, c] + s_best * (points[i + 1, c] - points[i, c])
        best[6 + c] = points[j, c] + t_best * (points[j + 1, c] - points[j, c])
        best[c] = (best[3 + c] - best[6 + c]) / max(distance_best, 1e-12)
    return least


@kernel
def _closest(
    shapes: Shapes, placed: PlacedShapes, field: RepulsiveField, p: int, out: Floats, best: Floats
) -> float:
    """As `_closest_segments`, for pair p of links with any shapes."""
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
    axis_parameters: Floats,
) -> None:
    """clearance (m): that of the capsules around all pairs of links, metres.

    axis_parameters (2, m) are the nearest points on their axes. As `_segment_distance`, with the
    values of one link computed once: along (l, 3) is the axis from end to end, square (l,) its
    squared length, inverse (l,) the inverse of that.
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
        axis_parameters[0, p] = s
        axis_parameters[1, p] = t


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
def _measure_near_links(shapes: Shapes, field: RepulsiveField, workspace: EnergyWorkspace) -> int:
    """Measure the pairs with capsule clearance below FAR_M shape by shape; returns how many.

    Fills workspace.near and, row by row, workspace.blend and workspace.witness; workspace.clearance
    becomes the blend of exact and capsule clearance.
    """
    first, segment_cores = field.first, field.segment_cores
    shape_a, shape_b, allowance = field.shape_a, field.shape_b, field.allowance
    radius, start, points = shapes.radius, shapes.point_start, workspace.placed.points
    clearances, near, blend, witness = (
        workspace.clearance,
        workspace.near,
        workspace.blend,
        workspace.witness,
    )
    count = 0
    for p in range(clearances.shape[0]):
        coarse = clearances[p]
        if coarse >= FAR_M:
            continue
        best = witness[count]
        if segment_cores[p] == 1:
            exact = _closest_segments(
                points, start, radius, shape_a, shape_b, allowance, first[p], first[p + 1], best
            )
        else:
            exact = _closest(shapes, workspace.placed, field, p, workspace.out, best)
        share, slope = 0.0, 0.0  # weight of the capsule clearance, and its derivative
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
    energy, max_push, least = 0.0, 0.0, np.inf
    for p in range(clearance.shape[0]):
        inverse = 1.0 / max(clearance[p], MIN_CLEARANCE_M)
        term = weight[p] * _power(inverse, falloff[p])
        energy += term
        push[p] = falloff[p] * term * inverse
        max_push = max(max_push, push[p])
        least = min(least, clearance[p])
    return energy, max_push, least


@kernel
def _gather_forces(
    field: RepulsiveField, workspace: EnergyWorkspace, near: int, max_push: float
) -> None:
    """Sum the forces and moments of all pairs on their joints; negligible ones are left out."""
    joint, link_a, link_b = field.joint, field.a, field.b
    ends, along, axis_parameters, pushes = (
        workspace.ends,
        workspace.along,
        workspace.axis_parameters,
        workspace.push,
    )
    force, moment, witness, blend = (
        workspace.force,
        workspace.moment,
        workspace.witness,
        workspace.blend,
    )
    force[:] = 0.0
    moment[:] = 0.0
    least, row = NEGLIGIBLE_PUSH * max_push, 0
    for p in range(link_a.shape[0]):
        is_near = row < near and workspace.near[row] == p
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
            _add_force(force, moment, joint[a], best[3], best[4], best[5], fx, fy, fz)
            _add_force(force, moment, joint[b], best[6], best[7], best[8], -fx, -fy, -fz)
            if share == 0.0:
                continue
        s, t, i, j = axis_parameters[0, p], axis_parameters[1, p], 2 * a, 2 * b
        ax, bx = ends[i, 0] + s * along[a, 0], ends[j, 0] + t * along[b, 0]
        ay, by = ends[i, 1] + s * along[a, 1], ends[j, 1] + t * along[b, 1]
        az, bz = ends[i, 2] + s * along[a, 2], ends[j, 2] + t * along[b, 2]
        x, y, z = ax - bx, ay - by, az - bz
        f = push * share / sqrt(x * x + y * y + z * z)
        _add_force(force, moment, joint[a], ax, ay, az, f * x, f * y, f * z)
        _add_force(force, moment, joint[b], bx, by, bz, -f * x, -f * y, -f * z)


@kernel
def _forces_to_gradient(
    tree: Tree,
    positions: Floats,
    axes: Floats,
    force: Floats,
    moment: Floats,
    variable: Floats,
    gradient: Floats,
) -> None:
    """gradient (nv) of forces and moments (n, 3) on the joints, about the world origin.

        gradient_k = s_k . (m - p_j x f)  if k turns,   s_k . f  if it slides,

    f and m being summed over the subtree of joint j; the input arrays become these sums.
    """
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
    tree: Tree,
    shapes: Shapes,
    bodies: Bodies,
    field: RepulsiveField,
    q: Floats,
    workspace: EnergyWorkspace,
) -> None:
    """Compute joint frames and world shapes at q, and the capsule clearances of all links."""
    forward(tree, q, workspace.positions, workspace.rotations)
    if field.all_segments == 1:
        _points_to_world(
            shapes.joint,
            shapes.points,
            workspace.positions,
            workspace.rotations,
            workspace.placed.points,
        )
    else:
        place_shapes(shapes, bodies, workspace.positions, workspace.rotations, workspace.placed)
    ends, along = workspace.ends, workspace.along
    _points_to_world(field.joint, field.ends, workspace.positions, workspace.rotations, ends)
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
        workspace.clearance,
        workspace.axis_parameters,
    )


@kernel
def energy_gradient(
    tree: Tree,
    shapes: Shapes,
    bodies: Bodies,
    field: RepulsiveField,
    q: Floats,
    workspace: EnergyWorkspace,
    gradient: Floats,
) -> float:
    """E at q (nq), and its gradient (nv) with respect to the tangent step.

    workspace.min_clearance holds the smallest clearance, metres.
    """
    place_links(tree, shapes, bodies, field, q, workspace)
    near = _measure_near_links(shapes, field, workspace)
    energy, max_push, workspace.min_clearance[0] = _sum_pairs(
        workspace.clearance, field.weight, field.falloff, workspace.push
    )
    _gather_forces(field, workspace, near, max_push)
    motion_axes(tree, workspace.positions, workspace.rotations, workspace.axes)
    _forces_to_gradient(
        tree,
        workspace.positions,
        workspace.axes,
        workspace.force,
        workspace.moment,
        field.variable,
        gradient,
    )
    return energy


@kernel
def penetrates(
    tree: Tree,
    shapes: Shapes,
    bodies: Bodies,
    field: RepulsiveField,
    q: Floats,
    slack: float,
    workspace: EnergyWorkspace,
) -> bool:
    """Whether a pair of links penetrates by more than `slack` (metres) at q; computes no energy."""
    place_links(tree, shapes, bodies, field, q, workspace)
    shape_a, shape_b, allowance = field.shape_a, field.shape_b, field.allowance
    radius, start, points = shapes.radius, shapes.point_start, workspace.placed.points
    clearances, first, segment_cores, best = (
        workspace.clearance,
        field.first,
        field.segment_cores,
        workspace.witness[0],
    )
    for p in range(clearances.shape[0]):
        if clearances[p] >= -slack:
            continue
        if segment_cores[p] == 1:
            exact = _closest_segments(
                points, start, radius, shape_a, shape_b, allowance, first[p], first[p + 1], best
            )
        else:
            exact = _closest(shapes, workspace.placed, field, p, workspace.out, best)
        if exact < -slack:
            return True
    return False

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
from writhe.kernels.collision.shape_gaps import Bodies, PlacedShapes, Shapes, gap, place_shapes
from writhe.kernels.jit import kernel
from writhe.kernels.planning.link_clearances import (
    capsule_clearances,
    closest_segments,
    points_to_world,
)
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


@kernel
def _closest(
    shapes: Shapes, placed: PlacedShapes, field: RepulsiveField, p: int, out: Floats, best: Floats
) -> float:
    """As `closest_segments`, for pair p of links with any shapes."""
    least = np.inf
    for k in range(field.first[p], field.first[p + 1]):
        clearance = gap(shapes, placed, field.shape_a[k], field.shape_b[k], out)
        clearance += field.allowance[k]
        if clearance < least:
            least = clearance
            best[:] = out
    return least


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
            exact = closest_segments(
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
        points_to_world(
            shapes.joint,
            shapes.points,
            workspace.positions,
            workspace.rotations,
            workspace.placed.points,
        )
    else:
        place_shapes(shapes, bodies, workspace.positions, workspace.rotations, workspace.placed)
    ends, along = workspace.ends, workspace.along
    points_to_world(field.joint, field.ends, workspace.positions, workspace.rotations, ends)
    for i in range(along.shape[0]):
        for r in range(3):
            along[i, r] = ends[2 * i + 1, r] - ends[2 * i, r]
    capsule_clearances(
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
            exact = closest_segments(
                points, start, radius, shape_a, shape_b, allowance, first[p], first[p + 1], best
            )
        else:
            exact = _closest(shapes, workspace.placed, field, p, workspace.out, best)
        if exact < -slack:
            return True
    return False

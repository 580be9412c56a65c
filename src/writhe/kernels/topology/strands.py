"""Linking of strands that are carried by joints: values, gradients, Jacobians, batches.

A strand is a polyline whose vertices are fixed to joints of a forest (`kinematics.Tree`) or, with
joint -1, to the world. The linking of a pair of strands is the sum of its writhe matrix.

Gradient of that sum. Entry (i, j) of the writhe matrix is the area of a spherical quadrilateral
(see `gauss_linking`); the changes along a shared edge cancel, so

    4 pi d sum = sum over the edges (r, s) of the rim of  e(r, s) . (dr / |r| + ds / |s|)

with the rim running once around the grid of vertex pairs: 2 (m + n) edges instead of m n
quadrilaterals. It is zero for two closed strands, whose linking is an integer. Pairs of segments
that share an end point count as zero in the sum, so their own edges are subtracted.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import NamedTuple

import numpy as np
from numba import prange

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.joint_points import point_in_world
from writhe.kernels.skeleton.kinematics import Tree, forward, motion_axes
from writhe.kernels.topology.gauss_linking import (
    COINCIDENT,
    Scratch,
    edge_normal,
    ends_coincide,
    linking_sum,
    make_scratch,
)

CHUNK = 16  # frames per parallel task


class Strands(NamedTuple):
    """Strands and the pairs to measure, as arrays. Closed strands repeat their first vertex."""

    vertex_joint: Ints  # (vertices,) -1: fixed in the world
    vertex_in_joint: Floats  # (vertices, 3) in the joint's frame, or the world's
    start: Ints  # (strands + 1,) strand s has the vertices start[s] .. start[s + 1] - 1
    pair: Ints  # (pairs, 2) indices of strands


class StrandWorkspace(NamedTuple):
    """Workspace of one posture; made by `make_workspace`."""

    vertices: Floats  # (vertices, 3) in the world
    gradient: Floats  # (vertices, 3)
    wrench: Floats  # (joints, 6, pairs)
    scratch: Scratch


@kernel
def make_workspace(strands: Strands, joint_count: int) -> StrandWorkspace:
    """Allocate the workspace of one thread."""
    vertex_count, pair_count = strands.vertex_joint.shape[0], strands.pair.shape[0]
    return StrandWorkspace(
        np.zeros((vertex_count, 3)),
        np.zeros((vertex_count, 3)),
        np.zeros((joint_count, 6, pair_count)),
        make_scratch(),
    )


@kernel
def strand_vertices(strands: Strands, positions: Floats, rotations: Floats, out: Floats) -> None:
    """World positions out (vertices, 3) for joint frames positions (n, 3), rotations (n, 3, 3)."""
    for k in range(strands.vertex_joint.shape[0]):
        j = strands.vertex_joint[k]
        local = strands.vertex_in_joint[k]
        out[k, 0], out[k, 1], out[k, 2] = point_in_world(
            positions, rotations, j, local[0], local[1], local[2]
        )


@kernel
def strand_linking(strands: Strands, vertices: Floats, scratch: Scratch, out: Floats) -> None:
    """out (pairs): the linking of each pair of strands, from world vertices (vertices, 3)."""
    for p in range(strands.pair.shape[0]):
        s, t = strands.pair[p, 0], strands.pair[p, 1]
        first = vertices[strands.start[s] : strands.start[s + 1]]
        second = vertices[strands.start[t] : strands.start[t + 1]]
        out[p] = linking_sum(first, second, scratch)


@kernel(vector=True)
def _add_side(
    fixed: Floats, line: Floats, sign: float, fixed_gradient: Floats, line_gradient: Floats
) -> None:
    """Add the edges of one side of the rim: from vertex `fixed` (3) to `line` (n + 1, 3)."""
    x, y, z = fixed[0], fixed[1], fixed[2]
    ux, uy, uz = line[0, 0] - x, line[0, 1] - y, line[0, 2] - z
    ul = sqrt(ux * ux + uy * uy + uz * uz)
    u_weight = sign / (4.0 * pi * ul)
    sum_x, sum_y, sum_z = 0.0, 0.0, 0.0
    for k in range(line.shape[0] - 1):
        wx, wy, wz = line[k + 1, 0] - x, line[k + 1, 1] - y, line[k + 1, 2] - z
        wl = sqrt(wx * wx + wy * wy + wz * wz)
        w_weight = sign / (4.0 * pi * wl)
        # an edge that ends in a coincident pair of vertices has no direction there
        if ul > COINCIDENT * wl and wl > COINCIDENT * ul:
            ex, ey, ez = edge_normal(ux, uy, uz, ul, wx, wy, wz, wl)
            line_gradient[k, 0] += u_weight * ex
            line_gradient[k, 1] += u_weight * ey
            line_gradient[k, 2] += u_weight * ez
            line_gradient[k + 1, 0] += w_weight * ex
            line_gradient[k + 1, 1] += w_weight * ey
            line_gradient[k + 1, 2] += w_weight * ez
            both = u_weight + w_weight
            sum_x, sum_y, sum_z = sum_x + both * ex, sum_y + both * ey, sum_z + both * ez
        ux, uy, uz, ul, u_weight = wx, wy, wz, wl, w_weight
    fixed_gradient[0] -= sum_x
    fixed_gradient[1] -= sum_y
    fixed_gradient[2] -= sum_z


@kernel
def _add_rim(
    first: Floats, second: Floats, sign: float, first_gradient: Floats, second_gradient: Floats
) -> None:
    """Add the four sides of the rim of the grid of vertex pairs, times `sign`."""
    m, n = first.shape[0] - 1, second.shape[0] - 1
    _add_side(first[0], second, sign, first_gradient[0], second_gradient)
    _add_side(first[m], second, -sign, first_gradient[m], second_gradient)
    # From `second` the directions are reversed, which changes the sign but not the normal.
    _add_side(second[n], first, -sign, second_gradient[n], first_gradient)
    _add_side(second[0], first, sign, second_gradient[0], first_gradient)


@kernel
def _distance(a: Floats, b: Floats) -> float:
    """|b - a| of two points (3)."""
    x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    return sqrt(x * x + y * y + z * z)


@kernel
def _may_coincide(first: Floats, second: Floats) -> bool:
    """Whether a vertex of one strand may coincide with one of the other; cheap, conservative."""
    reach = 0.0
    for k in range(first.shape[0]):
        reach = max(reach, _distance(first[0], first[k]))
    size = 0.0
    for k in range(second.shape[0]):
        size = max(size, _distance(first[0], second[k]))
    least = COINCIDENT * COINCIDENT * (reach + size) * (reach + size)
    near = 0
    for i in range(first.shape[0]):
        for j in range(second.shape[0]):
            x, y, z = (
                second[j, 0] - first[i, 0],
                second[j, 1] - first[i, 1],
                second[j, 2] - first[i, 2],
            )
            near += x * x + y * y + z * z <= least
    return near > 0


@kernel
def add_linking_gradient(
    first: Floats, second: Floats, first_gradient: Floats, second_gradient: Floats
) -> None:
    """Add d linking / d vertex to (m + 1, 3) and (n + 1, 3); capped close to contact."""
    _add_rim(first, second, 1.0, first_gradient, second_gradient)
    if not _may_coincide(first, second):
        return
    # Segment pairs that share an end point count as zero: subtract their rims.
    for i in range(first.shape[0] - 1):
        for j in range(second.shape[0] - 1):
            one, two = slice(i, i + 2), slice(j, j + 2)
            if ends_coincide(
                _distance(first[i], second[j]),
                _distance(first[i], second[j + 1]),
                _distance(first[i + 1], second[j + 1]),
                _distance(first[i + 1], second[j]),
            ):
                _add_rim(first[one], second[two], -1.0, first_gradient[one], second_gradient[two])


@kernel
def _project(tree: Tree, positions: Floats, axes: Floats, wrench: Floats, out: Floats) -> None:
    """out (pairs, nv) = J^T of the wrenches (n, 6, pairs): force, moment about the origin.

    The wrenches are overwritten. Pairs are the last axis, so that the inner loops run over memory
    in order and are vectorised.
    """
    pairs = wrench.shape[2]
    for j in range(tree.parent.shape[0] - 1, -1, -1):
        parent, x, y, z = tree.parent[j], positions[j, 0], positions[j, 1], positions[j, 2]
        force_x, force_y, force_z = wrench[j, 0], wrench[j, 1], wrench[j, 2]
        moment_x, moment_y, moment_z = wrench[j, 3], wrench[j, 4], wrench[j, 5]
        if parent >= 0:
            for r in range(6):
                total, part = wrench[parent, r], wrench[j, r]
                for p in range(pairs):
                    total[p] += part[p]
        for p in range(pairs):
            moment_x[p] -= y * force_z[p] - z * force_y[p]
            moment_y[p] -= z * force_x[p] - x * force_z[p]
            moment_z[p] -= x * force_y[p] - y * force_x[p]
        for k in range(tree.v_start[j], tree.v_start[j + 1]):
            ax, ay, az = axes[k, 0], axes[k, 1], axes[k, 2]
            if tree.dof_turns[k] == 1:
                for p in range(pairs):
                    out[p, k] = ax * moment_x[p] + ay * moment_y[p] + az * moment_z[p]
            else:
                for p in range(pairs):
                    out[p, k] = ax * force_x[p] + ay * force_y[p] + az * force_z[p]


@kernel
def linking_with_jacobian(
    tree: Tree,
    strands: Strands,
    positions: Floats,
    rotations: Floats,
    axes: Floats,
    work: StrandWorkspace,
    values: Floats,
    jacobian: Floats,
) -> None:
    """values (pairs) and jacobian (pairs, nv) = d values / d v, from frames and motion axes."""
    vertices, gradient, wrench = work.vertices, work.gradient, work.wrench
    strand_vertices(strands, positions, rotations, vertices)
    strand_linking(strands, vertices, work.scratch, values)
    wrench[:] = 0.0
    for p in range(strands.pair.shape[0]):
        gradient[:] = 0.0
        s, t = strands.pair[p, 0], strands.pair[p, 1]
        s0, s1 = strands.start[s], strands.start[s + 1]
        t0, t1 = strands.start[t], strands.start[t + 1]
        add_linking_gradient(vertices[s0:s1], vertices[t0:t1], gradient[s0:s1], gradient[t0:t1])
        for k in range(strands.vertex_joint.shape[0]):
            j = strands.vertex_joint[k]
            if j < 0 or not (s0 <= k < s1 or t0 <= k < t1):
                continue
            fx, fy, fz = gradient[k, 0], gradient[k, 1], gradient[k, 2]
            x, y, z = vertices[k, 0], vertices[k, 1], vertices[k, 2]
            wrench[j, 0, p] += fx
            wrench[j, 1, p] += fy
            wrench[j, 2, p] += fz
            wrench[j, 3, p] += y * fz - z * fy
            wrench[j, 4, p] += z * fx - x * fz
            wrench[j, 5, p] += x * fy - y * fx
    _project(tree, positions, axes, wrench, jacobian)


@kernel(parallel=True)
def linking_batch(tree: Tree, strands: Strands, q: Floats, out: Floats) -> None:
    """out (frames, pairs): the linking at each row of q (frames, nq), on all cores."""
    frames, n = q.shape[0], tree.parent.shape[0]
    for chunk in prange((frames + CHUNK - 1) // CHUNK):
        work = make_workspace(strands, n)
        positions, rotations = np.empty((n, 3)), np.empty((n, 3, 3))
        for frame in range(chunk * CHUNK, min(frames, (chunk + 1) * CHUNK)):
            forward(tree, q[frame], positions, rotations)
            strand_vertices(strands, positions, rotations, work.vertices)
            strand_linking(strands, work.vertices, work.scratch, out[frame])


@kernel(parallel=True)
def linking_with_jacobian_batch(
    tree: Tree, strands: Strands, q: Floats, values: Floats, jacobian: Floats
) -> None:
    """values (frames, pairs) and jacobian (frames, pairs, nv) at each row of q, on all cores."""
    frames, n, nv = q.shape[0], tree.parent.shape[0], tree.dof_joint.shape[0]
    for chunk in prange((frames + CHUNK - 1) // CHUNK):
        work = make_workspace(strands, n)
        positions, rotations, axes = np.empty((n, 3)), np.empty((n, 3, 3)), np.empty((nv, 3))
        for frame in range(chunk * CHUNK, min(frames, (chunk + 1) * CHUNK)):
            forward(tree, q[frame], positions, rotations)
            motion_axes(tree, positions, rotations, axes)
            linking_with_jacobian(
                tree, strands, positions, rotations, axes, work, values[frame], jacobian[frame]
            )

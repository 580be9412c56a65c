"""Rows for a pair of polylines: linking, topology coordinates, writhe matrix entries.

The polylines are ranges of the vertices of `quantity_rows.Program`: data = (i, M, j, N) means the M
vertices from i on and the N vertices from j on; `entry_rows` reads a fifth number. Their writhe
matrix is (m, n) with m = M - 1 and n = N - 1 segments. In the code, `rows` is M.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.joint_points import point_in_world
from writhe.kernels.skeleton.kinematics import Tree, add_point_gradient
from writhe.kernels.topology.gauss_linking import Scratch, linking_matrix_gradients, linking_sum
from writhe.kernels.topology.strands import add_linking_gradient
from writhe.kernels.topology.topology_coordinates import coordinate_gradients


class VertexPool(NamedTuple):
    """The k vertices of all polylines."""

    joint: Ints  # (k,) -1 for the world
    in_joint: Floats  # (k, 3) position in that joint's frame


@kernel
def _place_vertices(
    pool: VertexPool,
    positions: Floats,
    rotations: Floats,
    data: Floats,
    joints: Ints,
    points: Floats,
) -> None:
    """joints (M + N) and world points (M + N, 3) of the vertices of both polylines."""
    first, second, rows = int(data[0]), int(data[2]), int(data[1])
    for k in range(joints.shape[0]):
        vertex = first + k if k < rows else second + k - rows
        joint = pool.joint[vertex]
        joints[k] = joint
        local = pool.in_joint[vertex]
        points[k, 0], points[k, 1], points[k, 2] = point_in_world(
            positions, rotations, joint, local[0], local[1], local[2]
        )


@kernel
def linking_row(
    tree: Tree,
    pool: VertexPool,
    positions: Floats,
    rotations: Floats,
    axes: Floats,
    data: Floats,
    scratch: Scratch,
    row: Floats,
) -> float:
    """The Gauss linking integral of two polylines; adds its derivative to row (nv).

    row = sum over vertices x of dG/dx . dx/dv (docs/notation.md).
    """
    rows, count = int(data[1]), int(data[1]) + int(data[3])
    joints, points, gradients = (
        np.empty(count, np.int64),
        np.empty((count, 3)),
        np.zeros((count, 3)),
    )
    _place_vertices(pool, positions, rotations, data, joints, points)
    value = linking_sum(points[:rows], points[rows:], scratch)
    add_linking_gradient(points[:rows], points[rows:], gradients[:rows], gradients[rows:])
    for k in range(count):
        x, y, z = points[k, 0], points[k, 1], points[k, 2]
        gx, gy, gz = gradients[k, 0], gradients[k, 1], gradients[k, 2]
        add_point_gradient(tree, positions, axes, joints[k], x, y, z, gx, gy, gz, row)
    return value


@kernel
def coordinate_rows(
    tree: Tree,
    pool: VertexPool,
    positions: Floats,
    rotations: Floats,
    axes: Floats,
    data: Floats,
    scratch: Scratch,
    values: Floats,
    jacobian: Floats,
) -> None:
    """values (4): writhe, centre (2), density (`topology_coordinates`); jacobian (4, nv).

    Ho and Komura 2009; the derivative is by the chain rule over writhe matrix entries and vertices.
    """
    rows, count = int(data[1]), int(data[1]) + int(data[3])
    m, n = rows - 1, count - rows - 1
    joints, points = np.empty(count, np.int64), np.empty((count, 3))
    _place_vertices(pool, positions, rotations, data, joints, points)
    matrix, by_vertex, by_entry = np.empty((m, n)), np.empty((4, 3, m, n)), np.empty((4, m, n))
    linking_matrix_gradients(points[:rows], points[rows:], scratch, matrix, by_vertex)
    coordinate_gradients(matrix, values, by_entry)
    gradient = np.zeros((count, 3))
    for c in range(4):
        gradient[:] = 0.0
        for i in range(m):
            for j in range(n):
                weight = by_entry[c, i, j]
                for r in range(3):
                    gradient[i, r] += weight * by_vertex[0, r, i, j]
                    gradient[i + 1, r] += weight * by_vertex[1, r, i, j]
                    gradient[rows + j, r] += weight * by_vertex[2, r, i, j]
                    gradient[rows + j + 1, r] += weight * by_vertex[3, r, i, j]
        for k in range(count):
            x, y, z = points[k, 0], points[k, 1], points[k, 2]
            gx, gy, gz = gradient[k, 0], gradient[k, 1], gradient[k, 2]
            add_point_gradient(tree, positions, axes, joints[k], x, y, z, gx, gy, gz, jacobian[c])


@kernel
def entry_rows(
    tree: Tree,
    pool: VertexPool,
    positions: Floats,
    rotations: Floats,
    axes: Floats,
    data: Floats,
    scratch: Scratch,
    values: Floats,
    jacobian: Floats,
) -> None:
    """Adds to values (m/k n/k) the writhe matrix, row by row, and to jacobian (m/k n/k, nv).

    k = data[4]: blocks of k x k entries are summed, since the strands have k pieces per bone.
    """
    rows, count, pieces = int(data[1]), int(data[1]) + int(data[3]), int(data[4])
    m, n = rows - 1, count - rows - 1
    joints, points = np.empty(count, np.int64), np.empty((count, 3))
    _place_vertices(pool, positions, rotations, data, joints, points)
    matrix, by_vertex = np.empty((m, n)), np.empty((4, 3, m, n))
    linking_matrix_gradients(points[:rows], points[rows:], scratch, matrix, by_vertex)
    ends = np.empty(4, np.int64)
    for i in range(m):
        for j in range(n):
            out = (i // pieces) * (n // pieces) + j // pieces
            values[out] += matrix[i, j]
            ends[0], ends[1], ends[2], ends[3] = i, i + 1, rows + j, rows + j + 1
            for e in range(4):
                k = ends[e]
                add_point_gradient(
                    tree,
                    positions,
                    axes,
                    joints[k],
                    points[k, 0],
                    points[k, 1],
                    points[k, 2],
                    by_vertex[e, 0, i, j],
                    by_vertex[e, 1, i, j],
                    by_vertex[e, 2, i, j],
                    jacobian[out],
                )

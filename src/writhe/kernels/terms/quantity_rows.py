"""One kernel that evaluates the rows of all quantities: values and derivatives.

A compiled quantity is an operation code, two joints and a few numbers:

| operation   | rows | value                                                        | data   |
|-------------|------|--------------------------------------------------------------|--------|
| POINT       | 3    | point p of a, in the world or in b's frame, metres           | p      |
| DIRECTION   | 3    | direction d of a, in the world or in b's frame               | d      |
| ORIENTATION | 3    | log(t^-1 R), R of a in the world or in b's frame             | t (4)  |
| PLANE       | 1    | n . point p of a - h; plane in the world or in b's frame     | p n h  |
| SEPARATION  | 1    | distance between point p of a and point s of b               | p s    |
| COORDINATE  | 1    | hinge angle, slide, or one of (twist, swing_y, swing_z) of a | i F(4) |
| SWING       | 1    | swing extent of ball joint a (1: on its ellipse)             | F l u  |
| POSTURE     | 1, 3 | log(r^-1 q) of a hinge, slide or ball joint a                | r (4)  |
| FREE_POSE   | 6    | translation and log(r^-1 q) of free joint a                  | r (7)  |
| CENTRE      | 3    | centre of mass of the joints a .. b-1                        |        |
| GAP         | 1    | distance of segments p s of a and t u of b, less radii h     | p s t u h |
| LINKING     | 1    | linking of two polylines of the vertex pool                  | i m j n |
| TANGLE      | 4    | their topology coordinates: writhe, centre (2), density      | i m j n |
| ENTRIES     | many | the entries of their writhe matrix, k x k of them summed     | i m j n k |

Joint b is -1 for the world. Units are metres and radians; derivatives are by the tangent step v.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.collision.segment_distance import segment_parameters
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.joint_limits import swing_extent, swing_twist, swing_twist_jacobian
from writhe.kernels.skeleton.joint_points import direction_in_world, point_in_world
from writhe.kernels.skeleton.kinematics import BALL, FREE, Tree, add_point_gradient
from writhe.kernels.skeleton.rotation import (
    inverse_right_jacobian,
    matrix_to_quaternion,
    quaternion_difference,
)
from writhe.kernels.terms.jacobian_columns import (
    add_direction_columns,
    add_point_columns,
    add_rotation_columns,
    multiply_rows,
)
from writhe.kernels.terms.tangle_rows import VertexPool, coordinate_rows, entry_rows, linking_row
from writhe.kernels.topology.gauss_linking import make_scratch

(
    POINT,
    DIRECTION,
    ORIENTATION,
    PLANE,
    SEPARATION,
    COORDINATE,
    SWING,
    POSTURE,
    FREE_POSE,
    CENTRE,
    GAP,
    LINKING,
    TANGLE,
    ENTRIES,
) = range(14)
DATA_SIZE = 13


class Program(NamedTuple):
    """m compiled quantities with R rows in all; see the table of the module."""

    operation: Ints  # (m,)
    joint_a: Ints  # (m,)
    joint_b: Ints  # (m,)
    data: Floats  # (m, DATA_SIZE)
    row_start: Ints  # (m + 1,) rows of each quantity
    vertex_joint: Ints  # (k,) joint of each polyline vertex, -1 for the world
    vertex_in_joint: Floats  # (k, 3) its position in that joint's frame


@kernel
def _point_rows(
    tree: Tree,
    positions: Floats,
    rotations: Floats,
    axes: Floats,
    a: int,
    b: int,
    data: Floats,
    values: Floats,
    rows: Floats,
) -> None:
    """A point of a, in the world (b = -1) or in b's frame: R_b^T (x_a - p_b). Metres."""
    x, y, z = point_in_world(positions, rotations, a, data[0], data[1], data[2])
    add_point_columns(tree, positions, axes, a, x, y, z, 1.0, rows)
    if b < 0:
        values[0], values[1], values[2] = x, y, z
    else:
        # the motion of b's frame is that of the same world point carried by b
        add_point_columns(tree, positions, axes, b, x, y, z, -1.0, rows)
        multiply_rows(rotations[b], True, rows)
        dx, dy, dz = x - positions[b, 0], y - positions[b, 1], z - positions[b, 2]
        for r in range(3):
            values[r] = rotations[b, 0, r] * dx + rotations[b, 1, r] * dy + rotations[b, 2, r] * dz


@kernel
def _direction_rows(
    tree: Tree,
    rotations: Floats,
    axes: Floats,
    a: int,
    b: int,
    data: Floats,
    values: Floats,
    rows: Floats,
) -> None:
    """A direction of a, in the world (b = -1) or in b's frame."""
    x, y, z = direction_in_world(rotations, a, data[0], data[1], data[2])
    add_direction_columns(tree, axes, a, x, y, z, 1.0, rows)
    if b < 0:
        values[0], values[1], values[2] = x, y, z
        return
    add_direction_columns(tree, axes, b, x, y, z, -1.0, rows)
    multiply_rows(rotations[b], True, rows)
    for r in range(3):
        values[r] = rotations[b, 0, r] * x + rotations[b, 1, r] * y + rotations[b, 2, r] * z


@kernel
def _orientation_rows(
    tree: Tree,
    rotations: Floats,
    axes: Floats,
    a: int,
    b: int,
    data: Floats,
    values: Floats,
    rows: Floats,
) -> None:
    """log(target^-1 R), R = R_a or R_b^T R_a; d = J_r^-1 R_a^T (w_a - w_b)."""
    relative = np.empty((3, 3))
    if b < 0:
        relative[:] = rotations[a]
    else:
        for r in range(3):
            for c in range(3):
                relative[r, c] = (
                    rotations[b, 0, r] * rotations[a, 0, c]
                    + rotations[b, 1, r] * rotations[a, 1, c]
                    + rotations[b, 2, r] * rotations[a, 2, c]
                )
    q = np.empty(4)
    matrix_to_quaternion(relative, q)
    quaternion_difference(data[:4], q, values)
    add_rotation_columns(tree, axes, a, rotations[a], 1.0, rows)
    if b >= 0:
        add_rotation_columns(tree, axes, b, rotations[a], -1.0, rows)
    inverse_right_jacobian(values[0], values[1], values[2], relative)
    multiply_rows(relative, False, rows)


@kernel
def _posture_rows(
    q: Floats, q_at: int, v_at: int, reference: Floats, values: Floats, rows: Floats
) -> None:
    """log(reference^-1 q) of the quaternion at q[at:], columns vt .. vt+2."""
    quaternion_difference(reference, q[q_at : q_at + 4], values)
    inverse = np.empty((3, 3))
    inverse_right_jacobian(values[0], values[1], values[2], inverse)
    for r in range(3):
        for c in range(3):
            rows[r, v_at + c] = inverse[r, c]


@kernel
def _centre_rows(
    tree: Tree,
    positions: Floats,
    rotations: Floats,
    axes: Floats,
    mass: Floats,
    centre: Floats,
    first: int,
    last: int,
    values: Floats,
    rows: Floats,
) -> None:
    """Centre of mass of the joints first .. last-1: sum m_j x_j / sum m_j. World frame."""
    total = 0.0
    for j in range(first, last):
        total += mass[j]
    if total <= 0.0:
        return
    for j in range(first, last):
        if mass[j] == 0.0:
            continue
        fraction = mass[j] / total
        x, y, z = positions[j, 0], positions[j, 1], positions[j, 2]
        for c in range(3):
            x += rotations[j, 0, c] * centre[j, c]
            y += rotations[j, 1, c] * centre[j, c]
            z += rotations[j, 2, c] * centre[j, c]
        values[0] += fraction * x
        values[1] += fraction * y
        values[2] += fraction * z
        add_point_columns(tree, positions, axes, j, x, y, z, fraction, rows)


@kernel
def _gap_row(
    tree: Tree,
    positions: Floats,
    rotations: Floats,
    axes: Floats,
    a: int,
    b: int,
    data: Floats,
    row: Floats,
) -> float:
    """The gap of two capsules; its derivative is n . (dx_a - dx_b) at the nearest points."""
    points = np.empty((4, 3))
    for k in range(4):
        joint = a if k < 2 else b
        points[k, 0], points[k, 1], points[k, 2] = point_in_world(
            positions, rotations, joint, data[3 * k], data[3 * k + 1], data[3 * k + 2]
        )
    s, t = segment_parameters(points, 0, 2)
    ax = points[0, 0] + s * (points[1, 0] - points[0, 0])
    ay = points[0, 1] + s * (points[1, 1] - points[0, 1])
    az = points[0, 2] + s * (points[1, 2] - points[0, 2])
    bx = points[2, 0] + t * (points[3, 0] - points[2, 0])
    by = points[2, 1] + t * (points[3, 1] - points[2, 1])
    bz = points[2, 2] + t * (points[3, 2] - points[2, 2])
    nx, ny, nz = ax - bx, ay - by, az - bz
    distance = sqrt(nx * nx + ny * ny + nz * nz)
    if distance > 1e-12:
        nx, ny, nz = nx / distance, ny / distance, nz / distance
        add_point_gradient(tree, positions, axes, a, ax, ay, az, nx, ny, nz, row)
        add_point_gradient(tree, positions, axes, b, bx, by, bz, -nx, -ny, -nz, row)
    return distance - data[12]


@kernel
def evaluate_rows(
    tree: Tree,
    mass: Floats,
    centre: Floats,
    program: Program,
    q: Floats,
    positions: Floats,
    rotations: Floats,
    axes: Floats,
    values: Floats,
    jacobian: Floats,
) -> None:
    """values (R) and jacobian (R, nv) of all rows at q; see the table of the module.

    mass (n), centre (n, 3) in the joints' frames; positions (n, 3), rotations (n, 3, 3) and axes
    (nv, 3) are those of q.
    """
    values[:] = 0.0
    jacobian[:] = 0.0
    workspace = np.zeros((3, tree.dof_joint.shape[0]))
    vector = np.empty(3)
    matrix = np.empty((3, 3))
    scratch = make_scratch()
    pool = VertexPool(program.vertex_joint, program.vertex_in_joint)
    for i in range(program.operation.shape[0]):
        operation = program.operation[i]
        a, b = program.joint_a[i], program.joint_b[i]
        data = program.data[i]
        first, last = program.row_start[i], program.row_start[i + 1]
        out, rows = values[first:last], jacobian[first:last]
        if operation == POINT:
            _point_rows(tree, positions, rotations, axes, a, b, data, out, rows)
        elif operation == DIRECTION:
            _direction_rows(tree, rotations, axes, a, b, data, out, rows)
        elif operation == ORIENTATION:
            _orientation_rows(tree, rotations, axes, a, b, data, out, rows)
        elif operation == PLANE:
            workspace[:] = 0.0
            _point_rows(tree, positions, rotations, axes, a, b, data, vector, workspace)
            out[0] = vector[0] * data[3] + vector[1] * data[4] + vector[2] * data[5] - data[6]
            for k in range(workspace.shape[1]):
                rows[0, k] = (
                    workspace[0, k] * data[3]
                    + workspace[1, k] * data[4]
                    + workspace[2, k] * data[5]
                )
        elif operation == SEPARATION:
            workspace[:] = 0.0
            dx, dy, dz = point_in_world(positions, rotations, a, data[0], data[1], data[2])
            add_point_columns(tree, positions, axes, a, dx, dy, dz, 1.0, workspace)
            x, y, z = point_in_world(positions, rotations, b, data[3], data[4], data[5])
            add_point_columns(tree, positions, axes, b, x, y, z, -1.0, workspace)
            dx, dy, dz = dx - x, dy - y, dz - z
            length = sqrt(dx * dx + dy * dy + dz * dz)
            out[0] = length
            if length > 1e-12:
                for k in range(workspace.shape[1]):
                    rows[0, k] = (
                        workspace[0, k] * dx + workspace[1, k] * dy + workspace[2, k] * dz
                    ) / length
        elif operation == COORDINATE:
            q_at, v_at = tree.q_start[a], tree.v_start[a]
            if tree.kind[a] < BALL:
                out[0] = q[q_at]
                rows[0, v_at] = 1.0
            else:
                if tree.kind[a] == FREE:
                    q_at, v_at = q_at + 3, v_at + 3
                which = int(data[0])
                swing_twist(q[q_at : q_at + 4], data[1:5], vector)
                swing_twist_jacobian(vector, data[1:5], matrix)
                out[0] = vector[which]
                for c in range(3):
                    rows[0, v_at + c] = matrix[which, c]
        elif operation == SWING:
            q_at, v_at = tree.q_start[a], tree.v_start[a]
            swing_twist(q[q_at : q_at + 4], data[:4], vector)
            swing_twist_jacobian(vector, data[:4], matrix)
            lower = np.array([0.0, data[4], data[5]])
            upper = np.array([0.0, data[6], data[7]])
            gradient = np.empty(3)
            out[0] = swing_extent(vector, lower, upper, gradient)
            for c in range(3):
                rows[0, v_at + c] = gradient[1] * matrix[1, c] + gradient[2] * matrix[2, c]
        elif operation == POSTURE:
            q_at, v_at = tree.q_start[a], tree.v_start[a]
            if tree.kind[a] < BALL:
                out[0] = q[q_at] - data[0]
                rows[0, v_at] = 1.0
            else:
                _posture_rows(q, q_at, v_at, data[:4], out, rows)
        elif operation == FREE_POSE:
            q_at, v_at = tree.q_start[a], tree.v_start[a]
            for c in range(3):
                out[c] = q[q_at + c] - data[c]
                rows[c, v_at + c] = 1.0
            _posture_rows(q, q_at + 3, v_at + 3, data[3:7], out[3:6], rows[3:6])
        elif operation == CENTRE:
            _centre_rows(tree, positions, rotations, axes, mass, centre, a, b, out, rows)
        elif operation == GAP:
            out[0] = _gap_row(tree, positions, rotations, axes, a, b, data, rows[0])
        elif operation == LINKING:
            out[0] = linking_row(tree, pool, positions, rotations, axes, data, scratch, rows[0])
        elif operation == TANGLE:
            coordinate_rows(tree, pool, positions, rotations, axes, data, scratch, out, rows)
        elif operation == ENTRIES:
            entry_rows(tree, pool, positions, rotations, axes, data, scratch, out, rows)

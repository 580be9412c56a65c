"""Jacobians of a point, a direction and a rotation of a joint, added to rows (3, nv).

A joint moves with its own degrees of freedom and with those of its ancestors. With s_k the axis of
degree of freedom k in the world and p_j the centre of its joint, column k of a point x is
s_k x (x - p_j) if k rotates and s_k if it translates; that of a direction d is s_k x d.
"""

from __future__ import annotations

from writhe.arrays import Floats
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import Tree


@kernel
def add_point_columns(
    tree: Tree,
    positions: Floats,
    axes: Floats,
    joint: int,
    x: float,
    y: float,
    z: float,
    sign: float,
    rows: Floats,
) -> None:
    """rows (3, nv) += sign * d(point)/dv of the world point (x, y, z) carried by `joint`."""
    j = joint
    while j >= 0:
        dx, dy, dz = x - positions[j, 0], y - positions[j, 1], z - positions[j, 2]
        for k in range(tree.v_start[j], tree.v_start[j + 1]):
            ax, ay, az = sign * axes[k, 0], sign * axes[k, 1], sign * axes[k, 2]
            if tree.dof_turns[k] == 1:
                rows[0, k] += ay * dz - az * dy
                rows[1, k] += az * dx - ax * dz
                rows[2, k] += ax * dy - ay * dx
            else:
                rows[0, k] += ax
                rows[1, k] += ay
                rows[2, k] += az
        j = tree.parent[j]


@kernel
def add_direction_columns(
    tree: Tree,
    axes: Floats,
    joint: int,
    x: float,
    y: float,
    z: float,
    sign: float,
    rows: Floats,
) -> None:
    """rows (3, nv) += sign * (axis x d), the derivative of a world direction d of `joint`.

    d = (x, y, z).
    """
    j = joint
    while j >= 0:
        for k in range(tree.v_start[j], tree.v_start[j + 1]):
            if tree.dof_turns[k] == 1:
                ax, ay, az = sign * axes[k, 0], sign * axes[k, 1], sign * axes[k, 2]
                rows[0, k] += ay * z - az * y
                rows[1, k] += az * x - ax * z
                rows[2, k] += ax * y - ay * x
        j = tree.parent[j]


@kernel
def add_rotation_columns(
    tree: Tree, axes: Floats, joint: int, frame: Floats, sign: float, rows: Floats
) -> None:
    """rows (3, nv) += sign * frame^T axis: the rotation of `joint` by v, in `frame` (3, 3)."""
    j = joint
    while j >= 0:
        for k in range(tree.v_start[j], tree.v_start[j + 1]):
            if tree.dof_turns[k] == 1:
                for r in range(3):
                    rows[r, k] += sign * (
                        frame[0, r] * axes[k, 0]
                        + frame[1, r] * axes[k, 1]
                        + frame[2, r] * axes[k, 2]
                    )
        j = tree.parent[j]


@kernel
def multiply_rows(matrix: Floats, transposed: bool, rows: Floats) -> None:
    """rows (3, nv) = matrix rows, or matrix^T rows, in place."""
    for k in range(rows.shape[1]):
        x, y, z = rows[0, k], rows[1, k], rows[2, k]
        if x == 0.0 and y == 0.0 and z == 0.0:
            continue
        for r in range(3):
            if transposed:
                rows[r, k] = matrix[0, r] * x + matrix[1, r] * y + matrix[2, r] * z
            else:
                rows[r, k] = matrix[r, 0] * x + matrix[r, 1] * y + matrix[r, 2] * z

"""Inequality rows of one step: clearances of near pairs, and intervals of joint limits."""

from __future__ import annotations

from writhe.arrays import Floats
from writhe.kernels.collision.near_pairs import NearPairRows
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import Tree, add_point_gradient


@kernel
def gap_gradient(
    tree: Tree, positions: Floats, axes: Floats, near: NearPairRows, i: int, row: Floats
) -> None:
    """row (nv) = n . (J_a - J_b), the derivative of the gap of near pair i."""
    row[:] = 0.0
    nx, ny, nz = near.normal[i, 0], near.normal[i, 1], near.normal[i, 2]
    x, y, z = near.surface_a[i, 0], near.surface_a[i, 1], near.surface_a[i, 2]
    add_point_gradient(tree, positions, axes, near.joints[i, 0], x, y, z, nx, ny, nz, row)
    x, y, z = near.surface_b[i, 0], near.surface_b[i, 1], near.surface_b[i, 2]
    add_point_gradient(tree, positions, axes, near.joints[i, 1], x, y, z, -nx, -ny, -nz, row)


@kernel
def contact_rows(
    tree: Tree,
    positions: Floats,
    axes: Floats,
    near: NearPairRows,
    count: int,
    margin_m: float,
    approach: float,
    recovery_m: float,
    matrix: Floats,
    low: Floats,
) -> int:
    """Rows matrix v >= low for the first `count` near pairs; returns how many were written.

    With clearance c = gap + allowance - margin and derivative dc = n . (J_a - J_b) v,

        dc >= min(-approach c, recovery_m):

    a pair may lose at most the fraction `approach` of its clearance in a step, and a penetrating
    pair must recover that fraction, up to `recovery_m`. matrix (rows, nv), low (rows,); metres.
    """
    rows = min(count, matrix.shape[0])
    for i in range(rows):
        row = matrix[i]
        gap_gradient(tree, positions, axes, near, i, row)
        clearance = near.gap[i] + near.allowance[i] - margin_m
        low[i] = min(-approach * clearance, recovery_m)
    return rows


@kernel
def cut_rows(
    tree: Tree,
    positions: Floats,
    axes: Floats,
    near: NearPairRows,
    count: int,
    margin_m: float,
    ahead: Floats,
    matrix: Floats,
    low: Floats,
) -> int:
    """Rows matrix v >= low for pairs that collide after the step `ahead` (nv); returns how many.

    positions, axes and near are those after that step. A pair whose clearance c = gap + allowance -
    margin is negative there gets c + row . (v - ahead) >= 0. Metres.
    """
    rows = 0
    for i in range(count):
        clearance = near.gap[i] + near.allowance[i] - margin_m
        if clearance >= 0.0:
            continue
        if rows == matrix.shape[0]:
            break
        row = matrix[rows]
        gap_gradient(tree, positions, axes, near, i, row)
        total = -clearance
        for k in range(ahead.shape[0]):
            total += row[k] * ahead[k]
        low[rows] = total
        rows += 1
    return rows


@kernel
def interval_rows(
    values: Floats,
    jacobian: Floats,
    lower: Floats,
    upper: Floats,
    first: int,
    max_step: float,
    recovery: float,
    matrix: Floats,
    low: Floats,
    high: Floats,
) -> int:
    """Rows low <= matrix v <= high of the interval rows from `first` on; returns how many.

    A row that cannot leave its interval in a step of |v_k| <= max_step is omitted. A row outside
    its interval must not move farther out and must recover the fraction `recovery` of its
    violation.
    """
    count = 0
    nv = jacobian.shape[1]
    for i in range(first, values.shape[0]):
        travel = 0.0
        for k in range(nv):
            travel += abs(jacobian[i, k])
        travel *= max_step
        if values[i] - travel >= lower[i] and values[i] + travel <= upper[i]:
            continue
        if count == matrix.shape[0]:
            break
        for k in range(nv):
            matrix[count, k] = jacobian[i, k]
        below, above = lower[i] - values[i], upper[i] - values[i]
        low[count] = below if below <= 0.0 else recovery * below
        high[count] = above if above >= 0.0 else recovery * above
        count += 1
    return count

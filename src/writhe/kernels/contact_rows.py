"""Collision inequalities of one step: near pairs may approach only so fast."""

from __future__ import annotations

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.kinematics import Tree
from writhe.kernels.near import Near


@kernel
def _add_gap_columns(
    tree: Tree,
    positions: Floats,
    axes: Floats,
    joint: int,
    point: Floats,
    normal: Floats,
    sign: float,
    row: Floats,
) -> None:
    """row (nv) += sign * normal . d(point)/dv for a world point carried by `joint`."""
    nx, ny, nz = sign * normal[0], sign * normal[1], sign * normal[2]
    j = joint
    while j >= 0:
        dx, dy, dz = (
            point[0] - positions[j, 0],
            point[1] - positions[j, 1],
            point[2] - positions[j, 2],
        )
        # normal . (axis x d) = axis . (d x normal)
        tx, ty, tz = dy * nz - dz * ny, dz * nx - dx * nz, dx * ny - dy * nx
        for k in range(tree.v_start[j], tree.v_start[j + 1]):
            if tree.dof_turns[k] == 1:
                row[k] += axes[k, 0] * tx + axes[k, 1] * ty + axes[k, 2] * tz
            else:
                row[k] += axes[k, 0] * nx + axes[k, 1] * ny + axes[k, 2] * nz
        j = tree.parent[j]


@kernel
def contact_rows(
    tree: Tree,
    positions: Floats,
    axes: Floats,
    near: Near,
    count: int,
    margin_m: float,
    approach: float,
    recovery_m: float,
    matrix: Floats,
    low: Floats,
) -> int:
    """Rows matrix v >= low for the first `count` near pairs; returns how many were written.

    A pair with clearance c = gap + allowance - margin may lose at most the share `approach` of it:
    dc >= -approach c. One that lacks clearance must win it back, by `recovery_m` at most a step.
    """
    rows = min(count, matrix.shape[0])
    for i in range(rows):
        row = matrix[i]
        row[:] = 0.0
        _add_gap_columns(
            tree, positions, axes, near.joints[i, 0], near.surface_a[i], near.normal[i], 1.0, row
        )
        _add_gap_columns(
            tree, positions, axes, near.joints[i, 1], near.surface_b[i], near.normal[i], -1.0, row
        )
        clearance = near.gap[i] + near.allowance[i] - margin_m
        low[i] = min(-approach * clearance, recovery_m)
    return rows


@kernel
def limit_rows(
    values: Floats,
    jacobian: Floats,
    lower: Floats,
    upper: Floats,
    first: int,
    reach: float,
    recovery: float,
    matrix: Floats,
    low: Floats,
    high: Floats,
) -> int:
    """Rows low <= matrix v <= high of the interval rows from `first` on; returns how many.

    A row that cannot leave its interval in a step of |v_k| <= reach is left out. One outside its
    interval must not go farther out, and comes back by the share `recovery` of what it lacks.
    """
    count = 0
    nv = jacobian.shape[1]
    for i in range(first, values.shape[0]):
        travel = 0.0
        for k in range(nv):
            travel += abs(jacobian[i, k])
        travel *= reach
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


@kernel
def most_urgent(near: Near, count: int, order: Ints) -> None:
    """order (count): the near pairs by rising clearance (insertion sort: lists are short)."""
    for i in range(count):
        clearance = near.gap[i] + near.allowance[i]
        at = i
        while at > 0:
            other = order[at - 1]
            if near.gap[other] + near.allowance[other] <= clearance:
                break
            order[at] = other
            at -= 1
        order[at] = i

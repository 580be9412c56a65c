"""What a window of frames is linearised into: normal equations and inequalities per frame.

The unknowns are the n free entries of the tangent steps v (F, nv). Every inequality is a row
value + row . v >= 0 of the step of its frame, in metres: the clearance of a near pair less its
margin, or the distance of a joint to its limit.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.kernels.collision.near_pairs import NearPairRows, near_pairs
from writhe.kernels.collision.shape_gaps import Bodies, Pairs, PlacedShapes, Shapes
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import Tree, forward, motion_axes
from writhe.kernels.terms.limit_rows import LimitRows, limit_gradient, limit_values

_LIMIT_ROWS = 32  # rows of a frame that contacts leave to joint limits
_STEEPEST = 3.0  # longest derivative of a joint limit by the rotation of its joint


class Obstacles(NamedTuple):
    """The shapes of a skeleton, and the workspace in which near pairs are found."""

    shapes: Shapes
    bodies: Bodies
    pairs: Pairs
    placed: PlacedShapes
    out: Floats  # (9,)
    last_normals: Floats  # (k, 3)
    near: NearPairRows
    positions: Floats  # (joints, 3)
    rotations: Floats  # (joints, 3, 3)
    axes: Floats  # (nv, 3)


class FreeColumns(NamedTuple):
    """The degrees of freedom that are solved for, and those among them that move each joint."""

    dof: Ints  # (n,) indices in a tangent step, ascending
    chain_start: Ints  # (joints + 1,)
    chain: Ints  # (c,) columns (indices in dof) that move a joint, ascending


class WindowRows(NamedTuple):
    """The linearisation of F frames; at most R inequalities in each."""

    positions: Floats  # (F, joints, 3)
    axes: Floats  # (F, nv, 3)
    used: Ints  # (F,) inequalities in use
    least: Floats  # (F,) the smallest value of a contact; infinite without contacts
    value: Floats  # (F, R) metres; negative: violated
    row: Floats  # (F, R, n)


@kernel(inline=True)
def _nearest_bound(near: NearPairRows, found: int, margin: float, bound: float, room: int) -> float:
    """The largest bound, up to the given one, that at most `room` pairs are nearer than.

    Pairs are compared by clearance - margin. Within 1/1000 of the range of clearances.
    """
    low, count = bound, 0
    for i in range(found):
        value = near.gap[i] + near.allowance[i] - margin
        if value < bound:
            count += 1
            low = min(low, value)
    if count <= room:
        return bound
    high = bound
    for _ in range(10):
        middle = 0.5 * (low + high)
        count = 0
        for i in range(found):
            if near.gap[i] + near.allowance[i] - margin < middle:
                count += 1
        if count <= room:
            low = middle
        else:
            high = middle
    return low


@kernel(inline=True)
def _add_gap_side(
    tree: Tree,
    positions: Floats,
    axes: Floats,
    free: FreeColumns,
    columns: tuple[int, int],
    point: tuple[float, float, float],
    normal: tuple[float, float, float],
    row: Floats,
) -> None:
    """row (n) += normal . d(point)/dv for the entries first .. stop - 1 = columns of the chain."""
    x, y, z = point
    nx, ny, nz = normal
    for i in range(columns[0], columns[1]):
        c = free.chain[i]
        k = free.dof[c]
        if tree.dof_turns[k] == 1:
            j = tree.dof_joint[k]
            dx, dy, dz = x - positions[j, 0], y - positions[j, 1], z - positions[j, 2]
            # n . (axis x d) = axis . (d x n)
            tx, ty, tz = dy * nz - dz * ny, dz * nx - dx * nz, dx * ny - dy * nx
            row[c] += axes[k, 0] * tx + axes[k, 1] * ty + axes[k, 2] * tz
        else:
            row[c] += axes[k, 0] * nx + axes[k, 1] * ny + axes[k, 2] * nz


@kernel(inline=True)
def _gap_row(
    tree: Tree,
    positions: Floats,
    axes: Floats,
    near: NearPairRows,
    pair: int,
    free: FreeColumns,
    row: Floats,
) -> None:
    """row (n) = the derivative of the gap of a near pair, n . (J_a - J_b).

    What moves both bodies alike does not change the gap and is left out.
    """
    start, chain = free.chain_start, free.chain
    for c in range(row.shape[0]):
        row[c] = 0.0
    a, b = near.joints[pair, 0], near.joints[pair, 1]
    first_a, stop_a = (start[a], start[a + 1]) if a >= 0 else (0, 0)
    first_b, stop_b = (start[b], start[b + 1]) if b >= 0 else (0, 0)
    while first_a < stop_a and first_b < stop_b and chain[first_a] == chain[first_b]:
        first_a += 1
        first_b += 1
    x, y, z = near.normal[pair, 0], near.normal[pair, 1], near.normal[pair, 2]
    at_a, at_b = near.surface_a[pair], near.surface_b[pair]
    point_a, point_b = (at_a[0], at_a[1], at_a[2]), (at_b[0], at_b[1], at_b[2])
    _add_gap_side(tree, positions, axes, free, (first_a, stop_a), point_a, (x, y, z), row)
    _add_gap_side(tree, positions, axes, free, (first_b, stop_b), point_b, (-x, -y, -z), row)


@kernel
def contact_inequalities(
    tree: Tree,
    obstacles: Obstacles,
    q: Floats,
    free: FreeColumns,
    margin: float,
    near_m: float,
    value: Floats,
    row: Floats,
) -> int:
    """Near pairs of one configuration as rows; returns their number.

    Pairs whose clearance exceeds the margin by less than near_m become rows; the nearest of them if
    there are more than value (R,) and row (R, n) hold. Joint frames and motion axes are left in
    `obstacles`.
    """
    positions, rotations, axes = obstacles.positions, obstacles.rotations, obstacles.axes
    forward(tree, q, positions, rotations)
    motion_axes(tree, positions, rotations, axes)
    near = obstacles.near
    found = near_pairs(
        obstacles.shapes,
        obstacles.bodies,
        obstacles.pairs,
        positions,
        rotations,
        margin + near_m,
        obstacles.placed,
        obstacles.out,
        obstacles.last_normals,
        near,
    )
    found = min(found, near.gap.shape[0])
    bound = _nearest_bound(near, found, margin, near_m, value.shape[0])
    used = 0
    for i in range(found):
        clearance = near.gap[i] + near.allowance[i] - margin
        if clearance < bound and used < value.shape[0]:
            value[used] = clearance
            _gap_row(tree, positions, axes, near, i, free, row[used])
            used += 1
    return used


@kernel
def linearise_window(
    tree: Tree,
    obstacles: Obstacles,
    q: Floats,
    source: Floats,
    weight: Floats,
    free: FreeColumns,
    margin: Floats,
    near_m: float,
    rows: WindowRows,
    band: Floats,
    right: Floats,
) -> None:
    """Contacts of the frames q (F, nq), and the normal equations of their joint positions.

    Adds J^T W^2 J to the diagonal blocks of the band and -J^T W^2 (p - p*) to `right` (F n), with
    p* = source (F, joints, 3) and weight (joints,).
    """
    n, joints = free.dof.shape[0], tree.parent.shape[0]
    column = np.empty((n, 3))
    dof, chain, chain_start, turns = free.dof, free.chain, free.chain_start, tree.dof_turns
    positions, axes = obstacles.positions, obstacles.axes
    dof_joint = tree.dof_joint
    contacts = rows.value.shape[1] - _LIMIT_ROWS
    for f in range(q.shape[0]):
        value, row = rows.value[f, :contacts], rows.row[f, :contacts]
        used = contact_inequalities(tree, obstacles, q[f], free, margin[f], near_m, value, row)
        rows.used[f], rows.least[f] = used, np.inf
        for i in range(used):
            rows.least[f] = min(rows.least[f], value[i])
        for j in range(joints):
            for r in range(3):
                rows.positions[f, j, r] = positions[j, r]
        for k in range(axes.shape[0]):
            for r in range(3):
                rows.axes[f, k, r] = axes[k, r]
        for j in range(joints):
            first, last = chain_start[j], chain_start[j + 1]
            if first == last:
                continue
            w = weight[j]
            if w == 0.0:
                continue
            ex = w * (positions[j, 0] - source[f, j, 0])
            ey = w * (positions[j, 1] - source[f, j, 1])
            ez = w * (positions[j, 2] - source[f, j, 2])
            for i in range(first, last):
                c = chain[i]
                k = dof[c]
                ax, ay, az = w * axes[k, 0], w * axes[k, 1], w * axes[k, 2]
                if turns[k] == 1:
                    at = dof_joint[k]
                    dx = positions[j, 0] - positions[at, 0]
                    dy = positions[j, 1] - positions[at, 1]
                    dz = positions[j, 2] - positions[at, 2]
                    ax, ay, az = ay * dz - az * dy, az * dx - ax * dz, ax * dy - ay * dx
                column[c, 0], column[c, 1], column[c, 2] = ax, ay, az
                right[f * n + c] -= ax * ex + ay * ey + az * ez
                for m in range(first, i + 1):
                    b = chain[m]
                    band[f * n + b, c - b] += (
                        column[b, 0] * ax + column[b, 1] * ay + column[b, 2] * az
                    )


@kernel
def limit_inequalities(
    limits: LimitRows,
    q: Floats,
    lower: Floats,
    upper: Floats,
    column_of: Ints,
    metres_per_radian: float,
    near_m: float,
    rows: WindowRows,
) -> None:
    """Append the joint limits nearer than near_m to the rows of each frame of q (F, nq).

    lower, upper (F, m): the interval of each limit. Distances are scaled to metres. column_of (nv,)
    is -1 for what is not solved for; limits of such joints are left out. The twist of a ball joint
    turns ever faster as its swing approaches half a turn: rows with a derivative longer than
    _STEEPEST are scaled down to it, so that no limit outweighs everything else.
    """
    m = limits.kind.shape[0]
    coordinates, values, gradient = np.zeros((m, 3)), np.zeros(m), np.zeros(3)
    for f in range(q.shape[0]):
        limit_values(limits, q[f], coordinates, gradient, values)
        for i in range(m):
            first = column_of[limits.v_at[i]]
            below, above = values[i] - lower[f, i], upper[f, i] - values[i]
            if first < 0 or metres_per_radian * min(below, above) >= near_m:
                continue
            used = rows.used[f]
            if used == rows.value.shape[1]:
                break
            size = limit_gradient(limits, i, coordinates, gradient)
            length = 0.0
            for c in range(size):
                length += gradient[c] * gradient[c]
            scale = metres_per_radian * min(1.0, _STEEPEST / max(sqrt(length), 1e-9))
            sign = scale if below < above else -scale
            rows.value[f, used] = scale * min(below, above)
            for c in range(rows.row.shape[2]):
                rows.row[f, used, c] = 0.0
            for c in range(size):
                at = column_of[limits.v_at[i] + c]
                if at >= 0:
                    rows.row[f, used, at] = sign * gradient[c]
            rows.used[f] = used + 1


@kernel
def largest_moves(
    tree: Tree, rows: WindowRows, free: FreeColumns, step: Floats, out: Floats
) -> None:
    """out (F,): the farthest that the steps (F, n) move a joint in each frame, linearised, m."""
    dof, chain, start = free.dof, free.chain, free.chain_start
    turns, dof_joint = tree.dof_turns, tree.dof_joint
    positions, axes = rows.positions, rows.axes
    for f in range(step.shape[0]):
        farthest = 0.0
        for j in range(positions.shape[1]):
            x, y, z = 0.0, 0.0, 0.0
            for i in range(start[j], start[j + 1]):
                c = chain[i]
                k, v = dof[c], step[f, c]
                ax, ay, az = v * axes[f, k, 0], v * axes[f, k, 1], v * axes[f, k, 2]
                if turns[k] == 1:
                    at = dof_joint[k]
                    dx = positions[f, j, 0] - positions[f, at, 0]
                    dy = positions[f, j, 1] - positions[f, at, 1]
                    dz = positions[f, j, 2] - positions[f, at, 2]
                    ax, ay, az = ay * dz - az * dy, az * dx - ax * dz, ax * dy - ay * dx
                x, y, z = x + ax, y + ay, z + az
            farthest = max(farthest, x * x + y * y + z * z)
        out[f] = sqrt(farthest)


@kernel
def _near_pairs_at(tree: Tree, obstacles: Obstacles, q: Floats, within_m: float) -> int:
    """Fill obstacles.near with the pairs nearer than `within_m` at q (nq); returns how many."""
    forward(tree, q, obstacles.positions, obstacles.rotations)
    found = near_pairs(
        obstacles.shapes,
        obstacles.bodies,
        obstacles.pairs,
        obstacles.positions,
        obstacles.rotations,
        within_m,
        obstacles.placed,
        obstacles.out,
        obstacles.last_normals,
        obstacles.near,
    )
    return min(found, obstacles.near.gap.shape[0])


@kernel
def frame_clearances(
    tree: Tree, obstacles: Obstacles, q: Floats, within_m: float, out: Floats
) -> None:
    """out (F,): the smallest clearance of the frames q (F, nq); infinite beyond within_m."""
    near = obstacles.near
    for f in range(q.shape[0]):
        found = _near_pairs_at(tree, obstacles, q[f], within_m)
        least = np.inf
        for i in range(found):
            least = min(least, near.gap[i] + near.allowance[i])
        out[f] = least


@kernel
def colliding_dofs(
    tree: Tree, obstacles: Obstacles, q: Floats, margin_m: float, minor: Bools, used: Bools
) -> None:
    """Mark in `used` (nv,) what moves the two bodies of a pair nearer than its margin.

    These are the joints on the way from one body to the other, over all frames q (F, nq); without
    minor (joints,) ones if there are others.
    """
    near, parent, starts = obstacles.near, tree.parent, tree.v_start
    for f in range(q.shape[0]):
        found = _near_pairs_at(tree, obstacles, q[f], margin_m)
        for i in range(found):
            if near.gap[i] + near.allowance[i] >= margin_m:
                continue
            major = False
            for marking in range(2):
                a, b = near.joints[i, 0], near.joints[i, 1]
                while a != b:
                    # parents come before their children: step up from the later one
                    j = max(a, b)
                    if marking == 0:
                        major = major or (not minor[j] and starts[j] < starts[j + 1])
                    elif not (major and minor[j]):
                        for k in range(starts[j], starts[j + 1]):
                            used[k] = True
                    if a == j:
                        a = parent[a]
                    else:
                        b = parent[b]

"""Inequalities between neighbouring frames of a window: speed bounds, contacts at instants between.

A row is value + row0 . v_frame + row1 . v_(frame + 1) >= 0, in metres (`window_band.PairRows`).
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.cleaning.frame_rows import (
    FreeColumns,
    Obstacles,
    WindowRows,
    contact_inequalities,
)
from writhe.kernels.cleaning.window_band import PairRows
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import Tree, difference, integrate, interpolate

_MAX_CONTACTS = 64  # at an instant, the nearest ones


class Instants(NamedTuple):
    """i instants between frames of a clip, each with a posture other than the interpolated one."""

    frame: Ints  # (i,) the frame before it
    share: Floats  # (i,) of the way to the next frame, in [0, 1]
    offset: Floats  # (i, nv) tangent step from the interpolated posture


@kernel(inline=True)
def _add_point_row(
    tree: Tree,
    rows: WindowRows,
    free: FreeColumns,
    f: int,
    joint: int,
    along: tuple[float, float, float],
    out: Floats,
    at: int,
    side: int,
) -> None:
    """out[at, side] += along . J of a joint's centre at frame f of the window."""
    positions, axes = rows.positions, rows.axes
    x, y, z = along
    dof, chain, start = free.dof, free.chain, free.chain_start
    turns, dof_joint = tree.dof_turns, tree.dof_joint
    for i in range(start[joint], start[joint + 1]):
        c = chain[i]
        k = dof[c]
        ax, ay, az = axes[f, k, 0], axes[f, k, 1], axes[f, k, 2]
        if turns[k] == 1:
            j = dof_joint[k]
            dx = positions[f, joint, 0] - positions[f, j, 0]
            dy = positions[f, joint, 1] - positions[f, j, 1]
            dz = positions[f, joint, 2] - positions[f, j, 2]
            ax, ay, az = ay * dz - az * dy, az * dx - ax * dz, ax * dy - ay * dx
        out[at, side, c] += ax * x + ay * y + az * z


@kernel
def speed_inequalities(
    tree: Tree,
    rows: WindowRows,
    free: FreeColumns,
    before: Floats,
    after: Floats,
    allowed: Floats,
    share: float,
    out: PairRows,
) -> int:
    """Bounds on the motion of joints between neighbouring frames; returns how many there are.

    before, after (1 or 0, joints, 3): joint positions beside the window. allowed (T, joints) is
    the farthest step, the first entry that from `before`. A joint that uses more than `share` of it
    becomes a row value - d . (J v)_(t + 1) + d . (J v)_t, with d the direction of its step.
    """
    frames, joints = rows.positions.shape[0], rows.positions.shape[1]
    frame, value, row = out.frame, out.value, out.row
    positions, lead, count = rows.positions, before.shape[0], 0
    for t in range(allowed.shape[0]):
        f = t - lead  # from frame f to f + 1 of the window
        for j in range(joints):
            length2 = 0.0
            x, y, z = 0.0, 0.0, 0.0
            for r in range(3):
                start = before[0, j, r] if f < 0 else positions[f, j, r]
                end = after[0, j, r] if f + 1 >= frames else positions[f + 1, j, r]
                step = end - start
                length2 += step * step
                if r == 0:
                    x = step
                elif r == 1:
                    y = step
                else:
                    z = step
            least = share * allowed[t, j]
            if length2 <= least * least or count == frame.shape[0]:
                continue
            length = sqrt(length2)
            x, y, z = x / length, y / length, z / length
            frame[count], value[count] = f, allowed[t, j] - length
            for side in range(2):
                for c in range(row.shape[2]):
                    row[count, side, c] = 0.0
            if f >= 0:
                _add_point_row(tree, rows, free, f, j, (x, y, z), row, count, 0)
            if f + 1 < frames:
                _add_point_row(tree, rows, free, f + 1, j, (-x, -y, -z), row, count, 1)
            count += 1
    return count


@kernel
def instant_inequalities(
    tree: Tree,
    obstacles: Obstacles,
    q: Floats,
    instants: Instants,
    free: FreeColumns,
    margin: Floats,
    near_m: float,
    window: tuple[int, int],
    out: PairRows,
    count: int,
) -> int:
    """Append the contacts at instants of a clip q (clip frames, nq); returns the number of rows.

    The rows of an instant move the frames before and after it in proportion; frames outside the
    window (first, stop) do not move. margin (clip frames,). The first `count` rows are kept.
    """
    first, stop = window
    frame, value, row = out.frame, out.value, out.row
    frames, shares, offsets = instants.frame, instants.share, instants.offset
    n, space = free.dof.shape[0], frame.shape[0]
    pose = np.empty(q.shape[1])
    values, single = np.empty(_MAX_CONTACTS), np.empty((_MAX_CONTACTS, n))
    for i in range(frames.shape[0]):
        t, u = frames[i], shares[i]
        interpolate(tree, q[t], q[t + 1], u, pose)
        integrate(tree, pose, offsets[i], pose)
        least = max(margin[t], margin[t + 1])
        found = contact_inequalities(tree, obstacles, pose, free, least, near_m, values, single)
        for k in range(found):
            if count == space:
                return count
            frame[count], value[count] = t - first, values[k]
            before = 1.0 - u if t >= first else 0.0
            after = u if t + 1 < stop else 0.0
            for c in range(n):
                row[count, 0, c], row[count, 1, c] = before * single[k, c], after * single[k, c]
            count += 1
    return count


@kernel
def instant_offsets(
    tree: Tree, q: Floats, frame: Ints, share: Floats, posture: Floats, out: Floats
) -> None:
    """out (i, nv): the tangent steps from the slerp of the frames q (F, nq) to postures (i, nq)."""
    middle = np.empty(q.shape[1])
    for i in range(frame.shape[0]):
        interpolate(tree, q[frame[i]], q[frame[i] + 1], share[i], middle)
        difference(tree, middle, posture[i], out[i])

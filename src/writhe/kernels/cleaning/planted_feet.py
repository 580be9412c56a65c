"""Planted feet neither slide nor leave the ground.

With d_t = p_t - p*_t the offset of a foot from the source at frame t and J_t its Jacobian, a foot
that is planted between two frames has the penalties

    1/2 w ||d_(t + 1) + J_(t + 1) v_(t + 1) - d_t - J_t v_t||^2
    1/2 h (e . (d_t + J_t v_t))^2    with e = (0, 1, 0), upwards

so that it may stand away from where it stands in the source, but does not move while it is planted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.kernels.cleaning.frame_rows import FreeColumns, WindowRows
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import Tree


class PlantedFeet(NamedTuple):
    """The feet of the frames around a window: `lead` (0 or 1) frames before it, and after it."""

    joint: Ints  # (k,)
    planted: Bools  # (T - 1, k) whether a foot stands still from each frame to the next
    offset: Floats  # (T, k, 3) from the source, m
    lead: int


@kernel(inline=True)
def _point_columns(
    tree: Tree, positions: Floats, axes: Floats, free: FreeColumns, joint: int, out: Floats
) -> None:
    """out (n, 3): the columns of the Jacobian of a joint's centre; positions (joints, 3)."""
    for i in range(free.chain_start[joint], free.chain_start[joint + 1]):
        c = free.chain[i]
        k = free.dof[c]
        x, y, z = axes[k, 0], axes[k, 1], axes[k, 2]
        if tree.dof_turns[k] == 1:
            at = tree.dof_joint[k]
            dx = positions[joint, 0] - positions[at, 0]
            dy = positions[joint, 1] - positions[at, 1]
            dz = positions[joint, 2] - positions[at, 2]
            x, y, z = y * dz - z * dy, z * dx - x * dz, x * dy - y * dx
        out[c, 0], out[c, 1], out[c, 2] = x, y, z


@kernel
def add_planted_feet(
    tree: Tree,
    rows: WindowRows,
    free: FreeColumns,
    feet: PlantedFeet,
    slide_weight: float,
    height_weight: float,
    band: Floats,
    right: Floats,
) -> None:
    """Add the penalties to the band (lower storage) and the right-hand side of F frames.

    slide_weight, height_weight: w and h. A frame between two planted steps has h twice.
    """
    frames, n = rows.positions.shape[0], free.dof.shape[0]
    before, after, change = np.empty((n, 3)), np.empty((n, 3)), np.empty(3)
    for k in range(feet.joint.shape[0]):
        j = feet.joint[k]
        first, last = free.chain_start[j], free.chain_start[j + 1]
        for t in range(feet.planted.shape[0]):
            if not feet.planted[t, k] or first == last:
                continue
            f = t - feet.lead  # from frame f to f + 1 of the window
            for r in range(3):
                change[r] = feet.offset[t + 1, k, r] - feet.offset[t, k, r]
            if f >= 0:
                _point_columns(tree, rows.positions[f], rows.axes[f], free, j, before)
            if f + 1 < frames:
                _point_columns(tree, rows.positions[f + 1], rows.axes[f + 1], free, j, after)
            for side in range(2):
                if not 0 <= f + side < frames:
                    continue
                own = before if side == 0 else after
                height = height_weight * feet.offset[t + side, k, 1]
                sign = slide_weight if side == 0 else -slide_weight
                start = (f + side) * n
                for i in range(first, last):
                    c = free.chain[i]
                    x, y, z = own[c, 0], own[c, 1], own[c, 2]
                    right[start + c] += sign * (x * change[0] + y * change[1] + z * change[2])
                    right[start + c] -= height * y
                    up = height_weight * y
                    x, y, z = slide_weight * x, slide_weight * y, slide_weight * z
                    for m in range(i, last):
                        b = free.chain[m]
                        band[start + c, b - c] += (
                            x * own[b, 0] + (y + up) * own[b, 1] + z * own[b, 2]
                        )
                    if side == 0 and f + 1 < frames:
                        for m in range(first, last):
                            b = free.chain[m]
                            band[start + c, n + b - c] -= (
                                x * after[b, 0] + y * after[b, 1] + z * after[b, 2]
                            )

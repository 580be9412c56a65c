"""What a window of frames is linearised into: joint positions, and inequalities per frame.

Every inequality is a row  value + row . v >= 0  of the tangent step v (nv) of its frame, in metres:
the clearance of a near pair less its margin, or the distance of a joint to its limit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.collision.near_pairs import NearPairRows, near_pairs
from writhe.kernels.collision.shape_gaps import Bodies, Pairs, PlacedShapes, Shapes
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import Tree, forward_with_jacobians
from writhe.kernels.terms.contact_rows import contact_rows
from writhe.kernels.terms.limit_rows import LimitRows, limit_gradient, limit_values


class Obstacles(NamedTuple):
    """The shapes of a skeleton, and the workspace in which near pairs are found."""

    shapes: Shapes
    bodies: Bodies
    pairs: Pairs
    placed: PlacedShapes
    out: Floats  # (9,)
    last_normals: Floats  # (k, 3)
    near: NearPairRows
    matrix: Floats  # (m, nv) rows of near pairs
    low: Floats  # (m,)


class WindowRows(NamedTuple):
    """The linearisation of F frames; at most R inequalities in each."""

    positions: Floats  # (F, n, 3)
    jacobians: Floats  # (F, n, 3, nv) of the joint centres
    used: Ints  # (F,) inequalities in use
    value: Floats  # (F, R) metres; negative: violated
    row: Floats  # (F, R, nv)


@kernel
def contact_inequalities(
    tree: Tree,
    obstacles: Obstacles,
    q: Floats,
    margin: Floats,
    near_m: float,
    rows: WindowRows,
) -> None:
    """Joint positions, Jacobians and near pairs of the frames q (F, nq).

    Pairs whose clearance exceeds margin (F,) by less than near_m become rows. If there are more
    than R, the rest is dropped. `rows` is filled from its first inequality on.
    """
    n, nv = tree.parent.shape[0], tree.dof_joint.shape[0]
    rotations, axes = np.empty((n, 3, 3)), np.empty((nv, 3))
    for f in range(q.shape[0]):
        positions = rows.positions[f]
        forward_with_jacobians(tree, q[f], positions, rotations, axes, rows.jacobians[f])
        found = near_pairs(
            obstacles.shapes,
            obstacles.bodies,
            obstacles.pairs,
            positions,
            rotations,
            margin[f] + near_m,
            obstacles.placed,
            obstacles.out,
            obstacles.last_normals,
            obstacles.near,
        )
        found = min(found, obstacles.near.gap.shape[0])
        written = contact_rows(
            tree,
            positions,
            axes,
            obstacles.near,
            found,
            margin[f],
            1.0,
            np.inf,
            obstacles.matrix,
            obstacles.low,
        )
        used = 0
        for i in range(written):
            value = -obstacles.low[i]
            if value < near_m and used < rows.value.shape[1]:
                rows.value[f, used] = value
                rows.row[f, used] = obstacles.matrix[i]
                used += 1
        rows.used[f] = used


@kernel
def limit_inequalities(
    limits: LimitRows,
    q: Floats,
    lower: Floats,
    upper: Floats,
    metres_per_radian: float,
    near_m: float,
    rows: WindowRows,
) -> None:
    """Append the joint limits nearer than near_m to the rows of each frame of q (F, nq).

    lower, upper (F, m): the interval of each limit. Distances are scaled to metres.
    """
    m = limits.kind.shape[0]
    coordinates, values, gradient = np.zeros((m, 3)), np.zeros(m), np.zeros(3)
    for f in range(q.shape[0]):
        limit_values(limits, q[f], coordinates, gradient, values)
        for i in range(m):
            below, above = values[i] - lower[f, i], upper[f, i] - values[i]
            if metres_per_radian * min(below, above) >= near_m:
                continue
            used = rows.used[f]
            if used == rows.value.shape[1]:
                break
            size = limit_gradient(limits, i, coordinates, gradient)
            sign = metres_per_radian if below < above else -metres_per_radian
            rows.value[f, used] = metres_per_radian * min(below, above)
            rows.row[f, used] = 0.0
            for c in range(size):
                rows.row[f, used, limits.v_at[i] + c] = sign * gradient[c]
            rows.used[f] = used + 1

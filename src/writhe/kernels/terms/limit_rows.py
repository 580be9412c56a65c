"""Joint limits as rows of one joint each: values, and derivatives on demand.

A limit of a ball joint is an interval of its twist or an ellipse of its swing, in the joint's limit
frame (`kernels.skeleton.joint_limits`). Values need q only, no forward kinematics.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.joint_limits import swing_extent, swing_twist, swing_twist_jacobian

PLAIN, TURN, SWING = 0, 1, 2  # an entry of q; twist or one swing angle; swing extent


class LimitRows(NamedTuple):
    """m joint limits; those of one joint are adjacent. Radians, or metres for slides."""

    kind: Ints  # (m,) PLAIN, TURN or SWING
    which: Ints  # (m,) 0, 1, 2: twist, swing about y, about z (TURN)
    q_at: Ints  # (m,) first entry of the joint in q
    v_at: Ints  # (m,) its first column
    frame: Floats  # (m, 4) limit frame, quaternion (w, x, y, z)
    lower: Floats  # (m, 3) half-axes of the ellipse (SWING), the first unused
    upper: Floats  # (m, 3)


@kernel
def limit_values(
    limits: LimitRows, q: Floats, coordinates: Floats, gradient: Floats, values: Floats
) -> None:
    """values (m) of all limits at q.

    coordinates (m, 3) receive twist and swing of their joints; gradient (3) is workspace.
    """
    last_ball = -1  # the last row whose swing and twist were computed
    for i in range(limits.kind.shape[0]):
        kind, at = limits.kind[i], limits.q_at[i]
        if kind == PLAIN:
            values[i] = q[at]
            continue
        if last_ball >= 0 and limits.q_at[last_ball] == at:
            for c in range(3):
                coordinates[i, c] = coordinates[last_ball, c]
        else:
            swing_twist(q[at : at + 4], limits.frame[i], coordinates[i])
        last_ball = i
        if kind == TURN:
            values[i] = coordinates[i, limits.which[i]]
        else:
            values[i] = swing_extent(coordinates[i], limits.lower[i], limits.upper[i], gradient)


@kernel
def limit_gradient(limits: LimitRows, i: int, coordinates: Floats, out: Floats) -> int:
    """out (3): the derivative of limit i by the columns from v_at[i] on; returns how many.

    coordinates (m, 3) are those of `limit_values`.
    """
    kind = limits.kind[i]
    if kind == PLAIN:
        out[0] = 1.0
        return 1
    matrix, slope = np.empty((3, 3)), np.zeros(3)
    swing_twist_jacobian(coordinates[i], limits.frame[i], matrix)
    if kind == TURN:
        slope[limits.which[i]] = 1.0
    else:
        swing_extent(coordinates[i], limits.lower[i], limits.upper[i], slope)
    for c in range(3):
        out[c] = slope[0] * matrix[0, c] + slope[1] * matrix[1, c] + slope[2] * matrix[2, c]
    return 3

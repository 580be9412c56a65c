"""Joint limits as rows that touch one joint each: their values, and derivatives where needed.

A limit of a ball joint is an interval of its twist or an ellipse of its swing, seen from the
joint's limit frame; see `kernels.limits`. Values need no frames of the body, only q.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.joint_limits import swing_extent, swing_twist, swing_twist_jacobian

PLAIN, TURN, SWING = 0, 1, 2  # a coordinate of q; a coordinate of swing and twist; swing's extent


class Limits(NamedTuple):
    """m limits; those of one joint stand next to each other."""

    kind: Ints  # (m,)
    which: Ints  # (m,) 0, 1, 2: twist, swing about y, about z (TURN)
    q_at: Ints  # (m,)
    v_at: Ints  # (m,)
    frame: Floats  # (m, 4)
    lower: Floats  # (m, 3) half-axes of the ellipse (SWING), the first unused
    upper: Floats  # (m, 3)


@kernel
def limit_values(
    limits: Limits, q: Floats, coordinates: Floats, gradient: Floats, values: Floats
) -> None:
    """values (m) of all limits at q; coordinates (m, 3) of their joints; gradient (3) is room."""
    known = -1  # the row whose joint's coordinates are at hand
    for i in range(limits.kind.shape[0]):
        kind, at = limits.kind[i], limits.q_at[i]
        if kind == PLAIN:
            values[i] = q[at]
            continue
        if known >= 0 and limits.q_at[known] == at:
            for c in range(3):
                coordinates[i, c] = coordinates[known, c]
        else:
            swing_twist(q[at : at + 4], limits.frame[i], coordinates[i])
        known = i
        if kind == TURN:
            values[i] = coordinates[i, limits.which[i]]
        else:
            values[i] = swing_extent(coordinates[i], limits.lower[i], limits.upper[i], gradient)


@kernel
def limit_gradient(limits: Limits, i: int, coordinates: Floats, out: Floats) -> int:
    """out (3): the derivative of limit i by the columns from v_at[i] on; returns how many."""
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

"""Scapulo-humeral rhythm: the shoulder girdle rises with the raised arm, and rests otherwise.

Up to 30 degrees of elevation the arm moves alone; beyond, the clavicle follows with about a degree
for every four of the arm (Inman et al. 1944; Ludewig et al. 2009). Without it, targets are reached
by shrugging as soon as by bending the elbow.
"""

from __future__ import annotations

from math import acos, pi, sqrt
from typing import NamedTuple

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel

GAIN = 5.0  # of the pull, per radian
ALONE_RAD, SHARE, MAX_RAD = 30.0 * pi / 180.0, 0.25, 32.0 * pi / 180.0


class GirdleJoints(NamedTuple):
    """The k shoulder girdles of a body."""

    joints: Ints  # (k, 3) the parent of the clavicle (chest), shoulder, elbow
    q_start: Ints  # (k,) of the clavicles
    v_start: Ints  # (k,)
    up: Floats  # (k, 3) the vertical at rest, in the frame of the chest
    axis: Floats  # (k, 3) about which a clavicle rises, in its frame


@kernel
def add_girdle_pull(
    girdle: GirdleJoints,
    positions: Floats,
    rotations: Floats,
    q: Floats,
    strength: float,
    pull: Floats,
) -> None:
    """Add to pull (nv) the pulls of the clavicles towards the elevation that the arms ask for."""
    for i in range(girdle.joints.shape[0]):
        chest, shoulder, elbow = girdle.joints[i, 0], girdle.joints[i, 1], girdle.joints[i, 2]
        square, down = 0.0, 0.0
        for r in range(3):
            arm = positions[elbow, r] - positions[shoulder, r]
            square += arm * arm
            for c in range(3):
                down -= arm * rotations[chest, r, c] * girdle.up[i, c]
        raised = acos(min(max(down / max(sqrt(square), 1e-9), -1.0), 1.0))
        wanted = min(max(SHARE * (raised - ALONE_RAD), 0.0), MAX_RAD)
        at, v_at = girdle.q_start[i], girdle.v_start[i]
        sign = 2.0 if q[at] >= 0.0 else -2.0
        for r in range(3):  # sign * the vector part: the rotation vector of a small turn
            step = wanted * girdle.axis[i, r] - sign * q[at + 1 + r]
            pull[v_at + r] += strength * GAIN * step

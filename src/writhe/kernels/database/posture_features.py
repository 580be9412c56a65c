"""Features by which postures are compared, and the heading of a root."""

from __future__ import annotations

from math import atan2

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import BALL, FREE, Tree
from writhe.kernels.skeleton.rotation import quaternion_log

LEAN_WEIGHT = 1.0  # metres of difference per radian of the root's lean


@kernel
def posture_feature_row(tree: Tree, importance: Floats, q: Floats, out: Floats) -> None:
    """out (D): the features by which postures are compared, in metres of motion.

    A ball joint gives its rotation vector and a hinge or slide its value, each times the joint's
    importance (n); a free root gives the up direction in its frame.
    """
    vector = np.empty(3)
    column = 0
    for j in range(tree.parent.shape[0]):
        kind, at = tree.kind[j], tree.q_start[j]
        if kind == FREE:
            w, x, y, z = q[at + 3], q[at + 4], q[at + 5], q[at + 6]
            out[column] = LEAN_WEIGHT * 2.0 * (x * y + w * z)
            out[column + 1] = LEAN_WEIGHT * (1.0 - 2.0 * (x * x + z * z))
            out[column + 2] = LEAN_WEIGHT * 2.0 * (y * z - w * x)
            column += 3
        elif kind == BALL:
            quaternion_log(q[at : at + 4], vector)
            for c in range(3):
                out[column + c] = importance[j] * vector[c]
            column += 3
        else:
            for c in range(tree.q_start[j + 1] - at):
                out[column + c] = importance[j] * q[at + c]
            column += tree.q_start[j + 1] - at


@kernel
def root_heading(q: Floats) -> float:
    """The heading of a free root whose entries come first in q: its angle about y, radians.

    It is that of the root's front (+Z), or of its top where the front is nearly vertical.
    """
    w, x, y, z = q[3], q[4], q[5], q[6]
    front_x, front_z = 2.0 * (x * z + w * y), 1.0 - 2.0 * (x * x + y * y)
    if front_x * front_x + front_z * front_z < 0.04:
        return atan2(-2.0 * (x * y - w * z), -2.0 * (y * z + w * x))
    return atan2(front_x, front_z)

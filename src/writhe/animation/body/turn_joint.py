"""Turns single joints of a pose about axes in the world."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton import JointKind, Skeleton, forward
from writhe.skeleton.quaternions import quaternion_of, rotation_about, rotation_matrix


def turned(skeleton: Skeleton, q: Floats, joint: str | None, axis: Floats, angle: float) -> Floats:
    """The pose (nq) with a joint, if there is one, turned about an axis in the world by radians.

    A hinge turns about its own axis, in the direction that is nearer to the given one.
    """
    if joint is None:
        return q
    j = skeleton.index(joint)
    kind, at = skeleton.joints[j].kind, skeleton.q_slice(joint)
    frames, out = forward(skeleton, q), q.copy()
    if kind in (JointKind.BALL, JointKind.FREE):
        turn = slice(at.stop - 4, at.stop)
        base = frames.rotations[j] @ rotation_matrix(q[turn]).T
        out[turn] = quaternion_of(base.T @ rotation_about(axis, angle) @ frames.rotations[j])
    elif kind is JointKind.HINGE:
        own = frames.rotations[j] @ np.asarray(skeleton.joints[j].axis)
        out[at] += angle if float(own @ axis) > 0 else -angle
    return out

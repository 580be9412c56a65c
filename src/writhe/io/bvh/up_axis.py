"""BVH files with Z up, as some programs export them: BVH does not state which axis is up.

Positions and rotations of such a file are those of the world turned by R, which takes z to y. Only
the roots change: offset R o, rest rotation R. Configurations stay as they are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from writhe.arrays import Floats
from writhe.recognition import recognise
from writhe.skeleton import Skeleton, forward, quaternions

_FRAMES = 32  # of a motion are looked at
_UPRIGHT = 0.8  # cosine of the angle of hips to head with the axis that is up
_TALL = 1.3  # a rest pose longer in z than in y by this factor may have Z up
_HEIGHT = 0.3  # least height of the hips / distance from hips to head, for most frames
_TO_Y_UP = quaternions.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.array(-0.5 * np.pi))


def has_z_up(skeleton: Skeleton, q: Floats) -> bool:
    """Whether a person stands along z, in the rest pose and in most frames of q (n, nq).

    The hips must also be above z = 0, so that someone who lies along z is not turned.
    """
    extent = np.ptp(skeleton.rest_positions, axis=0)
    if extent[2] < _TALL * extent[1] or not len(q):
        return False
    roles = recognise(skeleton).roles
    if not {"hips", "head"} <= set(roles):
        return False
    rows = q[np.linspace(0, len(q) - 1, min(len(q), _FRAMES)).astype(int)]
    for frames in (
        forward(skeleton, skeleton.rest_configuration[None]),
        forward(skeleton, rows),
    ):
        hips, head = frames.position(roles["hips"]), frames.position(roles["head"])
        length = np.maximum(np.linalg.norm(head - hips, axis=1), 1e-9)
        if np.median((head - hips)[:, 2] / length) < _UPRIGHT:
            return False
    return bool(np.median(hips[:, 2]) > _HEIGHT * float(np.median(length)))


def turned_to_y_up(skeleton: Skeleton) -> Skeleton:
    """The skeleton of a file with Z up in a world with Y up; configurations stay the same."""
    joints = [
        joint
        if joint.parent is not None
        else replace(
            joint,
            offset_in_parent=quaternions.rotate(_TO_Y_UP, np.asarray(joint.offset_in_parent)),
            rest=quaternions.multiply(_TO_Y_UP, np.asarray(joint.rest)),
        )
        for joint in skeleton.joints
    ]
    return Skeleton(joints, skeleton.tips)

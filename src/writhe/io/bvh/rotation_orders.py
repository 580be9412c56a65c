"""Orders of rotation channels for writing a BVH file in which joints stay away from gimbal lock.

Channel keywords of a file that is read: `CHANNELS` in `io.bvh.hierarchy`; the arithmetic:
`kernels.skeleton.euler_channels`. Angles that are read are unwrapped in `io.bvh.read`.

Programs interpolate the Euler angles between two frames. Near gimbal lock the interpolated rotation
is far from both. Every joint of a BVH file has its own channels, and of the six orders of three
rotations at least one is usually far from gimbal lock in the whole clip.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.skeleton.euler_channels import quaternions_to_euler
from writhe.skeleton import JointKind, Motion, quaternions, transforms

AXES = "XYZ"
USUAL_ORDER = "ZXY"
_CLOSE_RAD = np.radians(0.5)  # a joint keeps its order where that is this close to the slerp


def steady_orders(motion: Motion) -> dict[str, str]:
    """The order of rotations, such as "ZXY", of each joint that needs another than its own.

    Its own is that of the file that the motion was read from, else "ZXY".

    It is the order in which the rotation halfway between two frames, with interpolated Euler
    angles, is never far from that of the slerp.
    """
    skeleton = motion.skeleton
    rest = transforms.rest_world_quaternions(skeleton)
    _, turns = transforms.joint_displacements(skeleton, motion.q)
    turns = quaternions.multiply(quaternions.multiply(rest, turns), quaternions.conjugate(rest))
    turns = np.ascontiguousarray(quaternions.normalised(turns))
    orders = ["".join(order) for order in permutations(AXES)]
    error = np.array([_largest_error(turns, order) for order in orders])
    found: dict[str, str] = {}
    for j, joint in enumerate(skeleton.joints):
        own = orders.index(_own_order(motion, joint.name))
        if joint.kind in (JointKind.BALL, JointKind.FREE) and error[own, j] > _CLOSE_RAD:
            found[joint.name] = orders[int(error[:, j].argmin())]
    return found


def _own_order(motion: Motion, joint: str) -> str:
    channels: dict[str, list[str]] = motion.source.get("channels", {})
    order = "".join(c[0] for c in channels.get(joint, []) if c.endswith("rotation"))
    return order if sorted(order) == list(AXES) else USUAL_ORDER


def _largest_error(turns: Floats, order: str) -> Floats:
    """(joints,) the largest angle between the two interpolations, halfway between frames."""
    frames, joints = turns.shape[:2]
    if frames < 2:
        return np.zeros(int(joints))
    axes: Ints = np.tile([AXES.index(a) for a in order], (joints, 1)).astype(np.int64)
    angles, scratch = np.empty((frames, joints, 3)), np.zeros((3, 3))
    quaternions_to_euler(turns, axes, scratch, np.zeros((joints, 3)), angles)
    middle = 0.5 * (angles[:-1] + angles[1:])
    turned = quaternions.multiply(
        *(
            quaternions.from_rotation_vectors(middle[:, :, slot, None] * np.eye(3)[axis])
            for slot, axis in enumerate(axes[0])
        )
    )
    sign = np.where(np.sum(turns[:-1] * turns[1:], axis=2, keepdims=True) < 0.0, -1.0, 1.0)
    between = quaternions.normalised(turns[:-1] + sign * turns[1:])
    cosine = np.abs(np.sum(turned * between, axis=2))
    return 2.0 * np.arccos(np.minimum(cosine, 1.0)).max(axis=0)

"""The rotation channels of a BVH file as they are stored, for `certify(interpolation="euler")`.

Euler angles of a rotation are not unique, and programs interpolate the stored ones. So the angles
are taken from the file and not from the motion that was read from it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from writhe.collision.interpolated_motion import EulerChannels
from writhe.errors import FileFormatError, WritheError
from writhe.io.bvh.read import read_channels
from writhe.kernels.skeleton.kinematics import BALL, FREE, HINGE
from writhe.skeleton import Motion, Skeleton

_AXES = "XYZ"


def stored_channels(path: Path, motion: Motion) -> EulerChannels:
    """The Euler channels of the BVH file that `motion` was read from, one to three per joint."""
    if motion.source.get("format") != "bvh":
        raise WritheError(f"{path} has no Euler channels: use interpolation 'slerp'")
    header, rows = read_channels(path)
    skeleton = motion.skeleton
    if len(rows) != len(motion) or len(header.joints) != len(skeleton):
        raise FileFormatError(
            path,
            f"{len(rows)} frames of {len(header.joints)} joints, but the motion has {len(motion)}"
            f" of {len(skeleton)}",
            remedy="pass the motion that was read from this file",
        )
    order = np.full((len(skeleton), 3), -1, dtype=np.int64)
    angles = np.zeros((len(rows), len(skeleton), 3))
    column = 0
    for j, joint in enumerate(header.joints):
        rotations = [i for i, channel in enumerate(joint.channels) if channel.endswith("rotation")]
        if rotations and skeleton.tree.kind[j] in (HINGE, BALL, FREE):
            axes = [_AXES.index(joint.channels[i][0]) for i in rotations]
            # the missing rotations of a joint with fewer than three are zero
            order[j] = [*axes, *(a for a in range(3) if a not in axes)][:3]
            for slot, i in enumerate(rotations[:3]):
                angles[:, j, slot] = np.radians(rows[:, column + i])
        column += len(joint.channels)
    return EulerChannels(order, angles)


def channels_in_scene(
    channels: EulerChannels, skeleton: Skeleton, scene: Skeleton, actor: str
) -> EulerChannels:
    """The channels of an actor's skeleton for a scene's skeleton; other joints slerp."""
    order = np.full((len(scene), 3), -1, dtype=np.int64)
    angles = np.zeros((len(channels.angles), len(scene), 3))
    for joint, name in enumerate(skeleton.names):
        index = scene.index(f"{actor}.{name}")
        order[index] = channels.order[joint]
        angles[:, index] = channels.angles[:, joint]
    return EulerChannels(order, angles)

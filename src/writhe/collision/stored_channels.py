"""The rotation channels of a BVH file as they are stored, for `certify(interpolation="euler")`.

Several sets of Euler angles describe the same rotation and readers interpolate the stored ones, so
the angles come from the file and not from the motion read from it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from writhe.collision.certify import EulerChannels
from writhe.errors import FileFormatError, WritheError
from writhe.kernels.skeleton.kinematics import BALL, FREE
from writhe.skeleton import Motion, Skeleton

_AXES = "XYZ"


def stored_channels(path: Path, motion: Motion) -> EulerChannels:
    """The Euler channels of the BVH file that `motion` was read from."""
    channels: dict[str, list[str]] | None = motion.source.get("channels")
    if motion.source.get("format") != "bvh" or channels is None:
        raise WritheError(f"{path} has no Euler channels: use interpolation 'slerp'")
    data = path.read_bytes()
    mark = data.lower().rfind(b"frame time")
    columns = sum(len(names) for names in channels.values())
    try:
        words = data[mark:].split(maxsplit=3)[3] if mark >= 0 else b""
        numbers = np.array(words.split(), dtype=np.float64)
        rows = numbers.reshape(-1, columns)[: len(motion)]
    except (ValueError, IndexError):
        raise FileFormatError(path, "its motion channels are not a table of numbers") from None
    if len(rows) != len(motion):
        raise FileFormatError(
            path, f"{len(rows)} frames of channels, but {len(motion)} frames of motion"
        )
    skeleton = motion.skeleton
    order = np.full((len(skeleton), 3), -1, dtype=np.int64)
    angles = np.zeros((len(rows), len(skeleton), 3))
    column = 0
    for name, names in channels.items():
        rotations = [i for i, channel in enumerate(names) if channel.endswith("rotation")]
        joint = skeleton.index(name)
        if rotations and skeleton.tree.kind[joint] in (BALL, FREE):
            axes = [_AXES.index(names[i][0]) for i in rotations]
            # the missing rotations of a joint with fewer than three are zero
            order[joint] = [*axes, *(a for a in range(3) if a not in axes)][:3]
            for slot, i in enumerate(rotations[:3]):
                angles[:, joint, slot] = np.radians(rows[:, column + i])
        column += len(names)
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

"""The rotation channels of a BVH file as they are stored, for `certify(interpolation="euler")`.

A rotation can be written in Euler angles in more than one way and readers interpolate the one that
is written, so the numbers come from the file and not from the motion read out of it.
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
        raise FileFormatError(path, "its channels cannot be read") from None
    if len(rows) != len(motion):
        raise FileFormatError(path, f"{len(rows)} frames of channels for {len(motion)} of motion")
    skeleton = motion.skeleton
    order = np.full((len(skeleton), 3), -1, dtype=np.int64)
    angles = np.zeros((len(rows), len(skeleton), 3))
    at = 0
    for name, names in channels.items():
        turns = [i for i, channel in enumerate(names) if channel.endswith("rotation")]
        joint = skeleton.index(name)
        if turns and skeleton.tree.kind[joint] in (BALL, FREE):
            axes = [_AXES.index(names[i][0]) for i in turns]
            # a joint with fewer than three turns makes the missing ones by zero
            order[joint] = [*axes, *(a for a in range(3) if a not in axes)][:3]
            for slot, i in enumerate(turns[:3]):
                angles[:, joint, slot] = np.radians(rows[:, at + i])
        at += len(names)
    return EulerChannels(order, angles)


def in_scene(
    channels: EulerChannels, skeleton: Skeleton, scene: Skeleton, actor: str
) -> EulerChannels:
    """The same channels for an actor within a scene's skeleton; everything else slerps."""
    order = np.full((len(scene), 3), -1, dtype=np.int64)
    angles = np.zeros((len(channels.angles), len(scene), 3))
    for joint, name in enumerate(skeleton.names):
        there = scene.index(f"{actor}.{name}")
        order[there] = channels.order[joint]
        angles[:, there] = channels.angles[:, joint]
    return EulerChannels(order, angles)

"""Preset poses of the human: the named key poses of the built-in libraries."""

from __future__ import annotations

import re
from functools import cache

import numpy as np

from writhe.arrays import Floats
from writhe.database import PostureDatabase
from writhe.database.posture import heading_quaternion
from writhe.errors import UnknownNameError
from writhe.postures.builtin import builtin_database
from writhe.skeleton import Skeleton, forward
from writhe.skeleton.limbs import ANKLES
from writhe.skeleton.quaternions import rotation_matrix
from writhe.skeleton.root import moved_roots

LIBRARIES = ("basic", "chair", "ladder")
_GENERATED = re.compile(
    r"[>+~(]|\d\.\d|^reach (both )?-?\d"
)  # names of blends, variations and cycle samples


@cache
def preset_names(library: str) -> tuple[str, ...]:
    """The names of a library's preset poses."""
    return tuple(sorted({n for n in builtin_database(library).clip if not _GENERATED.search(n)}))


def preset_pose(library: str, name: str) -> tuple[PostureDatabase, int]:
    """The database of a library and the index of the posture of this name."""
    if library not in LIBRARIES or name not in preset_names(library):
        raise UnknownNameError("pose", name, list(preset_names("basic"))[:12])
    database = builtin_database(library)
    return database, database.clip.index(name)


def relative_to_object(database: PostureDatabase, number: int, placement: Floats) -> Floats:
    """A posture moved so that its object has the given placement (7,)."""
    recorded = database.object_pose[number]
    turn = rotation_matrix(placement[3:]) @ rotation_matrix(recorded[3:]).T
    shift = placement[:3] - turn @ recorded[:3]
    return moved_roots(database.figure.skeleton, database.q[number][None], turn, shift)[0]


def at_current_root(skeleton: Skeleton, posture: Floats, now: Floats) -> Floats:
    """A posture moved to the root position (x, z) and heading of the configuration `now`."""
    turn = rotation_matrix(heading_quaternion(now))
    shift = np.array([now[0], 0.0, now[2]])
    return moved_roots(skeleton, posture[None], turn, shift)[0]


# joints that support the body when they are lower than this, in metres above the floor
_SUPPORT_HEIGHT_M = {
    "left_ankle": 0.2,
    "right_ankle": 0.2,
    "left_knee": 0.14,
    "right_knee": 0.14,
    "left_wrist": 0.12,
    "right_wrist": 0.12,
    "hips": 0.22,
}
_SEATED_M = (0.35, 0.8)  # range of hip heights on a chair


def supporting_joints(skeleton: Skeleton, q: Floats, *, on_chair: bool) -> list[str]:
    """The joints that support a pose and get pins: feet, knees, hands, hips of a seated pose."""
    frames = forward(skeleton, q)
    height = {name: float(frames.position(name)[1]) for name in _SUPPORT_HEIGHT_M}
    found = [name for name, most in _SUPPORT_HEIGHT_M.items() if height[name] < most]
    if on_chair and _SEATED_M[0] < height["hips"] < _SEATED_M[1]:
        found.append("hips")
    return found or list(ANKLES)

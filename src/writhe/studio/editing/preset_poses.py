"""Ready-made poses of the human: the named key poses of the built-in libraries."""

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
from writhe.skeleton.quaternions import rotation_matrix
from writhe.studio.editing.move_actor import moved_roots

LIBRARIES = ("basic", "chair", "ladder")
_MADE = re.compile(r"[>+~(]|\d\.\d|^reach (both )?-?\d")  # blends, variations, samples of a cycle


@cache
def ready_names(library: str) -> tuple[str, ...]:
    """The poses of a library that have a name of their own."""
    return tuple(sorted({n for n in builtin_database(library).clip if not _MADE.search(n)}))


def ready_pose(library: str, name: str) -> tuple[PostureDatabase, int]:
    """The library and the number of the posture of this name."""
    if library not in LIBRARIES or name not in ready_names(library):
        raise UnknownNameError("pose", name, list(ready_names("basic"))[:12])
    database = builtin_database(library)
    return database, database.clip.index(name)


def beside_object(database: PostureDatabase, number: int, place: Floats) -> Floats:
    """A posture put so that its object stands at a place (7,): position and quaternion."""
    seen = database.object_pose[number]
    turn = rotation_matrix(place[3:]) @ rotation_matrix(seen[3:]).T
    shift = place[:3] - turn @ seen[:3]
    return moved_roots(database.figure.skeleton, database.q[number][None], turn, shift)[0]


def where_it_stands(skeleton: Skeleton, posture: Floats, now: Floats) -> Floats:
    """A posture put where the figure stands at present, facing the same way."""
    turn = rotation_matrix(heading_quaternion(now))
    shift = np.array([now[0], 0.0, now[2]])
    return moved_roots(skeleton, posture[None], turn, shift)[0]


# joints that carry the body when they are this low, over the floor or over what is sat on
_CARRYING_M = {
    "left_ankle": 0.2,
    "right_ankle": 0.2,
    "left_knee": 0.14,
    "right_knee": 0.14,
    "left_wrist": 0.12,
    "right_wrist": 0.12,
    "hips": 0.22,
}
_SEATED_M = (0.35, 0.8)  # how high the hips are on a chair


def carrying_joints(skeleton: Skeleton, q: Floats, *, on_chair: bool) -> list[str]:
    """The joints that a pose rests on, to be pinned: feet, knees, hands, hips where it sits."""
    frames = forward(skeleton, q)
    height = {name: float(frames.position(name)[1]) for name in _CARRYING_M}
    found = [name for name, most in _CARRYING_M.items() if height[name] < most]
    if on_chair and _SEATED_M[0] < height["hips"] < _SEATED_M[1]:
        found.append("hips")
    return found or ["left_ankle", "right_ankle"]

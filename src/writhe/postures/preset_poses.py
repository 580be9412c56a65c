"""Preset poses of people: the named key poses of the built-in libraries.

Joint angles are authored for the built-in human in `postures/builtin/poses_*.py` (the squat in
`poses_floor.py`); `postures.retarget_posture` transfers a pose to another person.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np

from writhe.arrays import Floats
from writhe.database import PostureDatabase
from writhe.database.posture import heading_quaternion
from writhe.errors import UnknownNameError
from writhe.postures.builtin import builtin_database
from writhe.postures.finger_clearance import with_clear_fingers
from writhe.postures.retarget_posture import posture_on_body
from writhe.recognition import ESSENTIAL
from writhe.recognition.body_map import BodyMap, extended, extends
from writhe.skeleton import Figure, Skeleton, forward
from writhe.skeleton.limbs import ANKLES
from writhe.skeleton.move_root import moved_roots
from writhe.skeleton.quaternions import rotation_matrix

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


def is_person(figure: Figure) -> bool:
    """Whether postures of the human can be transferred to the figure."""
    roles = dict(figure.roles)
    return all(role in roles for role in ESSENTIAL)


def posture_of(figure: Figure, library: str, name: str, now: Floats, placement: Floats) -> Floats:
    """A preset pose on a figure, at the root position and heading of `now`, or at its object.

    placement: (7,) pose of the object, if the preset pose has one.
    """
    database, number = preset_pose(library, name)
    human, origin = database.figure, np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    if extends(figure, human):
        if not database.object_name:
            posture = at_current_root(human.skeleton, database.q[number], now)
            return with_clear_fingers(figure, human, extended(figure, human, posture, now))
        posture = extended(figure, human, relative_to_object(database, number, origin), now)
        posture = with_clear_fingers(figure, human, posture, database.object_name)
        turn, shift = rotation_matrix(placement[3:]), placement[:3]
        return moved_roots(figure.skeleton, posture[None], turn, shift)[0]
    mapping = BodyMap(figure, human)
    if database.object_name:
        authored = relative_to_object(database, number, origin)
        q = posture_on_body(mapping, authored, database.object_name)
        turn, shift = rotation_matrix(placement[3:]), placement[:3]
    else:
        q = posture_on_body(mapping, database.q[number])
        frames = forward(figure.skeleton, now)
        root = mapping.to_reference(frames.positions, frames.rotations)
        turn = rotation_matrix(heading_quaternion(root))
        shift = np.array([root[0], 0.0, root[2]])
    return moved_roots(figure.skeleton, q[None], turn, shift)[0]


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


def supporting_joints(figure: Figure, q: Floats, *, on_chair: bool) -> list[str]:
    """The joints that support a pose and get pins: feet, knees, hands, hips of a seated pose."""
    frames, roles = forward(figure.skeleton, q), dict(figure.roles)
    height = {
        role: float(frames.position(roles[role])[1]) for role in _SUPPORT_HEIGHT_M if role in roles
    }
    found = [role for role in height if height[role] < _SUPPORT_HEIGHT_M[role]]
    if on_chair and _SEATED_M[0] < height["hips"] < _SEATED_M[1]:
        found.append("hips")
    return [roles[role] for role in dict.fromkeys(found or ANKLES)]

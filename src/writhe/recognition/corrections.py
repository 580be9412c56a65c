"""Corrections of recognised roles: from a file, for this process, and remembered per skeleton.

A remembered correction is a small JSON file (role to joint name, or null for a role that the
skeleton does not have) in the user's configuration folder. Its name is a hash of the joints'
names, parents and offsets, so it applies to every file with the same skeleton.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import numpy as np

from writhe.errors import FileFormatError, WritheError
from writhe.files import replace_file
from writhe.recognition.roles import FINGER_ROLES, ROLES
from writhe.skeleton.skeleton import Skeleton
from writhe.user_folders import settings_folder

Corrections = dict[str, str | None]
_in_use: list[Corrections] = []
_lacking: dict[int, list[str]] = {}  # index in `_in_use` to joints that a skeleton lacks


def corrections_folder() -> Path:
    """The folder of remembered corrections."""
    return settings_folder("roles")


def skeleton_hash(skeleton: Skeleton) -> str:
    """A hash of the names, parents and offsets (to 0.1 % of the largest) of a skeleton's joints."""
    offsets = np.array([joint.offset_in_parent for joint in skeleton.joints])
    offsets[skeleton.parents < 0] = 0.0  # the position of a root is not a property of the skeleton
    size = float(np.abs(offsets).max(initial=0.0)) or 1.0
    digest = hashlib.sha256("\n".join(skeleton.names).encode())
    digest.update(skeleton.parents.astype("<i8").tobytes())
    # + 0.0 turns -0.0 into 0.0
    digest.update((np.round(offsets / size, 3) + 0.0).astype("<f8").tobytes())
    return digest.hexdigest()[:24]


def read_roles(path: Path) -> Corrections:
    """Roles from a JSON file: {"left_elbow": "Bone.012", "left_toe": null}."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileFormatError(path, "there is no such file", remedy="check the name") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileFormatError(path, f"cannot be read: {error}") from None
    example = 'write {"left_elbow": "joint name", ...}'
    try:
        table = json.loads(text)
    except json.JSONDecodeError as error:
        problem = f"is no JSON: {error.msg}"
        raise FileFormatError(path, problem, line=error.lineno, remedy=example) from None
    if not isinstance(table, dict):
        raise FileFormatError(path, "is not a JSON object", remedy=example)
    # the output of `writhe info --json` may be given as it is
    rows = cast("dict[str, Any]", table).get("roles", table)
    if not isinstance(rows, dict):
        raise FileFormatError(path, "its `roles` must be a JSON object", remedy=example)
    found: Corrections = {}
    for role, joint in cast("dict[str, Any]", rows).items():
        if role not in ROLES and role not in FINGER_ROLES:
            remedy = f"available: {', '.join(ROLES)}, and fingers such as left_index_1"
            raise FileFormatError(path, f"{role!r} is not a role", remedy=remedy)
        if joint is not None and not isinstance(joint, str):
            raise FileFormatError(path, f"the joint of {role!r} must be a name", remedy=example)
        found[role] = joint
    return found


@contextmanager
def using_roles(roles: Mapping[str, str | None]) -> Generator[None]:
    """Within the context, `recognise` uses these roles for skeletons that have the joints.

    Raises on exit if skeletons were recognised but none had the joints.
    """
    number = len(_in_use)
    _in_use.append(dict(roles))
    _lacking.pop(number, None)
    try:
        yield
    finally:
        _in_use.pop()
    if _lacking.get(number):
        raise WritheError(
            f"the roles given name joints that no skeleton here has: {', '.join(_lacking[number])};"
            " `writhe info FILE --json` lists the joints of a file"
        )


def remember_roles(skeleton: Skeleton, roles: Mapping[str, str | None]) -> Path:
    """Store corrections for a skeleton, in addition to earlier ones; returns the file."""
    for role, joint in roles.items():
        if role not in ROLES and role not in FINGER_ROLES:
            raise WritheError(f"{role!r} is not a role; available: {', '.join(ROLES)}")
        if joint is not None:
            skeleton.index(joint)
    path = corrections_folder() / f"{skeleton_hash(skeleton)}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    table = remembered_roles(skeleton)
    # a joint has one role: a new one replaces the old
    given = {joint for joint in roles.values() if joint is not None}
    table = {role: joint for role, joint in table.items() if joint is None or joint not in given}
    text = json.dumps(table | dict(roles), indent=1, ensure_ascii=False)
    replace_file(path, lambda part: part.write_text(text, encoding="utf-8"))
    return path


def forget_roles(skeleton: Skeleton) -> bool:
    """Remove the corrections stored for a skeleton; False if there were none."""
    path = corrections_folder() / f"{skeleton_hash(skeleton)}.json"
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True


def remembered_roles(skeleton: Skeleton) -> Corrections:
    """The corrections stored for a skeleton; empty if there are none or they do not fit."""
    folder = corrections_folder()
    try:
        if not folder.is_dir():
            return {}
        table = read_roles(folder / f"{skeleton_hash(skeleton)}.json")
    except (WritheError, OSError):
        return {}
    return {role: joint for role, joint in table.items() if joint is None or joint in skeleton}


def corrections_of(skeleton: Skeleton) -> Corrections:
    """Remembered corrections and those of this process, which take precedence."""
    table = remembered_roles(skeleton)
    for number, roles in enumerate(_in_use):
        lacking = [joint for joint in roles.values() if joint is not None and joint not in skeleton]
        if lacking:
            _lacking.setdefault(number, lacking)
            continue
        _lacking[number] = []
        given = {joint for joint in roles.values() if joint is not None}
        table = {r: j for r, j in table.items() if j is None or j not in given} | roles
    return table


def corrected(skeleton: Skeleton, stated: Mapping[str, str | None] | None) -> Corrections | None:
    """The roles that a file states (VRM) with the corrections of its skeleton; None if no roles."""
    if not stated:
        return None
    changes = corrections_of(skeleton)
    given = {joint for joint in changes.values() if joint is not None}
    return {r: j for r, j in stated.items() if j is None or j not in given} | changes

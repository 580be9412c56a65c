"""A character's body as it is stored with files: collision shapes, roles and joint limits.

Fitted shapes depend on the last digits of a skin, so a character that is written to another format
and read again could get other shapes than those its motion was certified with. They are therefore
stored: in glTF in the `extras` of the first joint's node, in USD in the custom data of the
skeleton, beside FBX files in a file of their own (`docs/files.md`).

A stored body carries the rest pose of its joints and the area and centre of the skin that each one
moves. If these differ from what is read, the body is out of date and is ignored.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.files import replace_file
from writhe.recognition.corrections import skeleton_hash
from writhe.skeleton import Capsule, Figure, JointKind, Limits, Skeleton, Skin, forward, quaternions
from writhe.skeleton.shape_fitting.skin_coverage import vertex_areas
from writhe.user_folders import settings_folder

VERSION = 1
SIDECAR = ".body.json"  # appended to the name of a file that cannot hold a body
# differences between a stored body and the one that is read, relative to its size: above the
# rounding of files, below any change of a character
_SAME = 2e-4
_SAME_AREA = 2e-3
_SMALL_AREA = 1e-4  # area / size^2: the centre of less skin is not compared
_MAX_BYTES = 1 << 23  # of a file with a body


@dataclass(frozen=True)
class StoredBody:
    """What a file says about a character's body. Shapes in metres, in the frames of the joints."""

    roles: dict[str, str]
    capsules: tuple[Capsule, ...]
    limits: dict[str, Limits]


def body_note(figure: Figure) -> dict[str, Any]:
    """The body of a figure as JSON values."""
    limits = {
        joint.name: {
            "lower": _bounds(joint.limits.lower),
            "upper": _bounds(joint.limits.upper),
            "frame": _numbers(joint.limits.frame),
        }
        for joint in figure.skeleton.joints
        if joint.limits is not None
    }
    capsules = [
        {
            "joint": c.joint,
            "start": _numbers(c.start_in_joint),
            "end": _numbers(c.end_in_joint),
            "radius": float(c.radius_m),
            **({"part": c.part} if c.part else {}),
        }
        for c in figure.capsules
    ]
    rest = fingerprint(figure.skeleton, figure.skin)
    return {
        "version": VERSION,
        "capsules": capsules,
        "roles": dict(figure.roles),
        "limits": limits,
        "of": {name: [round(float(x), 6) for x in row] for name, row in rest.items()},
    }


def fingerprint(skeleton: Skeleton, skin: Skin | None) -> dict[str, Floats]:
    """Joint to (11,): rest position relative to the first joint, rest rotation (wxyz), skin.

    Of the skin: the area that the joint moves, by weights, and its centre relative to the joint.
    """
    rest = forward(skeleton, skeleton.rest_configuration)
    count = len(skeleton)
    out = np.zeros((count, 11))
    out[:, :3] = rest.positions - rest.positions[0]
    turn = quaternions.from_matrices(rest.rotations)
    out[:, 3:7] = turn * np.where(turn[:, :1] < 0.0, -1.0, 1.0)
    if skin is not None and len(skin.triangles):
        share = vertex_areas(skin.vertices, skin.triangles)[:, None] * skin.weights
        joint = skin.joints.ravel()
        area = np.bincount(joint, share.ravel(), minlength=count)[:count]
        for axis in range(3):
            moment = (share * skin.vertices[:, axis : axis + 1]).ravel()
            centre = np.bincount(joint, moment, minlength=count)[:count] / np.maximum(area, 1e-12)
            out[:, 8 + axis] = np.where(area > 0.0, centre - rest.positions[:, axis], 0.0)
        out[:, 7] = area
    return {name: out[j] for j, name in enumerate(skeleton.names)}


def same_skin(one: Skin, other: Skin, skeleton: Skeleton) -> bool:
    """Whether two skins of a skeleton have the same area and centre at every joint."""
    mine, theirs = fingerprint(skeleton, one), fingerprint(skeleton, other)
    return _same({name: row.tolist() for name, row in theirs.items()}, mine)


def stored_body(note: object, skeleton: Skeleton, skin: Skin | None) -> StoredBody | None:
    """The body of a note that `body_note` made; None if it is malformed or of another body."""
    try:
        return _read(cast(Mapping[str, Any], note), skeleton, skin)
    except (WritheError, KeyError, TypeError, ValueError, AttributeError):
        return None  # written by another program, or edited: shapes are fitted again


def read_sidecar(path: Path) -> object:
    """The note beside a file; None if there is none or it cannot be read."""
    return _read_json(path.with_name(path.name + SIDECAR))


def remembered_body(skeleton: Skeleton) -> object:
    """The note that `remember_body` stored for a skeleton; None if there is none."""
    folder = settings_folder("bodies")
    return _read_json(folder / f"{skeleton_hash(skeleton)}.json") if folder.is_dir() else None


def remember_body(figure: Figure) -> Path:
    """Store the figure's body, for every file with the same skeleton and skin; returns the file."""
    path = settings_folder("bodies") / f"{skeleton_hash(figure.skeleton)}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(body_note(figure))
    replace_file(path, lambda part: part.write_text(text, encoding="utf-8"))
    return path


def forget_body(skeleton: Skeleton) -> bool:
    """Remove the body stored for a skeleton; False if there was none."""
    path = settings_folder("bodies") / f"{skeleton_hash(skeleton)}.json"
    found = path.is_file()
    path.unlink(missing_ok=True)
    return found


def _read_json(file: Path) -> object:
    try:
        if not file.is_file() or file.stat().st_size > _MAX_BYTES:
            return None
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None


def _read(note: Mapping[str, Any], skeleton: Skeleton, skin: Skin | None) -> StoredBody | None:
    if note["version"] != VERSION or not _same(note["of"], fingerprint(skeleton, skin)):
        return None
    capsules = tuple(
        Capsule(
            row["joint"],
            _vector(row["start"]),
            _vector(row["end"]),
            float(row["radius"]),
            str(row.get("part", "")),
        )
        for row in note["capsules"]
    )
    roles = {str(role): str(joint) for role, joint in note["roles"].items()}
    for name in (*roles.values(), *(c.joint for c in capsules)):
        skeleton.index(name)
    limits: dict[str, Limits] = {}
    for name, row in note["limits"].items():
        lower, upper = (
            np.array([x if row[k][i] is None else float(row[k][i]) for i in range(len(row[k]))])
            for k, x in (("lower", -math.inf), ("upper", math.inf))
        )
        kind = skeleton.joints[skeleton.index(name)].kind
        wanted = {JointKind.BALL: 3, JointKind.HINGE: 1, JointKind.PRISMATIC: 1}.get(kind, 0)
        if len(lower) == wanted:  # the joint may have become free by an animated translation
            limits[name] = Limits(lower, upper, np.array(row["frame"], dtype=np.float64))
    return StoredBody(roles, capsules, limits)


def _same(stored: Mapping[str, Any], found: Mapping[str, Floats]) -> bool:
    if set(stored) != set(found):
        return False
    mine = np.array([found[name] for name in found])
    theirs = np.array([stored[name] for name in found], dtype=np.float64)
    if theirs.shape != mine.shape or not np.isfinite(theirs).all():
        return False
    size = max(float(np.abs(mine[:, :3]).max()), 1e-6)
    area, other = mine[:, 7] / size**2, theirs[:, 7] / size**2
    apart = np.abs(mine - theirs)
    seen = np.maximum(area, other) > _SMALL_AREA
    return bool(
        apart[:, :3].max() < _SAME * size
        and apart[:, 3:7].max() < 10 * _SAME
        and (np.abs(area - other) < _SAME_AREA * area + _SMALL_AREA).all()
        and apart[seen, 8:].max(initial=0.0) < 5 * _SAME * size
    )


def _numbers(values: Floats) -> list[float]:
    return [float(x) for x in values]


def _bounds(values: Floats) -> list[float | None]:
    """Bounds with None for infinite ones, which JSON does not have."""
    return [float(x) if math.isfinite(x) else None for x in values]


def _vector(values: Any) -> Floats:
    return np.array([float(values[k]) for k in range(3)])

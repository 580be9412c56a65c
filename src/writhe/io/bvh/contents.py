"""What the header of a BVH file describes: skeleton, unit, repairs. Loads no kernels."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.io.bvh.hierarchy import BvhHeader, BvhJoint, has_motion_header, parse_header
from writhe.io.bvh.lost_bones import lost_bones
from writhe.io.file_size_limits import MAX_HEADER_BYTES, unique_names
from writhe.io.length_units import body_length, guess_unit, is_cmu, longest_path
from writhe.skeleton.joint import Joint, JointKind, Tip
from writhe.skeleton.skeleton import Skeleton

AXES = "XYZ"


@dataclass(frozen=True)
class BvhContents:
    """The skeleton of a BVH file in metres, and how the file was interpreted (`Motion.source`).

    offsets: (n, 3) of the joints, repaired, in the file's unit of `unit` metres.
    """

    skeleton: Skeleton
    source: dict[str, Any]
    offsets: Floats
    unit: float


def read_header(path: Path, file: BinaryIO) -> BvhHeader:
    """The header of an open BVH file; afterwards the file is at its first frame."""
    header = parse_header(path, _head(file))
    file.seek(header.data_start)
    return header


def describe(header: BvhHeader, *, metres_per_unit: float | None, repair: bool) -> BvhContents:
    """The skeleton of a header, its lost bones restored if `repair`.

    Clips with the same hierarchy share one skeleton: in a folder of short clips, making it would
    take longer than reading their frames.
    """
    joints = tuple(
        (j.name, j.parent, tuple(j.offset), tuple(j.channels), tuple(map(tuple, j.end_sites)))
        for j in header.joints
    )
    known = _described(_Hierarchy(joints, metres_per_unit, repair, header.joints))
    source = {"format": "bvh", "frame_time_s": header.frame_time_s, **deepcopy(known.source)}
    return replace(known, source=source, offsets=known.offsets.copy())


@dataclass(frozen=True)
class _Hierarchy:
    content: tuple[object, ...]
    metres_per_unit: float | None
    repair: bool
    joints: list[BvhJoint] = field(compare=False, repr=False)


@lru_cache(maxsize=256)
def _described(hierarchy: _Hierarchy) -> BvhContents:
    joints = hierarchy.joints
    names = unique_names([j.name for j in joints])
    parents = [j.parent for j in joints]
    offsets = np.array([j.offset for j in joints])
    source: dict[str, Any] = {}
    fixes = lost_bones(names, parents, offsets) if hierarchy.repair else []
    source["repairs"] = {names[j]: offsets[j].tolist() for j, _ in fixes}
    for j, offset in fixes:
        offsets[j] = offset
    unit = _unit(names, parents, offsets, joints, hierarchy.metres_per_unit, source)
    skeleton = _skeleton(names, joints, offsets * unit, unit)
    source["channels"] = {n: list(j.channels) for n, j in zip(names, joints, strict=True)}
    return BvhContents(skeleton, source, offsets, unit)


def _unit(
    names: list[str],
    parents: list[int],
    offsets: Floats,
    joints: list[BvhJoint],
    given: float | None,
    source: dict[str, Any],
) -> float:
    if given is not None:
        if not (np.isfinite(given) and given > 0):
            raise WritheError(f"metres_per_unit must be positive, not {given}")
        unit, why = float(given), "given by the caller"
    else:
        ends = {
            j: max(float(np.linalg.norm(e)) for e in joint.end_sites)
            for j, joint in enumerate(joints)
            if joint.end_sites
        }
        body = None if is_cmu(names) else body_length(_skeleton(names, joints, offsets, 1.0))
        unit, why = guess_unit(names, longest_path(parents, offsets, ends), body)
    source["metres_per_unit"], source["unit_from"] = unit, why
    return unit


def _kind(joint: BvhJoint) -> JointKind:
    rotation_count = sum(c.endswith("rotation") for c in joint.channels)
    if len(joint.channels) > rotation_count:
        return JointKind.FREE
    return (JointKind.FIXED, JointKind.HINGE, JointKind.BALL, JointKind.BALL)[rotation_count]


def _skeleton(names: list[str], joints: list[BvhJoint], offsets_m: Floats, unit: float) -> Skeleton:
    built: list[Joint] = []
    ends: list[tuple[str, str, Floats]] = []
    for j, joint in enumerate(joints):
        kind = _kind(joint)
        axis = np.zeros(3)
        if kind is JointKind.HINGE:
            axis[AXES.index(joint.channels[0][0])] = 1.0
        parent = None if joint.parent < 0 else names[joint.parent]
        built.append(Joint(names[j], parent, kind, offsets_m[j].copy(), axis=axis))
        ends += [(f"{names[j]}_end", names[j], np.array(e) * unit) for e in joint.end_sites]
    unique = unique_names([*names, *(n for n, _, _ in ends)])[len(names) :]
    tips = [Tip(n, joint, at) for n, (_, joint, at) in zip(unique, ends, strict=True)]
    return Skeleton(built, tips)


def _head(file: BinaryIO) -> bytes:
    """The start of the file, including its MOTION header, at most MAX_HEADER_BYTES."""
    head = b""
    while len(head) < MAX_HEADER_BYTES:
        data = file.read(min(max(1 << 16, len(head)), MAX_HEADER_BYTES - len(head)))
        head += data
        # bytes after the header show that it is complete
        if not data or has_motion_header(head):
            break
    return head


def frame_rate(frame_time_s: float) -> float:
    """The frame rate of a frame time, rounded to an integer if within 1e-4 of one."""
    rate = 1.0 / frame_time_s
    return float(round(rate)) if abs(round(rate) * frame_time_s - 1.0) < 1e-4 else rate

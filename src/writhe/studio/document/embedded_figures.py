"""Encodes imported figures that are embedded in a document."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from writhe.arrays import Quaternion, Vector3, vector3
from writhe.errors import WritheError
from writhe.skeleton import Capsule, Figure, Joint, JointKind, Limits, Skeleton, Skin, Tip


class _Joint(msgspec.Struct, array_like=True):
    name: str
    parent: str | None
    kind: int
    offset: Vector3
    rest: Quaternion
    axis: Vector3
    # since documents keep them; older ones have none
    limits: tuple[list[float], list[float], Quaternion] | None = None
    mass_kg: float = 0.0
    centre_of_mass: Vector3 = (0.0, 0.0, 0.0)
    inertia: Vector3 = (0.0, 0.0, 0.0)


class _Tip(msgspec.Struct, array_like=True):
    name: str
    joint: str
    offset: Vector3


class _Capsule(msgspec.Struct, array_like=True):
    joint: str
    start: Vector3
    end: Vector3
    radius_m: float
    part: str


class _Skin(msgspec.Struct):
    vertices: bytes
    triangles: bytes
    joints: bytes
    weights: bytes


class _Figure(msgspec.Struct):
    name: str
    joints: list[_Joint]
    tips: list[_Tip]
    capsules: list[_Capsule]
    strands: list[tuple[str, list[str]]]
    roles: list[tuple[str, str]]
    skin: _Skin | None = None


def encode_figure(figure: Figure) -> bytes:
    """A figure as bytes."""
    skeleton, skin = figure.skeleton, figure.skin
    joints = [
        _Joint(
            j.name,
            j.parent,
            int(j.kind),
            vector3(j.offset_in_parent),
            (float(j.rest[0]), *vector3(j.rest[1:])),
            vector3(j.axis),
            _encode_limits(j.limits),
            float(j.mass_kg),
            vector3(j.centre_of_mass),
            vector3(j.inertia),
        )
        for j in skeleton.joints
    ]
    return msgspec.msgpack.encode(
        _Figure(
            figure.name,
            joints,
            [_Tip(t.name, t.joint, vector3(t.offset_in_joint)) for t in skeleton.tips],
            [
                _Capsule(
                    c.joint, vector3(c.start_in_joint), vector3(c.end_in_joint), c.radius_m, c.part
                )
                for c in figure.capsules
            ],
            [(name, list(joints)) for name, joints in figure.strands],
            list(figure.roles),
            None
            if skin is None
            else _Skin(
                skin.vertices.astype("<f4").tobytes(),
                skin.triangles.astype("<u4").tobytes(),
                skin.joints.astype("<u2").tobytes(),
                skin.weights.astype("<f4").tobytes(),
            ),
        )
    )


@lru_cache(maxsize=32)
def decode_figure(data: bytes) -> Figure:
    """The figure that `encode_figure` wrote."""
    try:
        stored = msgspec.msgpack.decode(data, type=_Figure)
    except msgspec.MsgspecError as error:
        raise WritheError(f"a figure embedded in this document cannot be read: {error}") from error
    joints = [
        Joint(
            j.name,
            j.parent,
            JointKind(j.kind),
            np.array(j.offset),
            np.array(j.rest),
            np.array(j.axis),
            None
            if j.limits is None
            else Limits(np.array(j.limits[0]), np.array(j.limits[1]), np.array(j.limits[2])),
            j.mass_kg,
            np.array(j.centre_of_mass),
            np.array(j.inertia),
        )
        for j in stored.joints
    ]
    tips = [Tip(t.name, t.joint, np.array(t.offset)) for t in stored.tips]
    return Figure(
        stored.name,
        Skeleton(joints, tips),
        capsules=tuple(
            Capsule(c.joint, np.array(c.start), np.array(c.end), c.radius_m, c.part)
            for c in stored.capsules
        ),
        strands=tuple((name, tuple(names)) for name, names in stored.strands),
        roles=tuple(stored.roles),
        skin=None if stored.skin is None else _skin(stored.skin),
    )


def _encode_limits(
    limits: Limits | None,
) -> tuple[list[float], list[float], Quaternion] | None:
    if limits is None:
        return None
    w, x, y, z = limits.frame.tolist()
    return limits.lower.tolist(), limits.upper.tolist(), (w, x, y, z)


def _skin(stored: _Skin) -> Skin:
    def array(data: bytes, kind: str, width: int) -> NDArray[Any]:
        return np.frombuffer(data, dtype=kind).reshape(-1, width)

    return Skin(
        array(stored.vertices, "<f4", 3).astype(np.float64),
        array(stored.triangles, "<u4", 3).astype(np.int64),
        array(stored.joints, "<u2", 4).astype(np.int64),
        array(stored.weights, "<f4", 4).astype(np.float64),
    )

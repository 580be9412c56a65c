"""Encodes imported figures that are embedded in a document."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from writhe.arrays import Quaternion, Vector3, vector3
from writhe.errors import WritheError
from writhe.skeleton import Capsule, Figure, Joint, JointKind, Skeleton, Skin, Tip


class _Joint(msgspec.Struct, array_like=True):
    name: str
    parent: str | None
    kind: int
    offset: Vector3
    rest: Quaternion
    axis: Vector3


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


class EmbeddedModel(msgspec.Struct, frozen=True):
    """The file of a character: the key under which the document stores it, and its nodes.

    nodes: the node of each joint; units_m: metres per unit of each node's translation.
    """

    key: str
    nodes: tuple[int, ...]
    units_m: tuple[float, ...]


class _Figure(msgspec.Struct):
    name: str
    joints: list[_Joint]
    tips: list[_Tip]
    capsules: list[_Capsule]
    strands: list[tuple[str, list[str]]]
    roles: list[tuple[str, str]]
    skin: _Skin | None = None
    model: EmbeddedModel | None = None


def encode_figure(figure: Figure, model: EmbeddedModel | None = None) -> bytes:
    """A figure as bytes; its file is stored apart, under the key of `model`."""
    skeleton, skin = figure.skeleton, figure.skin
    joints = [
        _Joint(
            j.name,
            j.parent,
            int(j.kind),
            vector3(j.offset_in_parent),
            (float(j.rest[0]), *vector3(j.rest[1:])),
            vector3(j.axis),
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
            model,
        )
    )


def _decode(data: bytes) -> _Figure:
    try:
        return msgspec.msgpack.decode(data, type=_Figure)
    except msgspec.MsgspecError as error:
        raise WritheError(f"a figure embedded in this document cannot be read: {error}") from error


@lru_cache(maxsize=32)
def decode_model(data: bytes) -> EmbeddedModel | None:
    """The file of the figure that `encode_figure` wrote, None if it came from none."""
    stored = _decode(data)
    model, count = stored.model, len(stored.joints)
    if model is not None and (len(model.nodes), len(model.units_m)) != (count, count):
        raise WritheError("a figure embedded in this document does not fit its file")
    return model


@lru_cache(maxsize=32)
def decode_figure(data: bytes) -> Figure:
    """The figure that `encode_figure` wrote, without its file."""
    stored = _decode(data)
    joints = [
        Joint(
            j.name,
            j.parent,
            JointKind(j.kind),
            np.array(j.offset),
            np.array(j.rest),
            np.array(j.axis),
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


def _skin(stored: _Skin) -> Skin:
    def array(data: bytes, kind: str, width: int) -> NDArray[Any]:
        return np.frombuffer(data, dtype=kind).reshape(-1, width)

    return Skin(
        array(stored.vertices, "<f4", 3).astype(np.float64),
        array(stored.triangles, "<u4", 3).astype(np.int64),
        array(stored.joints, "<u2", 4).astype(np.int64),
        array(stored.weights, "<f4", 4).astype(np.float64),
    )

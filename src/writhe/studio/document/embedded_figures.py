"""Encodes imported figures that are embedded in a document."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from writhe.arrays import Floats, Quaternion, Vector3, vector3
from writhe.errors import WritheError
from writhe.skeleton import Capsule, Figure, Joint, JointKind, Limits, Skeleton, Skin, Tip
from writhe.skeleton.fold_limits import FoldLimit


class _StoredJoint(msgspec.Struct, array_like=True):
    name: str
    parent: str | None
    kind: int
    offset: Vector3
    rest: Quaternion
    axis: Vector3
    # empty lists: no limits
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    limit_frame: Quaternion = (1.0, 0.0, 0.0, 0.0)
    mass_kg: float = 0.0
    centre_of_mass: Vector3 = (0.0, 0.0, 0.0)
    inertia: Vector3 = (0.0, 0.0, 0.0)

    @staticmethod
    def of(joint: Joint) -> _StoredJoint:
        limits = joint.limits
        return _StoredJoint(
            joint.name,
            joint.parent,
            int(joint.kind),
            vector3(joint.offset_in_parent),
            _quaternion(joint.rest),
            vector3(joint.axis),
            () if limits is None else tuple(float(x) for x in limits.lower),
            () if limits is None else tuple(float(x) for x in limits.upper),
            (1.0, 0.0, 0.0, 0.0) if limits is None else _quaternion(limits.frame),
            joint.mass_kg,
            vector3(joint.centre_of_mass),
            vector3(joint.inertia),
        )

    def joint(self) -> Joint:
        """The joint that was stored."""
        limits = None
        if self.lower:
            frame = np.array(self.limit_frame)
            limits = Limits(np.array(self.lower), np.array(self.upper), frame)
        return Joint(
            self.name,
            self.parent,
            JointKind(self.kind),
            np.array(self.offset),
            np.array(self.rest),
            np.array(self.axis),
            limits,
            self.mass_kg,
            np.array(self.centre_of_mass),
            np.array(self.inertia),
        )


def _quaternion(values: Floats) -> Quaternion:
    return (float(values[0]), *vector3(values[1:]))


class _StoredTip(msgspec.Struct, array_like=True):
    name: str
    joint: str
    offset: Vector3


class _StoredCapsule(msgspec.Struct, array_like=True):
    joint: str
    start: Vector3
    end: Vector3
    radius_m: float
    part: str


class _StoredSkin(msgspec.Struct):
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


class _StoredFigure(msgspec.Struct):
    name: str
    joints: list[_StoredJoint]
    tips: list[_StoredTip]
    capsules: list[_StoredCapsule]
    strands: list[tuple[str, list[str]]]
    roles: list[tuple[str, str]]
    skin: _StoredSkin | None = None
    model: EmbeddedModel | None = None
    folds: list[tuple[str, Quaternion, list[float]]] = []
    corrected: bool = False
    excluded: list[_StoredCapsule] = []


def encode_figure(
    figure: Figure, model: EmbeddedModel | None = None, excluded: Sequence[Capsule] = ()
) -> bytes:
    """A figure as bytes; its file is stored separately, under the key of `model`.

    excluded: shapes that the user has taken out, which can be put back.
    """
    skeleton, skin = figure.skeleton, figure.skin
    joints = [_StoredJoint.of(joint) for joint in skeleton.joints]
    folds = [
        (fold.joint, _quaternion(fold.frame), [float(x) for x in fold.bend_rad])
        for fold in figure.folds
    ]
    return msgspec.msgpack.encode(
        _StoredFigure(
            figure.name,
            joints,
            [_StoredTip(t.name, t.joint, vector3(t.offset_in_joint)) for t in skeleton.tips],
            _encoded(figure.capsules),
            [(name, list(joints)) for name, joints in figure.strands],
            list(figure.roles),
            None
            if skin is None
            else _StoredSkin(
                skin.vertices.astype("<f4").tobytes(),
                skin.triangles.astype("<u4").tobytes(),
                skin.joints.astype("<u2").tobytes(),
                skin.weights.astype("<f4").tobytes(),
            ),
            model,
            folds,
            figure.corrected,
            _encoded(excluded),
        )
    )


def _encoded(capsules: Sequence[Capsule]) -> list[_StoredCapsule]:
    return [
        _StoredCapsule(
            c.joint, vector3(c.start_in_joint), vector3(c.end_in_joint), c.radius_m, c.part
        )
        for c in capsules
    ]


def _capsules(stored: list[_StoredCapsule]) -> tuple[Capsule, ...]:
    return tuple(
        Capsule(c.joint, np.array(c.start), np.array(c.end), c.radius_m, c.part) for c in stored
    )


@lru_cache(maxsize=32)
def decode_excluded(data: bytes) -> tuple[Capsule, ...]:
    """The shapes of a figure that the user has taken out."""
    return _capsules(_decode(data).excluded)


def _decode(data: bytes) -> _StoredFigure:
    try:
        return msgspec.msgpack.decode(data, type=_StoredFigure)
    except msgspec.MsgspecError as error:
        raise WritheError(f"a figure embedded in this document cannot be read: {error}") from error


@lru_cache(maxsize=32)
def decode_model(data: bytes) -> EmbeddedModel | None:
    """The file of a figure that `encode_figure` wrote; None if it has none."""
    stored = _decode(data)
    model, count = stored.model, len(stored.joints)
    if model is not None and (len(model.nodes), len(model.units_m)) != (count, count):
        raise WritheError("a figure embedded in this document does not fit its file")
    return model


@lru_cache(maxsize=32)
def decode_figure(data: bytes) -> Figure:
    """The figure that `encode_figure` wrote, without its file."""
    stored = _decode(data)
    joints = [joint.joint() for joint in stored.joints]
    tips = [Tip(t.name, t.joint, np.array(t.offset)) for t in stored.tips]
    return Figure(
        stored.name,
        Skeleton(joints, tips),
        capsules=_capsules(stored.capsules),
        strands=tuple((name, tuple(names)) for name, names in stored.strands),
        roles=tuple(stored.roles),
        folds=tuple(
            FoldLimit(joint, np.array(frame), np.array(bends))
            for joint, frame, bends in stored.folds
        ),
        skin=None if stored.skin is None else _skin(stored.skin),
        corrected=stored.corrected,
    )


def _skin(stored: _StoredSkin) -> Skin:
    def array(data: bytes, kind: str, width: int) -> NDArray[Any]:
        return np.frombuffer(data, dtype=kind).reshape(-1, width)

    return Skin(
        array(stored.vertices, "<f4", 3).astype(np.float64),
        array(stored.triangles, "<u4", 3).astype(np.int64),
        array(stored.joints, "<u2", 4).astype(np.int64),
        array(stored.weights, "<f4", 4).astype(np.float64),
    )

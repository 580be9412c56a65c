"""A figure with joints removed (fingers), their capsules attached to what remains."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.skeleton.figure import Capsule, Figure
from writhe.skeleton.frozen_joints import FrozenFigure
from writhe.skeleton.kinematics import Frames, forward
from writhe.skeleton.skeleton import Skeleton


def finger_joints(figure: Figure) -> tuple[str, ...]:
    """The joints of a person below the wrists: fingers and what else hangs on a hand."""
    skeleton, found = figure.skeleton, list[str]()
    for role, wrist in figure.roles:
        if role.endswith("_wrist"):
            at = skeleton.index(wrist)
            found += skeleton.names[at + 1 : int(skeleton.tree.subtree_end[at])]
    with_role = {joint for _, joint in figure.roles}
    return tuple(name for name in found if name not in with_role)


def attached(figure: Figure, q: Floats, joints: Collection[str]) -> FrozenFigure:
    """The figure without the `joints`, which must include all joints below them.

    Their capsules and tips, posed at q, are attached to the nearest remaining ancestor and belong
    to its part. The result has no skin.
    """
    skeleton, frames = figure.skeleton, forward(figure.skeleton, q)
    removed = frozenset(joints)
    carrier = {name: _carrier(skeleton, name, removed) for name in removed}
    entries: list[Ints] = [
        np.arange(skeleton.q_slice(name).start, skeleton.q_slice(name).stop)
        for name in skeleton.names
        if name not in removed
    ]
    tips = [
        replace(
            tip,
            joint=carrier.get(tip.joint, tip.joint),
            offset_in_joint=_seen_from(
                frames, carrier.get(tip.joint, tip.joint), tip.joint, tip.offset_in_joint
            ),
        )
        for tip in skeleton.tips
    ]
    parts = {c.joint: c.part_name for c in reversed(figure.capsules) if c.joint not in removed}
    reduced = replace(
        figure,
        skeleton=Skeleton([j for j in skeleton.joints if j.name not in removed], tips),
        capsules=tuple(_on_carrier(frames, c, carrier, parts) for c in figure.capsules),
        skin=None,
        folds=tuple(fold for fold in figure.folds if fold.joint not in removed),
    )
    return FrozenFigure(
        reduced, np.concatenate(entries).astype(np.int64), np.array(q, dtype=np.float64)
    )


def _carrier(skeleton: Skeleton, name: str, removed: frozenset[str]) -> str:
    return next(
        skeleton.names[j] for j in skeleton.ancestors(name) if skeleton.names[j] not in removed
    )


def _seen_from(frames: Frames, carrier: str, joint: str, point: Floats) -> Floats:
    """A point fixed to `joint`, in the frame of `carrier`."""
    if carrier == joint:
        return np.asarray(point)
    return frames.rotation(carrier).T @ (frames.point(joint, point) - frames.position(carrier))


def _on_carrier(
    frames: Frames, capsule: Capsule, carrier: dict[str, str], parts: dict[str, str]
) -> Capsule:
    if capsule.joint not in carrier:
        return capsule
    onto = carrier[capsule.joint]
    start, end = (
        _seen_from(frames, onto, capsule.joint, point)
        for point in (capsule.start_in_joint, capsule.end_in_joint)
    )
    return Capsule(onto, start, end, capsule.radius_m, parts.get(onto, onto))

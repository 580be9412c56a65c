"""Collision test fixtures: small mechanisms with known answers, and a human with capsules."""

from __future__ import annotations

from typing import Any

import numpy as np

from writhe.collision import CollisionTable, ContactPolicy, Shape, capsule
from writhe.skeleton import Capsule, Figure, Joint, JointKind, Skeleton
from writhe.skeleton.figures.human import human_skeleton

RADII = {
    "hips": 0.11, "spine": 0.10, "chest": 0.11, "neck": 0.05, "head": 0.08, "clavicle": 0.05,
    "shoulder": 0.045, "elbow": 0.035, "wrist": 0.03, "hip": 0.07, "knee": 0.05, "ankle": 0.035,
    "toe": 0.03,
}  # fmt: skip


def padded_human() -> Figure:
    """The human's joints with two capsules on every bone: 21 parts, 42 capsules."""
    skeleton = human_skeleton()
    capsules: list[Capsule] = []
    for joint in skeleton.joints:
        ends = [c.offset_in_parent for c in skeleton.joints if c.parent == joint.name][:1]
        ends += [t.offset_in_joint for t in skeleton.tips if t.joint == joint.name]
        end = ends[0]
        radius = RADII[joint.name.removeprefix("left_").removeprefix("right_")]
        if joint.name in ("hips", "spine", "chest"):
            for side in (-0.05, 0.05):
                shift = np.array([side, 0, 0])
                capsules.append(Capsule(joint.name, shift, end * 0.9 + shift, radius - 0.03))
        else:
            capsules.append(Capsule(joint.name, 0.1 * end, 0.5 * end, radius))
            capsules.append(Capsule(joint.name, 0.5 * end, 0.95 * end, 0.9 * radius))
    return Figure("padded human", skeleton, tuple(capsules))


def sticks(*joints: Joint, shapes: list[tuple[str, Shape]], **policy: Any) -> CollisionTable:
    """A table of shapes, each a part of its own named after its joint."""
    contact = ContactPolicy(**policy) if policy else None
    return CollisionTable(Skeleton(joints), [s.on(j, j) for j, s in shapes], contact)


def free_sticks(*shapes: Shape, fixed: tuple[int, ...] = ()) -> CollisionTable:
    """Shapes on free (or fixed) joints called s0, s1, ..."""
    joints = [
        Joint(f"s{i}", None, JointKind.FIXED if i in fixed else JointKind.FREE)
        for i in range(len(shapes))
    ]
    return sticks(*joints, shapes=[(f"s{i}", s) for i, s in enumerate(shapes)])


def free(*positions: tuple[float, float, float]) -> np.ndarray:
    """The configuration of free joints at these positions, not rotated."""
    return np.concatenate([[*p, 1.0, 0.0, 0.0, 0.0] for p in positions])


def rod(radius: float = 0.05, half: float = 0.3, axis: int = 0) -> Shape:
    """A capsule along an axis, centred."""
    end = np.zeros(3)
    end[axis] = half
    return capsule(-end, end, radius)

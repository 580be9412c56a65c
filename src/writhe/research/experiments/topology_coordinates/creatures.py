"""Figures of these scenes: fish, bundles of rods, octopuses of other sizes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.skeleton import Capsule, Figure, Joint, JointKind, Skeleton, Tip
from writhe.skeleton.figure import Skin
from writhe.skeleton.figures import figure

_FISH_RADII_M = (0.030, 0.034, 0.026, 0.016)
FISH_SEGMENT_M = 0.085


def fish() -> Figure:
    """A fish of four segments from its mouth to its tail, along -Z."""
    along = np.array([0.0, 0.0, -FISH_SEGMENT_M])
    joints, capsules = list[Joint](), list[Capsule]()
    for k, radius_m in enumerate(_FISH_RADII_M):
        name = f"part{k + 1}"
        if k == 0:
            joints.append(Joint(name, None, JointKind.FREE))
        else:
            joints.append(Joint(name, f"part{k}", JointKind.BALL, along))
        capsules.append(Capsule(name, np.zeros(3), along, radius_m))
    tips = [Tip("tail", f"part{len(joints)}", along)]
    skeleton = Skeleton(joints, tips)
    names = tuple(joint.name for joint in joints)
    return Figure("fish", skeleton, tuple(capsules), None, (("fish", (*names, "tail")),))


def rods(
    count: int = 7, height_m: float = 1.9, segments: int = 5, radius_m: float = 0.028
) -> Figure:
    """Upright rods in a round bundle, each with several flexible segments."""
    length = height_m / segments
    joints, capsules, tips = list[Joint](), list[Capsule](), list[Tip]()
    strands: list[tuple[str, tuple[str, ...]]] = []
    for rod in range(count):
        angle = 2 * np.pi * rod / max(count - 1, 1)
        out = 0.0 if rod == count - 1 else 0.075
        foot = np.array([out * np.sin(angle), 0.02, out * np.cos(angle)])
        names: list[str] = []
        for k in range(segments):
            name = f"rod{rod + 1}_{k + 1}"
            parent = f"rod{rod + 1}_{k}" if k else None
            offset = np.array([0.0, length, 0.0]) if k else foot
            joints.append(Joint(name, parent, JointKind.BALL, offset))
            # end before the ground and before the next segment's sphere
            capsules.append(
                Capsule(name, np.array([0, radius_m, 0]), np.array([0, length, 0]), radius_m)
            )
            names.append(name)
        tips.append(Tip(f"rod{rod + 1}_tip", names[-1], np.array([0.0, length, 0.0])))
        strands.append((f"rod{rod + 1}", (*names, f"rod{rod + 1}_tip")))
    return Figure("rods", Skeleton(joints, tips), tuple(capsules), None, tuple(strands))


def large_octopus(scale: float) -> Figure:
    """The built-in octopus, `scale` times as large."""
    small = figure("octopus")
    joints = [
        replace(joint, offset_in_parent=scale * joint.offset_in_parent)
        for joint in small.skeleton.joints
    ]
    tips = [
        replace(tip, offset_in_joint=scale * tip.offset_in_joint) for tip in small.skeleton.tips
    ]
    capsules = tuple(
        replace(
            c,
            start_in_joint=scale * c.start_in_joint,
            end_in_joint=scale * c.end_in_joint,
            radius_m=scale * c.radius_m,
        )
        for c in small.capsules
    )
    skin = small.skin
    if skin is None:
        raise WritheError("the built-in octopus has a skin")
    larger = Skin(scale * skin.vertices, skin.triangles, skin.joints, skin.weights, skin.twist)
    return replace(
        small, skeleton=Skeleton(joints, tips), capsules=capsules, skin=larger, name="large octopus"
    )


def turned(axis: Floats, angle: float) -> Floats:
    """The quaternion (w, x, y, z) of a rotation about an axis."""
    unit = axis / np.linalg.norm(axis)
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * unit])

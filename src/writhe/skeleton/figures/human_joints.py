"""The human: 21 joints, 54 degrees of freedom, a 1.75 m adult in a T-pose.

Y up, facing +Z, left is +X; all joint frames are aligned with the world at rest. Segment lengths
follow de Leva (1996), "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters",
Journal of Biomechanics 29(9), male values scaled to 1.75 m.
"""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton.figures.human_limits import limits_profile
from writhe.skeleton.figures.human_masses import segment_mass
from writhe.skeleton.joint import Joint, JointKind, Limits, Tip
from writhe.skeleton.skeleton import Skeleton

STATURE_M = 1.75
UPPER_ARM_M, FOREARM_M, HAND_M = 0.283, 0.270, 0.188
THIGH_M, SHANK_M, ANKLE_HEIGHT_M = 0.424, 0.436, 0.068

# name, parent, kind, offset in the parent, hinge axis; the right side is mirrored from the left
_MIDLINE = (
    ("hips", None, JointKind.FREE, (0.0, 0.955, 0.0)),
    ("spine", "hips", JointKind.BALL, (0.0, 0.11, 0.0)),
    ("chest", "spine", JointKind.BALL, (0.0, 0.15, -0.005)),
    ("neck", "chest", JointKind.BALL, (0.0, 0.255, -0.01)),
    ("head", "neck", JointKind.BALL, (0.0, 0.09, 0.015)),
)
_LEFT = (
    ("clavicle", "chest", JointKind.BALL, (0.02, 0.19, 0.01), None),
    ("shoulder", "clavicle", JointKind.BALL, (0.155, 0.025, -0.015), None),
    ("elbow", "shoulder", JointKind.HINGE, (UPPER_ARM_M, 0.0, 0.0), (0.0, -1.0, 0.0)),
    ("wrist", "elbow", JointKind.BALL, (FOREARM_M, 0.0, 0.0), None),
    ("hip", "hips", JointKind.BALL, (0.088, -0.027, 0.0), None),
    ("knee", "hip", JointKind.HINGE, (0.0, -THIGH_M, 0.0), (1.0, 0.0, 0.0)),
    ("ankle", "knee", JointKind.BALL, (0.0, -SHANK_M, 0.0), None),
    ("toe", "ankle", JointKind.HINGE, (0.0, -0.045, 0.135), (-1.0, 0.0, 0.0)),
)


def _joint(
    name: str,
    parent: str | None,
    kind: JointKind,
    offset: Floats,
    axis: Floats,
    limits: Limits | None,
) -> Joint:
    mass = segment_mass(name)
    return Joint(
        name,
        parent,
        kind,
        offset,
        axis=axis,
        limits=limits,
        mass_kg=mass.mass_kg,
        centre_of_mass=mass.centre,
        inertia=mass.inertia,
    )


def human_skeleton(profile: str = "everyday") -> Skeleton:
    """The joints and tips of the human, with the limits of a named profile."""
    limits = limits_profile(profile)
    joints = [
        _joint(name, parent, kind, np.array(offset), np.zeros(3), limits.get(name))
        for name, parent, kind, offset in _MIDLINE
    ]
    tips = [Tip("head_top", "head", np.array([0.0, 0.19, 0.0]))]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        mirror = np.array([sign, 1.0, 1.0])
        for name, parent, kind, offset, axis in _LEFT:
            # an axis is a pseudo-vector: mirroring in x flips its y and z
            hinge = np.zeros(3) if axis is None else np.array(axis) * np.array([1.0, sign, sign])
            full_name = f"{side}_{name}"
            full_parent = parent if parent in ("chest", "hips") else f"{side}_{parent}"
            joints.append(
                _joint(
                    full_name,
                    full_parent,
                    kind,
                    np.array(offset) * mirror,
                    hinge,
                    limits[full_name],
                )
            )
        tips.append(Tip(f"{side}_hand_tip", f"{side}_wrist", np.array([HAND_M, 0, 0]) * mirror))
        tips.append(Tip(f"{side}_toe_tip", f"{side}_toe", np.array([0.0, -0.005, 0.07])))
    return Skeleton(joints, tips)

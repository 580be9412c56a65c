"""The hand: a right hand of 16 joints, 31 degrees of freedom, palm down, fingers towards +Z.

The thumb points to +X. Bone lengths follow Buryanov & Kotiuk (2010), "Proportions of hand
segments", International Journal of Morphology 28(3), mean of adults; ranges of motion follow Hume
et al. (1990), "Functional range of motion of the joints of the hand", Journal of Hand Surgery
15-A, with the thumb's saddle joint from Cooney et al. (1981), "The kinesiology of the thumb
trapeziometacarpal joint", Journal of Bone and Joint Surgery 63-A. The mass is de Leva's (1996).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton.figure import Capsule, Figure, GeneratedSkin, Skin
from writhe.skeleton.joint import Joint, JointKind, Limits, Tip
from writhe.skeleton.limits import limit_frame
from writhe.skeleton.modelling.store import stored_skin
from writhe.skeleton.skeleton import Skeleton

HAND_MASS_KG = 0.45
WRIST_HEIGHT_M = 0.05
PALM: tuple[tuple[tuple[float, float, float], tuple[float, float, float], float], ...] = (
    ((-0.0095, 0.000, -0.032), (-0.0125, 0.000, 0.010), 0.0215),
    ((0.0095, 0.000, -0.032), (0.0125, 0.000, 0.010), 0.0215),
    ((0.010, -0.001, 0.022), (0.0235, -0.001, 0.082), 0.0165),
    ((0.000, 0.000, 0.022), (0.004, 0.000, 0.082), 0.0165),
    ((-0.010, 0.000, 0.020), (-0.0155, 0.000, 0.076), 0.0160),
    ((-0.017, -0.002, 0.018), (-0.0315, -0.002, 0.068), 0.0160),
)


class FingerBones(NamedTuple):
    """One finger: base in the wrist's frame, direction, bone lengths, radii."""

    name: str
    base: tuple[float, float, float]
    direction: tuple[float, float, float]
    lengths_m: tuple[float, float, float]
    radii_m: tuple[float, float, float, float]  # at the three joints and the tip

    def points(self) -> Floats:
        """(4, 3) the three joints and the tip, in the wrist's frame."""
        d = np.array(self.direction) / np.linalg.norm(self.direction)
        along = np.concatenate([[0.0], np.cumsum(self.lengths_m)])
        return np.array(self.base) + along[:, None] * d


FINGERS = (
    FingerBones("thumb", (0.020, -0.006, 0.018), (0.66, -0.22, 0.72), (0.0462, 0.0316, 0.0230),
           (0.0150, 0.0112, 0.0100, 0.0080)),
    FingerBones("index", (0.0265, 0.000, 0.094), (0.10, 0.0, 1.0), (0.0398, 0.0224, 0.0180),
           (0.0098, 0.0086, 0.0078, 0.0066)),
    FingerBones("middle", (0.0045, 0.001, 0.096), (0.025, 0.0, 1.0), (0.0446, 0.0263, 0.0192),
           (0.0100, 0.0088, 0.0080, 0.0068)),
    FingerBones("ring", (-0.0165, 0.000, 0.089), (-0.05, 0.0, 1.0), (0.0414, 0.0257, 0.0190),
           (0.0096, 0.0084, 0.0076, 0.0064)),
    FingerBones("little", (-0.0355, -0.002, 0.079), (-0.14, 0.0, 1.0), (0.0327, 0.0181, 0.0170),
           (0.0086, 0.0074, 0.0068, 0.0058)),
)  # fmt: skip
# direction in which the thumb bends: across the palm
_THUMB_BENDS_TO = np.array([-0.75, -0.45, 0.25])


def bend_axis(finger: FingerBones) -> Floats:
    """The axis (3,) about which a finger bends towards the palm, in the wrist's frame."""
    d = np.array(finger.direction) / np.linalg.norm(finger.direction)
    towards = _THUMB_BENDS_TO if finger.name == "thumb" else np.array([0.0, -1.0, 0.0])
    axis = np.cross(d, towards)
    return axis / np.linalg.norm(axis)


def phalanx_limits(finger: FingerBones, index: int) -> Limits:
    """The limits of a finger's joint: 0 the knuckle, 1 and 2 the hinges."""
    thumb = finger.name == "thumb"
    if index == 0:
        # twist, bending (y), spreading (z)
        degrees = ((-20, 20), (-25, 45), (-30, 30)) if thumb else ((-8, 8), (-25, 90), (-20, 20))
        lower, upper = np.radians(degrees).T
        frame = limit_frame(np.array(finger.direction), bend_axis(finger))
        return Limits(lower.copy(), upper.copy(), frame)
    ranges = ((-5, 56), (-10, 75)) if thumb else ((0, 105), (-5, 85))
    lower, upper = np.radians(ranges[index - 1])
    return Limits(np.array([lower]), np.array([upper]))


def hand_skeleton() -> Skeleton:
    """The joints and tips of the hand."""
    palm_mass = HAND_MASS_KG * 0.62
    joints = [
        Joint(
            "wrist",
            None,
            JointKind.FREE,
            np.array([0.0, WRIST_HEIGHT_M, 0.0]),
            mass_kg=palm_mass,
            centre_of_mass=np.array([0.0, 0.0, 0.045]),
            inertia=palm_mass * np.array([0.034, 0.038, 0.022]) ** 2,
        )
    ]
    tips: list[Tip] = []
    volumes = {
        (f.name, i): length * ((f.radii_m[i] + f.radii_m[i + 1]) / 2) ** 2
        for f in FINGERS
        for i, length in enumerate(f.lengths_m)
    }
    for finger in FINGERS:
        points = finger.points()
        for i in range(3):
            bone = points[i + 1] - points[i]
            mass = HAND_MASS_KG * 0.38 * volumes[finger.name, i] / sum(volumes.values())
            radius, length = finger.radii_m[i], finger.lengths_m[i]
            joints.append(
                Joint(
                    f"{finger.name}_{i + 1}",
                    "wrist" if i == 0 else f"{finger.name}_{i}",
                    JointKind.BALL if i == 0 else JointKind.HINGE,
                    points[0] if i == 0 else points[i] - points[i - 1],
                    axis=np.zeros(3) if i == 0 else bend_axis(finger),
                    limits=phalanx_limits(finger, i),
                    mass_kg=mass,
                    centre_of_mass=bone / 2,
                    inertia=mass * np.array([length**2 / 12, length**2 / 12, radius**2 / 2]),
                )
            )
        tips.append(Tip(f"{finger.name}_tip", f"{finger.name}_3", points[3] - points[2]))
    return Skeleton(joints, tips)


def hand_capsules() -> tuple[Capsule, ...]:
    """Capsules of the palm and of every phalanx."""
    capsules = [Capsule("wrist", np.array(a), np.array(b), r) for a, b, r in PALM]
    for finger in FINGERS:
        points = finger.points()
        for i in range(3):
            bone = points[i + 1] - points[i]
            # slightly more than the widest skin along the bone
            radius = finger.radii_m[i] + (0.0009 if i else -0.0002)
            capsules.append(Capsule(f"{finger.name}_{i + 1}", np.zeros(3), bone, radius))
    return tuple(capsules)


def _skin() -> Skin:
    from writhe.skeleton.figures.hand_blobs import make_hand_skin

    return stored_skin("hand", make_hand_skin)


def build_hand() -> Figure:
    """The hand figure."""
    skeleton = hand_skeleton()
    strands = tuple(
        (f.name, ("wrist", *(f"{f.name}_{i}" for i in (1, 2, 3)), f"{f.name}_tip")) for f in FINGERS
    )
    return Figure(
        name="hand",
        skeleton=skeleton,
        capsules=hand_capsules(),
        skin=GeneratedSkin(_skin),
        strands=strands,
        roles=tuple((name, name) for name in skeleton.names),
    )

"""The human with fingers: 51 joints, 104 degrees of freedom.

The body is that of `figure("human")`, joint by joint; every wrist carries the five fingers of
`figure("hand")`, each a knuckle (ball) and two hinges. The joints have the names of finger roles
(`left_index_1` is the knuckle), and each finger is one part in the collision code. The mass of a
hand stays with its wrist.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton.figure import Capsule, Figure, GeneratedSkin, Skin
from writhe.skeleton.figures.hand import FINGERS, PALM, FingerBones, bend_axis, phalanx_limits
from writhe.skeleton.figures.human import STRANDS
from writhe.skeleton.figures.human_capsules import human_capsules
from writhe.skeleton.figures.human_folds import human_folds
from writhe.skeleton.figures.human_joints import human_skeleton
from writhe.skeleton.joint import Joint, JointKind, Limits, Tip
from writhe.skeleton.limits import limit_frame
from writhe.skeleton.modelling.store import stored_skin
from writhe.skeleton.skeleton import Skeleton

NAME = "human_with_fingers"
_SIDES = (("left", 1.0), ("right", -1.0))
_FINGER_CAPSULE_M = 0.0009  # capsules exceed the widest skin of a phalanx by this
# the ball of the thumb belongs to the palm: the thumb's first capsule starts beyond it, so that it
# does not meet the forearm's. Start, end and radius in the hand's frame; share of the bone.
_THUMB_BALL = ((0.014, -0.005, 0.012), (0.029, -0.007, 0.028), 0.0190)
_THUMB_START = 0.5


def role_of(finger: FingerBones) -> str:
    """The name of a finger in roles of joints."""
    return "pinky" if finger.name == "little" else finger.name


def from_hand(vectors: Floats, sign: float) -> Floats:
    """Vectors (..., 3) of `figure("hand")`, a right hand towards +Z, in the frame of a wrist.

    sign: 1 for the left wrist of the T-pose, -1 for the right one.
    """
    x, y, z = np.moveaxis(np.asarray(vectors, dtype=np.float64), -1, 0)
    return np.stack([sign * z, y, x], axis=-1)


def axis_from_hand(axis: Floats, sign: float) -> Floats:
    """The same for an axis of rotation, which a mirror turns around."""
    return from_hand(axis, sign) * (-sign)


def skeleton_with_fingers(profile: str = "everyday") -> Skeleton:
    """The joints and tips of the human with fingers, with the limits of a named profile."""
    body = human_skeleton(profile)
    joints, tips = list(body.joints), list(body.tips)
    for side, sign in _SIDES:
        for finger in FINGERS:
            points, label = from_hand(finger.points(), sign), f"{side}_{role_of(finger)}"
            axis = axis_from_hand(bend_axis(finger), sign)
            joints += [
                Joint(
                    f"{label}_{i + 1}",
                    f"{side}_wrist" if i == 0 else f"{label}_{i}",
                    JointKind.BALL if i == 0 else JointKind.HINGE,
                    points[0] if i == 0 else points[i] - points[i - 1],
                    axis=np.zeros(3) if i == 0 else axis,
                    limits=_limits(finger, i, points[1] - points[0], axis),
                )
                for i in range(3)
            ]
            tips.append(Tip(f"{label}_tip", f"{label}_3", points[3] - points[2]))
    return Skeleton(joints, tips)


def _limits(finger: FingerBones, index: int, bone: Floats, axis: Floats) -> Limits:
    limits = phalanx_limits(finger, index)
    if index > 0:
        return limits
    # about these axes twist and spread are symmetric and bending is positive on both sides
    return replace(limits, frame=limit_frame(bone, axis))


def capsules_with_fingers(*, folds: bool = True) -> tuple[Capsule, ...]:
    """Capsules of the human with those of palms and fingers instead of its closed hands."""
    capsules = [c for c in human_capsules(folds=folds) if not c.joint.endswith("_wrist")]
    for side, sign in _SIDES:
        for start, end, radius in (*PALM, _THUMB_BALL):
            ends = from_hand(np.array([start, end]), sign)
            capsules.append(Capsule(f"{side}_wrist", ends[0], ends[1], radius))
        for finger in FINGERS:
            bones = np.diff(from_hand(finger.points(), sign), axis=0)
            label = f"{side}_{role_of(finger)}"
            for i in range(3):
                # the knuckle lies in the palm, which is wider there
                radius = finger.radii_m[i] + (_FINGER_CAPSULE_M if i else -0.0002)
                start = (_THUMB_START if finger.name == "thumb" and i == 0 else 0.0) * bones[i]
                capsules.append(Capsule(f"{label}_{i + 1}", start, bones[i], radius, label))
    return tuple(capsules)


def _skin() -> Skin:
    from writhe.skeleton.figures.human_with_fingers_skin import make_skin

    return stored_skin(NAME, make_skin)


def build_human_with_fingers(profile: str = "everyday") -> Figure:
    """The human figure with fingers, with the limits of a named profile."""
    skeleton = skeleton_with_fingers(profile)
    body = human_skeleton(profile).names
    return Figure(
        name=NAME,
        skeleton=skeleton,
        capsules=capsules_with_fingers(),
        skin=GeneratedSkin(_skin),
        strands=STRANDS,
        roles=tuple((name, name) for name in body),
        folds=human_folds(skeleton),
    )

"""Joints, skeletons, motions, figures (capsules and skin), and the built-in figures."""

from writhe.skeleton.figure import Capsule, Figure, Skin
from writhe.skeleton.joint import Joint, JointKind, Limits, Tip
from writhe.skeleton.kinematics import Frames, forward
from writhe.skeleton.motion import Motion
from writhe.skeleton.skeleton import Skeleton

__all__ = [
    "Capsule",
    "Figure",
    "Frames",
    "Joint",
    "JointKind",
    "Limits",
    "Motion",
    "Skeleton",
    "Skin",
    "Tip",
    "forward",
]

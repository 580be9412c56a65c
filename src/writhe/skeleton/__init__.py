"""Joints, skeletons, motions, figures (capsules and skin), and the built-in figures.

Names are loaded when first used, because importing the kernels takes longer than most tasks that do
not need them, such as reading the header of a file.
"""

from typing import TYPE_CHECKING

from writhe.lazy import lazy_names

if TYPE_CHECKING:
    from writhe.skeleton.figure import Capsule, Figure, Skin
    from writhe.skeleton.joint import Joint, JointKind, Limits, Tip
    from writhe.skeleton.kinematics import Frames, forward
    from writhe.skeleton.motion import Motion
    from writhe.skeleton.skeleton import Skeleton
else:
    __getattr__ = lazy_names(
        __name__,
        dict.fromkeys(("Capsule", "Figure", "Skin"), "writhe.skeleton.figure")
        | dict.fromkeys(("Joint", "JointKind", "Limits", "Tip"), "writhe.skeleton.joint")
        | dict.fromkeys(("Frames", "forward"), "writhe.skeleton.kinematics")
        | {"Motion": "writhe.skeleton.motion", "Skeleton": "writhe.skeleton.skeleton"},
    )

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

"""The fold limits of the human, from its skin and its joint limits."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton.figures.human_fold_angles import BENDS_DEG
from writhe.skeleton.figures.human_limits import PROFILES, limits_profile
from writhe.skeleton.fold_limits import FoldLimit
from writhe.skeleton.joint import JointKind
from writhe.skeleton.limits import limit_frame
from writhe.skeleton.skeleton import Skeleton

# Joints for which exceeding the fold limit is a violation. At other joints, captured motion exceeds
# any table of angles without looking wrong; there collision shapes keep the parts apart.
_GUARDED = ("elbow", "wrist", "knee")
# direction of the bone at rest, left side, of the joints that are hinges
_BONES: dict[str, tuple[float, float, float]] = {
    "elbow": (1.0, 0.0, 0.0),
    "knee": (0.0, -1.0, 0.0),
    "toe": (0.0, 0.0, 1.0),
}


def human_folds(skeleton: Skeleton) -> tuple[FoldLimit, ...]:
    """The fold limits of elbows, wrists and knees of a human skeleton.

    The range of motion is that of the widest profile, so that all profiles have the same limits.
    """
    found: list[FoldLimit] = []
    widest = limits_profile(PROFILES[-1])
    for joint in skeleton.joints:
        name = joint.name.removeprefix("left_").removeprefix("right_")
        if name not in _GUARDED or joint.limits is None:
            continue
        bends: Floats = np.radians(BENDS_DEG[name])
        if joint.kind is JointKind.HINGE:
            mirror = np.array([-1.0 if joint.name.startswith("right_") else 1.0, 1.0, 1.0])
            frame = limit_frame(np.array(_BONES[name]) * mirror, joint.axis)
        else:
            frame = joint.limits.frame
        if joint.name.startswith("right_"):
            # the mirror image has the opposite y coordinate: direction d becomes 180 - d
            at = (len(bends) // 2 - np.arange(len(bends))) % len(bends)
            bends = (
                bends[at] if joint.kind is not JointKind.HINGE else bends[-np.arange(len(bends))]
            )
        found.append(FoldLimit.of_skin(joint.name, frame, bends, widest[joint.name]))
    return tuple(found)

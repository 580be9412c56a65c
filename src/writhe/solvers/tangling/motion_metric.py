"""The cost of motion by degree of freedom: larger for joints that move more of the body."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.database.posture import joint_importance
from writhe.skeleton import JointKind, Skeleton

ROOT_SHIFT, ROOT_TURN = 12.0, 3.0


def motion_metric(skeleton: Skeleton) -> Floats:
    """(nv,) diagonal metric of a scene's bodies for `TangleStepper`."""
    reach = joint_importance(skeleton)
    out = np.empty(skeleton.dof_count)
    for j, joint in enumerate(skeleton.joints):
        at = skeleton.v_slice(joint.name)
        out[at] = 0.05 + (reach[j] / 0.4) ** 2
        if joint.kind is JointKind.FREE:
            out[at.start : at.start + 3] = ROOT_SHIFT
            out[at.start + 3 : at.stop] = ROOT_TURN
    return out

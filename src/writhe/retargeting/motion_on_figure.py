"""Convert a motion of any skeleton to a figure: joint by joint if the bones agree, else retargeted.

Files store less about joints than figures do: a BVH file of the built-in human is read with its
bones and names, but with every hinge as a ball joint. Such a motion is copied joint by joint.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from writhe.arguments import checked
from writhe.arrays import Floats
from writhe.io.figure_from_skeleton import same_bones
from writhe.kernels.skeleton.euler_channels import align_hemispheres
from writhe.retargeting.retarget import retarget
from writhe.skeleton import Figure, JointKind, Motion, Skeleton, quaternions, transforms
from writhe.skeleton.configurations import same_joints

# tolerated motion that the figure's joint cannot represent, when copying joint by joint
SAME_TURN_RAD, SAME_SHIFT_M = 2e-3, 1e-3


@checked
def on_figure(motion: Motion, figure: Figure, *, floor_m: float | None = None) -> Motion:
    """The motion as configurations of the figure's skeleton.

    floor_m: height of the ground under a retargeted motion, as in `retarget`.
    """
    skeleton = figure.skeleton
    if same_joints(motion.skeleton, skeleton):
        return motion
    if same_bones(motion.skeleton, skeleton):
        q = _copy_joints(motion, skeleton)
        if q is not None:
            return replace(motion, skeleton=skeleton, q=q)
    return retarget(motion, figure, floor_m=floor_m)


def _copy_joints(motion: Motion, skeleton: Skeleton) -> Floats | None:
    """(F, nq) copied joint by joint; None if a joint moves in a way the skeleton's cannot."""
    shift, turn = transforms.joint_displacements(motion.skeleton, motion.q)
    # the root offset may differ: express its translation relative to the figure's offset
    moved = np.asarray(motion.skeleton.tree.offset[0]) - np.asarray(skeleton.tree.offset[0])
    shift[:, 0] += moved @ np.asarray(skeleton.tree.rest[0])
    q = np.tile(skeleton.rest_configuration, (len(motion), 1))
    for j, joint in enumerate(skeleton.joints):
        at = int(skeleton.tree.q_start[j])
        if joint.kind is JointKind.FREE:
            q[:, at : at + 3], q[:, at + 3 : at + 7] = shift[:, j], turn[:, j]
        elif joint.kind is JointKind.BALL:
            q[:, at : at + 4] = turn[:, j]
        elif joint.kind is JointKind.HINGE:
            q[:, at] = quaternions.twist_angles(turn[:, j], np.asarray(joint.axis))
        elif joint.kind is JointKind.PRISMATIC:
            q[:, at] = shift[:, j] @ np.asarray(joint.axis)
    kept_shift, kept_turn = transforms.joint_displacements(skeleton, q)
    apart = 2.0 * np.arccos(np.clip(np.abs(np.sum(kept_turn * turn, axis=-1)), 0.0, 1.0))
    if apart.max() > SAME_TURN_RAD or np.abs(kept_shift - shift).max() > SAME_SHIFT_M:
        return None
    align_hemispheres(skeleton.tree.kind, skeleton.tree.q_start, q)
    return q

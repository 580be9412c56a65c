"""Rest frames in the world, and joint displacements relative to them."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton.joint import JointKind
from writhe.skeleton.quaternions import (
    from_axis_angle,
    multiply,
    normalised,
)
from writhe.skeleton.skeleton import Skeleton


def rest_world_quaternions(skeleton: Skeleton) -> Floats:
    """(n, 4) world rotations of the joints' frames in the rest pose."""
    world = np.empty((len(skeleton), 4))
    for j, joint in enumerate(skeleton.joints):
        own = normalised(np.asarray(joint.rest))
        parent = int(skeleton.tree.parent[j])
        world[j] = own if parent < 0 else multiply(world[parent], own)
    return world


def joint_displacements(skeleton: Skeleton, q: Floats) -> tuple[Floats, Floats]:
    """Joint displacements in the rest frames: translations (F, n, 3), quaternions (F, n, 4)."""
    count, n = len(q), len(skeleton)
    translation = np.zeros((count, n, 3))
    rotation = np.zeros((count, n, 4))
    rotation[:, :, 0] = 1.0
    for j, joint in enumerate(skeleton.joints):
        at = int(skeleton.tree.q_start[j])
        if joint.kind is JointKind.FREE:
            translation[:, j], rotation[:, j] = q[:, at : at + 3], q[:, at + 3 : at + 7]
        elif joint.kind is JointKind.BALL:
            rotation[:, j] = q[:, at : at + 4]
        elif joint.kind is JointKind.HINGE:
            rotation[:, j] = from_axis_angle(joint.axis, q[:, at])
        elif joint.kind is JointKind.PRISMATIC:
            translation[:, j] = q[:, at, None] * joint.axis
    return translation, rotation

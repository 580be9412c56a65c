"""Leans the trunk of a body about its hips."""

from __future__ import annotations

import numpy as np

from writhe.animation.collision_world import World
from writhe.arrays import Floats
from writhe.skeleton import JointKind, forward, quaternions
from writhe.skeleton.quaternions import quaternion_of, rotation_matrix


def lean_trunk(world: World, turns: Floats, rows: Floats) -> None:
    """Rotate the hips in rows (F, nq), in place, by rotation vectors (F, 3) in the world.

    The legs keep their orientation. A body is not changed if its hips are not its free root or its
    hip joints are not ball joints.
    """
    skeleton, tree = world.skeleton, world.skeleton.tree
    hips = world.joint("hips")
    legs = [world.joint(role) for role in ("left_hip", "right_hip")]
    joints = [skeleton.joints[skeleton.index(name)] for name in (hips, *legs) if name is not None]
    kinds = [joint.kind for joint in joints]
    if kinds != [JointKind.FREE, JointKind.BALL, JointKind.BALL]:
        return
    root = skeleton.index(joints[0].name)
    for f in np.flatnonzero(np.abs(turns).max(axis=1, initial=0.0) > 1e-9):
        frames = forward(skeleton, rows[f])
        lean = rotation_matrix(quaternions.from_rotation_vectors(turns[f]))
        before = frames.rotations[root]
        at = skeleton.q_slice(joints[0].name)
        base = before @ rotation_matrix(rows[f, at][3:]).T
        rows[f, at.start + 3 : at.stop] = quaternion_of(base.T @ lean @ before)
        for joint in joints[1:]:
            own = skeleton.q_slice(joint.name)
            j = skeleton.index(joint.name)
            parent = frames.rotations[int(tree.parent[j])]
            rest = parent.T @ frames.rotations[j] @ rotation_matrix(rows[f, own]).T
            rows[f, own] = quaternion_of((lean @ parent @ rest).T @ frames.rotations[j])

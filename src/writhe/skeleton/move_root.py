"""The root of a body, and its movement as a whole."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton.figure import Figure
from writhe.skeleton.joint import JointKind
from writhe.skeleton.kinematics import forward
from writhe.skeleton.quaternions import quaternion_of, rotation_matrix
from writhe.skeleton.skeleton import Skeleton


def moved_roots(skeleton: Skeleton, q: Floats, yaw: Floats, away: Floats) -> Floats:
    """Configurations (n, nq) with the free root moved: position Y p + away, orientation Y R.

    The root is the uppermost free joint; joints above it are fixed (an `Armature` node of a file).
    yaw: rotation Y about the vertical; away: translation.
    """
    root = free_root(skeleton)
    frames = forward(skeleton, skeleton.rest_configuration)
    rest, offset = frames.rotations[root], frames.positions[root]
    at = int(skeleton.tree.q_start[root])
    out = q.copy()
    out[:, at : at + 3] = ((offset + q[:, at : at + 3] @ rest.T) @ yaw.T + away - offset) @ rest
    turned = rest.T @ yaw @ rest
    for row in out:
        row[at + 3 : at + 7] = quaternion_of(turned @ rotation_matrix(row[at + 3 : at + 7]))
    return out


def free_root(skeleton: Skeleton) -> int:
    """The uppermost free joint, 0 if there is none."""
    kinds = [joint.kind for joint in skeleton.joints]
    return kinds.index(JointKind.FREE) if JointKind.FREE in kinds else 0


def moving_root(figure: Figure) -> str:
    """The uppermost joint that can move: the root, or the hips below fixed container nodes."""
    joints = figure.skeleton.joints
    return next((j.name for j in joints if j.kind is not JointKind.FIXED), joints[0].name)


def rest_at(skeleton: Skeleton, q: Floats) -> Floats:
    """(nq,) the rest pose with the position over the ground and the heading of a posture (nq)."""
    out = skeleton.rest_configuration
    if skeleton.joints[0].kind is not JointKind.FREE:
        return out
    at = skeleton.q_slice(skeleton.names[0])
    w, _, y, _ = q[at.stop - 4 : at.stop]
    heading = np.array([w, 0.0, y, 0.0])  # the twist of the root's rotation about the vertical
    length = float(np.linalg.norm(heading))
    out[at.start], out[at.start + 2] = q[at.start], q[at.start + 2]
    if length > 1e-6:
        out[at.stop - 4 : at.stop] = heading / length
    return out

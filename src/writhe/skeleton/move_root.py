"""The root of a body, and its movement as a whole."""

from __future__ import annotations

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

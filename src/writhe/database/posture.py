"""Normalised postures and their feature vectors."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.kernels.database.posture_features import posture_feature_row, root_heading
from writhe.skeleton import JointKind, Skeleton


def normalise(skeleton: Skeleton, q: Floats) -> Floats:
    """Configurations (frames, nq) without the root's horizontal position and heading.

    The heading is the yaw of the root's +Z axis (its front), or of its +Y axis if the front is
    vertical.
    """
    out = np.array(q, dtype=np.float64, ndmin=2)
    root = skeleton.joints[0]
    if root.kind is not JointKind.FREE:
        raise WritheError(
            f"normalising postures needs a free root joint; {root.name!r} is not free"
        )
    heading = _heading(out)
    w, x, y, z = out[:, 3], out[:, 4].copy(), out[:, 5], out[:, 6].copy()
    c, s = np.cos(-heading / 2), np.sin(-heading / 2)
    out[:, 3], out[:, 5] = c * w - s * y, c * y + s * w
    out[:, 4], out[:, 6] = c * x + s * z, c * z - s * x
    out[:, 3:7] *= np.where(out[:, 3:4] < 0, -1.0, 1.0)
    out[:, 0] = 0.0
    out[:, 2] = 0.0
    return out


def heading_quaternion(q: Floats) -> Floats:
    """(4,) the rotation about the vertical that `normalise` removes from configuration q."""
    angle = root_heading(q)
    return np.array([np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0])


def object_in_posture_frame(q: Floats, position_m: Floats, turn_rad: float = 0.0) -> Floats:
    """(7,) pose of an object, given in the world, in the frame in which q (nq) is normalised.

    turn_rad: rotation of the object about the vertical.
    """
    heading = root_heading(q)
    c, s = np.cos(heading), np.sin(heading)
    x, y, z = position_m[0] - q[0], position_m[1], position_m[2] - q[2]
    half = 0.5 * (turn_rad - heading)
    return np.array([c * x - s * z, y, s * x + c * z, np.cos(half), 0.0, np.sin(half), 0.0])


def _heading(q: Floats) -> Floats:
    return np.array([root_heading(row) for row in q])


def metres_per_radian(skeleton: Skeleton, per_translation: float = 1.0) -> Floats:
    """(nv,) metres that the body moves per radian of each degree of freedom (`joint_importance`).

    per_translation: the entries of the translations of free joints.
    """
    metres = np.repeat(
        joint_importance(skeleton), [joint.kind.tangent_size for joint in skeleton.joints]
    )
    for joint in skeleton.joints:
        if joint.kind is JointKind.FREE:
            at = skeleton.v_slice(joint.name)
            metres[at.start : at.start + 3] = per_translation
    return metres


def joint_importance(skeleton: Skeleton) -> Floats:
    """(n,) mean displacement of the subtree of each joint, metres per radian, at least 0.05."""
    positions = skeleton.rest_positions
    tips = np.array([t.offset_in_joint for t in skeleton.tips]).reshape(-1, 3)
    owners = [skeleton.index(t.joint) for t in skeleton.tips]
    out = np.empty(len(skeleton))
    for j in range(len(skeleton)):
        end = int(skeleton.tree.subtree_end[j])
        arms = [np.linalg.norm(positions[k] - positions[j]) for k in range(j + 1, end)]
        arms += [
            np.linalg.norm(positions[o] + tip - positions[j])
            for o, tip in zip(owners, tips, strict=True)
            if j <= o < end
        ]
        out[j] = max(0.05, float(np.mean(arms)) if arms else 0.05)
    return out


def posture_features(skeleton: Skeleton, q: Floats) -> Floats:
    """(frames, D): joint angles scaled by `joint_importance`, and the tilt of the root.

    Independent of the root's position and heading. See
    `kernels.database.posture_features.posture_feature_row`.
    """
    rows = np.atleast_2d(q)
    importance = joint_importance(skeleton)
    width = sum(
        3 if j.kind in (JointKind.BALL, JointKind.FREE) else j.kind.configuration_size
        for j in skeleton.joints
    )
    out = np.empty((len(rows), width))
    for row, features in zip(rows, out, strict=True):
        posture_feature_row(skeleton.tree, importance, np.ascontiguousarray(row), features)
    return out

"""Normalised postures and the numbers by which they are compared."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.skeleton import JointKind, Skeleton


def normalise(skeleton: Skeleton, q: Floats) -> Floats:
    """Configurations (frames, nq) without horizontal translation and heading of the root.

    The heading is the turn about the vertical that the root's front (+Z) makes; a root whose front
    points straight up or down is given the heading of its top instead.
    """
    out = np.array(q, dtype=np.float64, ndmin=2)
    root = skeleton.joints[0]
    if root.kind is not JointKind.FREE:
        raise WritheError(f"postures are normalised by a free root; {root.name!r} is not one")
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
    """(4,) the turn about the vertical that `normalise` takes away from configuration q."""
    angle = float(_heading(np.atleast_2d(q))[0])
    return np.array([np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0])


def _heading(q: Floats) -> Floats:
    w, x, y, z = q[:, 3], q[:, 4], q[:, 5], q[:, 6]
    front_x, front_z = 2 * (x * z + w * y), 1 - 2 * (x * x + y * y)
    top_x, top_z = 2 * (x * y - w * z), 2 * (y * z + w * x)
    steep = np.hypot(front_x, front_z) < 0.2
    return np.where(steep, np.arctan2(-top_x, -top_z), np.arctan2(front_x, front_z))


def joint_importance(skeleton: Skeleton) -> Floats:
    """(n,) metres that the subtree of each joint moves per radian, on average, at least 0.05."""
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
    """(frames, D): joint angles in metres of movement, and how the root leans.

    Balls give their rotation vector, hinges and slides their value, each times the joint's
    importance; a free root gives the direction of up in its frame.
    """
    q = np.atleast_2d(q)
    importance = joint_importance(skeleton)
    columns: list[Floats] = []
    for j, joint in enumerate(skeleton.joints):
        own = q[:, skeleton.q_slice(joint.name)]
        if joint.kind in (JointKind.HINGE, JointKind.PRISMATIC):
            columns.append(own * importance[j])
        elif joint.kind is JointKind.BALL:
            columns.append(_rotation_vector(own) * importance[j])
        elif joint.kind is JointKind.FREE:
            w, x, y, z = own[:, 3], own[:, 4], own[:, 5], own[:, 6]
            up = np.stack(
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], axis=1
            )
            columns.append(up * 0.5)
    return np.concatenate(columns, axis=1)


def _rotation_vector(quaternions: Floats) -> Floats:
    q = quaternions * np.where(quaternions[:, :1] < 0, -1.0, 1.0)
    sine = np.linalg.norm(q[:, 1:], axis=1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, q[:, :1])
    scale = np.divide(angle, sine, out=np.full_like(sine, 2.0), where=sine > 1e-9)
    return q[:, 1:] * scale

"""Quaternions in bulk (w, x, y, z on the last axis) and the joints' local transforms over time."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton import JointKind, Skeleton


def multiply(a: Floats, b: Floats) -> Floats:
    """The product a b of quaternions, broadcast."""
    aw, ax, ay, az = np.moveaxis(a, -1, 0)
    bw, bx, by, bz = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def conjugate(q: Floats) -> Floats:
    """The inverse of unit quaternions."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def rotate(q: Floats, v: Floats) -> Floats:
    """Vectors v turned by unit quaternions q, broadcast."""
    w, u = q[..., :1], q[..., 1:]
    t = 2.0 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


def normalised(q: Floats) -> Floats:
    """Quaternions at unit length; a null one becomes the identity."""
    length = np.linalg.norm(q, axis=-1, keepdims=True)
    fine = length > 1e-12
    return np.where(fine, q / np.where(fine, length, 1.0), np.array([1.0, 0.0, 0.0, 0.0]))


def from_axis_angle(axis: Floats, angle: Floats) -> Floats:
    """Quaternions of turns by `angle` about unit vectors `axis`, broadcast."""
    half = 0.5 * np.asarray(angle)[..., None]
    return np.concatenate([np.cos(half), np.sin(half) * axis], axis=-1)


def from_rotation_vectors(v: Floats) -> Floats:
    """Quaternions of rotation vectors."""
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    # sin(x/2)/x without a division by zero: sinc(x / 2 pi) / 2
    return np.concatenate([np.cos(0.5 * angle), 0.5 * np.sinc(angle / (2 * np.pi)) * v], axis=-1)


def from_matrices(m: Floats) -> Floats:
    """Quaternions of rotation matrices (..., 3, 3)."""
    from scipy.spatial.transform import Rotation

    flat = Rotation.from_matrix(m.reshape(-1, 3, 3)).as_quat()
    return np.roll(flat, 1, axis=-1).reshape(*m.shape[:-2], 4)


def rest_world_quaternions(skeleton: Skeleton) -> Floats:
    """(n, 4) world rotations of the joints' frames in the rest pose."""
    world = np.empty((len(skeleton), 4))
    for j, joint in enumerate(skeleton.joints):
        own = normalised(np.asarray(joint.rest))
        parent = int(skeleton.tree.parent[j])
        world[j] = own if parent < 0 else multiply(world[parent], own)
    return world


def joint_motions(skeleton: Skeleton, q: Floats) -> tuple[Floats, Floats]:
    """What the joints add to their rest frames: translations (F, n, 3), quaternions (F, n, 4)."""
    count, n = len(q), len(skeleton)
    shift = np.zeros((count, n, 3))
    turn = np.zeros((count, n, 4))
    turn[:, :, 0] = 1.0
    for j, joint in enumerate(skeleton.joints):
        at = int(skeleton.tree.q_start[j])
        if joint.kind is JointKind.FREE:
            shift[:, j], turn[:, j] = q[:, at : at + 3], q[:, at + 3 : at + 7]
        elif joint.kind is JointKind.BALL:
            turn[:, j] = q[:, at : at + 4]
        elif joint.kind is JointKind.HINGE:
            turn[:, j] = from_axis_angle(joint.axis, q[:, at])
        elif joint.kind is JointKind.PRISMATIC:
            shift[:, j] = q[:, at, None] * joint.axis
    return shift, turn


def twist_angles(q: Floats, axis: Floats) -> Floats:
    """The angle about a unit axis of each quaternion's twist, in -pi .. pi."""
    angle = 2.0 * np.arctan2(q[..., 1:] @ axis, q[..., 0])
    return (angle + np.pi) % (2.0 * np.pi) - np.pi

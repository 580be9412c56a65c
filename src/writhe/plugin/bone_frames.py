"""Bones of an animation program for the joints of a skeleton: where they lie and how they turn.

A bone begins at its joint, and its y axis points to its end, as in Blender; the frames of joints
are often others. With J and B the world matrices at rest of a joint and its bone, the joint at J(t)
has its bone at J(t) J^-1 B.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.io.world_frames import configurations_of
from writhe.skeleton import Skeleton, forward, quaternions

_SHORTEST_M = 0.03  # bones of animation programs have a length
_ALONG = 0.85  # cosine of the angle to the front within which a bone has its z axis upwards


@dataclass(frozen=True)
class BoneFrames:
    """The bones of a skeleton.

    rest, joint_rest: (n, 4, 4) world matrices of bones and joints at rest; length_m: (n,).
    """

    skeleton: Skeleton
    rest: Floats
    joint_rest: Floats
    length_m: Floats

    @classmethod
    def of(cls, skeleton: Skeleton, length_m: Sequence[float] = ()) -> BoneFrames:
        """Bones towards the joints that follow, or, with their lengths, in the joints' frames."""
        joints = _matrices(skeleton, skeleton.rest_configuration[None])[0]
        if len(length_m) == len(skeleton):
            return cls(skeleton, joints, joints, np.array(length_m, dtype=np.float64))
        along = _directions(skeleton, joints[:, :3, 3])
        length = np.linalg.norm(along, axis=1)
        rest = joints.copy()
        rest[:, :3, :3] = [_turn(row / size) for row, size in zip(along, length, strict=True)]
        return cls(skeleton, rest, joints, length)

    @property
    def in_joints(self) -> Floats:
        """(n, 4, 4) the bones in the frames of their joints."""
        return np.linalg.inv(self.joint_rest) @ self.rest

    def channels(self, q: Floats) -> tuple[Floats, Floats]:
        """Quaternions (f, n, 4) and displacements in metres (f, n, 3) of the bones at q (f, nq).

        Both are in the frame of the bone at rest.
        """
        pose = _matrices(self.skeleton, q) @ self.in_joints
        parent = self.skeleton.tree.parent
        rest_back = np.linalg.inv(self.rest)
        pose_back = np.linalg.inv(pose)
        basis = rest_back @ pose
        for j, p in enumerate(parent):
            if p >= 0:
                own = rest_back[j] @ self.rest[p]
                basis[:, j] = own @ (pose_back[:, p] @ pose[:, j])
        rotation = quaternions.from_matrices(basis[..., :3, :3])
        flips = np.where((rotation[1:] * rotation[:-1]).sum(axis=-1) < 0.0, -1.0, 1.0)
        rotation[1:] *= np.cumprod(flips, axis=0)[..., None]
        return rotation, basis[..., :3, 3]

    def configurations(self, matrices: Floats) -> Floats:
        """(f, nq) of world matrices (f, n, 4, 4) of the bones, without what joints cannot do."""
        joints = matrices @ np.linalg.inv(self.in_joints)
        return configurations_of(self.skeleton, self.skeleton.names, joints)


def _matrices(skeleton: Skeleton, q: Floats) -> Floats:
    """(f, n, 4, 4) the world matrices of all joints at q (f, nq)."""
    frames = forward(skeleton, q)
    out = np.zeros((len(q), len(skeleton), 4, 4))
    out[..., :3, :3], out[..., :3, 3], out[..., 3, 3] = frames.rotations, frames.positions, 1.0
    return out


def _directions(skeleton: Skeleton, at: Floats) -> Floats:
    """(n, 3) from each joint at (n, 3) to the end of its bone."""
    parent = skeleton.tree.parent
    out = np.empty_like(at)
    for j in range(len(skeleton)):
        children = np.flatnonzero(parent == j)
        along = at[children].mean(axis=0) - at[j] if len(children) else np.zeros(3)
        if np.linalg.norm(along) < _SHORTEST_M:
            above = at[j] - at[parent[j]] if parent[j] >= 0 else np.array([0.0, 1.0, 0.0])
            size = float(np.linalg.norm(above))
            unit = above / size if size > 1e-9 else np.array([0.0, 1.0, 0.0])
            along = max(_SHORTEST_M, 0.4 * size) * unit
        out[j] = along
    return out


def _turn(y: Floats) -> Floats:
    """(3, 3) the rotation whose y axis is given, its z axis to the front (or up, if y is there)."""
    front = np.array([0.0, 1.0, 0.0] if abs(y[2]) > _ALONG else [0.0, 0.0, 1.0])
    z = front - (front @ y) * y
    z /= np.linalg.norm(z)
    return np.stack([np.cross(y, z), y, z], axis=1)

"""Moves the free root of a body."""

from __future__ import annotations

from writhe.arrays import Floats
from writhe.skeleton.quaternions import quaternion_of, rotation_matrix
from writhe.skeleton.skeleton import Skeleton


def moved_roots(skeleton: Skeleton, q: Floats, yaw: Floats, away: Floats) -> Floats:
    """Configurations (n, nq) with the free root moved: position Y p + away, orientation Y R."""
    tree = skeleton.tree
    rest, offset = tree.rest[0], skeleton.joints[0].offset_in_parent
    out = q.copy()
    out[:, :3] = ((offset + q[:, :3] @ rest.T) @ yaw.T + away - offset) @ rest
    turned = rest.T @ yaw @ rest
    for row in out:
        row[3:7] = quaternion_of(turned @ rotation_matrix(row[3:7]))
    return out

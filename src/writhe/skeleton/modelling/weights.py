"""Skinning weights from memberships along the tree.

The membership of a vertex in a joint is the fraction of it that moves with that joint or its
descendants: one beyond a plane near the joint, zero before it, smooth over a few centimetres
between. The weight of a joint is its membership minus those of its children, so weights sum to one.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.easing import smoothstep
from writhe.skeleton.skeleton import Skeleton

_SLOTS = 4


def soft_sign(t: Floats) -> Floats:
    """0 below -1, 1 above 1, with a continuous derivative between."""
    return smoothstep(0.5 * (t + 1.0))


def smooth_over_mesh(values: Floats, triangles: Ints, where: Bools, rounds: int) -> Floats:
    """Values (v,) smoothed along the edges of a mesh, at the vertices `where` (v,) is true."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    edges = np.concatenate([edges, edges[:, ::-1]])
    neighbours = np.bincount(edges[:, 0], minlength=len(values))
    out = values.copy()
    for _ in range(rounds):
        around = np.bincount(edges[:, 0], weights=out[edges[:, 1]], minlength=len(values))
        out[where] = 0.5 * (out + around / np.maximum(neighbours, 1))[where]
    return out


def weights_from_memberships(
    skeleton: Skeleton, memberships: Mapping[str, Floats], count: int
) -> tuple[Ints, Floats]:
    """Joints (v, 4) and weights (v, 4) of `count` vertices from each joint's membership (v,).

    A joint without a membership has no skin of its own; its membership is that of its children.
    """
    claimed = np.zeros((len(skeleton), count))
    own = np.zeros((len(skeleton), count))
    for j in range(len(skeleton) - 1, -1, -1):  # children come after their parents
        children = skeleton.children(skeleton.names[j])
        below = np.sum([claimed[c] for c in children], axis=0) if children else np.zeros(count)
        excess = np.maximum(below, 1.0)
        for c in children:  # normalise overlapping siblings
            own[c : int(skeleton.tree.subtree_end[c])] /= excess
            claimed[c] /= excess
        below = below / excess
        membership = memberships.get(skeleton.names[j], below)
        if skeleton.tree.parent[j] < 0:
            membership = np.ones(count)
        claimed[j] = np.maximum(membership, below)
        own[j] = claimed[j] - below
    joints = np.argsort(-own, axis=0, kind="stable")[:_SLOTS].T
    weights = np.take_along_axis(own.T, joints, axis=1)
    if joints.shape[1] < _SLOTS:
        pad = _SLOTS - joints.shape[1]
        joints = np.pad(joints, ((0, 0), (0, pad)))
        weights = np.pad(weights, ((0, 0), (0, pad)))
    weights[weights < 1e-4] = 0.0
    weights /= weights.sum(axis=1, keepdims=True)
    joints[weights == 0.0] = 0
    return np.ascontiguousarray(joints.astype(np.int64)), np.ascontiguousarray(weights)

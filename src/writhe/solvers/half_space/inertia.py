"""Inertia weights of the degrees of freedom: light parts move before heavy ones."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.skeleton import Skeleton, forward

SCALE = 4.0
ROOT_SHIFT = 40.0  # weight of translations, per square metre: roots move last
MIN_SHARE = 0.05  # smallest weight relative to SCALE, for fingertips


def joint_inertia(skeleton: Skeleton) -> Floats:
    """(nv,) weights of squared steps, about 0.2 for a fingertip and 4 for the spine.

    Proportional to the square root of the moment of inertia about the joint at rest, relative to
    the largest of the figure: a compromise between the kinetic-energy metric (arms move too much)
    and equal weights (the trunk bends too readily).
    """
    tree = skeleton.tree
    frames = forward(skeleton, skeleton.rest_configuration)
    centres = frames.positions + np.einsum("nij,nj->ni", frames.rotations, skeleton.centre_of_mass)
    out = np.ones(skeleton.dof_count)
    moment = np.zeros(len(skeleton))
    for j in range(len(skeleton)):
        below = slice(j, int(tree.subtree_end[j]))
        arm = np.linalg.norm(centres[below] - frames.positions[j], axis=1)
        moment[j] = float(skeleton.mass[below] @ arm**2)
    roots = np.array([_root(tree.parent, j) for j in range(len(skeleton))])
    for k in range(skeleton.dof_count):
        j = int(tree.dof_joint[k])
        largest = moment[roots == roots[j]].max()
        share = moment[j] / largest if largest > 0.0 else 1.0
        out[k] = SCALE * max(np.sqrt(share), MIN_SHARE)
        if tree.dof_turns[k] == 0:
            out[k] = ROOT_SHIFT
    return out


def _root(parent: Ints, joint: int) -> int:
    while parent[joint] >= 0:
        joint = int(parent[joint])
    return joint

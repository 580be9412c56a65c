"""Frames of a window: their joint positions, and the tangent steps between and along them."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import Tree, difference, forward, integrate


@kernel
def joint_positions(tree: Tree, q: Floats, rotations: Floats, out: Floats) -> None:
    """out (F, joints, 3): joint positions of the frames q (F, nq); rotations is scratch.

    On one core: a window is too short to share among threads.
    """
    for f in range(q.shape[0]):
        forward(tree, q[f], out[f], rotations)


@kernel
def steps_between(tree: Tree, q_from: Floats, q_to: Floats, out: Floats) -> None:
    """out (F, nv): the tangent steps from the frames q_from (F, nq) to q_to (F, nq)."""
    for f in range(q_from.shape[0]):
        difference(tree, q_from[f], q_to[f], out[f])


@kernel
def take_steps(tree: Tree, q: Floats, dof: Ints, step: Floats, factor: Floats) -> None:
    """Move the frames q (F, nq) by factor (F,) times the steps (F, n) of the given dofs (n,)."""
    v = np.zeros(tree.dof_joint.shape[0])
    for f in range(q.shape[0]):
        for c in range(dof.shape[0]):
            v[dof[c]] = factor[f] * step[f, c]
        integrate(tree, q[f], v, q[f])

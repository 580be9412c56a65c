"""The length of a path of configurations."""

from __future__ import annotations

from math import sqrt

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import Tree, difference


@kernel
def path_sums(tree: Tree, path: Floats, out: Floats) -> None:
    """out (rows,): the length of path (rows, nq) up to each row, sum of |q_i - q_{i-1}|."""
    step = np.empty(tree.dof_joint.shape[0])
    out[0] = 0.0
    for i in range(1, path.shape[0]):
        difference(tree, path[i - 1], path[i], step)
        total = 0.0
        for k in range(step.shape[0]):
            total += step[k] * step[k]
        out[i] = out[i - 1] + sqrt(total)

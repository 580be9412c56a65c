"""A soft prior from neighbouring postures: their mean and spread around the current posture."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.kinematics import Tree, difference
from writhe.kernels.rotation import quaternion_multiply


@kernel
def neighbour_steps(
    tree: Tree, q: Floats, heading: Floats, postures: Floats, numbers: Ints, out: Floats
) -> None:
    """out (K, nv): the tangent steps from q to the neighbours, turned to q's heading.

    Joint 0 is the free root: its translation is left out (zero), and its orientation is the
    neighbour's under the turn `heading` (4) about the vertical.
    """
    other = np.empty(q.shape[0])
    for i in range(numbers.shape[0]):
        other[:] = postures[numbers[i]]
        quaternion_multiply(heading, other[3:7], other[3:7])
        difference(tree, q, other, out[i])
        for c in range(3):
            out[i, c] = 0.0


@kernel
def weighted_spread(steps: Floats, weights: Floats, mean: Floats, spread: Floats) -> None:
    """mean (nv) and covariance (nv, nv) of steps (K, nv) with weights that sum to one.

    `steps` is centred in place.
    """
    count, nv = steps.shape
    mean[:] = 0.0
    for i in range(count):
        for k in range(nv):
            mean[k] += weights[i] * steps[i, k]
    for i in range(count):
        root = np.sqrt(weights[i])
        for k in range(nv):
            steps[i, k] = root * (steps[i, k] - mean[k])
    spread[:] = 0.0
    for i in range(count):
        for k in range(nv):
            x = steps[i, k]
            for m in range(k + 1):
                spread[k, m] += x * steps[i, m]
    for k in range(nv):
        for m in range(k):
            spread[m, k] = spread[k, m]

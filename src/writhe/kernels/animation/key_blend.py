"""The blend of pose keys, frame by frame."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import Tree, difference, integrate


@kernel
def blend_rows(
    tree: Tree,
    keys: Floats,
    steps: Floats,
    slopes: Floats,
    lengths_s: Floats,
    span: Ints,
    u: Floats,
    progress: Floats,
    cubic: Ints,
    out: Floats,
) -> None:
    """out (F, nq): frame f is keys[span[f]] moved towards the next key.

    keys (k, nq), steps (k - 1, nv) from each key to the next, slopes (k, nv) per second, lengths_s
    (k - 1,). Where cubic[f] is 1, the cubic with these slopes at the share u[f] of the time; else
    progress[f] times the step.
    """
    v = np.zeros(tree.dof_joint.shape[0])
    last = keys.shape[0] - 1
    for f in range(span.shape[0]):
        i = span[f]
        if i == last or u[f] == 0.0:
            out[f] = keys[i]  # exactly
            continue
        if cubic[f] == 1:
            t = u[f]
            t2, t3 = t * t, t * t * t
            a = (t3 - 2.0 * t2 + t) * lengths_s[i]
            b = 3.0 * t2 - 2.0 * t3
            c = (t3 - t2) * lengths_s[i]
            for k in range(v.shape[0]):
                v[k] = a * slopes[i, k] + b * steps[i, k] + c * slopes[i + 1, k]
        else:
            for k in range(v.shape[0]):
                v[k] = progress[f] * steps[i, k]
        integrate(tree, keys[i], v, out[f])


@kernel
def key_steps(tree: Tree, keys: Floats, steps: Floats) -> None:
    """steps (k - 1, nv): the shortest tangent steps between successive keys (k, nq)."""
    for i in range(keys.shape[0] - 1):
        difference(tree, keys[i], keys[i + 1], steps[i])

"""Euler-angle coordinates of a whole configuration, as used in the reproduced papers.

Coordinates are ordered as in the tangent layout: hinges, slides and translations keep their one
number; balls and free joints have three angles a, b, c with R = R_i(a) R_j(b) R_k(c), the axes i,
j, k (0, 1, 2 for x, y, z, all different) being the same for every joint. Radians.
"""

from __future__ import annotations

from math import asin, atan2, cos, sin

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import BALL, FREE, Tree
from writhe.kernels.skeleton.rotation import quaternion_multiply, quaternion_to_matrix


@kernel
def _parity(order: Ints) -> float:
    """+1 for a cyclic order of axes, else -1."""
    return 1.0 if (order[0] + 1) % 3 == order[1] else -1.0


@kernel
def euler_to_configuration(tree: Tree, order: Ints, y: Floats, q: Floats) -> None:
    """q (nq) of the coordinates y (nv)."""
    turn = np.zeros(4)
    for joint in range(tree.parent.shape[0]):
        kind, at, vt = tree.kind[joint], tree.q_start[joint], tree.v_start[joint]
        if kind < BALL:
            for c in range(tree.q_start[joint + 1] - at):
                q[at + c] = y[vt + c]
            continue
        if kind == FREE:
            for c in range(3):
                q[at + c] = y[vt + c]
            at, vt = at + 3, vt + 3
        q[at], q[at + 1], q[at + 2], q[at + 3] = 1.0, 0.0, 0.0, 0.0
        for c in range(3):
            turn[:] = 0.0
            turn[0] = cos(0.5 * y[vt + c])
            turn[1 + order[c]] = sin(0.5 * y[vt + c])
            quaternion_multiply(q[at : at + 4], turn, q[at : at + 4])


@kernel
def configuration_to_euler(tree: Tree, order: Ints, q: Floats, y: Floats) -> None:
    """y (nv) of the configuration q (nq); the middle angle lies within +-90 degrees."""
    m = np.empty((3, 3))
    i, j, k = order[0], order[1], order[2]
    sign = _parity(order)
    for joint in range(tree.parent.shape[0]):
        kind, at, vt = tree.kind[joint], tree.q_start[joint], tree.v_start[joint]
        if kind < BALL:
            for c in range(tree.q_start[joint + 1] - at):
                y[vt + c] = q[at + c]
            continue
        if kind == FREE:
            for c in range(3):
                y[vt + c] = q[at + c]
            at, vt = at + 3, vt + 3
        quaternion_to_matrix(q[at : at + 4], m)
        y[vt] = atan2(-sign * m[j, k], m[k, k])
        y[vt + 1] = asin(min(1.0, max(-1.0, sign * m[i, k])))
        y[vt + 2] = atan2(-sign * m[i, j], m[i, i])


@kernel
def euler_basis(tree: Tree, order: Ints, y: Floats, out: Floats) -> None:
    """out (nv, nv) block-diagonal: d tangent step / d y.

    Column c of a joint's block is axis c in the frame after the later rotations: R_k^T R_j^T e_i,
    and so on.
    """
    out[:] = 0.0
    i, j, k = order[0], order[1], order[2]
    sign = _parity(order)
    for joint in range(tree.parent.shape[0]):
        kind, vt = tree.kind[joint], tree.v_start[joint]
        if kind < BALL:
            for c in range(vt, tree.v_start[joint + 1]):
                out[c, c] = 1.0
            continue
        if kind == FREE:
            for c in range(3):
                out[vt + c, vt + c] = 1.0
            vt += 3
        cb, sb = cos(y[vt + 1]), sin(y[vt + 1])
        cc, sc = cos(y[vt + 2]), sin(y[vt + 2])
        out[vt + i, vt] = cb * cc
        out[vt + j, vt] = -sign * cb * sc
        out[vt + k, vt] = sb * sign
        out[vt + i, vt + 1] = sign * sc
        out[vt + j, vt + 1] = cc
        out[vt + k, vt + 2] = 1.0

"""Linear blend skinning with distributed twist.

Every vertex x of the rest pose follows up to four joints: x' = sum_i w_i A_i (x - c_i) + p_i with
A_i the joint's rotation since rest, c_i and p_i its centre at rest and now (Magnenat-Thalmann et
al. 1988). Blending a twisted joint with its untwisted parent pinches the limb, so a vertex may
follow only the fraction f of the twist T of one joint j, distributed along the limb: joints in the
subtree of j transform T^(f-1) x in place of x (they contain the whole twist already), all others
T^f x.
"""

from __future__ import annotations

from math import atan2, cos, sin
from typing import NamedTuple

import numpy as np
from numba import prange

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.rotation import matrix_to_quaternion


@kernel
def joint_twist(
    parent: Ints, axis: Floats, rest: Floats, rotations: Floats, joint: int, q: Floats, m: Floats
) -> float:
    """The twist angle of a joint about `axis` (in its frame) since rest, radians.

    q (4) and m (3, 3) are workspace.
    """
    p = parent[joint]
    for r in range(3):
        for c in range(3):
            total = 0.0
            for k in range(3):
                if p >= 0:
                    total += rotations[p, k, r] * rotations[joint, k, c]
                else:
                    total += rest[joint, k, r] * rotations[joint, k, c]
            m[r, c] = total
    if p >= 0:  # m = R_p^T R_j; take out the rest turn: (Rest_p^T Rest_j)^T m
        for c in range(3):
            for r in range(3):
                total = 0.0
                for k in range(3):
                    local = 0.0
                    for i in range(3):
                        local += rest[p, i, k] * rest[joint, i, r]
                    total += local * m[k, c]
                q[r] = total
            for r in range(3):
                m[r, c] = q[r]
    matrix_to_quaternion(m, q)
    return 2.0 * atan2(q[1] * axis[0] + q[2] * axis[1] + q[3] * axis[2], q[0])


class SkinArrays(NamedTuple):
    """A skin of v vertices on n joints."""

    vertices: Floats  # (v, 3) at rest
    joints: Ints  # (v, 4)
    weights: Floats  # (v, 4)
    twist_joint: Ints  # (v,) -1: none
    twist_share: Floats  # (v,)
    twist_axis: Floats  # (n, 3)


@kernel(parallel=True)
def skin_frames(
    skin: SkinArrays,
    parent: Ints,
    subtree_end: Ints,
    rest_positions: Floats,
    rest_rotations: Floats,
    positions: Floats,
    rotations: Floats,
    out: Floats,
) -> None:
    """out (f, v, 3): the vertices of a skin at each of f frames of the joints, world frame, metres.

    positions (f, n, 3), rotations (f, n, 3, 3), at rest (n, 3), (n, 3, 3).
    """
    vertices, joints, weights, twist_joint, twist_share, twist_axis = skin
    n = parent.shape[0]
    for frame in prange(positions.shape[0]):
        turn, shift = np.empty((n, 3, 3)), np.empty((n, 3))
        twist = np.full(n, 10.0)  # 10 is no valid angle: not yet computed
        q, m = np.empty(4), np.empty((3, 3))
        for j in range(n):
            for r in range(3):
                for c in range(3):
                    total = 0.0
                    for k in range(3):
                        total += rotations[frame, j, r, k] * rest_rotations[j, c, k]
                    turn[j, r, c] = total
            for r in range(3):
                shift[j, r] = positions[frame, j, r]
                for k in range(3):
                    shift[j, r] -= turn[j, r, k] * rest_positions[j, k]
        for v in range(vertices.shape[0]):
            x, y, z = vertices[v, 0], vertices[v, 1], vertices[v, 2]
            j = twist_joint[v]
            # vertex with the partial twist, for joints above (u) and below (l) the twist
            ux, uy, uz = x, y, z
            lx, ly, lz = x, y, z
            if j >= 0:
                if twist[j] == 10.0:
                    twist[j] = joint_twist(
                        parent, twist_axis[j], rest_rotations, rotations[frame], j, q, m
                    )
                ax, ay, az = 0.0, 0.0, 0.0
                for k in range(3):
                    ax += rest_rotations[j, 0, k] * twist_axis[j, k]
                    ay += rest_rotations[j, 1, k] * twist_axis[j, k]
                    az += rest_rotations[j, 2, k] * twist_axis[j, k]
                dx = x - rest_positions[j, 0]
                dy = y - rest_positions[j, 1]
                dz = z - rest_positions[j, 2]
                dot = ax * dx + ay * dy + az * dz
                cx, cy, cz = ay * dz - az * dy, az * dx - ax * dz, ax * dy - ay * dx
                for below in range(2):
                    angle = (twist_share[v] - below) * twist[j]
                    co, si = cos(angle), sin(angle)
                    tx = rest_positions[j, 0] + co * dx + si * cx + (1.0 - co) * dot * ax
                    ty = rest_positions[j, 1] + co * dy + si * cy + (1.0 - co) * dot * ay
                    tz = rest_positions[j, 2] + co * dz + si * cz + (1.0 - co) * dot * az
                    if below == 0:
                        ux, uy, uz = tx, ty, tz
                    else:
                        lx, ly, lz = tx, ty, tz
            sx, sy, sz = 0.0, 0.0, 0.0
            for slot in range(4):
                w = weights[v, slot]
                if w == 0.0:
                    continue
                i = joints[v, slot]
                if j >= 0 and j <= i < subtree_end[j]:
                    px, py, pz = lx, ly, lz
                else:
                    px, py, pz = ux, uy, uz
                sx += w * (
                    turn[i, 0, 0] * px + turn[i, 0, 1] * py + turn[i, 0, 2] * pz + shift[i, 0]
                )
                sy += w * (
                    turn[i, 1, 0] * px + turn[i, 1, 1] * py + turn[i, 1, 2] * pz + shift[i, 1]
                )
                sz += w * (
                    turn[i, 2, 0] * px + turn[i, 2, 1] * py + turn[i, 2, 2] * pz + shift[i, 2]
                )
            out[frame, v, 0], out[frame, v, 1], out[frame, v, 2] = sx, sy, sz

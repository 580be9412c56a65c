"""Kinematics of a forest of joints: frames, motion axes, Jacobians, steps.

Layout. Joints are numbered in depth-first order, so the subtree of joint j is the range
j .. subtree_end[j]-1, roots have parent -1, and several characters are simply concatenated.
A joint's local transform is T(offset) R(rest) Q(q); Q depends on its kind:

| kind      | q (configuration)        | v (tangent)                                      |
|-----------|--------------------------|--------------------------------------------------|
| FIXED     | -                        | -                                                |
| HINGE     | angle                    | angle about `axis`                               |
| PRISMATIC | displacement             | displacement along `axis`                        |
| BALL      | quaternion w, x, y, z    | rotation vector in the joint's own (moved) frame |
| FREE      | position 3, quaternion 4 | translation in the parent's rest frame, rotation |

`axis` is given in the joint's frame.  For FREE joints T(offset) R(rest) T(position) Q.
"""

from __future__ import annotations

from math import cos, sin
from typing import NamedTuple

import numpy as np
from numba import prange

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.rotation import (
    quaternion_difference,
    quaternion_exp,
    quaternion_multiply,
    quaternion_normalise,
)

FIXED, HINGE, PRISMATIC, BALL, FREE = 0, 1, 2, 3, 4
CONFIGURATION_SIZE = (0, 1, 1, 4, 7)
TANGENT_SIZE = (0, 1, 1, 3, 6)


class Tree(NamedTuple):
    """A forest of n joints with nq configuration and nv tangent coordinates, as arrays."""

    parent: Ints  # (n,) -1 for roots
    kind: Ints  # (n,)
    q_start: Ints  # (n + 1,)
    v_start: Ints  # (n + 1,)
    subtree_end: Ints  # (n,)
    dof_joint: Ints  # (nv,) the joint that owns each tangent coordinate
    dof_turns: Ints  # (nv,) 1: the coordinate rotates, 0: it translates
    offset: Floats  # (n, 3)
    rest: Floats  # (n, 3, 3)
    axis: Floats  # (n, 3)


@kernel
def forward_range(
    tree: Tree, q: Floats, first: int, last: int, positions: Floats, rotations: Floats
) -> None:
    """World frames of the joints first .. last-1; those of their parents must be up to date."""
    for j in range(first, last):
        parent = tree.parent[j]
        kind = tree.kind[j]
        at = tree.q_start[j]
        tx, ty, tz = 0.0, 0.0, 0.0
        # the local rotation Q as nine numbers
        a00, a01, a02 = 1.0, 0.0, 0.0
        a10, a11, a12 = 0.0, 1.0, 0.0
        a20, a21, a22 = 0.0, 0.0, 1.0
        if kind >= BALL:
            if kind == FREE:
                tx, ty, tz = q[at], q[at + 1], q[at + 2]
                at += 3
            w, x, y, z = q[at], q[at + 1], q[at + 2], q[at + 3]
            a00, a01, a02 = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
            a10, a11, a12 = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
            a20, a21, a22 = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
        elif kind == HINGE:
            c, s = cos(q[at]), sin(q[at])
            k = 1.0 - c
            x, y, z = tree.axis[j, 0], tree.axis[j, 1], tree.axis[j, 2]
            a00, a01, a02 = c + k * x * x, k * x * y - s * z, k * x * z + s * y
            a10, a11, a12 = k * x * y + s * z, c + k * y * y, k * y * z - s * x
            a20, a21, a22 = k * x * z - s * y, k * y * z + s * x, c + k * z * z
        elif kind == PRISMATIC:
            tx, ty, tz = q[at] * tree.axis[j, 0], q[at] * tree.axis[j, 1], q[at] * tree.axis[j, 2]
        # S = parent's rotation times rest
        for r in range(3):
            if parent >= 0:
                p0, p1, p2 = (
                    rotations[parent, r, 0],
                    rotations[parent, r, 1],
                    rotations[parent, r, 2],
                )
                s0 = p0 * tree.rest[j, 0, 0] + p1 * tree.rest[j, 1, 0] + p2 * tree.rest[j, 2, 0]
                s1 = p0 * tree.rest[j, 0, 1] + p1 * tree.rest[j, 1, 1] + p2 * tree.rest[j, 2, 1]
                s2 = p0 * tree.rest[j, 0, 2] + p1 * tree.rest[j, 1, 2] + p2 * tree.rest[j, 2, 2]
                position = (
                    positions[parent, r]
                    + p0 * tree.offset[j, 0]
                    + p1 * tree.offset[j, 1]
                    + p2 * tree.offset[j, 2]
                )
            else:
                s0, s1, s2 = tree.rest[j, r, 0], tree.rest[j, r, 1], tree.rest[j, r, 2]
                position = tree.offset[j, r]
            positions[j, r] = position + s0 * tx + s1 * ty + s2 * tz
            rotations[j, r, 0] = s0 * a00 + s1 * a10 + s2 * a20
            rotations[j, r, 1] = s0 * a01 + s1 * a11 + s2 * a21
            rotations[j, r, 2] = s0 * a02 + s1 * a12 + s2 * a22


@kernel
def forward(tree: Tree, q: Floats, positions: Floats, rotations: Floats) -> None:
    """World positions (n, 3) and rotations (n, 3, 3) of all joints at configuration q (nq)."""
    forward_range(tree, q, 0, tree.parent.shape[0], positions, rotations)


@kernel(parallel=True)
def forward_batch(tree: Tree, q: Floats, positions: Floats, rotations: Floats) -> None:
    """`forward` for each row of q (frames, nq), on all cores."""
    for frame in prange(q.shape[0]):
        forward(tree, q[frame], positions[frame], rotations[frame])


@kernel
def motion_axes(tree: Tree, positions: Floats, rotations: Floats, axes: Floats) -> None:
    """axes (nv, 3): the world axis of each tangent coordinate, of rotation or translation.

    The velocity that coordinate k gives to a point x moved by its joint j is axes[k] x (x -
    positions[j]) when it turns and axes[k] when it slides.
    """
    for j in range(tree.parent.shape[0]):
        kind = tree.kind[j]
        at = tree.v_start[j]
        if kind in (HINGE, PRISMATIC):
            for r in range(3):
                axes[at, r] = (
                    rotations[j, r, 0] * tree.axis[j, 0]
                    + rotations[j, r, 1] * tree.axis[j, 1]
                    + rotations[j, r, 2] * tree.axis[j, 2]
                )
        elif kind >= BALL:
            if kind == FREE:
                parent = tree.parent[j]
                for c in range(3):
                    for r in range(3):
                        if parent >= 0:
                            axes[at + c, r] = (
                                rotations[parent, r, 0] * tree.rest[j, 0, c]
                                + rotations[parent, r, 1] * tree.rest[j, 1, c]
                                + rotations[parent, r, 2] * tree.rest[j, 2, c]
                            )
                        else:
                            axes[at + c, r] = tree.rest[j, r, c]
                at += 3
            for c in range(3):
                for r in range(3):
                    axes[at + c, r] = rotations[j, r, c]


@kernel
def point_jacobian(
    tree: Tree, positions: Floats, axes: Floats, joint: int, point: Floats, out: Floats
) -> None:
    """out (3, nv) = d point / d v of a world `point` carried by `joint`; other columns are zero."""
    out[:] = 0.0
    j = joint
    while j >= 0:
        dx = point[0] - positions[j, 0]
        dy = point[1] - positions[j, 1]
        dz = point[2] - positions[j, 2]
        for k in range(tree.v_start[j], tree.v_start[j + 1]):
            x, y, z = axes[k, 0], axes[k, 1], axes[k, 2]
            if tree.dof_turns[k] == 1:
                out[0, k] = y * dz - z * dy
                out[1, k] = z * dx - x * dz
                out[2, k] = x * dy - y * dx
            else:
                out[0, k], out[1, k], out[2, k] = x, y, z
        j = tree.parent[j]


@kernel
def add_point_gradient(
    tree: Tree,
    positions: Floats,
    axes: Floats,
    joint: int,
    x: float,
    y: float,
    z: float,
    gx: float,
    gy: float,
    gz: float,
    row: Floats,
) -> None:
    """row (nv) += g . d(point)/dv for the world point (x, y, z) carried by `joint`.

    This is the derivative by the tangent step of a value with gradient g at that point.
    """
    j = joint
    while j >= 0:
        dx, dy, dz = x - positions[j, 0], y - positions[j, 1], z - positions[j, 2]
        # g . (axis x d) = axis . (d x g)
        tx, ty, tz = dy * gz - dz * gy, dz * gx - dx * gz, dx * gy - dy * gx
        for k in range(tree.v_start[j], tree.v_start[j + 1]):
            if tree.dof_turns[k] == 1:
                row[k] += axes[k, 0] * tx + axes[k, 1] * ty + axes[k, 2] * tz
            else:
                row[k] += axes[k, 0] * gx + axes[k, 1] * gy + axes[k, 2] * gz
        j = tree.parent[j]


@kernel
def turn_jacobian(tree: Tree, axes: Floats, joint: int, out: Floats) -> None:
    """out (3, nv): the world angular velocity of `joint` per tangent coordinate."""
    out[:] = 0.0
    j = joint
    while j >= 0:
        for k in range(tree.v_start[j], tree.v_start[j + 1]):
            if tree.dof_turns[k] == 1:
                out[0, k], out[1, k], out[2, k] = axes[k, 0], axes[k, 1], axes[k, 2]
        j = tree.parent[j]


@kernel
def joint_jacobians(tree: Tree, positions: Floats, axes: Floats, out: Floats) -> None:
    """out (n, 3, nv): the position Jacobians of all joint centres."""
    for j in range(tree.parent.shape[0]):
        point_jacobian(tree, positions, axes, j, positions[j], out[j])


@kernel
def forward_with_jacobians(
    tree: Tree, q: Floats, positions: Floats, rotations: Floats, axes: Floats, out: Floats
) -> None:
    """Frames, motion axes and all joint-centre Jacobians (n, 3, nv) at q in one call."""
    forward(tree, q, positions, rotations)
    motion_axes(tree, positions, rotations, axes)
    joint_jacobians(tree, positions, axes, out)


@kernel
def integrate(tree: Tree, q: Floats, v: Floats, out: Floats) -> None:
    """out (nq) = q moved by the tangent step v (nv); `out` may be `q`."""
    turn = np.empty(4)
    for j in range(tree.parent.shape[0]):
        kind = tree.kind[j]
        at, vt = tree.q_start[j], tree.v_start[j]
        if kind in (HINGE, PRISMATIC):
            out[at] = q[at] + v[vt]
        elif kind >= BALL:
            if kind == FREE:
                for c in range(3):
                    out[at + c] = q[at + c] + v[vt + c]
                at += 3
                vt += 3
            quaternion_exp(v[vt], v[vt + 1], v[vt + 2], turn)
            quaternion_multiply(q[at : at + 4], turn, out[at : at + 4])
            quaternion_normalise(out[at : at + 4])


@kernel
def difference(tree: Tree, q_from: Floats, q_to: Floats, out: Floats) -> None:
    """out (nv): the shortest tangent step that moves q_from to q_to."""
    for j in range(tree.parent.shape[0]):
        kind = tree.kind[j]
        at, vt = tree.q_start[j], tree.v_start[j]
        if kind in (HINGE, PRISMATIC):
            out[vt] = q_to[at] - q_from[at]
        elif kind >= BALL:
            if kind == FREE:
                for c in range(3):
                    out[vt + c] = q_to[at + c] - q_from[at + c]
                at += 3
                vt += 3
            quaternion_difference(q_from[at : at + 4], q_to[at : at + 4], out[vt : vt + 3])


@kernel
def interpolate(tree: Tree, q_from: Floats, q_to: Floats, t: float, out: Floats) -> None:
    """out (nq) at fraction t from q_from to q_to: slerp for rotations, straight lines else."""
    step = np.empty(tree.dof_joint.shape[0])
    difference(tree, q_from, q_to, step)
    for k in range(step.shape[0]):
        step[k] *= t
    integrate(tree, q_from, step, out)


@kernel(parallel=True)
def interpolate_batch(tree: Tree, keys: Floats, times: Floats, out: Floats) -> None:
    """out (times, nq): rows of `keys` (frames, nq) read at fractional frame numbers `times`."""
    last = keys.shape[0] - 1
    for i in prange(times.shape[0]):
        time = min(max(times[i], 0.0), float(last))
        frame = min(int(time), max(last - 1, 0))
        nxt = min(frame + 1, last)
        interpolate(tree, keys[frame], keys[nxt], time - frame, out[i])

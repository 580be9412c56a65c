"""Chains: a small tree of joints under a root frame, solved by damped least squares.

The coordinates of a chain are one angle for a hinge and a rotation vector for a ball joint,
relative to a reference rotation C in the middle of the joint's range: R = R_parent B exp([v]) with
B = rest C. Human joints stay within half a turn of that middle, so unlike Euler angles the chart
has no singularities in their range.

Sines and cosines are computed by power series in the squared angle. They need no branch near zero,
no division and no library call, which is faster here, and the JAX version
(`accelerator.chain_kinematics`) rounds the same way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel

HINGE, BALL = 1, 3


class ChainTree(NamedTuple):
    """k joints in the order of the skeleton, n coordinates, E effectors. Metres and radians."""

    parent: Ints  # (k,) -1: the root frame
    kind: Ints  # (k,) HINGE or BALL
    start: Ints  # (k + 1,) each joint's first coordinate
    offset: Floats  # (k, 3) in the parent's frame
    base: Floats  # (k, 3, 3) rest rotation times reference
    axis: Floats  # (k, 3) of hinges
    effector_joint: Ints  # (E,)
    effector_offset: Floats  # (E, 3) in that joint's frame
    carries: Ints  # (E, k) 1: the effector is in the subtree of the joint


class ChainWorkspace(NamedTuple):
    """Kinematics of one posture; one workspace per block of frames."""

    positions: Floats  # (k, 3)
    rotations: Floats  # (k, 3, 3)
    axes: Floats  # (n, 3) rotation per change of each coordinate, in the root frame
    effectors: Floats  # (E, 3)
    jacobian: Floats  # (3 E, n)
    residual: Floats  # (3 E,)
    normal: Floats  # (3 E, 3 E)
    step: Floats  # (n,)
    masked_inverse: Floats  # (n,) inverse damping of the coordinates that are not clamped


@kernel
def chain_workspace(chain: ChainTree) -> ChainWorkspace:
    """Allocate the workspace of one posture."""
    k, n, e = chain.parent.shape[0], chain.start[-1], chain.effector_joint.shape[0]
    return ChainWorkspace(
        np.empty((k, 3)),
        np.empty((k, 3, 3)),
        np.empty((n, 3)),
        np.empty((e, 3)),
        np.zeros((3 * e, n)),
        np.empty(3 * e),
        np.empty((3 * e, 3 * e)),
        np.empty(n),
        np.empty(n),
    )


@kernel(inline=True)
def half_angle_series(u: float) -> tuple[float, float]:
    """sin(h)/h and cos(h) for u = h^2 up to 8, by Taylor series in Horner form."""
    s = 1.0 - u * (1.0 / 600.0)
    s = 1.0 - u * (1.0 / 506.0) * s
    s = 1.0 - u * (1.0 / 420.0) * s
    s = 1.0 - u * (1.0 / 342.0) * s
    s = 1.0 - u * (1.0 / 272.0) * s
    s = 1.0 - u * (1.0 / 210.0) * s
    s = 1.0 - u * (1.0 / 156.0) * s
    s = 1.0 - u * (1.0 / 110.0) * s
    s = 1.0 - u * (1.0 / 72.0) * s
    s = 1.0 - u * (1.0 / 42.0) * s
    s = 1.0 - u * (1.0 / 20.0) * s
    s = 1.0 - u * (1.0 / 6.0) * s
    c = 1.0 - u * (1.0 / 552.0)
    c = 1.0 - u * (1.0 / 462.0) * c
    c = 1.0 - u * (1.0 / 380.0) * c
    c = 1.0 - u * (1.0 / 306.0) * c
    c = 1.0 - u * (1.0 / 240.0) * c
    c = 1.0 - u * (1.0 / 182.0) * c
    c = 1.0 - u * (1.0 / 132.0) * c
    c = 1.0 - u * (1.0 / 90.0) * c
    c = 1.0 - u * (1.0 / 56.0) * c
    c = 1.0 - u * (1.0 / 30.0) * c
    c = 1.0 - u * (1.0 / 12.0) * c
    c = 1.0 - u * 0.5 * c
    return s, c


@kernel(inline=True)
def cubic_series(t: float) -> float:
    """(x - sin x) / x^3 for t = x^2 up to 30, by its Taylor series in Horner form."""
    c = 1.0 - t * (1.0 / 1056.0)
    c = 1.0 - t * (1.0 / 930.0) * c
    c = 1.0 - t * (1.0 / 812.0) * c
    c = 1.0 - t * (1.0 / 702.0) * c
    c = 1.0 - t * (1.0 / 600.0) * c
    c = 1.0 - t * (1.0 / 506.0) * c
    c = 1.0 - t * (1.0 / 420.0) * c
    c = 1.0 - t * (1.0 / 342.0) * c
    c = 1.0 - t * (1.0 / 272.0) * c
    c = 1.0 - t * (1.0 / 210.0) * c
    c = 1.0 - t * (1.0 / 156.0) * c
    c = 1.0 - t * (1.0 / 110.0) * c
    c = 1.0 - t * (1.0 / 72.0) * c
    c = 1.0 - t * (1.0 / 42.0) * c
    c = 1.0 - t * (1.0 / 20.0) * c
    return (1.0 / 6.0) * c


@kernel(inline=True)
def chain_forward(chain: ChainTree, theta: Floats, workspace: ChainWorkspace) -> None:
    """Frames, axes and effectors of the chain at coordinates theta (n), in the root frame.

    With t = |v|^2 and the skew matrix K of v: exp([v]) = (1 - b t) I + a K + b v v^T, and a change
    dv rotates it by L dv, L = (1 - c t) I + b K + c v v^T, where a = sin|v|/|v|, b = (1 -
    cos|v|)/t, c = (|v| - sin|v|)/|v|^3.
    """
    positions, rotations, axes = workspace.positions, workspace.rotations, workspace.axes
    for j in range(chain.parent.shape[0]):
        parent, at = chain.parent[j], chain.start[j]
        ball = chain.kind[j] == BALL
        if ball:
            x, y, z = theta[at], theta[at + 1], theta[at + 2]
        else:
            turn = theta[at]
            x, y, z = turn * chain.axis[j, 0], turn * chain.axis[j, 1], turn * chain.axis[j, 2]
        t = x * x + y * y + z * z
        s, cosine = half_angle_series(0.25 * t)
        a, b = s * cosine, 0.5 * s * s
        d = 1.0 - b * t
        e00, e01, e02 = d + b * x * x, b * x * y - a * z, b * x * z + a * y
        e10, e11, e12 = b * x * y + a * z, d + b * y * y, b * y * z - a * x
        e20, e21, e22 = b * x * z - a * y, b * y * z + a * x, d + b * z * z
        c = cubic_series(t) if ball else 0.0
        d = 1.0 - c * t
        l00, l01, l02 = d + c * x * x, c * x * y - b * z, c * x * z + b * y
        l10, l11, l12 = c * x * y + b * z, d + c * y * y, c * y * z - b * x
        l20, l21, l22 = c * x * z - b * y, c * y * z + b * x, d + c * z * z
        for r in range(3):
            if parent >= 0:
                p0, p1, p2 = (
                    rotations[parent, r, 0],
                    rotations[parent, r, 1],
                    rotations[parent, r, 2],
                )
                w0 = p0 * chain.base[j, 0, 0] + p1 * chain.base[j, 1, 0] + p2 * chain.base[j, 2, 0]
                w1 = p0 * chain.base[j, 0, 1] + p1 * chain.base[j, 1, 1] + p2 * chain.base[j, 2, 1]
                w2 = p0 * chain.base[j, 0, 2] + p1 * chain.base[j, 1, 2] + p2 * chain.base[j, 2, 2]
                positions[j, r] = (
                    positions[parent, r]
                    + p0 * chain.offset[j, 0]
                    + p1 * chain.offset[j, 1]
                    + p2 * chain.offset[j, 2]
                )
            else:
                w0, w1, w2 = chain.base[j, r, 0], chain.base[j, r, 1], chain.base[j, r, 2]
                positions[j, r] = chain.offset[j, r]
            rotations[j, r, 0] = w0 * e00 + w1 * e10 + w2 * e20
            rotations[j, r, 1] = w0 * e01 + w1 * e11 + w2 * e21
            rotations[j, r, 2] = w0 * e02 + w1 * e12 + w2 * e22
            if ball:
                axes[at, r] = w0 * l00 + w1 * l10 + w2 * l20
                axes[at + 1, r] = w0 * l01 + w1 * l11 + w2 * l21
                axes[at + 2, r] = w0 * l02 + w1 * l12 + w2 * l22
            else:
                axes[at, r] = w0 * chain.axis[j, 0] + w1 * chain.axis[j, 1] + w2 * chain.axis[j, 2]
    for e in range(chain.effector_joint.shape[0]):
        j = chain.effector_joint[e]
        for r in range(3):
            workspace.effectors[e, r] = (
                positions[j, r]
                + rotations[j, r, 0] * chain.effector_offset[e, 0]
                + rotations[j, r, 1] * chain.effector_offset[e, 1]
                + rotations[j, r, 2] * chain.effector_offset[e, 2]
            )


@kernel(inline=True)
def chain_jacobian(chain: ChainTree, workspace: ChainWorkspace) -> None:
    """workspace.jacobian (3 E, n) = d effectors / d theta after `chain_forward`.

    Columns of joints that do not carry an effector stay zero.
    """
    for e in range(chain.effector_joint.shape[0]):
        for j in range(chain.parent.shape[0]):
            if chain.carries[e, j] == 0:
                continue
            dx = workspace.effectors[e, 0] - workspace.positions[j, 0]
            dy = workspace.effectors[e, 1] - workspace.positions[j, 1]
            dz = workspace.effectors[e, 2] - workspace.positions[j, 2]
            for k in range(chain.start[j], chain.start[j + 1]):
                x, y, z = workspace.axes[k, 0], workspace.axes[k, 1], workspace.axes[k, 2]
                workspace.jacobian[3 * e, k] = y * dz - z * dy
                workspace.jacobian[3 * e + 1, k] = z * dx - x * dz
                workspace.jacobian[3 * e + 2, k] = x * dy - y * dx


@kernel(inline=True, vector=True)
def damped_step(workspace: ChainWorkspace, inverse_damping: Floats) -> None:
    """workspace.step (n): the damped least-squares step of Eq. 6 for workspace.residual (3 E).

    (J^T J + D) dtheta = J^T de with D = diag(lambda^2) is solved in the smaller space of the
    effectors, dtheta = G J^T (J G J^T + I)^-1 de with G = D^-1; inverse_damping (n) is the diagonal
    of G, zero for a fixed coordinate. workspace.residual is overwritten.
    """
    jacobian, normal, y = workspace.jacobian, workspace.normal, workspace.residual
    rows, n = jacobian.shape
    for i in range(rows):
        for j in range(i + 1):
            total = 0.0
            for k in range(n):
                total += jacobian[i, k] * inverse_damping[k] * jacobian[j, k]
            normal[i, j] = total
        normal[i, i] += 1.0
    _solve_positive(normal, y)
    for k in range(n):
        total = 0.0
        for i in range(rows):
            total += jacobian[i, k] * y[i]
        workspace.step[k] = inverse_damping[k] * total


@kernel(inline=True, vector=True)
def _solve_positive(matrix: Floats, y: Floats) -> None:
    """y = matrix^-1 y for a positive definite matrix, given by its lower triangle.

    A = L D L^T; the triangle is overwritten with L D below the diagonal and 1 / D on it. Inlined
    and without square roots: calling `linear.solve_positive` makes the passes 8 to 20 % slower.
    """
    rows = y.shape[0]
    for j in range(rows):
        pivot = matrix[j, j]
        for k in range(j):
            pivot -= matrix[j, k] * matrix[j, k] * matrix[k, k]
        matrix[j, j] = 1.0 / pivot
        for i in range(j + 1, rows):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k] * matrix[k, k]
            matrix[i, j] = total
    for i in range(rows):
        for k in range(i):
            y[i] -= matrix[i, k] * matrix[k, k] * y[k]
    for i in range(rows - 1, -1, -1):
        total = y[i]
        for k in range(i + 1, rows):
            total -= matrix[k, i] * y[k]
        y[i] = total * matrix[i, i]

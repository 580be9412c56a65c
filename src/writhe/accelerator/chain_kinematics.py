"""JAX version of `kernels.trajectory.chain_kinematics` for GPU kernels: unrolled per coordinate.

A posture is a list of n arrays of any common shape, one per coordinate, so that all arithmetic is
elementwise: a compiler can keep one posture in the registers of one thread. The chain's constants
are Python numbers; products with zero are omitted. As a whole-array program this takes minutes to
compile; `accelerator.chain_arrays` is the equivalent for that case.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import jax.numpy as jnp

from writhe.accelerator.trajectory_problem import BatchProblem

Array: TypeAlias = Any
BALL = 3
SINE = (600, 506, 420, 342, 272, 210, 156, 110, 72, 42, 20, 6)
COSINE = (552, 462, 380, 306, 240, 182, 132, 90, 56, 30, 12, 2)
CUBIC = (1056, 930, 812, 702, 600, 506, 420, 342, 272, 210, 156, 110, 72, 42, 20)
# terms omitted in single precision: below its rounding error up to 5.4 radians
_SHORTER = 5


def series(t: Array, divisors: Sequence[int]) -> Array:
    shorter = divisors[_SHORTER:] if t.dtype == jnp.float32 else divisors
    value = 1.0 - t * (1.0 / shorter[0])
    for divisor in shorter[1:]:
        value = 1.0 - t * (1.0 / divisor) * value
    return value


def _dot(constants: Sequence[float], arrays: Sequence[Array]) -> Array:
    """Sum of products; zeros are omitted and ones not multiplied."""
    terms = [
        a if c == 1.0 else -a if c == -1.0 else float(c) * a
        for c, a in zip(constants, arrays, strict=True)
        if c != 0.0
    ]
    total: Array = terms[0] if terms else 0.0
    for term in terms[1:]:
        total = total + term
    return total


def _product(w: list[list[Array]], m: list[list[Array]]) -> list[list[Array]]:
    return [
        [w[r][0] * m[0][c] + w[r][1] * m[1][c] + w[r][2] * m[2][c] for c in range(3)]
        for r in range(3)
    ]


def effector_and_jacobian(
    problem: BatchProblem, theta: Sequence[Array]
) -> tuple[list[Array], list[list[Array]]]:
    """The effector (3) in the root frame and its Jacobian (3, n)."""
    zero = jnp.zeros_like(theta[0])
    positions: list[list[Array]] = []
    rotations: list[list[list[Array]]] = []
    axes: list[list[Array]] = []
    owners: list[int] = []
    for j in range(len(problem.parent)):
        at, parent = int(problem.start[j]), int(problem.parent[j])
        ball = int(problem.kind[j]) == BALL
        axis = [float(a) for a in problem.axis[j]]
        v = list(theta[at : at + 3]) if ball else [_dot([a], [theta[at]]) + zero for a in axis]
        x, y, z = v
        t = x * x + y * y + z * z if ball else theta[at] * theta[at]
        s, cosine = series(0.25 * t, SINE), series(0.25 * t, COSINE)
        a, b = s * cosine, 0.5 * s * s
        turn = _rotation(v, a, b, 1.0 - b * t)
        if parent < 0:
            place: list[Array] = [float(o) + zero for o in problem.offset[j]]
            frame: list[list[Array]] = [[float(m) + zero for m in row] for row in problem.base[j]]
        else:
            above = rotations[parent]
            place = [positions[parent][r] + _dot(problem.offset[j], above[r]) for r in range(3)]
            frame = [[_dot(problem.base[j][:, c], above[r]) for c in range(3)] for r in range(3)]
        positions.append(place)
        rotations.append(_product(frame, turn))
        if ball:
            c = (1.0 / 6.0) * series(t, CUBIC)
            left = _product(frame, _rotation(v, b, c, 1.0 - c * t))
            axes += [[left[r][k] for r in range(3)] for k in range(3)]
            owners += [j] * 3
        else:
            axes.append([_dot(axis, frame[r]) for r in range(3)])
            owners.append(j)
    last = int(problem.effector_joint)
    effector = [
        positions[last][r] + _dot(problem.effector_offset, rotations[last][r]) for r in range(3)
    ]
    jacobian: list[list[Array]] = [[], [], []]
    for (x, y, z), j in zip(axes, owners, strict=True):
        dx, dy, dz = (effector[r] - positions[j][r] for r in range(3))
        jacobian[0].append(y * dz - z * dy)
        jacobian[1].append(z * dx - x * dz)
        jacobian[2].append(x * dy - y * dx)
    return effector, jacobian


def _rotation(v: Sequence[Array], a: Array, b: Array, d: Array) -> list[list[Array]]:
    """d I + a [v] + b v v^T."""
    x, y, z = v
    bx, by, bz, ax, ay, az = b * x, b * y, b * z, a * x, a * y, a * z
    return [
        [d + bx * x, bx * y - az, bx * z + ay],
        [bx * y + az, d + by * y, by * z - ax],
        [bx * z - ay, by * z + ax, d + bz * z],
    ]


def solve_damped(normal: Sequence[Array], residual: Sequence[Array]) -> tuple[Array, ...]:
    """(A + I)^-1 r for the entries 00, 10, 20, 11, 21, 22 of a symmetric A, by L D L^T."""
    a00, l10, l20, a11, a21, a22 = normal
    d0 = 1.0 / (a00 + 1.0)
    d1 = 1.0 / (a11 + 1.0 - l10 * l10 * d0)
    l21 = a21 - l20 * l10 * d0
    d2 = 1.0 / (a22 + 1.0 - l20 * l20 * d0 - l21 * l21 * d1)
    y0, y1, y2 = residual
    y1 = y1 - l10 * d0 * y0
    y2 = y2 - l20 * d0 * y0 - l21 * d1 * y1
    z2 = y2 * d2
    z1 = (y1 - l21 * z2) * d1
    z0 = (y0 - l10 * z1 - l20 * z2) * d0
    return z0, z1, z2


def damped_step(
    jacobian: list[list[Array]],
    inverse_damping: Sequence[Array],
    residual: Sequence[Array],
) -> list[Array]:
    """G J^T (J G J^T + I)^-1 de: Eq. 6 in the space of the effector."""
    n = len(inverse_damping)
    weighted = [[jacobian[i][k] * inverse_damping[k] for k in range(n)] for i in range(3)]

    def entry(i: int, j: int) -> Array:
        total = weighted[i][0] * jacobian[j][0]
        for k in range(1, n):
            total = total + weighted[i][k] * jacobian[j][k]
        return total

    a00, a10, a20, a11, a21, a22 = (
        entry(i, j) for i, j in ((0, 0), (1, 0), (2, 0), (1, 1), (2, 1), (2, 2))
    )
    z0, z1, z2 = solve_damped((a00, a10, a20, a11, a21, a22), residual)
    return [weighted[0][k] * z0 + weighted[1][k] * z1 + weighted[2][k] * z2 for k in range(n)]


def effector(problem: BatchProblem, theta: Sequence[Array]) -> list[Array]:
    """The effector (3) in the root frame."""
    return effector_and_jacobian(problem, theta)[0]


def residual_and_step(
    problem: BatchProblem,
    theta: Sequence[Array],
    inverse_damping: Sequence[Array],
    target: Sequence[Array],
) -> tuple[Array, list[Array]]:
    """Squared distance from the target, and the damped step towards it."""
    point, jacobian = effector_and_jacobian(problem, theta)
    residual = [target[r] - point[r] for r in range(3)]
    square = residual[0] * residual[0] + residual[1] * residual[1] + residual[2] * residual[2]
    return square, damped_step(jacobian, inverse_damping, residual)

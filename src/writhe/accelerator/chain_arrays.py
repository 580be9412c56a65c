"""Kinematics of a chain in JAX, for whole-array programs: a scan along the chain.

Computes the same as `kernels.trajectory.chain_kinematics`.

It is fast to compile, because the body of the scan is a few operations on arrays (3, 3, poses). A
hinge is treated as a ball joint of which only the first column is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import jax.numpy as jnp
import numpy as np
from jax import lax

from writhe.accelerator.chain_kinematics import BALL, COSINE, CUBIC, SINE, series, solve_damped
from writhe.accelerator.trajectory_problem import BatchProblem

Array: TypeAlias = Any


def _columns(problem: BatchProblem) -> Any:
    """(k, 3) coordinate index of each joint's columns, -1 for unused columns of hinges."""
    out = np.full((len(problem.parent), 3), -1)
    for j in range(len(out)):
        first, after = int(problem.start[j]), int(problem.start[j + 1])
        out[j, : after - first] = np.arange(first, after)
    return out


def _vectors(problem: BatchProblem, rows: Sequence[Array]) -> Array:
    """(k, 3, poses) rotation vectors of the joints."""
    vectors: list[Array] = []
    for j, kind in enumerate(problem.kind):
        at = int(problem.start[j])
        if int(kind) == BALL:
            vectors.append(jnp.stack(rows[at : at + 3]))
        else:
            vectors.append(jnp.asarray(problem.axis[j], rows[0].dtype)[:, None] * rows[at])
    return jnp.stack(vectors)


def _turn(v: Array, a: Array, b: Array, d: Array) -> Array:
    """(3, 3, poses): d I + a [v] + b v v^T."""
    x, y, z = v
    zero = jnp.zeros_like(x)
    skew = jnp.stack([jnp.stack(r) for r in ((zero, -z, y), (z, zero, -x), (-y, x, zero))])
    identity = jnp.eye(3, dtype=v.dtype)[:, :, None]
    return d * identity + a * skew + b * v[:, None] * v[None]


def _times(a: Array, b: Array) -> Array:
    """Products of 3 x 3 matrices (3, 3, poses)."""
    return sum(a[:, k, None] * b[None, k] for k in range(3))


def _chain(problem: BatchProblem, rows: Sequence[Array]) -> tuple[Array, Array, Array]:
    """The effector (3, poses), and position (k, 3, poses) and axes (k, 3, 3, poses) of joints."""
    dtype, poses = rows[0].dtype, rows[0].shape[0]
    vectors = _vectors(problem, rows)
    ball = jnp.asarray(np.asarray(problem.kind) == BALL)

    def joint(above: tuple[Array, Array], here: Any) -> tuple[tuple[Array, Array], Any]:
        position, rotation = above
        v, base, offset, axis, is_ball = here
        t = (v * v).sum(axis=0)
        s, cosine = series(0.25 * t, SINE), series(0.25 * t, COSINE)
        a, b = s * cosine, 0.5 * s * s
        c = (1.0 / 6.0) * series(t, CUBIC)
        position = position + (rotation * offset[None, :, None]).sum(axis=1)
        frame = (rotation[:, :, None] * base[None, :, :, None]).sum(axis=1)
        left = _times(frame, _turn(v, b, c, 1.0 - c * t))
        hinge = (frame * axis[None, :, None]).sum(axis=1)
        axes = jnp.where(is_ball, left, jnp.stack([hinge, hinge, hinge], axis=1))
        rotation = _times(frame, _turn(v, a, b, 1.0 - b * t))
        return (position, rotation), (position, axes)

    constants = [jnp.asarray(c, dtype) for c in (problem.base, problem.offset, problem.axis)]
    start = (
        jnp.zeros((3, poses), dtype),
        jnp.broadcast_to(jnp.eye(3, dtype=dtype)[:, :, None], (3, 3, poses)),
    )
    (position, rotation), (positions, axes) = lax.scan(joint, start, (vectors, *constants, ball))
    end = jnp.asarray(problem.effector_offset, dtype)
    return position + (rotation * end[None, :, None]).sum(axis=1), positions, axes


def effector(problem: BatchProblem, theta: Sequence[Array]) -> list[Array]:
    """The effector (3) in the root frame."""
    point, _, _ = _chain(problem, theta)
    return [point[r] for r in range(3)]


def residual_and_step(
    problem: BatchProblem,
    theta: Sequence[Array],
    inverse_damping: Sequence[Array],
    target: Sequence[Array],
) -> tuple[Array, list[Array]]:
    """Squared distance from the target, and the damped step towards it."""
    point, positions, axes = _chain(problem, theta)
    residual = jnp.stack(list(target)) - point
    columns = _columns(problem)
    zero = jnp.zeros_like(inverse_damping[0])
    weights = jnp.stack(
        [jnp.stack([inverse_damping[d] if d >= 0 else zero for d in row]) for row in columns]
    )
    lever = (point[None] - positions)[:, None]  # (k, 1, 3, poses)
    jacobian = jnp.cross(jnp.swapaxes(axes, 1, 2), lever, axis=2)  # (k, 3 columns, 3, poses)
    weighted = jacobian * weights[:, :, None]
    normal = [
        (weighted[:, :, i] * jacobian[:, :, j]).sum(axis=(0, 1))
        for i, j in ((0, 0), (1, 0), (2, 0), (1, 1), (2, 1), (2, 2))
    ]
    pull = jnp.stack(solve_damped(normal, residual))
    step = (weighted * pull[None, None]).sum(axis=2)
    n = problem.coordinates
    flat = [step[j, k] for d in range(n) for j, k in [np.argwhere(columns == d)[0]]]
    return (residual * residual).sum(axis=0), flat

"""JAX versions of the crude and the retargeting pass, for one block of poses.

The same functions run as a whole-array program (a block is the whole batch) and as the body of a
GPU kernel (a block is what a few warps hold in registers). Loops end when every pose of the block
has converged. Neighbouring frames need similar numbers of iterations, so small blocks do little
superfluous work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import jax.numpy as jnp
import numpy as np
from jax import lax

from writhe.accelerator import chain_kinematics as chain
from writhe.accelerator.trajectory_problem import BatchProblem

Array: TypeAlias = Any
Read: TypeAlias = Callable[[str, int, Array], Array]  # table, row, cells -> values
Row: TypeAlias = tuple[Array, ...]
Chain: TypeAlias = Any  # `accelerator.chain_kinematics` or `accelerator.chain_arrays`

TABLES = ("lower", "upper", "inverse_damping", "mean", "slope", "centre", "cell_parent", "grid")


def tables(problem: BatchProblem, dtype: Any) -> dict[str, Any]:
    """The octree's tables, coordinate by coordinate: value d of cell i is at index d * M + i."""

    def flat(values: Any) -> Any:
        rows = np.asarray(values)
        return np.ascontiguousarray(np.moveaxis(rows, 0, -1)).reshape(-1).astype(dtype)

    made = {name: flat(getattr(problem, name)) for name in TABLES[:6]}
    made["cell_parent"] = np.asarray(problem.cell_parent, dtype=np.int32)
    made["grid"] = np.asarray(problem.grid, dtype=np.int32).reshape(-1)
    return made


def _any(flags: Array) -> Array:
    # GPU kernels have no "or" reduction
    return jnp.max(flags.astype(jnp.int32)) > 0


def approach(
    problem: BatchProblem,
    theta: Row,
    lower: Row,
    upper: Row,
    inverse_damping: Row,
    target: Sequence[Array],
    going: Array,
    how: Chain = chain,
) -> tuple[Row, Array, Array]:
    """Iterate until all targets are reached or the iteration limit.

    Returns the postures, a mask of unconverged poses, and the iterations of each.
    """

    def more(state: tuple[Array, Row, Row, Array, Array]) -> Array:
        return (state[0] < int(problem.iterations)) & _any(state[3])

    def step(state: tuple[Array, Row, Row, Array, Array]) -> tuple[Array, Row, Row, Array, Array]:
        count, theta, free, going, spent = state
        spent = spent + going.astype(jnp.int32)
        square, change = how.residual_and_step(problem, theta, free, target)
        going = going & ~(square < float(problem.tolerance_m) ** 2)
        moved: list[Array] = []
        still_free: list[Array] = []
        for d, now in enumerate(theta):
            wanted = now + change[d]
            hit = (wanted <= lower[d]) | (wanted >= upper[d])
            still_free.append(jnp.where(going & hit, 0.0, free[d]))
            clamped = jnp.minimum(jnp.maximum(wanted, lower[d]), upper[d])
            moved.append(jnp.where(going, clamped, now))
        return count + 1, tuple(moved), tuple(still_free), going, spent

    none = jnp.zeros(going.shape, dtype=jnp.int32)
    first = (jnp.int32(0), theta, inverse_damping, going, none)
    _, theta, _, going, spent = lax.while_loop(more, step, first)
    return theta, going, spent


def crude(
    problem: BatchProblem, read: Read, target: Sequence[Array], how: Chain = chain
) -> tuple[Row, Row, Row, Row, Array]:
    """Posture, lower and upper limits, and 1 / damping of each pose.

    See `kernels.trajectory.ik_passes`.
    The last result is the number of iterations of each pose.
    """
    n, edge = problem.coordinates, int(problem.grid.shape[0])
    dtype = target[0].dtype
    number = dtype.type
    place = [
        jnp.floor(edge * (target[c] - number(problem.corner[c])) / number(problem.size[c]))
        for c in range(3)
    ]
    inside = jnp.ones(target[0].shape, dtype=bool)
    for axis in place:
        inside = inside & (axis >= 0) & (axis < edge)
    i, j, k = (jnp.clip(axis, 0, edge - 1).astype(jnp.int32) for axis in place)
    node = jnp.where(inside, read("grid", 0, (i * edge + j) * edge + k), 0)
    limits = {name: tuple(read(name, d, node) for d in range(n)) for name in TABLES[:3]}
    away: list[Array] = []
    for c in range(3):
        low, high = number(problem.corner[c]), number(problem.corner[c] + problem.size[c])
        away.append(jnp.clip(target[c], low, high) - read("centre", c, node))
    theta: list[Array] = []
    for d in range(n):
        value = read("mean", d, node)
        for c in range(3):
            value = value + read("slope", 3 * d + c, node) * away[c]
        low, high = limits["lower"][d], limits["upper"][d]
        theta.append(jnp.minimum(jnp.maximum(value, low), high))

    def more(state: Any) -> Array:
        return _any(state[-1])

    def round_of(state: Any) -> Any:
        node, theta, lower, upper, inverse_damping, total, going = state
        theta, going, spent = approach(
            problem, theta, lower, upper, inverse_damping, target, going, how
        )
        above = read("cell_parent", 0, node)
        going = going & (above >= 0)
        node = jnp.where(going, above, node)
        rows: list[tuple[Array, ...]] = []
        for name, old in (("lower", lower), ("upper", upper), ("inverse_damping", inverse_damping)):
            rows.append(tuple(jnp.where(going, read(name, d, node), old[d]) for d in range(n)))
        return node, theta, *rows, total + spent, going

    going = jnp.ones(target[0].shape, dtype=bool)
    none = jnp.zeros(going.shape, dtype=jnp.int32)
    state = (
        node,
        tuple(theta),
        limits["lower"],
        limits["upper"],
        limits["inverse_damping"],
        none,
        going,
    )
    _, found, lower, upper, inverse_damping, total, _ = lax.while_loop(more, round_of, state)
    return found, lower, upper, inverse_damping, total


def retarget(
    problem: BatchProblem,
    theta: Row,
    lower: Row,
    upper: Row,
    inverse_damping: Row,
    target: Sequence[Array],
    how: Chain = chain,
) -> tuple[Row, Array, Array]:
    """Posture, distance from the target and iterations, started at aligned postures."""
    going = jnp.ones(target[0].shape, dtype=bool)
    theta, going, total = approach(
        problem, theta, lower, upper, inverse_damping, target, going, how
    )
    for cell in (1, 0):  # limits over all learned data, then anatomical limits
        low = tuple(jnp.full_like(inverse_damping[0], float(v)) for v in problem.lower[cell])
        high = tuple(jnp.full_like(inverse_damping[0], float(v)) for v in problem.upper[cell])
        theta, going, spent = approach(
            problem, theta, low, high, inverse_damping, target, going, how
        )
        total = total + spent
    point = how.effector(problem, theta)
    square = sum((target[r] - point[r]) ** 2 for r in range(3))
    return theta, jnp.sqrt(square), total

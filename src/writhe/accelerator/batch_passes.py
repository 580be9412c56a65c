"""The four passes over many trajectories at once: JAX versions of `solvers.trajectory.four_passes`.

The equations and the retargeting pass are those of the paper "Inverse kinematics using dynamic
joint parameters" (docs/dynamic-joint-ik.md).

Targets are (3, T, F) for T trajectories of F frames, coordinates (n, T, F): frames last, so that
neighbouring threads read contiguous memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from writhe.accelerator import chain_arrays, pass_iterations
from writhe.accelerator.trajectory_problem import BatchProblem

Array: TypeAlias = Any
Step: TypeAlias = Callable[..., Any]


def passes(problem: BatchProblem, dtype: Any, *, kernels: bool = False) -> dict[str, Step]:
    """The four passes as compiled functions, with the tables on the device.

    kernels: run the crude and the retargeting pass as GPU kernels (`pallas_kernels`) instead of
    whole-array programs.
    """
    if kernels:
        from writhe.accelerator.pallas_kernels import crude_kernel, retargeting_kernel

        crude, retargeting = crude_kernel(problem, dtype), retargeting_kernel(problem, dtype)
    else:
        crude, retargeting = _crude(problem, dtype), _retargeting(problem)

    def alignment(theta: Array, lower: Array, upper: Array) -> tuple[Array, Array, Array]:
        return align(theta, lower, upper, int(problem.window))

    def correction(theta: Array, distance: Array) -> Array:
        return correct(theta, distance, float(problem.fade), float(problem.reach_m))

    return {
        "crude": jax.jit(crude),
        "alignment": jax.jit(alignment),
        "retargeting": jax.jit(retargeting),
        "correction": jax.jit(correction),
    }


def solve(steps: dict[str, Step], targets: Array) -> Array:
    """Coordinates (n, T, F) for targets (3, T, F)."""
    theta, lower, upper, inverse_damping = steps["crude"](targets)[:4]
    aligned, lower, upper = steps["alignment"](theta, lower, upper)
    found, distance = steps["retargeting"](aligned, lower, upper, inverse_damping, targets)[:2]
    return steps["correction"](found, distance)


def solve_in_blocks(steps: dict[str, Step], targets: Array, trajectories: int) -> list[Array]:
    """Coordinates (n, T', F) for targets (3, T, F), in blocks of `trajectories` each.

    Programs are compiled per shape, which takes minutes on a GPU: with blocks of one size, one
    program serves batches of any size. The last block is padded, and its result cut.
    """
    found: list[Array] = []
    for first in range(0, targets.shape[1], trajectories):
        block = targets[:, first : first + trajectories]
        count = block.shape[1]
        if count < trajectories:
            block = jnp.pad(block, ((0, 0), (0, trajectories - count), (0, 0)), mode="edge")
        solved = solve(steps, block)
        found.append(solved if count == trajectories else solved[:, :count])
    return found


def _crude(problem: BatchProblem, dtype: Any) -> Step:
    known = {
        name: jnp.asarray(value) for name, value in pass_iterations.tables(problem, dtype).items()
    }
    cells = len(problem.cell_parent)

    def read(name: str, row: int, node: Array) -> Array:
        return known[name][row * cells + node]

    def run(targets: Array) -> tuple[Array, ...]:
        flat = targets.reshape(3, -1)
        found = pass_iterations.crude(problem, read, [flat[c] for c in range(3)], chain_arrays)
        shape = (problem.coordinates, *targets.shape[1:])
        theta, lower, upper, inverse_damping = (
            jnp.stack(rows).reshape(shape) for rows in found[:4]
        )
        return theta, lower, upper, inverse_damping, found[4].reshape(targets.shape[1:])

    return run


def _retargeting(problem: BatchProblem) -> Step:
    def run(
        theta: Array, lower: Array, upper: Array, inverse_damping: Array, targets: Array
    ) -> tuple[Array, Array, Array]:
        first, low, high, inverse = (
            tuple(values.reshape(len(values), -1))
            for values in (theta, lower, upper, inverse_damping)
        )
        flat = targets.reshape(3, -1)
        target = [flat[c] for c in range(3)]
        found, *about = pass_iterations.retarget(
            problem, first, low, high, inverse, target, chain_arrays
        )
        distance, spent = (values.reshape(targets.shape[1:]) for values in about)
        return jnp.stack(found).reshape(theta.shape), distance, spent

    return run


def _shifts(values: Array, half: int, fill: float) -> Any:
    """The array as seen from -half .. half frames away, with `fill` beyond the ends."""
    frames = values.shape[-1]
    edge = [(0, 0, 0)] * (values.ndim - 1)
    padded = lax.pad(values, jnp.asarray(fill, values.dtype), [*edge, (half, half, 0)])
    for shift in range(2 * half + 1):
        yield shift - half, lax.slice_in_dim(padded, shift, shift + frames, axis=-1)


def align(theta: Array, lower: Array, upper: Array, window: int) -> tuple[Array, Array, Array]:
    """Eq. 13 and the widest limits in the window; see `kernels.trajectory.ik_passes`."""
    frames = int(theta.shape[-1])
    at = np.arange(frames)
    count = np.minimum(at + window, frames - 1) - np.maximum(at - window, 0) + 1
    total = sum(seen for _, seen in _shifts(theta, window, 0.0))
    low, high = lower, upper
    for _, seen in _shifts(lower, window, np.inf):
        low = jnp.minimum(low, seen)
    for _, seen in _shifts(upper, window, -np.inf):
        high = jnp.maximum(high, seen)
    return total / jnp.asarray(count, theta.dtype), low, high


def _wendland(distance: Array, reach: float) -> Array:
    d = distance / reach
    square = (1.0 - d) * (1.0 - d)
    return jnp.where(d >= 1.0, 0.0, square * square * (4.0 * d + 1.0))


def correct(theta: Array, distance: Array, fade: float, reach_m: float) -> Array:
    """Eq. 14, the bilateral filter; see `kernels.trajectory.ik_passes`."""
    half = int(np.ceil(fade)) - 1
    met = _wendland(distance, reach_m)
    total = jnp.zeros_like(distance)
    out = jnp.zeros_like(theta)
    seen_from = zip(_shifts(met, half, 0.0), _shifts(theta, half, 0.0), strict=True)
    for (shift, weight), (_, seen) in seen_from:
        d = abs(shift) / fade
        weight = weight * ((1.0 - d) ** 4 * (4.0 * d + 1.0))
        total = total + weight
        out = out + weight * seen
    return jnp.where(total > 1e-12, out / jnp.where(total > 1e-12, total, 1.0), theta)

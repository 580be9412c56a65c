"""The crude and the retargeting pass as GPU kernels (Pallas, lowered to Triton).

Each program takes `BLOCK` poses, keeps them in registers over all iterations and ends when all have
converged; the octree's tables are small enough to stay in the caches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from writhe.accelerator import pass_iterations
from writhe.accelerator.trajectory_problem import BatchProblem

Array: TypeAlias = Any
# one warp per program: a program ends with its slowest pose, so small ones waste least
BLOCK = 32
WARPS = 1


def _rows(ref: Any, count: int, at: Array, inside: Array) -> tuple[Array, ...]:
    return tuple(plgpu.load(ref.at[d, at], mask=inside, other=0.0) for d in range(count))


def _call(
    body: Callable[..., None], outputs: Sequence[tuple[int, Any]], poses: int, interpret: bool
) -> Callable[..., Any]:
    return pl.pallas_call(
        body,
        out_shape=[jax.ShapeDtypeStruct((rows, poses), dtype) for rows, dtype in outputs],
        grid=(pl.cdiv(poses, BLOCK),),
        compiler_params=plgpu.CompilerParams(num_warps=WARPS, num_stages=1),
        interpret=interpret,
    )


def crude_kernel(problem: BatchProblem, dtype: Any, *, interpret: bool = False) -> Any:
    """`pass_iterations.crude` for targets (3, T, F)."""
    known = {
        name: jnp.asarray(value) for name, value in pass_iterations.tables(problem, dtype).items()
    }
    cells, n = len(problem.cell_parent), problem.coordinates

    def run(targets: Array) -> tuple[Array, ...]:
        poses = targets.shape[1] * targets.shape[2]

        def body(target_ref: Any, *refs: Any) -> None:
            tables: dict[str, Any] = dict(zip(pass_iterations.TABLES, refs, strict=False))
            outputs = refs[len(pass_iterations.TABLES) :]

            def read(name: str, row: int, node: Array) -> Array:
                return plgpu.load(tables[name].at[row * cells + node])

            at = pl.program_id(0) * BLOCK + jnp.arange(BLOCK)
            inside = at < poses
            target = _rows(target_ref, 3, jnp.minimum(at, poses - 1), inside)
            found = pass_iterations.crude(problem, read, target)[:4]
            for ref, rows in zip(outputs, found, strict=True):
                for d in range(n):
                    plgpu.store(ref.at[d, at], rows[d], mask=inside)

        call = _call(body, [(n, dtype)] * 4, poses, interpret)
        found = call(targets.reshape(3, -1), *(known[name] for name in pass_iterations.TABLES))
        return tuple(rows.reshape(n, *targets.shape[1:]) for rows in found)

    return run


def retargeting_kernel(problem: BatchProblem, dtype: Any, *, interpret: bool = False) -> Any:
    """`pass_iterations.retarget` for coordinates (n, T, F) and targets (3, T, F)."""
    n = problem.coordinates

    def run(
        theta: Array, lower: Array, upper: Array, inverse_damping: Array, targets: Array
    ) -> tuple[Array, Array]:
        poses = targets.shape[1] * targets.shape[2]

        def body(*refs: Any) -> None:
            at = pl.program_id(0) * BLOCK + jnp.arange(BLOCK)
            inside = at < poses
            here = jnp.minimum(at, poses - 1)
            start, lower, upper, inverse_damping = (_rows(ref, n, here, inside) for ref in refs[:4])
            target = _rows(refs[4], 3, here, inside)
            found, distance, _ = pass_iterations.retarget(
                problem, start, lower, upper, inverse_damping, target
            )
            for d in range(n):
                plgpu.store(refs[5].at[d, at], found[d], mask=inside)
            plgpu.store(refs[6].at[0, at], distance, mask=inside)

        call = _call(body, [(n, dtype), (1, dtype)], poses, interpret)
        flat = [
            values.reshape(len(values), -1)
            for values in (theta, lower, upper, inverse_damping, targets)
        ]
        found, distance = call(*flat)
        return found.reshape(theta.shape), distance.reshape(targets.shape[1:])

    return run

"""Measure the speed of batches on the current device, relative to its lower bounds.

    python -m writhe.accelerator.measure_trajectories PROBLEM.npz

needs only NumPy and JAX. `tools/write_batch_problem.py` writes the problem, with results of the
Numba passes for comparison. Prints one JSON object.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

from writhe.accelerator import chain_kinematics as chain
from writhe.accelerator.batch_passes import passes, solve_in_blocks
from writhe.accelerator.device import default_device
from writhe.accelerator.device_rates import ARITHMETIC, copy_rate, flop_rate, median_ms
from writhe.accelerator.problem_file import from_arrays, load_arrays, problem_parser
from writhe.accelerator.trajectory_problem import BatchProblem

Array: TypeAlias = Any
SIZES = (1_000_000, 10_000_000)
BLOCK_POSES = {"gpu": 1_000_000, "cpu": 10_000}  # poses solved at once


def measure(
    arrays: dict[str, Any], sizes: Sequence[int] = SIZES, seconds: float = 480.0
) -> dict[str, Any]:
    """All measurements; larger sizes are skipped once the time is used up."""
    jax.config.update("jax_enable_x64", True)
    problem = from_arrays(BatchProblem, arrays)
    device = default_device()
    on_gpu = device.platform == "gpu"
    begun = time.perf_counter()
    iterations = iterations_per_pose(problem, arrays)
    result: dict[str, Any] = {
        "device": f"{device.device_kind} ({device.platform})",
        "jax": jax.__version__,
        "agreement": {},
        "floors": {},
        "runs": [],
    }
    for dtype in (np.float32, np.float64):
        name = dtype.__name__
        steps, path, problem_with_kernels = _steps(problem, dtype, on_gpu, arrays)
        if problem_with_kernels:
            result.setdefault("kernels_failed", {})[name] = problem_with_kernels
        result["agreement"][name] = {"path": path} | agreement(steps, arrays, dtype)
        floors = device_floors(problem, iterations, dtype, on_gpu)
        result["floors"][name] = floors
        for size in sizes if dtype is np.float32 else sizes[:-1] or sizes:
            if time.perf_counter() - begun > seconds:
                result["stopped_early"] = True
                break
            run = timed(steps, _targets(arrays, size, dtype), on_gpu)
            poses = run["poses"]
            arithmetic = 1e3 * poses * floors["flop_per_pose"] / floors["flop_per_s"]
            memory = 1e3 * poses * floors["bytes_per_pose"] / floors["bytes_per_s"]
            run |= {
                "dtype": name,
                "path": path,
                "floor_arithmetic_ms": arithmetic,
                "floor_memory_ms": memory,
                "floor_ratio": run["ms"]["total"] / max(arithmetic, memory),
            }
            result["runs"].append(run)
    best = max(
        (r for r in result["runs"] if r["dtype"] == "float32"), key=lambda r: r["poses_per_s"]
    )
    result |= {key: best[key] for key in ("poses", "poses_per_s", "floor_ratio")}
    result["seconds"] = time.perf_counter() - begun
    return result


def _steps(
    problem: BatchProblem, dtype: Any, on_gpu: bool, arrays: dict[str, Any]
) -> tuple[dict[str, Any], str, str]:
    """The passes as GPU kernels if available, else as whole-array programs."""
    if on_gpu:
        try:
            steps = passes(problem, dtype, kernels=True)
            jax.block_until_ready(_solve(steps, _stored_targets(arrays, dtype)))
            return steps, "kernels", ""
        except Exception as error:  # any failure of the compiler on this machine
            return passes(problem, dtype), "arrays", f"{type(error).__name__}: {error}"[:2000]
    return passes(problem, dtype), "arrays", ""


def _solve(steps: dict[str, Any], targets: Array) -> list[Array]:
    """Coordinates of targets (3, T, F), block by block."""
    return solve_in_blocks(steps, targets, _block(targets))


def _block(targets: Array) -> int:
    """Number of trajectories solved at once."""
    poses = BLOCK_POSES.get(default_device().platform, BLOCK_POSES["cpu"])
    return max(1, round(poses / targets.shape[2]))


def _stored_targets(arrays: dict[str, Any], dtype: Any) -> Array:
    """(3, T, F) the targets of the stored results."""
    return jnp.asarray(np.moveaxis(arrays["targets"], -1, 0).astype(dtype))


def _targets(arrays: dict[str, Any], poses: int, dtype: Any) -> Array:
    """(3, T, F) targets of about `poses` poses: slightly shifted copies of the stored ones."""
    given = np.asarray(arrays["targets"])
    trajectories = max(1, round(poses / given.shape[1]))
    rng = np.random.default_rng(5)
    which = np.arange(trajectories) % len(given)
    shift = rng.uniform(-0.02, 0.02, (trajectories, 1, 3))
    return jnp.asarray(np.moveaxis(given[which] + shift, -1, 0).astype(dtype))


def agreement(steps: dict[str, Any], arrays: dict[str, Any], dtype: Any) -> dict[str, float]:
    """Differences from the results of the Numba passes (float64), rad."""
    targets = _stored_targets(arrays, dtype)
    solved = np.concatenate([np.asarray(block) for block in _solve(steps, targets)], axis=1)
    found = np.moveaxis(solved.astype(np.float64), 0, -1)
    apart = np.abs(found - arrays["theta"])
    return {
        "largest_rad": float(apart.max()),
        "mean_rad": float(apart.mean()),
        "p999_rad": float(np.quantile(apart, 0.999)),
    }


def timed(steps: dict[str, Any], targets: Array, on_gpu: bool) -> dict[str, Any]:
    """Milliseconds of all four passes, and of each on one block, after compilation."""
    start = time.perf_counter()
    jax.block_until_ready(_solve(steps, targets))
    first = time.perf_counter() - start
    block = targets[:, : _block(targets)]
    crude = steps["crude"](block)
    aligned = steps["alignment"](*crude[:3])
    found = steps["retargeting"](*aligned, crude[3], block)
    repeats = 20 if on_gpu else 3
    ms = {
        "crude": median_ms(lambda: steps["crude"](block), repeats),
        "alignment": median_ms(lambda: steps["alignment"](*crude[:3]), repeats),
        "retargeting": median_ms(lambda: steps["retargeting"](*aligned, crude[3], block), repeats),
        "correction": median_ms(lambda: steps["correction"](*found[:2]), repeats),
        "total": median_ms(lambda: _solve(steps, targets), repeats),
    }
    poses = int(targets.shape[1] * targets.shape[2])
    return {
        "poses": poses,
        "first_call_s": first,
        "ms": ms,
        "poses_per_s": 1e3 * poses / ms["total"],
    }


def iterations_per_pose(problem: BatchProblem, arrays: dict[str, Any]) -> float:
    """Mean iterations of the stored targets, in the crude and the retargeting pass."""
    with jax.default_device(jax.devices("cpu")[0]):  # compiling for a GPU would take longer
        steps = passes(problem, np.float64)
        targets = _stored_targets(arrays, np.float64)
        crude = steps["crude"](targets)
        aligned = steps["alignment"](*crude[:3])
        again = steps["retargeting"](*aligned, crude[3], targets)
        return float(np.mean(np.asarray(crude[4]) + np.asarray(again[2])))


def device_floors(
    problem: BatchProblem, iterations: float, dtype: Any, on_gpu: bool
) -> dict[str, float]:
    """Work per pose and rates of the device, both measured.

    Arithmetic counts the operations per pose with the actual number of iterations; memory counts
    reading the inputs and writing the outputs of each pass once.
    """
    n, half = problem.coordinates, int(np.ceil(float(problem.fade))) - 1
    per_iteration = iteration_flop(problem, dtype) + 6 * n
    look_up = 8 * n + 20
    filters = 3 * n * (2 * int(problem.window) + 1) + (2 * n + 12) * (2 * half + 1)
    values = (3 + 4 * n) + (3 * n + 3 * n) + (4 * n + 3 + n + 1) + (n + 1 + n)
    return {
        "iterations_per_pose": iterations,
        "flop_per_iteration": float(per_iteration),
        "flop_per_pose": iterations * per_iteration + look_up + filters,
        "bytes_per_pose": float(values * np.dtype(dtype).itemsize),
        "least_bytes_per_pose": float((3 + n) * np.dtype(dtype).itemsize),
        "flop_per_s": flop_rate(dtype, on_gpu),
        "bytes_per_s": copy_rate(dtype, on_gpu),
    }


def iteration_flop(problem: BatchProblem, dtype: Any) -> int:
    """Arithmetic operations of one iteration, counted in the traced program."""
    row = jax.ShapeDtypeStruct((1,), dtype)
    n = problem.coordinates

    def one(theta: Any, inverse_damping: Any, target: Any) -> Any:
        return chain.residual_and_step(problem, theta, inverse_damping, target)

    traced = jax.make_jaxpr(one)([row] * n, [row] * n, [row] * 3)
    return sum(str(equation.primitive) in ARITHMETIC for equation in traced.jaxpr.eqns)


def main() -> None:
    """The command line."""
    parser = problem_parser("Measure batches of trajectories on this device.")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="poses")
    parser.add_argument(
        "--seconds", type=float, default=480.0, help="start no further size after this time"
    )
    given = parser.parse_args()
    print(json.dumps(measure(load_arrays(given.problem), given.sizes, given.seconds)))


if __name__ == "__main__":
    main()

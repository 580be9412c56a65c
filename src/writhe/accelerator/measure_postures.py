"""Measure posture batches on the current device: penetration and linking, and whole-body posing.

    python -m writhe.accelerator.measure_postures PROBLEM.npz

needs only NumPy and JAX. `tools/write_batch_problem.py --postures` writes the problem, with results
of the Numba kernels for comparison. Prints one JSON object.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from writhe.accelerator.batch_ik import LimitArrays, make_posing
from writhe.accelerator.batch_postures import posture_measures
from writhe.accelerator.body_arrays import BodyArrays
from writhe.accelerator.device import default_device
from writhe.accelerator.device_rates import ARITHMETIC, copy_rate, flop_rate, median_ms
from writhe.accelerator.problem_file import from_arrays, load_arrays, problem_parser
from writhe.collision.certificate_slack import SLACK_M

POSTURES = {"gpu": 1 << 20, "cpu": 1 << 12}  # measured at once
SOLVES = {"gpu": 1 << 15, "cpu": 1 << 8}


def measure(arrays: dict[str, Any]) -> dict[str, Any]:
    """Rates, the ratio to the larger lower bound, and agreement with the stored results."""
    body = from_arrays(BodyArrays, arrays)
    device = default_device()
    on_gpu = device.platform == "gpu"
    measured = posture_measures(body)
    found = _repeated(arrays["q"], POSTURES[device.platform]).T.astype(np.float32)
    columns = jnp.asarray(np.ascontiguousarray(found))
    ms = median_ms(lambda: measured(columns), 10)
    count = columns.shape[1]
    flop = _flop(measured, columns[:, :1])
    values = columns.shape[0] + 1 + len(body.strand_pair)
    floors_ms = {
        "arithmetic": 1e3 * count * flop / flop_rate(np.float32, on_gpu),
        "memory": 1e3 * count * values * 4 / copy_rate(np.float32, on_gpu),
    }
    return {
        "device": f"{device.device_kind} ({device.platform})",
        "jax": jax.__version__,
        "postures": int(count),
        "postures_per_s": 1e3 * count / ms,
        "flop_per_posture": flop,
        "floors_ms": floors_ms,
        "floor_ratio": ms / max(floors_ms.values()),
        **_agreement(measured, arrays),
        **_posing(body, arrays, device.platform),
    }


def _repeated(rows: Any, count: int) -> Any:
    return rows[np.arange(count) % len(rows)]


def _flop(function: Callable[..., Any], example: Any) -> int:
    """Arithmetic operations per posture, counted in the traced program (N = 1)."""

    def count(jaxpr: Any) -> int:
        total = 0
        for equation in jaxpr.eqns:
            inner = [p for p in equation.params.values() if hasattr(p, "jaxpr")]
            if inner:
                total += sum(count(p.jaxpr) for p in inner)
            elif str(equation.primitive) in ARITHMETIC | {"atan2", "sign"}:
                total += _size(equation.outvars[0].aval.shape)
            elif str(equation.primitive).startswith("reduce_"):
                total += _size(equation.invars[0].aval.shape)
        return total

    return count(jax.make_jaxpr(function)(example).jaxpr)


def _size(shape: tuple[int, ...]) -> int:
    return math.prod(shape)


def _agreement(measured: Callable[..., Any], arrays: dict[str, Any]) -> dict[str, Any]:
    """Largest differences from the Numba kernels, and whether all verdicts are equal.

    The verdict of a posture is whether it penetrates by more than the tolerance. Postures nearer to
    the tolerance than the rounding of single precision are excluded; the CPU decides them.
    """
    depth, linking = measured(jnp.asarray(arrays["q"].T.astype(np.float32)))
    depth, linking = np.asarray(depth, np.float64), np.asarray(linking, np.float64).T
    apart = np.abs(depth - arrays["penetration_m"]).max()
    decided = np.abs(arrays["penetration_m"] - SLACK_M) > 1e-5
    same = (depth > SLACK_M) == (arrays["penetration_m"] > SLACK_M)
    return {
        "penetration_apart_m": float(apart),
        "linking_apart": float(np.abs(linking - arrays["linking"]).max()),
        "decided_by_cpu": int((~decided).sum()),
        "verdicts_equal": bool(same[decided].all()),
    }


def _posing(body: BodyArrays, arrays: dict[str, Any], platform: str) -> dict[str, Any]:
    pose = make_posing(body, from_arrays(LimitArrays, arrays), arrays["target_joints"].tolist())
    count = SOLVES[platform]
    start = jnp.asarray(_repeated(arrays["start"], count).astype(np.float32))
    targets = jnp.asarray(_repeated(arrays["targets"], count).astype(np.float32))
    ms = median_ms(lambda: pose(start, targets), 5)
    found = pose(start, targets)
    error = np.asarray(found.target_error_m).max(axis=1)
    clear = np.asarray(found.clear, np.bool_)
    solved = cast("NDArray[np.bool_]", clear & (error < 0.01))
    return {
        "solves": count,
        "solves_per_s": 1e3 * count / ms,
        "solved_percent": float(100 * np.mean(solved)),
        "clear_percent": float(100 * np.mean(clear)),
        "target_error_mm_median": float(1e3 * np.median(error)),
    }


def main() -> None:
    """The command line."""
    given = problem_parser("Measure batches of postures on this device.", "--postures").parse_args()
    print(json.dumps(measure(load_arrays(given.problem))))


if __name__ == "__main__":
    main()

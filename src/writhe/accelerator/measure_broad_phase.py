"""Measure the broad phase of the certificate on the current device.

    python -m writhe.accelerator.measure_broad_phase PROBLEM.npz

needs only NumPy and JAX. `tools/write_batch_problem.py --broad-phase` writes the problem: bodies
and motions, with the intervals that the exact sweep finds clear. Prints one JSON object.
"""

from __future__ import annotations

import json
import time
from typing import Any

import jax.numpy as jnp
import numpy as np

from writhe.accelerator.clear_bounds import PairBody, block_sizes, clear_bounds, device_program
from writhe.accelerator.device import default_device
from writhe.accelerator.device_rates import median_ms
from writhe.accelerator.problem_file import from_arrays, load_arrays, problem_parser
from writhe.accelerator.prove_clear import JointRotations, prove_clear


def measure(arrays: dict[str, Any]) -> dict[str, Any]:
    """Rates, the share of intervals proven, and whether any was proven that is not clear.

    `verdicts_equal`: no interval was proven that the exact sweep does not find clear, so that the
    sweep of the others gives the verdict of the sweep of all.
    """
    device = default_device()
    slack, motions = float(arrays["slack_m"]), int(arrays["motions"])
    parts = [_part(arrays, f"{i}.") for i in range(motions)]
    seconds, proven, clear, wrong, intervals = 0.0, 0, 0, 0, 0
    for part in parts:
        bound = clear_bounds(from_arrays(PairBody, part))
        motion, exact = from_arrays(JointRotations, part), part["exact_clear"]
        prove_clear(bound, motion, slack)  # compiles
        start = time.perf_counter()
        found, _ = prove_clear(bound, motion, slack)
        seconds += time.perf_counter() - start
        intervals += len(found)
        proven += int(found.sum())
        clear += int(exact.sum())
        wrong += int((found & ~exact).sum())
    return {
        "device": f"{device.device_kind} ({device.platform})",
        "motions": motions,
        "intervals": intervals,
        "clear_percent": round(100 * clear / intervals, 1),
        "proven_percent": round(100 * proven / intervals, 1),
        "wrongly_proven": wrong,
        "verdicts_equal": wrong == 0,
        "intervals_per_s": intervals / seconds,
        **_device_rate(parts[0]),
    }


def _part(arrays: dict[str, Any], prefix: str) -> dict[str, Any]:
    return {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}


def _device_rate(part: dict[str, Any]) -> dict[str, Any]:
    """Rows bounded per second by the device alone, with inputs that are already there."""
    body = from_arrays(PairBody, part)
    rotations, turned = from_arrays(JointRotations, part).rows()
    count = block_sizes()[-1]
    rows = np.arange(count + 1) % turned.shape[1]
    run = device_program(body)
    there = jnp.asarray(rotations[:, :, rows]), jnp.asarray(turned[:, rows[:-1]])
    ms = median_ms(lambda: run(*there), 10)
    return {
        "device_rows": count,
        "device_pairs": len(body.pair_a),
        "device_rows_per_s": 1e3 * count / ms,
    }


def main() -> None:
    """The command line."""
    given = problem_parser("Measure the broad phase on this device.", "--broad-phase").parse_args()
    print(json.dumps(measure(load_arrays(given.problem))))


if __name__ == "__main__":
    main()

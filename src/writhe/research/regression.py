"""Fail if a core kernel became slower.

Run `python -m writhe.research.regression [--update]`.

Absolute times depend on the machine, so each kernel is measured relative to plain C code (the
linking of two segments, compiled in the same run) and compared with `baseline.json`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from writhe.research.benchmarks import run

BASELINE = Path(__file__).resolve().parent / "baseline.json"
TOLERATED = 1.5  # times the baseline: shared machines are noisy, real regressions are larger
ROUNDS = 3  # the fastest counts


def ratios(figures: dict[str, Any]) -> dict[str, float]:
    """Costs of the kernels, each divided by that of the linking of two segments in C.

    Linking with slopes is divided by the same computation in C.
    """
    unit_ns = figures["gli_ns"]["c"]
    if unit_ns is None:
        raise SystemExit("no C compiler found: nothing to compare with")
    return {
        "linking": figures["gli_ns"]["numba"] / unit_ns,
        "linking with slopes": figures["gli_grad_ns"]["numba"] / figures["gli_grad_ns"]["c"],
        "kinematics": 1e3 * figures["kinematics_us"] / unit_ns,
        "near pairs": 1e3 * figures["near_pairs_us"] / unit_ns,
        "certified step": 1e3 * figures["certify_step_us"] / unit_ns,
    }


def slower(now: dict[str, float], baseline: dict[str, float]) -> dict[str, float]:
    """The kernels slower than TOLERATED times their baseline, with the factor."""
    return {
        name: now[name] / before
        for name, before in baseline.items()
        if now[name] > TOLERATED * before
    }


def main(update: bool) -> int:
    """Measure, then compare with the baseline or update it."""
    rounds = [ratios(run("kernels")) for _ in range(ROUNDS)]
    best = {name: min(one[name] for one in rounds) for name in rounds[0]}
    if update:
        BASELINE.write_text(json.dumps({k: round(v, 2) for k, v in best.items()}, indent=1) + "\n")
        print(f"wrote {BASELINE.name}")
        return 0
    baseline = json.loads(BASELINE.read_text(encoding="utf-8"))
    found = slower(best, baseline)
    for name, value in best.items():
        mark = f"SLOWER, {found[name]:.1f} times" if name in found else "fine"
        print(f"{name:20s} {value:10.2f}  baseline {baseline[name]:10.2f}  {mark}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main("--update" in sys.argv[1:]))

"""Benchmarks. A benchmark is a module here with `run(progress) -> dict`, listed below.

Figures of one benchmark come from one run: what is compared is measured in turns.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

from writhe.errors import UnknownNameError, WritheError

Progress = Callable[[str], None]

# name: what it measures
BENCHMARKS = {
    "studio": "round trips of a drag, and twenty sessions dragging at once",
    "kernels": "linking, kinematics, certify and BVH reading, with C and NumPy beside them",
    "drag": "the posing methods on scripted drags",
    "reconstruct": "the posing methods replaying clips from a few joints (needs --clips)",
    "query": "neighbour search by size of the database",
    "library": "how near the built-in postures come to real ones (needs --clips)",
}


def run(name: str, progress: Progress | None = None, **options: Any) -> dict[str, Any]:
    """Run a benchmark; `progress` is told what is being measured.

    Options that are None are left to the benchmark; one that it does not know is misuse.
    """
    if name not in BENCHMARKS:
        raise UnknownNameError("benchmark", name, sorted(BENCHMARKS))
    module = importlib.import_module(f"writhe.bench.{name}")
    given = {key: value for key, value in options.items() if value is not None}
    known = set(inspect.signature(module.run).parameters) - {"progress"}
    for key in given:
        if key not in known:
            listed = ", ".join(sorted(known)) or "none"
            raise WritheError(f"the benchmark {name!r} takes no --{key} (it takes: {listed})")
    return module.run(progress or _silent, **given)


def _silent(what: str) -> None:
    """Nobody wants to know what is being measured."""

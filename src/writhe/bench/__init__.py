"""Benchmarks. A benchmark is a module here with `run(progress) -> dict`, listed below.

Figures of one benchmark come from one run: what is compared is measured in turns.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from writhe.errors import UnknownNameError

Progress = Callable[[str], None]

# name: what it measures
BENCHMARKS = {
    "studio": "round trips of a drag, and twenty sessions dragging at once",
    "kernels": "linking, kinematics, certify and BVH reading, with C and NumPy beside them",
}


def run(name: str, progress: Progress | None = None) -> dict[str, Any]:
    """Run a benchmark; `progress` is told what is being measured."""
    if name not in BENCHMARKS:
        raise UnknownNameError("benchmark", name, sorted(BENCHMARKS))
    module = importlib.import_module(f"writhe.bench.{name}")
    return module.run(progress or _silent)


def _silent(what: str) -> None:
    """Nobody wants to know what is being measured."""

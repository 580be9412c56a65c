"""The papers' experiments. An experiment is a module here with `run(progress, folder, ...)`.

It writes its pictures and a `report.md` into `folder` and returns the figures.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from writhe.evaluation import Progress, run_named

# name: what it reproduces
EXPERIMENTS: dict[str, str] = {
    "half-space-ik": "posing among obstacles by half-space inverse kinematics",
    "dynamic-joint-ik": "joint limits and damping learnt from clips, trajectories in four passes",
}


def run(
    name: str, folder: str | Path, progress: Progress | None = None, **options: Any
) -> dict[str, Any]:
    """Reproduce a paper; `options` are `only` (one part of it), `clips` and `full`."""
    given = {**options, "folder": Path(folder)}
    return run_named("experiment", __name__, EXPERIMENTS, name, progress, given)

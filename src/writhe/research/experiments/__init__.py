"""The papers' experiments. An experiment is a module here with `run(progress, folder, ...)`.

It writes its pictures and a `report.md` to `folder` and returns the figures, which `run` stores
there as `figures.json`, together with `claims`: what the paper states beside them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from writhe.arrays import as_plain_data
from writhe.progress import Progress
from writhe.research.evaluation import run_named
from writhe.research.experiments.claims import claims_of

# name: what it reproduces
EXPERIMENTS: dict[str, str] = {
    "energy-planning": "planning between distant postures over a repulsive energy",
    "half-space-ik": "posing among obstacles by half-space inverse kinematics",
    "topology-aware-ik": "Topology aware data-driven inverse kinematics: four experiments",
    "topology-coordinates": "Character motion synthesis by topology coordinates (2009)",
    "dynamic-joint-ik": "joint limits and damping learned from clips, trajectories in four passes",
}


def run(
    name: str, folder: str | Path, progress: Progress | None = None, **options: Any
) -> dict[str, Any]:
    """Reproduce a paper; options: `only` (one part), `clips`, `full`, `seconds`."""
    given = {**options, "folder": Path(folder)}
    result = run_named("experiment", __name__, EXPERIMENTS, name, progress, given)
    result["claims"] = claims_of(name, result)
    text = json.dumps(result, default=as_plain_data, indent=1)
    (Path(folder) / "figures.json").write_text(text, encoding="utf-8")
    return result

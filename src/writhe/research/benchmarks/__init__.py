"""Benchmarks. A benchmark is a module here with `run(progress) -> dict`, listed below.

Figures of one benchmark come from one run: what is compared is measured in turns.
"""

from __future__ import annotations

from typing import Any

from writhe.research.evaluation import Progress, run_named

# name: what it measures
BENCHMARKS = {
    "studio": "round trips of a drag, and twenty sessions dragging at once",
    "kernels": "linking, kinematics, certify and BVH reading, with C and NumPy beside them",
    "drag": "the posing methods on scripted drags",
    "reconstruct": "the posing methods replaying clips from a few joints (needs --clips)",
    "plan": "joining tangled postures, against RRTConnect",
    "clean": "cleaning every clip of a folder (needs --clips)",
    "topology": "steps in topology space: chains, humans, octopus; random targets",
    "peers": "other software on the same tasks: penetration, pass-throughs, error, time",
    "batch-ik": "whole trajectories by the thousand on CPU or GPU (needs the extra jax)",
    "query": "neighbour search by size of the database",
    "scaling": "how a step's cost grows with joints, characters, postures, frames",
    "library": "how near the built-in postures come to real ones (needs --clips)",
}


def run(name: str, progress: Progress | None = None, **options: Any) -> dict[str, Any]:
    """Run a benchmark; `progress` is told what is being measured."""
    return run_named("benchmark", __name__, BENCHMARKS, name, progress, options)

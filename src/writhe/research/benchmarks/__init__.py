"""Benchmarks: modules here and in `throughput` with `run(progress) -> dict`, listed below.

All figures of a benchmark come from one run; methods that are compared are measured alternately.
"""

from __future__ import annotations

from typing import Any

from writhe.progress import Progress
from writhe.research.evaluation import run_named

# Names of benchmarks, and what they measure
BENCHMARKS = {
    "start": "from nothing to the first drag: installed wheel, checkout, warm-up, cold start",
    "studio": "round trips of a drag, and twenty sessions dragging at once",
    "kernels": "linking, kinematics, certify and BVH reading, compared with C and NumPy",
    "drag": "the posing methods on scripted drags",
    "characters": "imported characters: recognition, shapes, drags (--characters DIR)",
    "reconstruct": "the posing methods replaying clips from a few joints (needs --clips)",
    "body": "balance, grips, the cost of fingers, joint errors from few joints (--clips)",
    "animate": "frames between keys: pinned feet, motions found, correct status, time",
    "plan": "joining tangled postures, against RRTConnect",
    "clean": "cleaning every clip of a folder (needs --clips)",
    "guarantee": "randomised soundness checks: certificates, exceptions, stalled drags, skin",
    "topology": "steps in topology space: chains, humans, octopus; random targets",
    "peers": "other software on the same tasks: penetration, pass-throughs, error, time",
    "batch": "folders of clips: throughput per core, parallel efficiency, killed workers",
    "batch-ik": "batches of whole trajectories on CPU or GPU (needs the extra jax)",
    "gpu": "penetration, linking and posing of many postures in JAX (needs the extra jax)",
    "query": "neighbour search by size of the database",
    "scaling": "step cost by number of joints, characters, postures and frames",
    "library": "distance of captured postures to the built-in ones (needs --clips)",
}

# Benchmarks whose modules are in the folder `throughput`
THROUGHPUT = ("batch", "batch-ik", "gpu", "query", "scaling")


def run(name: str, progress: Progress | None = None, **options: Any) -> dict[str, Any]:
    """Run a benchmark; `progress` is called with the current measurement."""
    package = f"{__name__}.throughput" if name in THROUGHPUT else __name__
    return run_named("benchmark", package, BENCHMARKS, name, progress, options)

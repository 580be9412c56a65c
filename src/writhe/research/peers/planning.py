"""Planning between tangled postures: writhe's planner and OMPL's, with the same collision check.

OMPL's planners validate motions with writhe's gate: the check dominates the cost, and it is the
same for all. The paths are then evaluated by the independent `judge`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from writhe.planning import EnergyPlanner, SamplingPlanner, figure_problem
from writhe.progress import Progress
from writhe.research.evaluation.tangled_pairs import LEVELS, TangledPair, tangled_pairs
from writhe.research.peers.body import PeerBody
from writhe.research.peers.judge import judge
from writhe.skeleton import Figure

# PRM is excluded: it checks validity from a thread of its own, which can deadlock in OMPL's Python
# binding
SAMPLERS = ("rrtconnect", "rrt")


def _sampler(name: str, seconds: float, seed: int) -> SamplingPlanner:
    return SamplingPlanner(name, seed=seed, seconds=seconds)


def run(
    figure: Figure, body: PeerBody, per_level: int, seconds: float, progress: Progress
) -> dict[str, Any]:
    """Plan `per_level` pairs of every level; `seconds` is the limit of one attempt."""
    known, pairs = tangled_pairs(figure), list[TangledPair]()
    for level in range(1, len(LEVELS) + 1):
        pairs += [pair for pair in known if pair.level == level][:per_level]

    def default(seed: int) -> EnergyPlanner:
        return EnergyPlanner()

    methods: dict[str, Callable[[int], EnergyPlanner | SamplingPlanner]] = {"writhe": default}
    if find_spec("ompl") is not None:
        for name in SAMPLERS:
            methods[f"ompl-{name}"] = partial(_sampler, name, seconds)
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in methods}
    EnergyPlanner().plan(figure_problem(figure, pairs[0].start, pairs[0].goal))  # compiled
    for number, pair in enumerate(pairs):
        for name, make in methods.items():
            progress(None, f"planning {number + 1} of {len(pairs)}: {name}")
            plan = make(number + 1).plan(figure_problem(figure, pair.start, pair.goal))
            seen = judge(body, plan.path) if plan.solved else None
            found[name].append({"plan": plan, "seen": seen})
    return {
        "tasks": len(pairs),
        "cap_s": seconds,
        "methods": {name: _summary(rows) for name, rows in found.items()},
    }


def _summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    solved = [row for row in rows if row["plan"].solved]
    seconds = [row["plan"].seconds for row in rows]
    return {
        "success_rate": round(len(solved) / len(rows), 3),
        "seconds_median": round(float(np.median(seconds)), 4),
        "seconds_p95": round(float(np.percentile(seconds, 95)), 4),
        "path_length_rad": round(float(np.median([r["plan"].length_rad for r in solved])), 3)
        if solved
        else None,
        "penetration_mm": round(1e3 * max((r["seen"].deepest_m for r in solved), default=0.0), 2),
        "pass_throughs": sum(r["seen"].pass_throughs for r in solved),
    }

"""`writhe bench plan`: joining 200 tangled pairs of postures (see `evaluation.tangled_pairs`).

By level: pairs solved by the default planner alone and with the fallback, the time of a plan
(search, shortening and gate checks; the full certificate is computed afterwards and counted under
`penetrations`), and the path length relative to OMPL's RRTConnect after its own simplification,
over the first `rounds` pairs of each level that both solve. No path is shorter than the straight
line between its ends, so the ratio of the line to RRTConnect's path is a lower bound for any
planner: `length_ratio_bound`. Without the extra `ompl` the comparison and the fallback are null.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from writhe.collision import CollisionTable
from writhe.planning import (
    Energy,
    EnergyOptions,
    EnergyPlanner,
    Plan,
    figure_problem,
)
from writhe.planning.ompl_process import PlannerProcess
from writhe.progress import Progress
from writhe.research.evaluation.interleaved_timing import interleaved
from writhe.research.evaluation.tangled_pairs import LEVELS, TangledPair, tangled_pairs
from writhe.skeleton import Figure
from writhe.skeleton.configuration_paths import path_length
from writhe.skeleton.figures import figure

SECONDS = 20.0  # time limit of one RRTConnect run
TIMED = 3  # runs per pair; the fastest counts


def run(progress: Progress, rounds: int = 10) -> dict[str, Any]:
    """All results; `rounds` pairs of each level are compared with RRTConnect."""
    body = figure("human")
    table = CollisionTable.of_figure(body)
    progress(None, "the tangled pairs")
    pairs = tangled_pairs(body)
    planner, sampled = EnergyPlanner(), find_spec("ompl") is not None
    _solve(planner, body, table, pairs[0])  # compiled before anything is timed
    result: dict[str, Any] = {**_energy(table, pairs), "pairs": len(pairs), "levels": {}}
    plans: list[Plan] = []
    with PlannerProcess() as process:
        for level in range(1, len(LEVELS) + 1):
            own = [pair for pair in pairs if pair.level == level]
            progress(None, f"level {level}")
            found = [_solve(planner, body, table, pair) for pair in own]
            plans += found
            result["levels"][str(level)] = _level(found, rounds, process if sampled else None)
    ms = [1e3 * plan.seconds for plan in plans]
    result["solved_percent"] = 100.0 * sum(p.solved for p in plans) / len(plans)
    result["ms_median"], result["ms_p95"] = _round(np.median(ms)), _round(np.percentile(ms, 95))
    proofs = [plan.certificate for plan in plans if plan.solved]
    result["penetrations"] = sum(not proof.certified for proof in proofs)
    result["pass_throughs"] = sum(len(proof.pass_throughs) for proof in proofs)
    return result


def _solve(planner: EnergyPlanner, body: Figure, table: CollisionTable, pair: TangledPair) -> Plan:
    problem = figure_problem(body, pair.start, pair.goal, table=table)
    return min((planner.plan(problem) for _ in range(TIMED)), key=lambda plan: plan.seconds)


def _level(plans: Sequence[Plan], rounds: int, process: PlannerProcess | None) -> dict[str, Any]:
    ms = [1e3 * plan.seconds for plan in plans]
    solved = [plan for plan in plans if plan.solved]
    found: dict[str, Any] = {
        "pairs": len(plans),
        "solved": len(solved),
        "solved_with_fallback": None,
        "ms_median": _round(np.median(ms)),
        "ms_p95": _round(np.percentile(ms, 95)),
        "path_length_rad": _round(np.median([plan.length_rad for plan in solved])),
        "length_to_straight_line": _round(
            np.median([plan.length_rad / _straight(plan) for plan in solved])
        ),
        "length_ratio_to_rrtconnect": None,
        "length_ratio_bound": None,
    }
    if process is not None:
        found |= _against_rrtconnect(plans, rounds, process)
    return found


def _against_rrtconnect(
    plans: Sequence[Plan], rounds: int, process: PlannerProcess
) -> dict[str, Any]:
    rescued = sum(plan.solved for plan in plans)
    ratios, bounds, seconds = list[float](), list[float](), list[float]()
    for i, plan in enumerate(plans):
        if plan.solved and i >= rounds:
            continue
        other = process.plan("rrtconnect", plan.problem, seed=i + 1, seconds=SECONDS)
        rescued += other.solved and not plan.solved
        if i < rounds:
            seconds.append(other.seconds)
            if plan.solved and other.solved:
                ratios.append(plan.length_rad / other.length_rad)
                bounds.append(_straight(plan) / other.length_rad)
    return {
        "solved_with_fallback": rescued,
        "length_ratio_to_rrtconnect": _round(np.median(ratios)) if ratios else None,
        "length_ratio_bound": _round(np.median(bounds)) if bounds else None,
        "rrtconnect": {
            "pairs": len(seconds),
            "solved": len(ratios),
            "ms_median": _round(1e3 * np.median(seconds)) if seconds else None,
        },
    }


def _straight(plan: Plan) -> float:
    return path_length(plan.skeleton, plan.path[[0, -1]])


def _energy(table: CollisionTable, pairs: Sequence[TangledPair]) -> dict[str, float]:
    """Microseconds of energy and gradient: called from Python, and inside kernels."""
    energy = Energy(table, EnergyOptions())
    rows = np.array([pair.start for pair in pairs[::10]])
    call = interleaved(
        {
            "call": lambda: [energy.value_and_gradient(q) for q in rows],
            "kernel": lambda: energy.along(rows),
        }
    )
    return {
        "energy_us": round(1e6 * call["call"] / len(rows), 2),
        "energy_in_kernels_us": round(1e6 * call["kernel"] / len(rows), 2),
    }


def _round(value: Any) -> float:
    return round(float(value), 3)

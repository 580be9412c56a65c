"""`writhe bench plan`: joining 200 tangled pairs of postures (see `evaluation.tangled`).

By level: how many pairs the default planner joins by itself and with the fallback, the time of a
plan (search, shortening and the gate's proof of every piece; the full certificate is made
afterwards and counted under `penetrations`), and its path's length against that of OMPL's
RRTConnect after its own simplification, over the first `rounds` pairs of each level that both
solve. Without the extra `ompl` the comparison and the fallback are null.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from writhe.bench import Progress
from writhe.bench.timing import interleaved
from writhe.collision import CollisionTable
from writhe.evaluation.tangled import LEVELS, TangledPair, tangled_pairs
from writhe.planning import (
    DefaultPlanner,
    Energy,
    EnergyOptions,
    Plan,
    SamplingPlanner,
    figure_problem,
)
from writhe.skeleton import Figure
from writhe.skeleton.figures import figure

SECONDS = 20.0  # for one attempt of RRTConnect
TIMED = 3  # a pair's time is the best of so many runs


def run(progress: Progress, rounds: int = 6) -> dict[str, Any]:
    """All figures; `rounds` pairs of each level are compared with RRTConnect."""
    body = figure("human")
    table = CollisionTable.of_figure(body)
    progress("the tangled pairs")
    pairs = tangled_pairs(body)
    planner, sampled = DefaultPlanner(), find_spec("ompl") is not None
    _solve(planner, body, table, pairs[0])  # compiled before anything is timed
    result: dict[str, Any] = {"energy_us": _energy_us(table), "pairs": len(pairs), "levels": {}}
    plans: list[Plan] = []
    for level in range(1, len(LEVELS) + 1):
        own = [pair for pair in pairs if pair.level == level]
        progress(f"level {level}")
        found = [_solve(planner, body, table, pair) for pair in own]
        plans += found
        result["levels"][str(level)] = _level(body, table, own, found, rounds, sampled)
    ms = [1e3 * plan.seconds for plan in plans]
    result["solved_percent"] = 100.0 * sum(p.solved for p in plans) / len(plans)
    result["ms_median"], result["ms_p95"] = _round(np.median(ms)), _round(np.percentile(ms, 95))
    proofs = [plan.certificate for plan in plans if plan.solved]
    result["penetrations"] = sum(not proof.certified for proof in proofs)
    result["pass_throughs"] = sum(len(proof.pass_throughs) for proof in proofs)
    return result


def _solve(planner: DefaultPlanner, body: Figure, table: CollisionTable, pair: TangledPair) -> Plan:
    problem = figure_problem(body, pair.start, pair.goal, table=table)
    return min((planner.plan(problem) for _ in range(TIMED)), key=lambda plan: plan.seconds)


def _level(
    body: Figure,
    table: CollisionTable,
    pairs: Sequence[TangledPair],
    plans: Sequence[Plan],
    rounds: int,
    sampled: bool,
) -> dict[str, Any]:
    ms = [1e3 * plan.seconds for plan in plans]
    rescued: int | None = None
    ratios: list[float] = []
    solved_by_sampling, seconds = 0, list[float]()
    if sampled:
        rescued = sum(plan.solved for plan in plans)
        for i, (pair, plan) in enumerate(zip(pairs, plans, strict=True)):
            if plan.solved and i >= rounds:
                continue
            problem = figure_problem(body, pair.start, pair.goal, table=table)
            other = SamplingPlanner("rrtconnect", seed=i + 1, seconds=SECONDS).plan(problem)
            rescued += other.solved and not plan.solved
            if i < rounds:
                solved_by_sampling += other.solved
                seconds.append(other.seconds)
                if plan.solved and other.solved:
                    ratios.append(plan.length_rad / other.length_rad)
    return {
        "pairs": len(pairs),
        "solved": sum(plan.solved for plan in plans),
        "solved_with_fallback": rescued,
        "ms_median": _round(np.median(ms)),
        "ms_p95": _round(np.percentile(ms, 95)),
        "path_length_rad": _round(np.median([p.length_rad for p in plans if p.solved])),
        "length_ratio_to_rrtconnect": _round(np.median(ratios)) if ratios else None,
        "rrtconnect": {
            "pairs": min(rounds, len(pairs)) if sampled else 0,
            "solved": solved_by_sampling,
            "ms_median": _round(1e3 * np.median(seconds)) if seconds else None,
        },
    }


def _energy_us(table: CollisionTable) -> float:
    """One evaluation of energy and gradient at rest, as Python calls it."""
    energy = Energy(table, EnergyOptions())
    q = table.skeleton.rest_configuration
    call = interleaved({"energy": lambda: energy.value_and_gradient(q)})
    return round(call["energy"] * 1e6, 2)


def _round(value: Any) -> float:
    return round(float(value), 3)

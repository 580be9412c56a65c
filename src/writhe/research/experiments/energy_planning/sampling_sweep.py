"""OMPL's planners on the contortion over their settings, so that they are judged at their best."""

from __future__ import annotations

from typing import Any

from writhe.planning.ompl_planners import MORE_PLANNERS, PLANNERS
from writhe.planning.ompl_process import PlannerProcess
from writhe.progress import Progress
from writhe.research.experiments.energy_planning.postures import Experiment

RANGES_RAD = (0.3, 1.0, 3.0)  # longest edge of a tree
SINGLE = ("prm", "prmstar", "bitstar")  # planners without a range


def sweep_sampling(
    experiment: Experiment,
    process: PlannerProcess,
    seconds: float,
    progress: Progress,
    *,
    long_s: float = 300.0,
) -> dict[str, Any]:
    """Every planner with every range for `seconds`, then the best setting once for `long_s`.

    The best is the first to find a certified path, or RRTConnect where none does.
    """
    rows: list[dict[str, Any]] = []
    problem = experiment.problem()
    for name in (*PLANNERS, *MORE_PLANNERS):
        for range_rad in RANGES_RAD[1:2] if name in SINGLE else RANGES_RAD:
            progress(None, f"{experiment.name}: {name}, range {range_rad:g}")
            found = process.plan(name, problem, seed=0, seconds=seconds, range_rad=range_rad)
            rows.append(
                {
                    "planner": name,
                    "range_rad": range_rad,
                    "solved": bool(found.solved and found.certificate.certified),
                    "seconds": found.seconds,
                }
            )
    solved = [row for row in rows if row["solved"]]
    usual = next(row for row in rows if row["planner"] == "rrtconnect" and row["range_rad"] == 1.0)
    best = min(solved, key=lambda row: row["seconds"]) if solved else usual
    progress(None, f"{experiment.name}: {best['planner']} for {long_s:g} s")
    found = process.plan(
        best["planner"], problem, seed=1, seconds=long_s, range_rad=best["range_rad"]
    )
    return {
        "seconds": seconds,
        "settings": rows,
        "solved": len(solved),
        "long_run": {
            "planner": best["planner"],
            "range_rad": best["range_rad"],
            "limit_s": long_s,
            "solved": bool(found.solved and found.certificate.certified),
            "seconds": found.seconds,
        },
    }

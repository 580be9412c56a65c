"""OMPL's planners over their settings, so that they are judged at their best.

The longest edge of a tree (OMPL's range) decides most: RRTConnect solves the contortion with edges
of 0.3 rad and hardly ever with edges of 1 rad. Every planner runs with every range for a short
time; a planner that solves a problem with none of them gets one run of the paper's five minutes.
Limits are of CPU time: the result does not depend on what else the machine does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from writhe.planning.ompl_planners import MORE_PLANNERS, PLANNERS
from writhe.planning.ompl_process import PlannerProcess
from writhe.progress import Progress
from writhe.research.experiments.energy_planning.postures import Experiment

RANGES_RAD = (0.3, 1.0, 3.0)  # longest edge of a tree
UNDECIDED_RAD = 0.3  # where no range solves a problem: the one with which RRTConnect solves most
SINGLE = ("prm", "prmstar", "bitstar")  # planners without a range
SHORT_S, LONG_S = 20.0, 300.0
AT_ONCE = 2  # experiments swept side by side, each with a process of its own
WITH_ALL = "contortion"  # which planners beyond the paper's try too


def sweep_all(
    experiments: Mapping[str, Experiment],
    progress: Progress,
    *,
    short_s: float = SHORT_S,
    long_s: float = LONG_S,
) -> dict[str, Any]:
    """The sweep of every experiment by name, and beside them the keys of the contortion's.

    `short_s` and `long_s` limit the CPU time of a run. `processor_share` is the CPU
    time that the planners had, divided by wall-clock time.
    """

    def one(name: str) -> tuple[dict[str, Any], float, float]:
        names = (*PLANNERS, *MORE_PLANNERS) if name == WITH_ALL else (*PLANNERS,)
        with PlannerProcess() as process:
            found = sweep_sampling(
                experiments[name], process, progress, names, short_s=short_s, long_s=long_s
            )
            return found, process.processor_s, process.wall_s

    with ThreadPoolExecutor(AT_ONCE) as pool:
        rows = dict(zip(experiments, pool.map(one, experiments), strict=True))
    wall_s = sum(row[2] for row in rows.values())
    out: dict[str, Any] = {
        "seconds": short_s,
        "long_s": long_s,
        "processor_share": sum(row[1] for row in rows.values()) / wall_s if wall_s else None,
        "experiments": {name: row[0] for name, row in rows.items()},
    }
    return {**out, **(rows[WITH_ALL][0] if WITH_ALL in rows else {})}


def sweep_sampling(
    experiment: Experiment,
    process: PlannerProcess,
    progress: Progress,
    planners: Iterable[str] = PLANNERS,
    *,
    short_s: float = SHORT_S,
    long_s: float = LONG_S,
) -> dict[str, Any]:
    """Every planner with every range for `short_s`, then for `long_s` where none was enough.

    `long_run` is the best of all settings once more with another seed: the first to find a
    certified path, or RRTConnect where none does. `long_runs` are those of the paper's planners
    that found none.
    """
    problem = experiment.problem()

    def run(name: str, range_rad: float, seed: int, seconds: float) -> dict[str, Any]:
        progress(None, f"{experiment.name}: {name}, range {range_rad:g}, {seconds:g} s")
        found = process.plan(name, problem, seed=seed, seconds=seconds, range_rad=range_rad)
        return {
            "planner": name,
            "range_rad": range_rad,
            "solved": bool(found.solved and found.certificate.certified),
            "seconds": found.seconds,
            "processor_s": found.processor_s,
            "length_rad": found.length_rad if found.solved else None,
        }

    rows = [
        run(name, range_rad, 0, short_s)
        for name in planners
        for range_rad in (RANGES_RAD[1:2] if name in SINGLE else RANGES_RAD)
    ]
    solved = [row for row in rows if row["solved"]]
    quickest = min(solved, key=lambda row: row["processor_s"], default=None)
    able = {row["planner"] for row in solved}
    long_runs = {
        name: {"limit_s": long_s, **run(name, UNDECIDED_RAD, 1, long_s)}
        for name in planners
        if name in PLANNERS and name not in able
    }
    if quickest is None:
        best = long_runs["rrtconnect"]
    else:
        best = {
            "limit_s": long_s,
            **run(quickest["planner"], quickest["range_rad"], 1, long_s),
        }
    return {
        "settings": rows,
        "solved": len(solved),
        "long_run": best,
        "long_runs": long_runs,
    }

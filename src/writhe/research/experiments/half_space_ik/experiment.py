"""`writhe reproduce half-space-ik`: all scenarios, solver comparison, random sweeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from writhe.errors import UnknownNameError
from writhe.progress import Progress
from writhe.research.evaluation import Report
from writhe.research.experiments.half_space_ik.methods import make_methods
from writhe.research.experiments.half_space_ik.pictures import film, plot_trajectories, strips
from writhe.research.experiments.half_space_ik.play_scenario import ScenarioRun, figures, play
from writhe.research.experiments.half_space_ik.scenarios import SCENARIOS, Scenario
from writhe.research.experiments.half_space_ik.solver_comparison import compare_solvers
from writhe.research.experiments.half_space_ik.sweeps import run_sweeps

METHODS = (
    "half-space",
    "half-space-unblended",
    "published",
    "published-unblended",
    "penalty",
    "penalty-blended",
    "default",
)
# scenarios that also show the published method, which is slow
PAPERS_OWN = ("four-obstacles", "sphere", "cylinder", "back", "holding", "not-holding", "hand")
SWEEPS, SWEEPS_FULL = 60, 1000


def run(
    progress: Progress, *, folder: Path, only: str | None = None, full: bool = False
) -> dict[str, Any]:
    """All parts, or `only` one: a scenario's name, "solvers" or "sweeps"."""
    parts = [*SCENARIOS, "solvers", "sweeps"]
    if only is not None and only not in parts:
        raise UnknownNameError("part of half-space-ik", only, parts)
    report = Report("Half-space inverse kinematics", folder)
    result: dict[str, Any] = {"scenarios": {}}
    for name, build in SCENARIOS.items():
        if only in (None, name):
            result["scenarios"][name] = _scenario(progress, build(), report)
    if result["scenarios"]:
        _smoothness(report, result["scenarios"])
    if only in (None, "solvers"):
        progress(None, "solvers side by side")
        result["solvers"] = compare_solvers()
        _solvers(report, result["solvers"])
    if only in (None, "sweeps"):
        count = SWEEPS_FULL if full else SWEEPS
        result["sweeps"] = run_sweeps(progress, count, starts=40 if full else 20)
        _sweeps(report, result["sweeps"])
    report.write()
    return result


def _scenario(progress: Progress, scenario: Scenario, report: Report) -> dict[str, Any]:
    names = [m for m in METHODS if "published" not in m or scenario.name in PAPERS_OWN]
    runs: dict[str, ScenarioRun] = {}
    found: dict[str, Any] = {}
    for name, method in make_methods(scenario, names).items():
        progress(None, f"{scenario.title}: {name}")
        runs[name] = play(scenario, method)
        found[name] = figures(scenario, runs[name])
    report.heading(f"{scenario.title} ({scenario.figure_of_paper})")
    keys = [
        "penetrating_frames", "penetration_m", "pass_throughs", "jerk", "spectral_arc_length",
        "relation_error_m", "blocked_frames", "solve_ms_median", "solve_ms_p95", "detect_ms_median",
    ]  # fmt: skip
    report.table(["method", *keys], [[n, *(found[n][k] for k in keys)] for n in names])
    progress(None, f"{scenario.title}: pictures")
    shown = [n for n in ("half-space", "penalty", "published", "default") if n in runs]
    path = strips(
        scenario, {n: runs[n] for n in shown}, report.picture_path(f"{scenario.name}.png")
    )
    report.picture(path, f"From above: {', '.join(shown)}. Overlaps are red.")
    film(scenario, runs["half-space"], path.with_suffix(".gif"))
    path = plot_trajectories(scenario, runs, report.picture_path(f"{scenario.name}-paths.png"))
    report.picture(path, f"Path, speed and jerk of {scenario.watched} (the paper's figure 8).")
    return {"title": scenario.title, "methods": found}


def _smoothness(report: Report, scenarios: dict[str, Any]) -> None:
    report.heading("Smoothness: ours against the penalty method")
    rows: list[list[Any]] = []
    for name, entry in scenarios.items():
        own = entry["methods"]
        ours = max(own["half-space"]["jerk"], 1e-9)
        rows.append(
            [
                name,
                own["half-space"]["jerk"],
                own["penalty"]["jerk"],
                own["penalty-blended"]["jerk"],
                own["penalty"]["jerk"] / ours,
                own["penalty-blended"]["jerk"] / ours,
            ]
        )
        entry["jerk_ratio"] = round(own["penalty"]["jerk"] / ours, 2)
        entry["jerk_ratio_blended"] = round(own["penalty-blended"]["jerk"] / ours, 2)
    report.table(
        ["scenario", "half-space", "penalty", "penalty, blended", "ratio", "ratio, both blended"],
        rows,
    )
    report.text("Mean squared jerk in (m/s³)²; the paper shows curves and gives no figures.")


def _solvers(report: Report, found: dict[str, Any]) -> None:
    report.heading("Solvers on the same objectives")
    keys = ["solve_ms_median", "solve_ms_p95", "iterations_median", "cost_median"]
    report.table(["solver", *keys], [[n, *(found[n][k] for k in keys)] for n in found["compared"]])
    report.text(
        f"{found['problems']} problems with 10 or more half-spaces, "
        f"{found['binding_median']} binding at the solution (median)."
    )


def _sweeps(report: Report, found: dict[str, Any]) -> None:
    report.heading("Random sweeps of a ball, a box or a cylinder")
    keys = [k for k, v in found.items() if not isinstance(v, dict | list)]
    report.table(["figure", "value"], [[k, found[k]] for k in keys])

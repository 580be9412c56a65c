"""`writhe reproduce half-space-ik`: all scenarios, solver comparison, random sweeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from writhe.errors import UnknownNameError
from writhe.progress import Progress
from writhe.research.evaluation import Report
from writhe.research.experiments.half_space_ik.blend_sweep import sweep_blend
from writhe.research.experiments.half_space_ik.methods import make_methods
from writhe.research.experiments.half_space_ik.pictures import (
    caption,
    film,
    plot_trajectories,
    relation_contrast,
    strips,
)
from writhe.research.experiments.half_space_ik.play_scenario import ScenarioRun, figures, play
from writhe.research.experiments.half_space_ik.scenarios import SCENARIOS, Scenario
from writhe.research.experiments.half_space_ik.solver_comparison import compare_solvers
from writhe.research.experiments.half_space_ik.sweeps import run_sweeps

METHODS = (
    "half-space",
    "half-space-unblended",
    "algorithm-1",
    "algorithm-1-until-clear",
    "algorithm-1-passes",
    "algorithm-1-on-object",
    "algorithm-1-world-vector",
    "published",
    "published-unblended",
    "penalty",
    "penalty-blended",
    "default",
)
# scenarios of the paper, which also show its method; it is slow
PAPERS_OWN = ("four-obstacles", "sphere", "cylinder", "back", "holding", "not-holding",
              "bar", "push-up", "hand")  # fmt: skip
FIGURE_8 = ("algorithm-1", "algorithm-1-until-clear", "algorithm-1-passes", "published", "penalty")
SLOW = ("published", "algorithm-1")
SWEEPS, SWEEPS_FULL = 60, 1000


def run(
    progress: Progress, *, folder: Path, only: str | None = None, full: bool = False
) -> dict[str, Any]:
    """All parts, or `only` one: a scenario's name, "blend", "solvers" or "sweeps"."""
    parts = [*SCENARIOS, "blend", "solvers", "sweeps"]
    if only is not None and only not in parts:
        raise UnknownNameError("part of half-space-ik", only, parts)
    report = Report("Half-space inverse kinematics", folder)
    result: dict[str, Any] = {"scenarios": {}}
    played: dict[str, tuple[Scenario, ScenarioRun]] = {}
    for name, build in SCENARIOS.items():
        if only in (None, name):
            scenario = build()
            result["scenarios"][name], ours = _scenario(progress, scenario, report)
            played[name] = scenario, ours
    if {"holding", "not-holding"} <= set(played):
        path = relation_contrast(
            played["holding"], played["not-holding"], report.picture_path("relation.png")
        )
        report.heading("The relative constraint (figure 4)")
        report.picture(
            path,
            "Above: the hand is kept on the leg. Below: without the relation the leg goes down and"
            " the hand stays. Blue: the place on the leg that the hand held; a line leads to it,"
            " red if it is over 5 cm away.",
        )
    if result["scenarios"]:
        _smoothness(report, result["scenarios"])
    if only in (None, "blend"):
        result["blend"] = sweep_blend(progress, [SCENARIOS[name]() for name in PAPERS_OWN])
        _blend(report, result["blend"])
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


def _scenario(
    progress: Progress, scenario: Scenario, report: Report
) -> tuple[dict[str, Any], ScenarioRun]:
    """Figures of every method, and the run of ours."""
    names = [m for m in METHODS if _compared(m, scenario)]
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
    rows = (
        "half-space", "penalty", "algorithm-1", "algorithm-1-passes", "published", "default",
    )  # fmt: skip
    shown = [n for n in rows if n in runs]
    path = strips(
        scenario,
        {n: runs[n] for n in shown},
        [f"{n}: {_verdict(found[n])}" for n in shown],
        report.picture_path(f"{scenario.name}.png"),
    )
    report.picture(path, caption(scenario, runs, [n for n in shown if not found[n]["certified"]]))
    film(scenario, runs["half-space"], path.with_suffix(".gif"))
    path = plot_trajectories(scenario, runs, report.picture_path(f"{scenario.name}-paths.png"))
    report.picture(path, f"Path, speed and jerk of {scenario.watched} (the paper's figure 8).")
    return {"title": scenario.title, "methods": found}, runs["half-space"]


def _compared(method: str, scenario: Scenario) -> bool:
    """Whether a method is run: those of the paper in its scenarios, Eq. 5 with relations."""
    if method == "algorithm-1-world-vector":
        return scenario.name in PAPERS_OWN and bool(scenario.relations)
    return not method.startswith(SLOW) or scenario.name in PAPERS_OWN


def _verdict(one: dict[str, Any]) -> str:
    """What came of a run, in words."""
    if one["certified"]:
        return "certified"
    if one["pass_throughs"]:
        return "passes through"
    return f"overlaps by {1e3 * one['penetration_m']:.1f} mm"


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
    report.table(
        ["scenario", "Algorithm 1", "until clear", "in passes", "solved together", "penalty"],
        [
            [name, *(entry["methods"][m]["jerk"] for m in FIGURE_8)]
            for name, entry in scenarios.items()
            if FIGURE_8[0] in entry["methods"]
        ],
    )
    report.text("Mean squared jerk in (m/s³)²; the paper shows curves and gives no figures.")


def _blend(report: Report, found: list[dict[str, Any]]) -> None:
    report.heading("The share of the new pose (alpha, line 7 of Algorithm 1)")
    keys = list(found[0])
    report.table(keys, [[row[k] for k in keys] for row in found])


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

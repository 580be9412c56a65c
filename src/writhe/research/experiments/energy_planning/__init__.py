"""Wang, Ho and Komura: an energy-driven motion planning method for two distant postures.

Arm fold, leg cross, yoga and contortion by the default planner, the paper's and OMPL's, and the
Thomas flare in two halves with stage two. Success means certified from end to end.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from writhe.errors import UnknownNameError, WritheError
from writhe.planning.ompl_process import PlannerProcess
from writhe.progress import Progress
from writhe.research.evaluation import Report
from writhe.research.experiments.energy_planning.canonical_postures import (
    descents,
    draw_descent,
    summarise_descents,
)
from writhe.research.experiments.energy_planning.comparison import compare
from writhe.research.experiments.energy_planning.linear_smoothing import search_and_smooth
from writhe.research.experiments.energy_planning.methods import (
    PAPER_CLEARANCE_M,
    PAPER_STEP_RAD,
    Budget,
)
from writhe.research.experiments.energy_planning.plots import box_plot
from writhe.research.experiments.energy_planning.postures import (
    Experiment,
    contortion,
    mirrored_pair,
    yoga,
)
from writhe.research.experiments.energy_planning.postures import flare as flare_halves
from writhe.research.experiments.energy_planning.sampling_sweep import SHORT_S, sweep_all
from writhe.research.experiments.energy_planning.thomas_flare import Flare, flare, refined_summary
from writhe.skeleton import Motion

NAMES = ("arm-fold", "leg-cross", "yoga", "contortion", "thomas-flare")
CANONICAL = "canonical-postures"
SAMPLING = "sampling-sweep"
# seconds of the paper's table 1: without and with the safe zone
PAPER_TABLE_1 = {
    "arm-fold": (11.415, 10.722),
    "leg-cross": (41.874, 39.671),
    "yoga": (85.108, 81.258),
    "contortion": (224.923, 138.106),
    "thomas-flare": (23.726, None),
}
PAPER_STAGE_TWO_S = 142.45
# seconds of the paper's table 2: Laplacian, limits, positions, angular momentum, solving
PAPER_TABLE_2 = ((1.34, 0.013, 0.048, 0.653, 2.278), (0.0, 0.013, 0.048, 0.653, 0.217))


def run(
    progress: Progress,
    folder: Path,
    only: str | None = None,
    full: bool = False,
    seconds: float | None = None,
) -> dict[str, Any]:
    """All experiments, or `only` one; "canonical-postures" is the descent of figure 3.

    "sampling-sweep" (alone, or with `full`) gives OMPL's planners all five with several ranges for
    `seconds` each (20 by default), and those that solve one with none of them 300 s.

    OMPL's planners get ten seeded runs of `seconds` each: 60 by default, where a planner without
    a success after three runs or 60 s is given up; 300 and all runs with `full`. All limits are of
    CPU time.
    """
    if only is not None and only not in (*NAMES, CANONICAL, SAMPLING):
        raise UnknownNameError("experiment", only, [*NAMES, CANONICAL, SAMPLING])
    budget = Budget(seconds=300.0, paper_seconds=300.0, all_runs=True) if full else Budget()
    if seconds is not None:
        budget = replace(budget, seconds=seconds)
    report = Report("Energy-driven planning between distant postures", folder)
    report.text(
        "All paths are checked by the same certificate. `paper` is the published algorithm without "
        f"collision checks; OMPL's planners use the gate as motion validator, {budget.runs} seeded"
        f" runs of at most {budget.seconds:g} s of CPU time each in a process of their own,"
        f" and OMPL's own simplification; a planner without a success after {budget.patience_s:g} s"
        " is given up, and its other runs count as failed."
    )
    results: dict[str, dict[str, Any]] = {}
    circle: Flare | None = None
    with PlannerProcess() as process:
        for name in [n for n in NAMES if only in (None, n)]:
            progress(None, name)
            results[name] = compare(_experiment(name), name, budget, process, report, progress)
            if name == "thomas-flare":
                progress(None, "stage two of the flare")
                circle = _stage_two(report, results[name])
    out: dict[str, Any] = {
        "experiments": results,
        "budget": {
            "runs": budget.runs,
            "seconds": budget.seconds,
            "processor_share": process.processor_share,
        },
    }
    if process.processor_share is not None:
        report.text(
            f"The sampling planners had {100 * process.processor_share:.0f} % of a core: their"
            " limits are of CPU time, their times in the tables wall-clock times."
        )
    if results:
        _tables(report, results, circle)
        report.heading("Planning times (figure 14)")
        report.picture(
            box_plot(report.picture_path("times.png"), results, budget.seconds),
            "Seconds of CPU time, and the success rate; grey where no run succeeded. `paper`"
            f" has steps of {PAPER_STEP_RAD:g} rad here and ends {1e3 * PAPER_CLEARANCE_M:g} mm"
            " apart; its best settings, `paper-best`, are not in the plot.",
        )
    if only == SAMPLING or (only is None and full):
        found = sweep_all(
            {name: _experiment(name) for name in NAMES}, progress, short_s=seconds or SHORT_S
        )
        out["sampling_sweep"] = found
        progress(None, "smoothing of sampled paths")
        out["linear_smoothing"] = {
            name: search_and_smooth(_experiment(name), seed=1)
            for name in ("arm-fold", "leg-cross", "yoga")
        }
        _sampling(report, found)
    if only in (None, CANONICAL):
        progress(None, "descent to canonical postures")
        out["canonical_postures"] = _canonical(report)
    report.write()
    return out


def _sampling(report: Report, found: dict[str, Any]) -> None:
    """The tables of the sampling planners' settings and of their long runs."""
    report.heading("Sampling planners, over their settings")
    columns = ("planner", "range_rad", "solved", "seconds", "processor_s", "length_rad")
    for name, one in found["experiments"].items():
        report.text(f"{name}: {found['seconds']:g} s of CPU time with each range.")
        report.table(columns, [[row[c] for c in columns] for row in one["settings"]])
        report.text(f"{name}: {found['long_s']:g} s where that was not enough.")
        report.table(columns, [[row[c] for c in columns] for row in one["long_runs"].values()])
        best = one["long_run"]
        outcome = "solved" if best["solved"] else "not solved"
        report.text(
            f"The best setting, {best['planner']} with {best['range_rad']:g} rad, with another"
            f" seed: {outcome}, {best['processor_s']:.0f} s of CPU time."
        )


def _canonical(report: Report) -> dict[str, Any]:
    """The descent of every start and goal that is planned alone."""
    experiments = [_experiment(name) for name in NAMES if name != "thomas-flare"]
    figure = experiments[0].figure
    found = descents(experiments)
    result = summarise_descents(figure, found)
    report.heading("Canonical postures (section 5.1, figure 3)")
    for name in ("yoga, start", "contortion, goal"):
        path = report.picture_path(f"canonical-{name.partition(',')[0]}.png")
        report.picture(
            draw_descent(figure, found[name], path),
            f"Descent of {name} (d = 2, with our weights). The body is free in space; its hips are"
            " drawn at one place.",
        )
    report.table(
        ["posture", "energy", "after the descent", "hands and feet apart (m)"],
        [[n, *result["energies"][n], result["spread_m"][n]] for n in found],
    )
    report.text(
        f"{len(result['groups'])} different postures are reached: "
        + "; ".join(" and ".join(group) for group in result["groups"])
        + f". The energy rises in {result['rises']} steps. Of the {result['lines']} straight lines"
        f" between them {result['lines_certified']} are certified."
    )
    return result


def _experiment(name: str) -> Experiment:
    match name:
        case "arm-fold":
            return mirrored_pair(name, "arm fold")
        case "leg-cross":
            return mirrored_pair(name, "legs crossed")
        case "yoga":
            return yoga()
        case "contortion":
            return contortion()
        case _:
            return flare_halves()[0]


def _stage_two(report: Report, result: dict[str, Any]) -> Flare | None:
    """The whole flare before and after refinement."""
    from writhe.render import film_strip
    from writhe.render.drawn_figure import side_colours

    halves = flare_halves()
    try:
        circle = flare(halves)
    except WritheError as problem:
        report.text(f"Stage two was not run: {problem}.")
        result["stage_two"] = None
        return None
    refined, body = circle.second_stage, halves[0].figure
    for name, motion in (("stage-1", circle.first_stage), ("stage-2", refined.motion)):
        own = Motion(body.skeleton, np.ascontiguousarray(motion.q), motion.fps)
        path = film_strip(
            body,
            own,
            report.picture_path(f"flare-{name}.png"),
            count=10,
            columns=5,
            size=(260, 200),
            view=(0.3, 0.4, 1.0),
            by_joint=side_colours(body),
        )
        report.picture(path, f"The whole flare, {name}")
    result["stage_two"] = {
        "frames": len(refined.motion),
        "seconds": refined.seconds,
        "iterations": refined.iterations,
        "angular_variation_before": refined.angular_variation[0],
        "angular_variation_after": refined.angular_variation[1],
        "angular_variation_drop_percent": 100.0 * refined.angular_drop,
        "angular_energy_drop_percent": 100.0 * refined.angular_energy_drop,
        "hand_slip_mm": 1e3 * refined.slip_m,
        "certified": refined.certificate.certified,
        "penetration_m": refined.certificate.penetration_upper_bound_m,
        "terms": {name: refined_summary(one) for name, one in circle.with_other_terms.items()},
    }
    report.table(
        ("stage two", "value"),
        [(key, value) for key, value in result["stage_two"].items() if key != "terms"],
    )
    return circle


def _tables(report: Report, results: dict[str, dict[str, Any]], circle: Flare | None) -> None:
    report.heading("Table 1: seconds of stage one, here CPU time")
    rows: list[tuple[Any, ...]] = []
    for name, result in results.items():
        found, printed = result["methods"], PAPER_TABLE_1[name]
        rows.append(
            (
                name,
                *printed,
                found["paper-no-safe-zone"]["processor_s_median"],
                found["paper"]["processor_s_median"],
                found["default"]["processor_s_median"],
                found["default-d2"]["processor_s_median"],
            )
        )
    header = (
        "experiment",
        "paper: no safe zone",
        "paper: safe zone",
        "`paper` here: no safe zone",
        "`paper` here: safe zone",
        "`default`, d = 5",
        "`default`, d = 2",
    )
    report.table(header, rows)
    if circle is None:
        return
    report.heading("Table 2: seconds of the terms of stage two, one iteration")
    parts = ("laplacian", "limits", "position", "momentum", "solving")
    for label, refined, printed in (
        ("with the Laplacian", circle.second_stage, PAPER_TABLE_2[0]),
        ("without", circle.without_laplacian, PAPER_TABLE_2[1]),
    ):
        each = [refined.timing_s[part] / max(1, refined.iterations) for part in parts]
        report.table(("", *parts), [(f"{label}, here", *each), (f"{label}, paper", *printed)])
    report.text(
        f"All of stage two: {circle.second_stage.seconds:.2f} s for"
        f" {len(circle.second_stage.motion)} frames (the paper: {PAPER_STAGE_TWO_S} s)."
    )

"""One experiment with every planner: success, times, lengths, and the published variants."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from writhe.planning import (
    Energy,
    EnergyOptions,
    EnergyPlanner,
    Plan,
    PlanOptions,
    PlanStatus,
    Timing,
    to_motion,
)
from writhe.planning.ompl_planners import PLANNERS
from writhe.planning.ompl_process import PlannerProcess
from writhe.progress import Progress
from writhe.research.evaluation import Report
from writhe.research.experiments.energy_planning.methods import (
    PAPER_CLEARANCE_M,
    PAPER_STEP_RAD,
    Budget,
    methods,
    repeated,
    summarise_runs,
)
from writhe.research.experiments.energy_planning.pictures import FPS, path_strip, plan_strip
from writhe.research.experiments.energy_planning.plots import lines
from writhe.research.experiments.energy_planning.postures import (
    ENTWINED,
    TANGLED,
    Experiment,
    inseparable_pairs,
    strand_pairs,
    tight_fold,
)
from writhe.research.experiments.energy_planning.published_sweep import (
    SweepRun,
    plan_as_published,
    summarise_sweep,
    sweep,
    zone_lines,
    zone_test,
)

FALLOFFS = (8, 12)  # large exponents d of section 8
# step in rad and clearance of the ends in metres with which Algorithm 1 tests the safe zone
ZONE_SETTINGS = ((0.003, 0.01), (0.01, 0.01), (0.01, 0.02), (0.03, 0.01))


def compare(
    experiment: Experiment,
    name: str,
    budget: Budget,
    process: PlannerProcess,
    report: Report,
    progress: Progress,
) -> dict[str, Any]:
    """All methods on one experiment, with its film strip."""
    report.heading(name)
    found: dict[str, Any] = {}
    best: Plan | None = None
    for method, plan_with in methods(budget, process).items():
        progress(None, f"{name}: {method}")
        plans = repeated(method, plan_with, experiment, budget)
        found[method] = summarise_runs(plans, budget.runs if method in PLANNERS else 1)
        if method in ("default", "default-d2") and plans[0].solved:
            picture = plan_strip(experiment, plans[0], report, f"{name}-{method}.png")
            report.picture(picture, f"{name}, {method}")
            best = best or plans[0]
    swept = sweep(experiment, progress)
    _published(experiment, swept, report, found)
    entwined = strand_pairs(experiment.figure, experiment.goal, ENTWINED)
    tangled = strand_pairs(experiment.figure, experiment.goal, TANGLED)
    listed = ", ".join(f"{pair} {linking:.2f}" for pair, linking in entwined.items())
    report.text(
        f"Pairs of strands with a linking of at least {ENTWINED} at the goal: {listed or 'none'}."
        f" Tangled by the paper's definition (over {TANGLED}): {', '.join(tangled) or 'none'}."
    )
    if best is not None:
        energy = Energy(experiment.problem().table)
        rows = to_motion(best, Timing(fps=FPS, duration_s=2.0, profile="uniform")).q
        chart = lines(
            report.picture_path(f"{name}-energy.png"),
            {name: energy.along(rows)},
            "energy",
            logarithmic=True,
        )
        report.picture(
            chart,
            "The repulsive energy along the path. Flat at the top: a clearance below 0.1 mm, where"
            " the energy is cut off.",
        )
    header = (
        "method",
        "success",
        "seconds",
        "length (rad)",
        "roughness (rad)",
        "penetration (mm)",
        "pass-throughs",
    )
    report.table(
        header,
        [
            (
                method,
                f"{100 * row['success_rate']:.0f} %",
                row["seconds_median"],
                row["path_length_rad"],
                row["smoothness_rad"],
                None if row["penetration_m"] is None else 1e3 * row["penetration_m"],
                row["pass_throughs"],
            )
            for method, row in found.items()
        ],
    )
    result: dict[str, Any] = {
        "methods": found,
        "published_sweep": summarise_sweep(swept),
        "tangles": len(entwined),
        "tangles_over_half": len(tangled),
        "inseparable": inseparable_pairs(experiment.figure, experiment.goal, ENTWINED),
        "falloffs": {str(d): _with_falloff(experiment, d) for d in FALLOFFS},
    }
    if name == "arm-fold":
        result["tight_fold"] = _tight(report, progress)
    if not experiment.planted:
        progress(None, f"{name}: safe zone")
        result["safe_zone"] = [asdict(zone_test(experiment, a, c)) for a, c in ZONE_SETTINGS]
        if best is not None:
            result["safe_zone_lines"] = zone_lines(experiment, best)
    return result


def _tight(report: Report, progress: Progress) -> dict[str, Any]:
    """Ours and the published planner on the tighter arm fold of the pose library."""
    experiment = tight_fold()
    progress(None, experiment.name)
    ours = EnergyPlanner().plan(experiment.problem())
    swept = sweep(experiment, progress)
    report.text(
        f"With the tighter fold of the pose library {sum(r.certified for r in swept)} of"
        f" {len(swept)} settings of the published planner are certified."
    )
    return {
        "linking": strand_pairs(experiment.figure, experiment.goal, ENTWINED),
        "ours_certified": ours.solved,
        "published_sweep": summarise_sweep(swept),
    }


def _with_falloff(experiment: Experiment, falloff: int) -> dict[str, Any]:
    """Whether ours connects the postures with this exponent, and the published planner does."""
    planner = EnergyPlanner(PlanOptions(energy=EnergyOptions(falloff=falloff)))
    ours = planner.plan(experiment.problem())
    published, _ = plan_as_published(
        experiment, PAPER_STEP_RAD, PAPER_CLEARANCE_M, falloff=falloff, seconds=10.0
    )
    return {
        "solved": ours.solved,
        "escapes": ours.escapes,
        "published_met": published.status is not PlanStatus.STUCK,
        "published_certified": published.solved and published.certificate.certified,
    }


def _published(
    experiment: Experiment, swept: list[SweepRun], report: Report, found: dict[str, Any]
) -> None:
    """The sweep of the published planner as a table, and its best setting at both values of d."""
    best = swept[0]
    setting = f"step {best.step_rad:g} rad, ends {1e3 * best.clearance_m:g} mm apart"
    report.text(
        f"The published planner: {sum(r.certified for r in swept)} of {len(swept)} settings are"
        f" certified; the best: {setting}."
    )
    for falloff in (5, 2):
        plan, _ = plan_as_published(
            experiment,
            best.step_rad,
            best.clearance_m,
            safe_zone=best.safe_zone,
            rest_weights=best.rest_weights,
            falloff=falloff,
        )
        found[f"paper-best-d{falloff}"] = summarise_runs([plan])
        name = f"{experiment.name}-paper-d{falloff}"
        if plan.status is not PlanStatus.STUCK:
            picture = path_strip(experiment, plan, report, f"{name}.png")
            verdict = "certified" if plan.certificate.certified else "it penetrates"
            report.picture(picture, f"{experiment.name}, as published, d = {falloff}: {verdict}")
        else:
            report.text(f"As published with d = {falloff}, the ends do not meet.")

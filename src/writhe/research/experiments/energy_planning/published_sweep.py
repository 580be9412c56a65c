"""The published planner over a grid of step sizes and end clearances.

The paper prints neither its step size alpha nor how far apart the limbs of its end postures are.
Both are varied; the energy barrier needs steps that are short beside the clearance. The energy is
as printed (all pairs but neighbours count alike), or with the weights of ours for pairs that are
near at rest; the printed one also without the safe zone.

Algorithm 2 consults the safe zone only in steps in which no joint limit is violated, so the zone is
tested with Algorithm 1, without limits (`zone_test`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.collision import certify
from writhe.planning import EnergyOptions, PaperOptions, PaperPlanner, Plan, PlanStatus
from writhe.planning.clear_endpoints import push_clear
from writhe.planning.problem import PlanProblem
from writhe.planning.published_planner import StepCounts
from writhe.progress import Progress
from writhe.research.experiments.energy_planning.postures import Experiment
from writhe.skeleton.configuration_paths import path_length, resample_evenly
from writhe.topology.linking_vector import body_bundle

STEPS_RAD = (0.003, 0.01, 0.03, 0.1)
CLEARANCES_M = (0.003, 0.01, 0.02)
# safe zone, weights of pairs near at rest; the first is as printed
VARIANTS = ((True, False), (True, True), (False, False))
_TRAVEL_RAD = 90.0  # how far both ends may travel together


@dataclass(frozen=True)
class SweepRun:
    """One setting of the published planner, and its outcome.

    `met`: the ends met. Penetration and pass-throughs are None where they did not.
    """

    step_rad: float
    clearance_m: float
    safe_zone: bool
    rest_weights: bool
    met: bool
    certified: bool
    penetration_m: float | None
    pass_throughs: int | None
    seconds: float
    processor_s: float
    counts: StepCounts

    @property
    def rank(self) -> tuple[bool, bool, int, float]:
        """Smaller is better: certified, met, few pass-throughs, little penetration."""
        through = 0 if self.pass_throughs is None else self.pass_throughs
        return not self.certified, not self.met, through, self.penetration_m or 0.0

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {key: value for key, value in asdict(self).items() if key != "counts"} | {
            "steps": self.counts.steps,
            "corrected": self.counts.corrected,
            "in_safe_zone": self.counts.in_safe_zone,
            "minimum_at": self.counts.minimum_at,
        }


def plan_as_published(
    experiment: Experiment,
    step_rad: float,
    clearance_m: float,
    *,
    safe_zone: bool = True,
    rest_weights: bool = False,
    limits: bool = True,
    falloff: int = 5,
    seconds: float = 60.0,
) -> tuple[Plan, StepCounts]:
    """A plan of the published planner between ends that have this clearance."""
    problem = experiment.problem()
    start, goal = (push_clear(problem, q, clearance_m) for q in (problem.start, problem.goal))
    options = PaperOptions(
        energy=EnergyOptions(falloff=falloff, rest_weights=rest_weights),
        step=step_rad,
        safe_zone=safe_zone,
        limits=limits,
        max_steps=int(_TRAVEL_RAD / step_rad),
        seconds=seconds,
    )
    planner = PaperPlanner(experiment.figure, options)
    return planner.plan_counted(replace(problem, start=start, goal=goal))


def sweep(
    experiment: Experiment,
    progress: Progress,
    steps_rad: Sequence[float] = STEPS_RAD,
    clearances_m: Sequence[float] = CLEARANCES_M,
) -> list[SweepRun]:
    """All settings, the best first."""
    found: list[SweepRun] = []
    for step_rad in steps_rad:
        for clearance_m in clearances_m:
            for safe_zone, rest_weights in VARIANTS:
                progress(None, f"{experiment.name}: step {step_rad}, ends {1e3 * clearance_m} mm")
                plan, counts = plan_as_published(
                    experiment,
                    step_rad,
                    clearance_m,
                    safe_zone=safe_zone,
                    rest_weights=rest_weights,
                )
                met = plan.status is not PlanStatus.STUCK
                proof = plan.certificate if met else None
                found.append(
                    SweepRun(
                        step_rad,
                        clearance_m,
                        safe_zone,
                        rest_weights,
                        met,
                        proof is not None and proof.certified,
                        None if proof is None else proof.penetration_witnessed_m,
                        None if proof is None else len(proof.pass_throughs),
                        plan.seconds,
                        plan.processor_s or 0.0,
                        counts,
                    )
                )
    return sorted(found, key=lambda run: run.rank)


@dataclass(frozen=True)
class ZoneTest:
    """Algorithm 1 without joint limits at one setting, with and without the safe zone.

    `line` is the straight line between the two postures for which the zone held first.
    """

    step_rad: float
    clearance_m: float
    steps: tuple[int, int]  # with the zone, without it
    met: tuple[bool, bool]
    penetration_m: tuple[float | None, float | None]
    processor_s: tuple[float, float]  # medians
    in_zone: int  # steps that the zone decided: they follow one straight line
    line_penetration_m: float | None
    line_ends_penetration_m: float | None
    line_rad: float | None


def zone_test(
    experiment: Experiment, step_rad: float, clearance_m: float, repeats: int = 3
) -> ZoneTest:
    """Whether the safe zone changes the path of Algorithm 1, and whether its lines are free."""
    runs = [
        [
            plan_as_published(experiment, step_rad, clearance_m, safe_zone=zone, limits=False)
            for _ in range(repeats)
        ]
        for zone in (True, False)
    ]
    (plan, counts), (_, without) = runs[0][0], runs[1][0]
    met = [one[0][0].status is not PlanStatus.STUCK for one in runs]
    depth = [
        one[0][0].certificate.penetration_witnessed_m if good else None
        for one, good in zip(runs, met, strict=True)
    ]
    spent = [float(np.median([p.processor_s or 0.0 for p, _ in one])) for one in runs]
    line = counts.zone_line
    return ZoneTest(
        step_rad,
        clearance_m,
        (counts.steps, without.steps),
        (met[0], met[1]),
        (depth[0], depth[1]),
        (spent[0], spent[1]),
        counts.in_safe_zone,
        None if line is None else _penetration(plan.problem, line),
        None if line is None else max(_penetration(plan.problem, q[None]) for q in line),
        None if line is None else path_length(plan.skeleton, line),
    )


def _penetration(problem: PlanProblem, line: Floats) -> float:
    return certify(problem.table, line, fps=1.0).penetration_witnessed_m


def zone_lines(
    experiment: Experiment, plan: Plan, count: int = 16, threshold: float = 0.3
) -> dict[str, float]:
    """The statement of section 5.2.2, tested between postures of a certified path.

    Of all pairs of `count` postures whose linking differs by less than the threshold: how many
    there are, along how many of their straight lines shapes overlap, and how deep at most.
    """
    rows = resample_evenly(plan.skeleton, plan.path, count)
    bundle = body_bundle(experiment.figure)
    linking = np.array([bundle.linking(q) for q in rows])
    pairs = [
        (i, j)
        for i, j in combinations(range(count), 2)
        if np.abs(linking[i] - linking[j]).max() < threshold
    ]
    proofs = [certify(plan.problem.table, rows[[i, j]], fps=1.0) for i, j in pairs]
    depths = [proof.penetration_witnessed_m for proof in proofs]
    return {
        "pairs": len(pairs),
        "penetrating": sum(not proof.certified for proof in proofs),
        "deepest_m": max(depths, default=0.0),
    }


def summarise_sweep(runs: Sequence[SweepRun]) -> dict[str, Any]:
    """The best setting, the best one as printed, and how many of each met and were certified.

    `corrected_share`: steps of the printed setting in which a constraint was violated, so that the
    safe zone was not consulted.
    """
    printed = [run for run in runs if run.safe_zone and not run.rest_weights]
    total = sum(run.counts.steps for run in printed)
    return {
        "runs": [run.as_dict() for run in runs],
        "best": runs[0].as_dict(),
        "best_as_printed": printed[0].as_dict(),
        "count": len(runs),
        "met": sum(run.met for run in runs),
        "certified": sum(run.certified for run in runs),
        "certified_as_printed": sum(run.certified for run in printed),
        "count_as_printed": len(printed),
        "corrected_share": sum(run.counts.corrected for run in printed) / max(total, 1),
    }

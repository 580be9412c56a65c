"""The published planner over a grid of step sizes and end clearances.

The paper prints neither its step size alpha nor how far apart the limbs of its end postures are.
Both are varied; the energy barrier needs steps that are short beside the clearance. The energy is
as printed (all pairs but neighbours count alike), or with the weights of ours for pairs that are
near at rest; the printed one also without the safe zone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from writhe.planning import EnergyOptions, PaperOptions, PaperPlanner, Plan, PlanStatus
from writhe.planning.clear_endpoints import push_clear
from writhe.progress import Progress
from writhe.research.experiments.energy_planning.postures import Experiment

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

    @property
    def rank(self) -> tuple[bool, bool, int, float]:
        """Smaller is better: certified, met, few pass-throughs, little penetration."""
        through = 0 if self.pass_throughs is None else self.pass_throughs
        return not self.certified, not self.met, through, self.penetration_m or 0.0


def plan_as_published(
    experiment: Experiment,
    step_rad: float,
    clearance_m: float,
    *,
    safe_zone: bool = True,
    rest_weights: bool = False,
    falloff: int = 5,
    seconds: float = 60.0,
) -> Plan:
    """A plan of the published planner between ends that have this clearance."""
    problem = experiment.problem()
    start, goal = (push_clear(problem, q, clearance_m) for q in (problem.start, problem.goal))
    options = PaperOptions(
        energy=EnergyOptions(falloff=falloff, rest_weights=rest_weights),
        step=step_rad,
        safe_zone=safe_zone,
        max_steps=int(_TRAVEL_RAD / step_rad),
        seconds=seconds,
    )
    planner = PaperPlanner(experiment.figure, options)
    return planner.plan(replace(problem, start=start, goal=goal))


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
                plan = plan_as_published(
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
                    )
                )
    return sorted(found, key=lambda run: run.rank)


def summarise_sweep(runs: Sequence[SweepRun]) -> dict[str, Any]:
    """The best setting, the best one as printed, and how many of each met and were certified."""
    printed = [run for run in runs if run.safe_zone and not run.rest_weights]
    return {
        "runs": [asdict(run) for run in runs],
        "best": asdict(runs[0]),
        "best_as_printed": asdict(printed[0]),
        "count": len(runs),
        "met": sum(run.met for run in runs),
        "certified": sum(run.certified for run in runs),
        "certified_as_printed": sum(run.certified for run in printed),
        "count_as_printed": len(printed),
    }

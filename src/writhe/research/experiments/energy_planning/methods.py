"""The planners that the experiments compare, and their metrics."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.planning import (
    EnergyOptions,
    EnergyPlanner,
    Plan,
    PlanOptions,
)
from writhe.planning.ompl_planners import PLANNERS, RANGE_RAD
from writhe.planning.ompl_process import PlannerProcess
from writhe.research.experiments.energy_planning.postures import Experiment
from writhe.research.experiments.energy_planning.published_sweep import plan_as_published
from writhe.skeleton import Skeleton, forward
from writhe.skeleton.configuration_paths import resample_evenly
from writhe.skeleton.kinematics import difference

# longest edges of OMPL's trees (rad): at 0.3 rad RRTConnect solves the contortion, at 1 rad hardly
# ever, and it solves the others with both; RRT and RRT* solve it with none (`sampling-sweep`)
RANGES_RAD = {"rrtconnect": 0.3}
# of `paper`, the published algorithm at one setting; `published_sweep` has the others
PAPER_STEP_RAD, PAPER_CLEARANCE_M = 0.003, 0.01
Run = Callable[[Experiment, int], Plan]
SAMPLES = 100  # of a path, for its roughness


@dataclass(frozen=True)
class Budget:
    """Number of the sampling planners' runs, and the limits of CPU time.

    A planner without a success after `patience_s` of runs is given up, unless `all_runs`: its
    remaining runs count as failed without being run.
    """

    runs: int = 10
    seconds: float = 60.0
    paper_seconds: float = 10.0
    all_runs: bool = False

    @property
    def patience_s(self) -> float:
        """Three runs, or as many as 60 s allow."""
        return math.inf if self.all_runs else min(3.0 * self.seconds, 60.0)


def methods(budget: Budget, process: PlannerProcess) -> dict[str, Run]:
    """All methods by name; the sampling planners run in `process`."""

    def default(falloff: int) -> Run:
        options = PlanOptions(energy=EnergyOptions(falloff=falloff))
        planner = EnergyPlanner(options)

        def run(experiment: Experiment, seed: int) -> Plan:
            problem = experiment.problem()
            planner.plan(problem)  # allocate and compile before timing
            begun = time.thread_time()
            plan = planner.plan(problem)
            return replace(plan, processor_s=time.thread_time() - begun)

        return run

    def paper(falloff: int, safe_zone: bool) -> Run:
        def run(experiment: Experiment, seed: int) -> Plan:
            return plan_as_published(
                experiment,
                PAPER_STEP_RAD,
                PAPER_CLEARANCE_M,
                safe_zone=safe_zone,
                falloff=falloff,
                seconds=budget.paper_seconds,
            )[0]

        return run

    def sampling(name: str) -> Run:
        return lambda experiment, seed: process.plan(
            name,
            experiment.problem(),
            seed=seed,
            seconds=budget.seconds,
            range_rad=RANGES_RAD.get(name, RANGE_RAD),
        )

    found: dict[str, Run] = {
        "default": default(5),
        "default-d2": default(2),
        "paper": paper(5, True),
        "paper-no-safe-zone": paper(5, False),
        "paper-d2": paper(2, False),  # figure 13a: without the safe zone
    }
    if find_spec("ompl") is not None:
        found |= {name: sampling(name) for name in PLANNERS}
    return found


def repeated(method: str, plan_with: Run, experiment: Experiment, budget: Budget) -> list[Plan]:
    """The runs of a method; a single one for deterministic methods."""
    plans: list[Plan] = []
    for seed in range(budget.runs if method in PLANNERS else 1):
        plans.append(plan_with(experiment, seed + 1))
        spent = sum(_processor_s(plan) for plan in plans)
        if spent >= budget.patience_s and not any(plan.solved for plan in plans):
            break
    return plans


def summarise_runs(plans: Sequence[Plan], runs: int | None = None) -> dict[str, Any]:
    """Metrics of one method on one experiment; success means certified from end to end.

    `runs` is the planned number of runs; missing ones count as failed.
    """
    planned = runs or len(plans)
    good = [p for p in plans if p.solved and p.certificate.certified]
    proofs = [p.certificate for p in plans if p.solved]
    return {
        "runs": planned,
        "runs_made": len(plans),
        "success_rate": len(good) / planned,
        "seconds_median": float(np.median([p.seconds for p in plans])),
        "seconds": [p.seconds for p in plans],
        "processor_s": [p.processor_s for p in plans],
        "processor_s_median": float(np.median([_processor_s(p) for p in plans])),
        "path_length_rad": float(np.median([p.length_rad for p in good])) if good else None,
        "smoothness_rad": (
            float(np.median([roughness(p.skeleton, p.path) for p in good])) if good else None
        ),
        "spread_m": max((spread(p.skeleton, p.path) for p in plans if p.solved), default=None),
        "arms_out_m": max((arms_out(p.skeleton, p.path) for p in plans if p.solved), default=None),
        "penetration_m": max((p.penetration_upper_bound_m for p in proofs), default=None),
        "pass_throughs": sum(len(p.pass_throughs) for p in proofs),
    }


def _processor_s(plan: Plan) -> float:
    """CPU time, or wall-clock time for a process that had to be killed."""
    return plan.seconds if plan.processor_s is None else plan.processor_s


def spread(skeleton: Skeleton, path: Floats) -> float:
    """How far a body opens: the mean distance between two joints, the largest along a path (m)."""
    at = forward(skeleton, resample_evenly(skeleton, path, SAMPLES)).positions
    apart = np.linalg.norm(at[:, :, None] - at[:, None], axis=-1)
    count = at.shape[1]
    return float(apart.sum(axis=(1, 2)).max() / (count * (count - 1)))


def arms_out(skeleton: Skeleton, path: Floats) -> float:
    """The mean distance of the wrists from the hips' joint, the largest along a path (m)."""
    at = forward(skeleton, resample_evenly(skeleton, path, SAMPLES))
    named = {name.rpartition(".")[2]: name for name in skeleton.names}
    hips = at.position(named["hips"])
    wrists = [at.position(named[f"{side}_wrist"]) for side in ("left", "right")]
    apart = [np.linalg.norm(wrist - hips, axis=1) for wrist in wrists]
    return float(np.mean(apart, axis=0).max())


def roughness(skeleton: Skeleton, path: Floats) -> float:
    """RMS of second differences over evenly spaced samples of a path; lower is smoother."""
    rows = resample_evenly(skeleton, path, SAMPLES)
    steps = np.array([difference(skeleton, rows[i], rows[i + 1]) for i in range(SAMPLES - 1)])
    return float(np.sqrt((np.diff(steps, axis=0) ** 2).sum(axis=1).mean()))

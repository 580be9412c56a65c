"""Which runs OMPL's planners get in `sampling-sweep`."""

from __future__ import annotations

from typing import cast

from writhe.planning import EnergyPlanner, Plan, PlanStatus
from writhe.planning.ompl_process import PlannerProcess
from writhe.planning.problem import PlanProblem
from writhe.progress import no_progress
from writhe.research.experiments.energy_planning.postures import mirrored_pair
from writhe.research.experiments.energy_planning.sampling_sweep import RANGES_RAD, sweep_sampling


class _Answers:
    """In place of a process: RRTConnect finds a path with short edges only, PRM finds none."""

    def __init__(self, problem: PlanProblem) -> None:
        self.path = EnergyPlanner().plan(problem).path
        self.runs = list[tuple[str, float, float]]()

    def plan(
        self, method: str, problem: PlanProblem, *, seed: int, seconds: float, range_rad: float
    ) -> Plan:
        """A certified path, or none after all of the time."""
        self.runs.append((method, range_rad, seconds))
        if method == "rrtconnect" and range_rad < 1.0:
            return Plan(problem, self.path, PlanStatus.EXACT, method, 9.0, processor_s=0.5)
        path = problem.start[None]
        return Plan(problem, path, PlanStatus.STUCK, method, 90.0, processor_s=seconds)


def test_only_planners_that_no_range_helps_get_the_long_run() -> None:
    experiment = mirrored_pair("arm-fold", "arm fold")
    process = _Answers(experiment.problem())
    found = sweep_sampling(
        experiment,
        cast(PlannerProcess, process),
        no_progress,
        ("rrtconnect", "prm"),
        short_s=2.0,
        long_s=30.0,
    )
    short = [run for run in process.runs if run[2] == 2.0]
    assert [run[:2] for run in short] == [*(("rrtconnect", r) for r in RANGES_RAD), ("prm", 1.0)]
    assert found["solved"] == 1
    assert set(found["long_runs"]) == {"prm"}
    # limits and times are of CPU time, whatever the wall-clock time
    assert found["long_runs"]["prm"]["processor_s"] == 30.0
    assert found["long_run"]["solved"] and found["long_run"]["processor_s"] == 0.5

"""Algorithm 1 with other shares of the new pose: alpha of line 7, which is not printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from writhe.progress import Progress
from writhe.research.experiments.half_space_ik.methods import READINGS
from writhe.research.experiments.half_space_ik.play_scenario import figures, play
from writhe.research.experiments.half_space_ik.published_methods import Algorithm1Method
from writhe.research.experiments.half_space_ik.scenario import Scenario
from writhe.solvers.half_space import ResponseOptions

SHARES = (0.25, 0.5, 0.75, 0.9, 1.0)
SWEPT = ("algorithm-1", "algorithm-1-passes")


def sweep_blend(progress: Progress, scenarios: Sequence[Scenario]) -> list[dict[str, Any]]:
    """Overlaps and jerk by scenario, reading of the algorithm and alpha."""
    rows: list[dict[str, Any]] = []
    for scenario in scenarios:
        for name in SWEPT:
            for share in SHARES:
                progress(None, f"{scenario.title}: {name}, alpha {share:g}")
                reading = replace(READINGS[name], blend=share)
                method = Algorithm1Method(scenario, ResponseOptions(gate=False), reading)
                one = figures(scenario, play(scenario, method))
                keys = ("penetrating_frames", "penetration_m", "pass_throughs", "certified", "jerk")
                row = {"scenario": scenario.name, "method": name, "alpha": share}
                rows.append(row | {key: one[key] for key in keys})
    return rows

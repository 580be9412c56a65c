"""`writhe bench drag`: all posing methods on the same scripted drags, alone and among objects."""

from __future__ import annotations

from typing import Any

from writhe.database import PostureDatabase
from writhe.research.benchmarks import Progress
from writhe.research.evaluation.drag_scenes import SETTINGS, make_setting
from writhe.research.evaluation.metrics import Tally
from writhe.research.evaluation.run_drags import run_setting
from writhe.solvers.posing import method_names


def run(
    progress: Progress,
    *,
    database: PostureDatabase | None = None,
    rounds: int = 1,
    methods: tuple[str, ...] | None = None,
    settings: tuple[str, ...] | None = None,
) -> dict[str, Any]:
    """Every method on every drag; methods take turns, so a busy machine is unfair to none.

    `methods` says what came of all drags, `settings` of those in each place.
    """
    names = methods or tuple(method_names())
    chosen = settings or SETTINGS
    total: dict[str, Tally] = {}
    by_setting: dict[str, Any] = {}
    drags = 0
    for place in chosen:
        # a database without the object cannot stand in where there is one
        progress(f"{place}: preparing")
        setting = make_setting(place, database if place == "basic" else None)
        tallies = run_setting(progress, setting, names, rounds)
        drags += len(setting.drags(rounds))
        by_setting[place] = {name: tally.summary() for name, tally in tallies.items()}
        for name, tally in tallies.items():
            if name in total:
                total[name].merge(tally)
            else:
                total[name] = tally
    return {
        "figure": "human",
        "database": None if database is None else len(database),
        "drags": drags,
        "methods": {name: tally.summary() for name, tally in total.items()},
        "settings": by_setting,
    }

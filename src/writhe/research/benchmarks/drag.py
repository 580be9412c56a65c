"""`writhe bench drag`: all posing methods on the same scripted drags, with and without objects."""

from __future__ import annotations

from typing import Any

from writhe.database import PostureDatabase
from writhe.progress import Progress
from writhe.research.evaluation.drags.drag_scenes import SETTINGS, make_drag_scene
from writhe.research.evaluation.drags.run_drags import run_drag_scene
from writhe.research.evaluation.metrics import PosingMetrics
from writhe.solvers.posing import method_names


def run(
    progress: Progress,
    *,
    database: PostureDatabase | None = None,
    rounds: int = 1,
    methods: tuple[str, ...] | None = None,
    settings: tuple[str, ...] | None = None,
) -> dict[str, Any]:
    """Run every method on every drag, alternating, so that load affects all methods equally.

    In the result, `methods` is over all drags, `settings` over those of each scene.
    """
    names = methods or tuple(method_names())
    chosen = settings or SETTINGS
    total: dict[str, PosingMetrics] = {}
    by_setting: dict[str, Any] = {}
    drags = 0
    for scene_name in chosen:
        # a database without the object cannot replace a database with it
        progress(None, f"{scene_name}: preparing")
        scene = make_drag_scene(scene_name, database if scene_name == "basic" else None)
        metrics_of = run_drag_scene(progress, scene, names, rounds)
        drags += len(scene.drags(rounds))
        by_setting[scene_name] = {name: metrics.summary() for name, metrics in metrics_of.items()}
        for name, metrics in metrics_of.items():
            if name in total:
                total[name].merge(metrics)
            else:
                total[name] = metrics
    return {
        "figure": "human",
        "database": None if database is None else len(database),
        "drags": drags,
        "methods": {name: metrics.summary() for name, metrics in total.items()},
        "settings": by_setting,
    }

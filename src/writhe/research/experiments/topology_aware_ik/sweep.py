"""Why the published method collides: its parameters varied one at a time.

`writhe reproduce topology-aware-ik --sweep`: every other drag of `basic` is run with the method as
published and one change: linking radius, a weight, latent dimensions, neighbours, iterations,
density of the database, speed of the drag, the pinned feet, or only feasible drags. Frames are
counted by several depths, because the paper does not say from which depth on it counts a collision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from writhe.arrays import Floats
from writhe.collision import CollisionTable, NearPairs, certify
from writhe.progress import Progress
from writhe.research.evaluation import Report
from writhe.research.evaluation.drags.drag_scenes import DragScene, make_drag_scene
from writhe.research.evaluation.drags.run_drags import FPS, run_drag
from writhe.research.evaluation.drags.scripted_drag import ScriptedDrag
from writhe.skeleton import forward
from writhe.solvers.posing import make_poser
from writhe.solvers.posing.alternatives.latent_posers import LatentOptions

DEPTHS_M = (0.002, 0.01, 0.03)  # overlaps from which a frame counts


@dataclass(frozen=True)
class SettingChange:
    """One change of the published setting."""

    parameter: str
    value: str
    method: str = "paper"
    options: LatentOptions = field(default_factory=LatentOptions)
    database_share: float = 1.0
    speed: float = 1.0  # of the drags
    pinned: bool = True
    feasible_only: bool = False


def changes() -> list[SettingChange]:
    """The published setting, its baseline, and every change."""
    base = LatentOptions()
    out = [
        SettingChange("as published", ""),
        SettingChange("baseline", "local-pca", method="local-pca"),
        SettingChange("only feasible drags", "paper", feasible_only=True),
        SettingChange("only feasible drags", "local-pca", method="local-pca", feasible_only=True),
        SettingChange("feet", "free", pinned=False),
    ]
    varied: dict[str, Sequence[float]] = {
        "linking_radius": (0.05, 0.1, 1.0),
        "topology_weight": (0.0, 10.0, 100.0, 1000.0),
        "continuity_weight": (0.02, 2.0, 20.0),
        "style_weight": (0.1, 10.0),
        "dimensions": (10, 45),
        "neighbours": (15, 200),
        "iterations": (1, 10),
    }
    for name, values in varied.items():
        for value in values:
            given = int(value) if isinstance(getattr(base, name), int) else float(value)
            options = replace(base, **{name: given})
            out.append(SettingChange(name.replace("_", " "), f"{value:g}", options=options))
    out += [
        SettingChange("database", f"{share:.0%} of the postures", database_share=share)
        for share in (0.25, 0.5)
    ]
    out += [
        SettingChange("speed of the drag", f"{speed:g} times", speed=speed) for speed in (0.25, 4.0)
    ]
    return out


def run_sweep(progress: Progress, report: Report, *, every: int = 2) -> list[dict[str, Any]]:
    """All changes on every `every`-th drag, as rows of plain data and a table of the report."""
    scene = make_drag_scene("basic", None)
    table = CollisionTable.of_figure(scene.figure)
    found: list[dict[str, Any]] = []
    with threadpool_limits(limits=1, user_api="blas"):
        for change in changes():
            progress(None, f"{change.parameter} {change.value}")
            found.append(_evaluated(change, scene, table, every))
    report.heading("Why the published method collides")
    report.table(
        ["changed", "to", *(f"over {1e3 * d:g} mm (%)" for d in DEPTHS_M), "pass-throughs",
         "target (cm)", "most frequent pairs"],
        [
            [row["parameter"], row["value"], *row["penetrating_percent"], row["pass_throughs"],
             row["target_residual_cm"], ", ".join(row["pairs"])]
            for row in found
        ],
    )  # fmt: skip
    return found


def _evaluated(
    change: SettingChange, scene: DragScene, table: CollisionTable, every: int
) -> dict[str, Any]:
    database = scene.database
    if database is not None and change.database_share < 1.0:
        rng = np.random.default_rng(0)
        kept = rng.permutation(len(database))[: int(change.database_share * len(database))]
        database = database.take(np.sort(kept))
    poser = make_poser(change.method, scene.figure, database, options=change.options)
    deepest: list[Floats] = []
    pairs: Counter[str] = Counter()
    through, errors = 0, list[float]()
    for drag in scene.drags(1)[::every]:
        if change.feasible_only and not drag.feasible:
            continue
        run = run_drag(poser, scene.figure, _changed(drag, change), scene.start)
        depth, worst = _depths(table, run.q)
        deepest.append(depth)
        pairs.update(name for name in worst if name)
        through += len(certify(table, run.q, FPS).pass_throughs)
        errors += run.errors_m.tolist()
    depths = np.concatenate(deepest)
    return {
        "parameter": change.parameter,
        "value": change.value,
        "frames": len(depths),
        "penetrating_percent": [100.0 * float((depths > d).mean()) for d in DEPTHS_M],
        "pass_throughs": through,
        "target_residual_cm": 100.0 * float(np.mean(errors)),
        "pairs": [name for name, _ in pairs.most_common(3)],
    }


def _changed(drag: ScriptedDrag, change: SettingChange) -> ScriptedDrag:
    frames = np.arange(0.0, len(drag.path) - 1e-9, change.speed)
    low = np.minimum(frames.astype(int), len(drag.path) - 2)
    share = (frames - low)[:, None, None]
    path = (1.0 - share) * drag.path[low] + share * drag.path[low + 1]
    return replace(drag, path=path, pinned=drag.pinned if change.pinned else ())


def _depths(table: CollisionTable, q: Floats) -> tuple[Floats, list[str]]:
    """(frames,) the deepest overlap beyond its allowance, and its pair of parts."""
    frames, near = forward(table.skeleton, q), NearPairs(table)
    depth, names = np.zeros(len(q)), [""] * len(q)
    for i in range(len(q)):
        near.find(frames.positions[i], frames.rotations[i], 0.0)
        if near.count == 0 or near.clearance.min() >= -DEPTHS_M[0]:
            continue
        k = int(near.clearance.argmin())
        depth[i] = -float(near.clearance[k])
        parts = sorted(table.part_of_shape(int(s)) for s in near.rows.shapes[k])
        names[i] = " and ".join(parts).replace("_", " ")
    return depth, names

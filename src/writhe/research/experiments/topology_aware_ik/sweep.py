"""Why the published method collides: its parameters and readings varied one at a time.

`writhe reproduce topology-aware-ik --sweep`: every other drag of `basic` is run with the method as
published and one change: linking radius, a weight, latent dimensions, neighbours, iterations, the
regularisation, density of the database, speed of the drag, the pinned feet, the curves of the body,
or a reading of the text. One drag is left out of these rows, because it pins feet, chest and hips
and aims a hand through the chest: its constraints contradict each other, and a method without
collision handling jumps about in it. A second table has the four methods on all drags, by kind.
Frames are counted by several depths, because the paper does not say from which depth on it counts a
collision.
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
from writhe.database import PostureDatabase
from writhe.progress import Progress
from writhe.research.evaluation import Report
from writhe.research.evaluation.drags.drag_scenes import DragScene, make_drag_scene
from writhe.research.evaluation.drags.run_drags import FPS, run_drag
from writhe.research.evaluation.drags.scripted_drag import ScriptedDrag
from writhe.research.experiments.topology_aware_ik.readings import Reading, ReadingPoser
from writhe.skeleton import forward
from writhe.solvers.posing import make_poser
from writhe.solvers.posing.alternatives.latent_posers import LatentOptions
from writhe.topology import linking_vector

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
    halved_curves: bool = False  # every curve of the body in two
    reading: Reading | None = None
    kind: str = ""  # of the drags, see `_kind`; all that are not contradictory if empty


READINGS = {
    "neighbours by Euler angles": Reading(euler_neighbours=True),
    "Euler angles unwrapped": Reading(unwrapped=True),
    "neighbours: the nearest 100 by linking, then 50": Reading(nearest_linking=100),
    "neighbours: the nearest 200 by linking, then 50": Reading(nearest_linking=200),
    "style term towards the centre": Reading(to_centre=True),
    "centre, Euler neighbours among the nearest 100 by linking": Reading(
        euler_neighbours=True, nearest_linking=100, to_centre=True
    ),
    "residual of the projection kept": Reading(with_residual=True),
    "latent space of the linking": Reading(linking_space=True),
    "topology term as a constraint": Reading(linking_constraint=True),
}
BASELINE_READINGS = {
    "style term towards the centre": Reading(to_centre=True),
    "centre, Euler neighbours": Reading(euler_neighbours=True, to_centre=True),
}
KINDS = ("feasible", "aimed through", "contradictory")
METHODS = ("local-pca", "paper", "plain", "default")


def changes() -> list[SettingChange]:
    """The published setting, its baseline, and every change."""
    base = LatentOptions()
    out = [
        SettingChange("as published", ""),
        SettingChange("baseline", "local-pca", method="local-pca"),
        SettingChange("feet", "free", pinned=False),
    ]
    varied: dict[str, Sequence[float]] = {
        "linking_radius": (0.05, 0.1, 1.0),
        "topology_weight": (0.0, 10.0, 100.0, 1000.0),
        "continuity_weight": (0.02, 2.0, 20.0),
        "style_weight": (0.1, 10.0),
        "root_weight": (10.0, 100.0, 1e9),
        "regularisation": (1e-8, 1e-4, 1e-2),
        "dimensions": (10, 45),
        "neighbours": (15, 200),
        "iterations": (1, 10),
    }
    for name, values in varied.items():
        for value in values:
            given = int(value) if isinstance(getattr(base, name), int) else float(value)
            options = replace(base, **{name: given})
            out.append(SettingChange(name.replace("_", " "), f"{value:g}", options=options))
    out += [SettingChange("reading", name, reading=reading) for name, reading in READINGS.items()]
    out += [
        SettingChange("baseline, reading", name, method="local-pca", reading=reading)
        for name, reading in BASELINE_READINGS.items()
    ]
    out += [
        SettingChange("curves of the body", "ten instead of five", halved_curves=True),
        *(
            SettingChange("database", f"{share:.0%} of the postures", database_share=share)
            for share in (0.25, 0.5)
        ),
        *(
            SettingChange("speed of the drag", f"{speed:g} times", speed=speed)
            for speed in (0.25, 4.0)
        ),
    ]
    return out


def run_sweep(
    progress: Progress, report: Report, database: PostureDatabase | None = None, *, every: int = 2
) -> dict[str, Any]:
    """The rows of all changes, on every `every`-th drag, and of the methods by kind of drag.

    On the postures of `database`, or the built-in ones.
    """
    scene = make_drag_scene("basic", database)
    table = CollisionTable.of_figure(scene.figure)
    rows: list[dict[str, Any]] = []
    kinds: list[dict[str, Any]] = []
    with threadpool_limits(limits=1, user_api="blas"):
        for change in changes():
            progress(None, f"{change.parameter} {change.value}")
            rows.append(evaluated(change, scene, table, every))
        for change in by_kind():
            progress(None, f"{change.parameter} {change.value}")
            kinds.append(evaluated(change, scene, table, 1))
    _tabulate(report, "Why the published method collides", rows)
    _tabulate(report, "The methods by kind of drag", kinds)
    postures = 0 if scene.database is None else len(scene.database)
    return {"postures": postures, "sweep": rows, "kinds": kinds}


def by_kind() -> list[SettingChange]:
    """The methods on the drags of each kind."""
    return [SettingChange(kind, m, method=m, kind=kind) for kind in KINDS for m in METHODS]


def _tabulate(report: Report, title: str, found: list[dict[str, Any]]) -> None:
    report.heading(title)
    report.table(
        ["changed", "to", *(f"over {1e3 * d:g} mm (%)" for d in DEPTHS_M), "pass-throughs",
         "target (cm)", "most frequent pairs"],
        [
            [row["parameter"], row["value"], *row["penetrating_percent"], row["pass_throughs"],
             row["target_residual_cm"], ", ".join(row["pairs"])]
            for row in found
        ],
    )  # fmt: skip


def evaluated(
    change: SettingChange, scene: DragScene, table: CollisionTable, every: int
) -> dict[str, Any]:
    """The drags of one change, as plain data."""
    figure, database = scene.figure, scene.database
    if database is not None and change.database_share < 1.0:
        rng = np.random.default_rng(0)
        kept = rng.permutation(len(database))[: int(change.database_share * len(database))]
        database = database.take(np.sort(kept))
    if database is not None and change.halved_curves:
        figure = replace(figure, strands=halved(figure.strands))
        database = PostureDatabase.from_postures(figure, database.q, clip=database.clip)
    if change.method == "default":
        poser = scene.poser("default")
    elif change.reading is not None and database is not None:
        poser = ReadingPoser(
            database, change.options, change.reading, topology=change.method == "paper"
        )
    else:
        options = change.options if change.method in ("paper", "local-pca") else None
        poser = make_poser(change.method, figure, database, options=options)
    deepest: list[Floats] = []
    pairs: Counter[str] = Counter()
    through, errors, turns = 0, list[float](), list[float]()
    for drag in scene.drags(1)[::every]:
        kind = _kind(drag)
        if kind != change.kind if change.kind else kind == "contradictory":
            continue
        run = run_drag(poser, scene.figure, _changed(drag, change), scene.start)
        depth, worst = _depths(table, run.q)
        deepest.append(depth)
        pairs.update(name for name in worst if name)
        through += len(certify(table, run.q, FPS).pass_throughs)
        errors += run.errors_m.tolist()
        turns += np.linalg.norm(np.diff(linking_vector(figure, run.q), axis=0), axis=1).tolist()
    depths = np.concatenate(deepest)
    return {
        "parameter": change.parameter,
        "value": change.value,
        "frames": len(depths),
        "penetrating_percent": [100.0 * float((depths > d).mean()) for d in DEPTHS_M],
        "pass_throughs": through,
        "target_residual_cm": 100.0 * float(np.mean(errors)),
        "linking_change_median": float(np.median(turns)),
        "pairs": [name for name, _ in pairs.most_common(3)],
    }


def halved(
    strands: tuple[tuple[str, tuple[str, ...]], ...],
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Every strand as two, which share the joint in its middle."""
    out: list[tuple[str, tuple[str, ...]]] = []
    for name, joints in strands:
        middle = len(joints) // 2
        out += [(f"{name}_1", joints[: middle + 1]), (f"{name}_2", joints[middle:])]
    return tuple(out)


def _kind(drag: ScriptedDrag) -> str:
    """`feasible`, `aimed through` the body, or with `contradictory` constraints besides."""
    if drag.feasible:
        return KINDS[0]
    return KINDS[2] if {"chest", "hips"} <= set(drag.pinned) else KINDS[1]


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

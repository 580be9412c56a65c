"""Run scripted drags with posers, and collect metrics of the motions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from writhe.arrays import Floats, vector3
from writhe.collision import CollisionTable
from writhe.progress import Progress
from writhe.research.evaluation.drags.drag_scenes import DragScene
from writhe.research.evaluation.drags.scripted_drag import ScriptedDrag
from writhe.research.evaluation.metrics import REACHED_M, STALL_M, STALL_SPEED_M, PosingMetrics
from writhe.research.evaluation.skin.depth import SkinDepth
from writhe.skeleton import Figure
from writhe.solvers.posing import Poser, Target, pin_here
from writhe.solvers.posing.actor_in_scene import ActorInScene

FPS = 60.0  # of scripted drags; one poser step per frame


@dataclass(frozen=True)
class DragRun:
    """The motion of a poser along a scripted drag."""

    q: Floats  # (frames + 1, nq), starting with the initial posture
    errors_m: Floats  # (frames,) largest distance to a target
    milliseconds: list[float]
    shortened: int
    refused: int
    unfamiliar: Floats  # (frames,) distance from the database; NaN if the poser has none


def run_drag(
    poser: Poser, body: Figure, drag: ScriptedDrag, start: Floats, *, flat_feet: bool = False
) -> DragRun:
    """Run a drag from the posture `start` (nq); `flat_feet`: pins hold orientations too."""
    q = start
    pins = [pin_here(body.skeleton, q, joint, orientation=flat_feet) for joint in drag.pinned]
    rows: list[Floats] = [q]
    errors: list[float] = []
    times: list[float] = []
    unfamiliar: list[float] = []
    shortened = refused = 0
    for points in drag.path:
        targets = [Target(joint, vector3(p)) for joint, p in zip(drag.joints, points, strict=True)]
        result = poser.step(q, targets, pins)
        q = result.q
        rows.append(q)
        errors.append(max(result.target_error_m.values()))
        times.append(result.milliseconds)
        unfamiliar.append(np.nan if result.unfamiliar is None else result.unfamiliar)
        shortened += result.gate.shortened
        refused += result.gate.refused
    return DragRun(
        np.array(rows), np.array(errors), times, shortened, refused, np.array(unfamiliar)
    )


def evaluate_drag(
    metrics: PosingMetrics,
    poser: Poser,
    body: Figure,
    drag: ScriptedDrag,
    start: Floats,
    *,
    flat_feet: bool = False,
) -> DragRun:
    """Run a drag and add its metrics."""
    run = run_drag(poser, body, drag, start, flat_feet=flat_feet)
    metrics.add_motion(run.q, FPS)
    metrics.milliseconds += run.milliseconds
    metrics.residuals += run.errors_m.tolist()
    metrics.shortened += run.shortened
    metrics.refused += run.refused
    if drag.feasible:
        rests = np.array(drag.rests)
        metrics.feasible_targets += len(rests)
        metrics.missed_targets += int((run.errors_m[rests] > REACHED_M).sum())
        nearer = -np.diff(run.errors_m)
        metrics.stall_frames += len(nearer)
        metrics.stalled += int(((run.errors_m[1:] > STALL_M) & (nearer < STALL_SPEED_M)).sum())
    return run


def run_drag_scene(
    progress: Progress, setting: DragScene, methods: tuple[str, ...], rounds: int
) -> dict[str, PosingMetrics]:
    """The metrics of the methods in one scene.

    BLAS runs on one thread: matrices this small do not benefit from more, and on a busy machine
    threads wait for each other.
    """
    with threadpool_limits(limits=1, user_api="blas"):
        return _run_drag_scene(progress, setting, methods, rounds)


def _run_drag_scene(
    progress: Progress, setting: DragScene, methods: tuple[str, ...], rounds: int
) -> dict[str, PosingMetrics]:
    posers = {name: setting.poser(name) for name in methods}
    metrics_of = {name: make_metrics(setting) for name in methods}
    drags = setting.drags(rounds)
    for poser in posers.values():  # compile before anything is timed
        run_drag(poser, setting.figure, drags[0], setting.start)
    for number, drag in enumerate(drags):
        progress(None, f"{setting.name}: drag {number + 1} of {len(drags)}: {drag.name}")
        for name, poser in posers.items():
            evaluate_drag(metrics_of[name], poser, setting.figure, drag, setting.start)
    return metrics_of


def make_metrics(setting: DragScene) -> PosingMetrics:
    """Empty metrics for motions in a drag scene."""
    body = setting.figure
    if setting.scene is None:
        return PosingMetrics(body, CollisionTable.of_figure(body), SkinDepth.of_figure(body))
    actor = ActorInScene.in_scene(setting.scene, setting.actor)
    return PosingMetrics(body, actor.table, SkinDepth(setting.scene), actor)

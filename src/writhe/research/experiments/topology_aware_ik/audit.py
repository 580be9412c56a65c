"""What the published method's neighbours are like, and whether more curves of an object help it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from writhe.arrays import Bools, Floats
from writhe.collision import CollisionTable, NearPairs, certify
from writhe.database import PostureDatabase, posture_features
from writhe.database.posture import normalise
from writhe.research.evaluation.drags.drag_scenes import DragScene, make_drag_scene
from writhe.research.evaluation.drags.run_drags import FPS, run_drag
from writhe.research.evaluation.metrics import penetrating_frames
from writhe.scene.object_strands import object_bundle
from writhe.skeleton import forward
from writhe.solvers.chart import EulerChart
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.solvers.posing.alternatives.latent_posers import (
    EULER_ORDER,
    ROOT,
    LatentOptions,
    LatentPoser,
)

DEEP_M = 0.002  # overlap from which a posture of the database counts
SIGNED = 0.05  # linking from which its sign counts
_EVERY = 10  # frames between queries
_ALL = 1e9  # a linking radius that contains every posture


def neighbours_of(database: PostureDatabase | None) -> dict[str, Any]:
    """The neighbours that `paper` finds along the feasible drags of `basic`.

    How many overlap, have another sign of a linking, or are over half a turn away in some Euler
    angle; which share of the database lies within the linking radius; and how many of the nearest
    by joint angles alone, which is what the baseline finds, overlap or have another sign.
    """
    scene = make_drag_scene("basic", database)
    postures = scene.database
    if postures is None:
        return {}
    body, options = scene.figure.skeleton, LatentOptions()
    poser = LatentPoser("paper", postures, options)
    chart = EulerChart(body, EULER_ORDER)
    angles = np.array([chart.coordinates(q) for q in postures.q])
    deep = _overlapping(CollisionTable.of_figure(scene.figure), postures.q)
    overlapping, signs, turned, within = [list[float]() for _ in range(4)]
    kinematic_overlapping, kinematic_signs = list[float](), list[float]()
    for drag in (d for d in scene.drags(1) if d.feasible):
        for q in run_drag(poser, scene.figure, drag, scene.start).q[::_EVERY]:
            linking = poser.query.linking(q)
            features = posture_features(body, normalise(body, q))[0]
            found, _ = poser.query.search.query(
                features, linking, options.neighbours, options.linking_radius
            )
            kinematic, _ = poser.query.search.query(features, linking, options.neighbours, _ALL)
            kinematic_overlapping.append(float(deep[kinematic].mean()))
            kinematic_signs.append(_other_sign(postures.linking[kinematic], linking))
            away = np.abs(angles[found, ROOT:] - chart.coordinates(q)[ROOT:])
            overlapping.append(float(deep[found].mean()))
            signs.append(_other_sign(postures.linking[found], linking))
            turned.append(float((away > np.pi).any()))
            apart = np.linalg.norm(postures.linking - linking, axis=1)
            within.append(float((apart <= options.linking_radius).mean()))
    return {
        "queries": len(within),
        "overlapping_percent": 100.0 * float(np.mean(overlapping)),
        "overlapping_postures_percent": 100.0 * float(deep.mean()),
        "other_sign_percent": 100.0 * float(np.mean(signs)),
        "kinematic_overlapping_percent": 100.0 * float(np.mean(kinematic_overlapping)),
        "kinematic_other_sign_percent": 100.0 * float(np.mean(kinematic_signs)),
        "queries_over_half_a_turn": int(sum(turned)),
        "within_radius_percent_median": 100.0 * float(np.median(within)),
    }


def _other_sign(theirs: Floats, linking: Floats) -> float:
    """The share of rows (K, pairs) with an opposite sign to linking (pairs) where both count."""
    other = (np.sign(theirs) != np.sign(linking)) & (np.abs(theirs) > SIGNED)
    return float((other & (np.abs(linking) > SIGNED)).any(axis=1).mean())


def _overlapping(table: CollisionTable, q: Floats) -> Floats:
    """(frames,) 1 where shapes overlap by over DEEP_M, else 0."""
    frames, near = forward(table.skeleton, q), NearPairs(table)
    found = np.zeros(len(q))
    for i in range(len(q)):
        near.find(frames.positions[i], frames.rotations[i], 0.0)
        found[i] = near.count > 0 and float(near.clearance.min()) < -DEEP_M
    return found


def filter_coverage(everything: PostureDatabase, count: int) -> dict[str, float]:
    """Two filters to about `count` postures: how far wrists of the others are from kept ones.

    The paper filters by joint positions, since that covers the targets of a drag evenly, not by
    linking (4.1). Metres, over the postures that a filter leaves out: mean and 95th percentile.
    """
    skeleton = everything.figure.skeleton
    frames = forward(skeleton, everything.q)
    joints = frames.positions.reshape(len(everything), -1)
    wrists = [frames.position(name) for name in ("left_wrist", "right_wrist")]
    out: dict[str, float] = {}
    for name, features in (("joints", joints), ("linking", everything.linking)):
        kept = _filtered_to(features, count)
        out[f"{name}: kept"] = float(kept.sum())
        nearest = np.concatenate(
            [np.linalg.norm(w[~kept][:, None] - w[kept][None], axis=2).min(axis=1) for w in wrists]
        )
        out[f"{name}: mean_m"] = float(nearest.mean())
        out[f"{name}: p95_m"] = float(np.percentile(nearest, 95))
    return out


def _filtered_to(features: Floats, count: int) -> Bools:
    """A mask of about `count` rows that differ from all rows kept before by over a threshold."""
    low, high = 0.0, float(np.ptp(features, axis=0).max()) * np.sqrt(features.shape[1])
    kept = np.zeros(len(features), dtype=np.bool_)
    for _ in range(14):
        threshold = 0.5 * (low + high)
        kept[:] = False
        chosen = np.empty_like(features)
        size = 0
        for i, row in enumerate(features):
            if size and np.linalg.norm(chosen[:size] - row, axis=1).min() <= threshold:
                continue
            chosen[size], kept[i] = row, True
            size += 1
            if size > count:
                break
        if size > count:
            low = threshold
        else:
            high = threshold
            if size > 0.98 * count:
                break
    return kept


def object_curves(databases: Mapping[str, PostureDatabase], every: int) -> dict[str, Any]:
    """`paper` on the ladder and the chair, with the curves of the object and with twice as many."""
    found: dict[str, Any] = {}
    with threadpool_limits(limits=1, user_api="blas"):
        for name in ("ladder", "chair 1"):
            scene = make_drag_scene(name, databases.get(name.split()[0]))
            found[name] = {
                "as published": _played(scene, every),
                "twice the curves": _played(_with_halved_curves(scene), every),
            }
    return found


def _played(scene: DragScene, every: int) -> dict[str, Any]:
    """Frames that penetrate and pass-throughs of `paper` on the drags of a scene with an object."""
    poser = scene.poser("paper")
    hits: list[Bools] = []
    errors: list[float] = []
    through = 0
    assert isinstance(poser, LatentPoser)
    for drag in scene.drags(1)[::every]:
        run = run_drag(poser, scene.figure, drag, scene.start)
        whole = np.array([poser.actor.full_configuration(q) for q in run.q])
        hits.append(penetrating_frames(poser.table, whole))
        through += len(certify(poser.table, whole, FPS).pass_throughs)
        errors += run.errors_m.tolist()
    frames = np.concatenate(hits)
    return {
        "frames": len(frames),
        "penetrating_percent": 100.0 * float(frames.mean()),
        "pass_throughs": through,
        "target_residual_cm": 100.0 * float(np.mean(errors)),
    }


def _with_halved_curves(scene: DragScene) -> DragScene:
    """The scene with every curve of its object in two, and the linking of its database likewise."""
    whole, database = scene.scene, scene.database
    if whole is None or database is None:
        return scene
    objects = tuple(
        replace(one, strands=_halved(one.strands)) if one.strands else one for one in whole.objects
    )
    changed = replace(whole, objects=objects)
    actor = ActorInScene.in_scene(changed, scene.actor)
    name = next(one.name for one in objects if one.strands)
    bundle = object_bundle(changed, actor.root, name)
    linking = np.array(
        [
            bundle.linking(actor.full_configuration(database.relative_to_object(i)))
            for i in range(len(database))
        ]
    )
    return replace(scene, scene=changed, database=replace(database, object_linking=linking))


def _halved(strands: Mapping[str, Floats]) -> dict[str, Floats]:
    """Every polyline cut at the middle of its length."""
    out: dict[str, Floats] = {}
    for name, points in strands.items():
        ways: Floats = np.zeros(len(points))
        ways[1:] = np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))
        half = 0.5 * float(ways[-1])
        k = int((ways < half).sum())
        share = (half - ways[k - 1]) / (ways[k] - ways[k - 1])
        middle = points[k - 1] + share * (points[k] - points[k - 1])
        first, second = points[ways < half - 1e-9], points[ways > half + 1e-9]
        out[f"{name}_1"] = np.vstack([first, middle])
        out[f"{name}_2"] = np.vstack([middle, second])
    return out

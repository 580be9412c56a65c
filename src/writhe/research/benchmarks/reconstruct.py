"""`writhe bench reconstruct`: replay clips from a few joints and compare the rest with the truth.

Each clip is retargeted to the human. Starting at its first posture (pushed clear of penetrations),
a method is given only the positions of both feet and a hand (`three`), or of the feet, the hands
and the head (`five`). Postures of the replayed clips are removed from the database.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.collision import CollisionTable
from writhe.database import PostureDatabase
from writhe.errors import WritheError
from writhe.planning.clear_endpoints import push_clear
from writhe.planning.problem import PlanProblem
from writhe.progress import Progress
from writhe.research.evaluation.clips import retargeted_clips
from writhe.research.evaluation.metrics import PosingMetrics
from writhe.research.evaluation.skin.depth import SkinDepth
from writhe.skeleton import Figure, forward
from writhe.skeleton.figures import figure as built_in
from writhe.skeleton.quaternions import quaternion_of
from writhe.solvers.posing import Poser, Target, make_poser, method_names
from writhe.solvers.posture_tracking import PostureTracker

EFFECTORS = {
    "three": ("left_ankle", "right_ankle", "right_wrist"),
    "five": ("left_ankle", "right_ankle", "right_wrist", "left_wrist", "head"),
}


def run(
    progress: Progress,
    *,
    clips: Path | None = None,
    database: PostureDatabase | None = None,
    frames: int = 300,
    methods: tuple[str, ...] | None = None,
    part: str | None = None,
) -> dict[str, Any]:
    """Run every method on every clip of a folder (BVH, glTF or AMASS, including sub-folders).

    part: only clips of that part of the collection (`evaluation.clips.clip_part`).
    """
    if clips is None:
        raise WritheError("no clips given: writhe bench reconstruct --clips DIR")
    body = built_in("human")
    if database is None:
        from writhe.postures.builtin import builtin_database

        database = builtin_database("basic")
    motions, skipped = retargeted_clips(clips, body, progress, frames, part)
    database = without_clips(database, motions)
    truths = {name: motion.q for name, motion in motions.items()}
    table, skin = CollisionTable.of_figure(body), SkinDepth.of_figure(body)
    names = methods or tuple(method_names())
    result: dict[str, Any] = {"clips": len(truths), "skipped": skipped, "database": len(database)}
    for label, joints in EFFECTORS.items():
        posers = {name: make_poser(name, body, database) for name in names}
        metrics_of = {name: PosingMetrics(body, table, skin) for name in names}
        for number, (clip, truth) in enumerate(truths.items()):
            progress(None, f"{label} effectors, clip {number + 1} of {len(truths)}: {clip}")
            for name in names:
                replay(metrics_of[name], posers[name], body, truth, joints)
        result[label] = {name: metrics.summary() for name, metrics in metrics_of.items()}
        for name, metrics in metrics_of.items():
            result[label][name]["joint_error_cm_by_clip"] = {
                clip: round(100 * float(errors.mean()), 3)
                for clip, errors in zip(truths, metrics.joint_errors, strict=True)
            }
    # methods are compared on the harder of the two tasks
    result["methods"] = result["three"]
    return result


def without_clips(database: PostureDatabase, clips: Iterable[str]) -> PostureDatabase:
    """The database without the postures of these clips."""
    replayed = {Path(clip).name for clip in clips}
    kept = np.array([Path(str(clip)).stem not in replayed for clip in database.clip])
    if not kept.any():
        raise WritheError("all postures of the database come from the replayed clips")
    return database if kept.all() else database.take(kept)


def clear_start(body: Figure, table: CollisionTable, posture: Floats) -> Floats:
    """A posture near the given one that does not penetrate, so that gated steps stay certified.

    The tracker keeps joint limits and may leave an overlap where they conflict with contacts.
    """
    q = PostureTracker(body, table).follow(posture, posture, gated=False)
    return push_clear(PlanProblem(table, q, q), q)


def replay(
    metrics: PosingMetrics,
    poser: Poser,
    body: Figure,
    truth: Floats,
    joints: tuple[str, ...],
    *,
    orientations: bool = False,
) -> None:
    """Replay a clip (frames, nq) from the positions of joints, and their orientations if given."""
    skeleton = body.skeleton
    true_frames = forward(skeleton, truth)
    effector_positions = np.stack([true_frames.position(joint) for joint in joints], axis=1)
    rows = [q := clear_start(body, metrics.table, truth[0])]
    turns = np.stack([true_frames.rotation(joint) for joint in joints], axis=1)
    for points, rotations in zip(effector_positions[1:], turns[1:], strict=True):
        targets = [
            Target(
                joint,
                (float(p[0]), float(p[1]), float(p[2])),
                orientation_in_world=quaternion_of(turn) if orientations else None,
            )
            for joint, p, turn in zip(joints, points, rotations, strict=True)
        ]
        result = poser.step(q, targets)
        q = result.q
        rows.append(q)
        metrics.milliseconds.append(result.milliseconds)
        metrics.residuals.append(float(np.mean(list(result.target_error_m.values()))))
        metrics.shortened += result.gate.shortened
        metrics.refused += result.gate.refused
    motion = np.array(rows)
    metrics.add_motion(motion, 30.0)
    metrics.add_truth(motion, truth)

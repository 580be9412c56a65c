"""`writhe bench body`: balance, grips, the cost of fingers, and postures from a few joints.

Grips: a standing person grips twenty objects (bars, cups, balls, boxes, handles) in front of the
body; a grip counts as closed with three or more contacts. Frame times: the same drag of a hand by
the human without fingers, by the human with fingers, and with a target on each of the ten
fingertips, measured in turn. Joint errors need `--clips`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Floats, vector3
from writhe.collision import CollisionTable, Shape, ball, box, capsule, cylinder
from writhe.database import PostureDatabase
from writhe.hands import grip, hand_pose
from writhe.postures.builtin import builtin_database
from writhe.progress import Progress
from writhe.recognition.body_map import extended
from writhe.research.benchmarks.characters import standing_drags
from writhe.research.benchmarks.reconstruct import EFFECTORS, replay, without_clips
from writhe.research.evaluation.clips import retargeted_clips
from writhe.research.evaluation.metrics import PosingMetrics
from writhe.research.evaluation.skin.depth import SkinDepth
from writhe.scene import Actor, ObjectKind, Scene, SceneObject
from writhe.skeleton import Figure, forward
from writhe.skeleton.figures import figure
from writhe.solvers.posing import Target, make_poser, pin_here

_FRAMES, _REPEATS = 120, 5
_TIPS = tuple(
    f"{side}_{finger}_3"
    for side in ("left", "right")
    for finger in ("thumb", "index", "middle", "ring", "pinky")
)
HEADSET = ("head", "left_wrist", "right_wrist")


def run(
    progress: Progress,
    *,
    clips: Path | None = None,
    database: PostureDatabase | None = None,
    frames: int = 150,
    part: str | None = None,
    quick: bool = False,
) -> dict[str, Any]:
    """Measure; `part` and `frames` choose clips as in `bench reconstruct`."""
    postures = database or builtin_database("basic")
    progress(None, "balance")
    _, unbalanced = standing_drags(figure("human_with_fingers"), quick)
    return {
        "unbalanced_percent": unbalanced,
        "grips": _grips(progress, postures, quick),
        "frame_ms": _frame_times(progress, postures),
        "joint_error_cm": _joint_errors(progress, postures, clips, part, frames),
    }


def objects() -> dict[str, tuple[Shape, ...]]:
    """Twenty objects to grip: four of each kind."""
    found: dict[str, tuple[Shape, ...]] = {}
    for mm in (20, 28, 36, 44):
        found[f"bar of {mm} mm"] = (capsule((-0.4, 0, 0), (0.4, 0, 0), mm / 2000),)
    for mm, tall in ((60, 90), (70, 100), (80, 110), (84, 140)):
        half = tall / 2000
        found[f"cup of {mm} mm"] = (cylinder((0, -half, 0), (0, half, 0), mm / 2000),)
    for mm in (40, 60, 75, 100):
        found[f"ball of {mm} mm"] = (ball((0, 0, 0), mm / 2000),)
    for size in ((50, 90, 50), (60, 120, 40), (70, 100, 70), (160, 70, 40)):
        x, y, z = (mm / 1000 for mm in size)
        found[f"box of {x:g} x {y:g} x {z:g} m"] = (box((0, 0, 0), (x, y, z)),)
    for mm, away in ((16, 45), (20, 55), (24, 60), (30, 70)):
        radius, out = mm / 2000, away / 1000
        found[f"handle of {mm} mm"] = (
            capsule((0, -0.06, 0), (0, 0.06, 0), radius),
            capsule((0, 0.06, 0), (0, 0.06, out), 0.006),
            capsule((0, -0.06, 0), (0, -0.06, out), 0.006),
            box((0, 0, out + 0.02), (0.3, 0.4, 0.03)),
        )
    return found


def standing(body: Figure) -> Floats:
    """The human's preset stand on the body, hands open and relaxed."""
    human, library = figure("human"), builtin_database("basic")
    q = library.q[library.clip.index("stand")]
    return extended(body, human, q, body.skeleton.rest_configuration)


def _grips(progress: Progress, database: PostureDatabase, quick: bool) -> dict[str, Any]:
    body = figure("human_with_fingers")
    start = standing(body)
    chosen = list(objects().items())[:: 4 if quick else 1]
    closed = certified = both = 0
    failed: list[str] = []
    for number, (name, shapes) in enumerate(chosen):
        progress(number / len(chosen), f"grip of a {name}")
        item = SceneObject("thing", shapes, ObjectKind.MOVED, np.array([-0.20, 1.08, 0.42]))
        scene = Scene((Actor("person", body),), (item,))
        q = scene.layout.rest()
        q[scene.layout.actor_q["person"]] = start
        found = grip(scene, "person", "right", "thing", q, database=database)
        closed, certified = closed + found.closed, certified + found.certified
        both += found.closed and found.certified
        if not (found.closed and found.certified):
            failed.append(name)
    return {
        "asked": len(chosen),
        "closed": closed,
        "certified": certified,
        "closed_and_certified": both,
        "failed": failed,
    }


def _frame_times(progress: Progress, database: PostureDatabase) -> dict[str, float]:
    """Median milliseconds of a frame, the best of several drags measured in turn."""
    plain, fingers = figure("human"), figure("human_with_fingers")
    relaxed = hand_pose(fingers, standing(fingers), "left", "relaxed")
    bare = _without_fingers(plain, relaxed)
    starts: dict[str, tuple[Figure, Floats, Callable[[int], list[Target]]]] = {
        "without_fingers": (plain, bare, _wrist(plain, bare)),
        "fingers_idle": (fingers, relaxed, _wrist(fingers, relaxed)),
        "ten_fingers": (fingers, relaxed, _tips(fingers, relaxed)),
    }
    posers = {n: make_poser("default", body, database) for n, (body, _, _) in starts.items()}
    best = dict.fromkeys(starts, np.inf)
    for repeat in range(_REPEATS):
        for name, (body, start, targets) in starts.items():
            progress(None, f"frame times: {name}, {repeat + 1} of {_REPEATS}")
            feet = [pin_here(body.skeleton, start, f"{s}_ankle") for s in ("left", "right")]
            q, times = start, list[float]()
            for frame in range(_FRAMES):
                result = posers[name].step(q, targets(frame), feet)
                q = result.q
                times.append(result.milliseconds)
            best[name] = min(best[name], float(np.median(times)))
    return {name: round(value, 4) for name, value in best.items()}


def _without_fingers(plain: Figure, q: Floats) -> Floats:
    fingers = figure("human_with_fingers").skeleton
    out = plain.skeleton.rest_configuration
    for name in plain.skeleton.names:
        out[plain.skeleton.q_slice(name)] = q[fingers.q_slice(name)]
    return out


def _share(frame: int) -> float:
    """How far a target that goes there and back is at a frame, 0 to 1."""
    return float(0.5 - 0.5 * np.cos(2 * np.pi * frame / _FRAMES))


def _wrist(body: Figure, start: Floats) -> Callable[[int], list[Target]]:
    """The left hand goes across the chest and back."""
    here, goal = forward(body.skeleton, start).position("left_wrist"), np.array([-0.05, 1.3, 0.34])

    def targets(frame: int) -> list[Target]:
        return [Target("left_wrist", vector3(here + _share(frame) * (goal - here)))]

    return targets


def _tips(body: Figure, start: Floats) -> Callable[[int], list[Target]]:
    """Every fingertip goes to where it is in a grip of the same hand, and back."""
    closed = start
    for side in ("left", "right"):
        closed = hand_pose(body, closed, side, "grip")
    ends = [forward(body.skeleton, q) for q in (start, closed)]

    def targets(frame: int) -> list[Target]:
        share = _share(frame)
        return [
            Target(
                tip,
                vector3((1 - share) * ends[0].position(tip) + share * ends[1].position(tip)),
            )
            for tip in _TIPS
        ]

    return targets


def _joint_errors(
    progress: Progress, database: PostureDatabase, clips: Path | None, part: str | None, frames: int
) -> dict[str, float | None]:
    """Mean joint error in cm over clips; None without clips."""
    tasks = {**{name: (joints, False) for name, joints in EFFECTORS.items()}}
    tasks["head_and_hands"] = (HEADSET, True)
    if clips is None:
        return dict.fromkeys(tasks)
    body = figure("human")
    motions, _ = retargeted_clips(clips, body, progress, frames, part)
    kept = without_clips(database, motions)
    table, skin = CollisionTable.of_figure(body), SkinDepth.of_figure(body)
    found: dict[str, float | None] = {}
    for name, (joints, turned) in tasks.items():
        poser, metrics = make_poser("default", body, kept), PosingMetrics(body, table, skin)
        for number, (clip, motion) in enumerate(motions.items()):
            progress(number / len(motions), f"{name}: {clip}")
            replay(metrics, poser, body, motion.q, joints, orientations=turned)
        means = [100 * float(errors.mean()) for errors in metrics.joint_errors]
        found[name] = round(float(np.mean(means)), 3)
    return found

"""`writhe bench guarantee`: false certificates, wrong exceptions, frozen drags, cleaned clips.

Random cases through every entry point are judged by the independent check
(`evaluation.independent`), and calls with malformed arguments must return or raise `WritheError`. A
random drag is frozen if the gate refuses more than ten consecutive frames; the second run of a drag
replays the positions that the first one reached, so that its last target is feasible; it is held
for 30 frames, and for 150 (`missed_when_held`) where it is missed, as a body that is stuck takes up
to two seconds to go back along its way. Cleaned clips are certified as the written .bvh file, under
all interpolations. A leap is a frame in which a joint moves over 20 mm farther than any joint in
any frame of the source. Skin is measured between parts two joints apart, creases included.

By default this takes about seven minutes of CPU time; `full` has the size of the goals: an
hour of random cases (about 100,000 cases and 1,000,000 calls on one core), 250,000 frames of
drags, and all clips.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from writhe.arrays import Floats
from writhe.cleaning.clean import clean
from writhe.cleaning.clean_file import write_certified
from writhe.collision import CollisionTable
from writhe.errors import WritheError
from writhe.io.files import READABLE
from writhe.postures.synthetic_clips import builtin_movements
from writhe.research.benchmarks import Progress
from writhe.research.evaluation.drags.drag_scenes import make_drag_scene
from writhe.research.evaluation.drags.run_drags import run_drag
from writhe.research.evaluation.export_mechanism import export_mechanism, export_motion
from writhe.research.evaluation.independent import check
from writhe.research.evaluation.skin.depth import SkinDepth
from writhe.research.fuzzing.case import CERTIFIED_M, NUMERICAL_M
from writhe.research.fuzzing.entry_points.certify_file import certify_with_table
from writhe.research.fuzzing.random_cases import run_random_cases, summary
from writhe.research.fuzzing.random_drags import LONG_FRAMES, random_drag, run_random_drag
from writhe.retargeting.clip_folders import read_clips
from writhe.skeleton import Motion, forward
from writhe.skeleton.figures import figure

T = TypeVar("T")
SKIN_M = 0.01
LEAP_M = 0.02
MISSED_M = 0.02
APART = 2  # joints between two parts whose skin is measured
_SKIN_EVERY = 4  # frames
# seconds of random cases, random drags, clips, frames of a clip
_QUICK = (60.0, 40, 4, 150)
_USUAL = (180.0, 150, 10, 300)
_FULL = (3600.0, 1200, None, None)


def run(
    progress: Progress,
    *,
    clips: Path | None = None,
    frames: int | None = None,
    quick: bool = False,
    full: bool = False,
    rounds: int = 0,
) -> dict[str, Any]:
    """All figures; `clips` is a folder of motions (built-in movements without), `rounds` a seed."""
    seconds, drags, max_clips, max_frames = _FULL if full else _QUICK if quick else _USUAL
    progress(None, "random cases through every entry point")
    found = summary(run_random_cases(seconds, seed=1_000_000 * rounds))
    drag_figures = _drags(progress, drags, 1_000_000 * rounds)
    cleaned = _clean(progress, clips, frames or max_frames, max_clips)
    return {
        "false_certificates": found["false_certificates"] + cleaned.pop("false"),
        "foreign_exceptions": found["foreign_exceptions"],
        "frozen_drags": drag_figures["frozen"],
        "missed_targets": drag_figures["missed"],
        "missed_when_held": drag_figures["missed_when_held"],
        "skin_percent": {"cleaned": cleaned.pop("skin"), "drags": drag_figures["skin"]},
        "clean": cleaned,
        "broken_bounds": found["broken_bounds"],
        "sizes": {
            "cases": found["cases"],
            "calls": found["calls"],
            "drags": 2 * drags,
            "drag_frames": drag_figures["frames"],
            "feasible_targets": drags,
        },
        "doors": found["doors"],
    }


def _skin_frames(skin: SkinDepth, q: Floats) -> tuple[int, int]:
    """Frames whose skin penetrates by more than SKIN_M, and frames measured."""
    rows = q[::_SKIN_EVERY]
    depth, _ = skin.depths(rows, SKIN_M)
    return int((depth > SKIN_M).sum()), len(rows)


def _percent(counts: list[tuple[int, int]]) -> float:
    deep, measured = (sum(column) for column in zip(*counts, strict=True))
    return round(100.0 * deep / max(measured, 1), 2)


def _drags(progress: Progress, count: int, seed: int) -> dict[str, Any]:
    setting = make_drag_scene("basic")
    poser = setting.poser("default")
    skin = SkinDepth.of_figure(setting.figure, APART)
    frozen = missed = missed_when_held = frames = 0
    for number in range(count):
        progress(number / count, "random drags")
        first = run_random_drag(poser, setting, random_drag(setting, seed + number))
        again = run_random_drag(poser, setting, first.replay)
        frozen += first.frozen + again.frozen
        frames += len(first.reached) + len(again.reached)
        if again.end_error_m > MISSED_M:
            missed += 1
            longer = run_random_drag(poser, setting, first.replay_held(LONG_FRAMES))
            missed_when_held += longer.end_error_m > MISSED_M
    skins: list[tuple[int, int]] = []
    for drag in setting.drags(1):
        progress(None, f"skin of the drag {drag.name}")
        skins.append(_skin_frames(skin, run_drag(poser, setting.figure, drag, setting.start).q))
    return {
        "frozen": frozen,
        "missed": missed,
        "missed_when_held": missed_when_held,
        "frames": frames,
        "skin": _percent(skins),
    }


def _clean(
    progress: Progress, folder: Path | None, frames: int | None, maximum: int | None
) -> dict[str, Any]:
    body = figure("human")
    motions = _clips(progress, folder, maximum)
    names = list(motions)
    table, skin = CollisionTable.of_figure(body), SkinDepth.of_figure(body, APART)
    mechanism = export_mechanism(table)
    certified = leaps = false = 0
    moved, speeds, skins = list[float](), list[float](), list[tuple[int, int]]()
    clean(body, motions[names[0]].slice(0, 30), table=table)  # loads the kernels
    for name in names:
        progress(None, f"cleaning {name}")
        source = motions[name] if frames is None else motions[name].slice(0, frames)
        start = time.process_time()
        result = clean(body, source, table=table)
        speeds.append(len(source) / (time.process_time() - start))
        moved.append(1e3 * result.mean_displacement_m)
        leaps += _leaps(source, result.motion)
        skins.append(_skin_frames(skin, result.motion.q))
        certified += _certified_as_written(result.motion)
        if result.after.certified:
            found = check(mechanism, export_motion(body.skeleton, result.motion.q))
            false += found.depth_m > CERTIFIED_M + NUMERICAL_M
    return {
        "clips": len(names),
        "certified": certified,
        "leaps": leaps,
        "mean_mm": round(float(np.mean(moved)), 2),
        "frames_per_s": round(float(np.median(speeds)), 1),
        "false": int(false),
        "skin": _percent(skins),
    }


def _clips(progress: Progress, folder: Path | None, maximum: int | None) -> dict[str, Motion]:
    """The built-in movements, or `maximum` clips of a folder, evenly chosen."""
    if folder is None:
        takes = builtin_movements()
        found = {f"{s} {i}": m for s, each in takes.items() for i, m in enumerate(each)}
        return {name: found[name] for name in _evenly(list(found), maximum)}
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in READABLE)
    chosen = set(_evenly(files, maximum))
    read, _ = read_clips(
        folder,
        figure("human"),
        progress,
        wanted=lambda path: path in chosen,
    )
    if not read:
        raise WritheError(f"{folder} contains no motion of a person")
    return read


def _evenly(items: list[T], maximum: int | None) -> list[T]:
    if maximum is None or not items:
        return items
    return [items[i] for i in np.unique(np.linspace(0, len(items) - 1, maximum).astype(int))]


def _leaps(source: Motion, cleaned: Motion) -> int:
    """Frames with a joint that moves LEAP_M farther than any joint of the source ever does."""
    before, after = (
        np.linalg.norm(np.diff(forward(m.skeleton, m.q).positions, axis=0), axis=2)
        for m in (source, cleaned)
    )
    return int((after.max(axis=1) > before.max() + LEAP_M).sum())


def _certified_as_written(motion: Motion) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cleaned.bvh"
        write_certified(motion, path)
        return certify_with_table(path)[0].certified

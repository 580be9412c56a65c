"""`writhe bench clean`: clean every clip of a folder and report displacement and speed."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Bools, Floats
from writhe.cleaning.clean import clean
from writhe.cleaning.motion_change import MAX_POP, motion_change
from writhe.collision import CollisionTable
from writhe.errors import WritheError
from writhe.progress import Progress
from writhe.research.evaluation.clips import retargeted_clips
from writhe.skeleton import Figure, Motion, forward
from writhe.skeleton.figures import figure as built_in

_DEEP_M = 0.005
_FAR_CM = 2.0  # mean joint displacement above which clips are listed
_SPEED = 300.0  # frames per second below which clips are listed
_LIMIT_DEG = 1.0  # beyond a joint limit, or beyond the source's own violation of it
_PLANTED_M_S = 0.15  # an ankle slower than this in the source counts as planted


def run(
    progress: Progress, *, clips: Path | None = None, frames: int | None = None
) -> dict[str, Any]:
    """Displacement, penetration before and after, speed and certificate, per clip and overall.

    Speed is in CPU time and includes the certificates before and after, the latter of a BVH
    file under both interpolations (`certified_both`). `leaps` counts frames in which a joint moves
    over 20 mm farther than it ever does in the source; `beyond_limits` lists clips in which a joint
    is farther beyond its limits than in the source, `pops` those in which a joint rotates in a
    frame by more than 1.2 times the largest rotation in the source, `written_denser` those whose
    BVH file needs more frames than the source has.
    """
    if clips is None:
        raise WritheError("no clips given: writhe bench clean --clips DIR")
    body = built_in("human")
    motions, skipped = retargeted_clips(clips, body, progress, frames)
    table = CollisionTable.of_figure(body)
    first = next(iter(motions.values()))
    clean(body, replace(first, q=first.q[:30]), table=table)  # loads the kernels
    rows: dict[str, dict[str, Any]] = {}
    for number, (name, motion) in enumerate(motions.items()):
        progress(None, f"clip {number + 1} of {len(motions)}: {name}")
        start = time.process_time()
        cleaned = clean(body, motion, table=table)
        seconds = time.process_time() - start
        rows[name] = {
            "frames": len(motion),
            "frames_per_second": round(len(motion) / seconds, 1),
            "certified": cleaned.after.certified,
            "certified_both": cleaned.written is not None and cleaned.written.certified,
            "pass_throughs_before": len(cleaned.before.pass_throughs),
            "penetration_before_mm": round(1e3 * cleaned.before.penetration_witnessed_m, 2),
            "penetration_after_mm": round(1e3 * cleaned.after.penetration_upper_bound_m, 2),
            "mean_displacement_cm": round(100 * cleaned.mean_displacement_m, 3),
            "max_displacement_cm": round(100 * cleaned.max_displacement_m, 2),
            "largest_leap_cm": round(100 * cleaned.largest_leap_m, 2),
            "leaps": cleaned.leaps.frames,
            "beyond_largest_mm": round(1e3 * cleaned.leaps.beyond_largest_m, 2),
            "foot_slide_cm": round(100 * _foot_slide(motion, cleaned.motion), 3),
            "written_fps": cleaned.written_fps,
            **_change(body, motion, cleaned.motion),
        }

    def column(name: str) -> Floats:
        return np.array([row[name] for row in rows.values()], dtype=np.float64)

    def clips_where(chosen: Bools) -> list[str]:
        return [name for name, is_so in zip(rows, chosen, strict=True) if is_so]

    moved, speed = column("mean_displacement_cm"), column("frames_per_second")
    counts = column("frames")
    return {
        "clips": rows,
        "skipped": skipped,
        "frames": int(counts.sum()),
        "certified": sum(row["certified"] for row in rows.values()),
        "certified_both": sum(row["certified_both"] for row in rows.values()),
        "leaps": sum(row["leaps"] for row in rows.values()),
        "beyond_limits": clips_where(column("beyond_limits_deg") > _LIMIT_DEG),
        "pops": clips_where(column("pop_ratio") > MAX_POP),
        "written_denser": clips_where(column("written_fps") > [m.fps for m in motions.values()]),
        "penetrating_after": int((column("penetration_after_mm") > 1e3 * _DEEP_M).sum()),
        "mean_displacement_cm": {
            "mean": round(float(moved.mean()), 3),
            "median": round(float(np.median(moved)), 3),
            "p95": round(float(np.percentile(moved, 95)), 3),
            "max": round(float(moved.max()), 3),
            "clips_over_2_cm": clips_where(moved > _FAR_CM),
        },
        "largest_leap_cm": {
            "median": round(float(np.median(column("largest_leap_cm"))), 2),
            "p95": round(float(np.percentile(column("largest_leap_cm"), 95)), 2),
            "max": round(float(column("largest_leap_cm").max()), 2),
        },
        "foot_slide_cm": round(float((column("foot_slide_cm") * counts).sum() / counts.sum()), 4),
        "frames_per_second": {
            "median": round(float(np.median(speed)), 1),
            "together": round(float(counts.sum() / (counts / speed).sum()), 1),
            "min": round(float(speed.min()), 1),
            "clips_under_300": clips_where(speed < _SPEED),
        },
    }


def _change(body: Figure, before: Motion, after: Motion) -> dict[str, Any]:
    """Joint limits exceeded farther than in the source, and the largest turns."""
    change = motion_change(body, before.q, after.q, before.fps)
    return {
        "beyond_limits_deg": round(float(np.degrees(change.beyond_limits_rad)), 2),
        "pop_ratio": round(change.pop_ratio, 3),
        "worst_joint": change.joint,
        "worst_turn_deg": round(float(np.degrees(change.turn_rad)), 1),
    }


def _foot_slide(before: Motion, after: Motion) -> float:
    """Mean increase of the motion of planted ankles per frame over the source, m."""
    ankles = [before.skeleton.index(f"{side}_ankle") for side in ("left", "right")]
    steps = [
        np.linalg.norm(np.diff(forward(m.skeleton, m.q).positions[:, ankles], axis=0), axis=2)
        for m in (before, after)
    ]
    planted = steps[0] * before.fps < _PLANTED_M_S
    return float(np.maximum(steps[1] - steps[0], 0.0)[planted].mean()) if planted.any() else 0.0

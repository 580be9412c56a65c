"""Remove the penetrations and pass-throughs of a clip, and certify the result.

1. `push_out`: two sweeps push every frame clear, with corrections that vary smoothly over time.
2. `clear_segments`: the clip is cut where the motion between two frames is not certified or where
   the correction jumps.
3. `segment_path`: the segments are joined by waiting on one side or by detours (`detour`), such
   that the whole clip stays as near to the source as possible.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from writhe.arguments import checked
from writhe.arrays import Bools
from writhe.cleaning.clear_segments import SegmentedClip, excess_motion
from writhe.cleaning.detour import Detours
from writhe.cleaning.push_out import push_frames_clear
from writhe.cleaning.segment_path import nearest_path
from writhe.collision import Certificate, CollisionTable, certify
from writhe.errors import WritheError
from writhe.skeleton import Figure, Motion, forward
from writhe.solvers.tracking import PostureTracker, TrackingOptions

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Cleaned:
    """A cleaned motion, with the certificates before and after."""

    motion: Motion
    before: Certificate
    after: Certificate
    mean_displacement_m: float  # over all joints and frames
    max_displacement_m: float
    largest_leap_m: float  # largest motion of a joint in one frame beyond that of the source
    changed_frames: int


@checked
def clean(
    motion: Motion,
    figure: Figure,
    *,
    table: CollisionTable | None = None,
    options: TrackingOptions | None = None,
    fade_s: float = 0.4,
    go_round: bool = True,
    progress: Progress | None = None,
    variables: Bools | None = None,
) -> Cleaned:
    """Remove the penetrations of a motion of `figure`'s skeleton.

    Frames more than `fade_s` away from any penetrating frame stay unchanged. Where the source
    passes through itself, limbs take a detour or wait on their side, whichever stays nearer to the
    source over the whole clip; with `go_round=False` they never change sides.
    variables: (nv,) mask of the degrees of freedom that may change; all by default.
    """
    if motion.skeleton.names != figure.skeleton.names:
        raise WritheError(
            f"the motion {motion.name!r} belongs to another skeleton than {figure.name!r}:"
            " retarget it first"
        )
    shapes = table or CollisionTable.of_figure(figure)
    tracker = PostureTracker(figure, shapes, options, variables=variables)
    total = 3 * len(motion)
    report = progress or _no_progress
    fade = max(1, round(fade_s * motion.fps))
    target = push_frames_clear(tracker, motion.q, fade, lambda done: report(done, total))
    clip = SegmentedClip(tracker, motion.q, target, motion.fps)
    detours = Detours(tracker, motion.fps) if go_round else None
    rows = nearest_path(clip, detours, lambda done: report(2 * len(motion) + done, total))
    positions = forward(figure.skeleton, rows).positions
    moved = np.linalg.norm(positions - clip.positions, axis=2)
    return Cleaned(
        motion=replace(motion, q=rows),
        before=certify(shapes, motion.q, motion.fps),
        after=certify(shapes, rows, motion.fps),
        mean_displacement_m=float(moved.mean()),
        max_displacement_m=float(moved.max()),
        largest_leap_m=float(excess_motion(positions, clip.positions).max(initial=0.0)),
        changed_frames=int((moved.max(axis=1) > 1e-6).sum()),
    )


def _no_progress(done: int, total: int) -> None:
    """Ignore progress."""

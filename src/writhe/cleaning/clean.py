"""Clean a whole clip: penetrations gone, style and feet kept, certified.

Two passes push every frame clear, with corrections that swell and fade over time (`correct`). Where
the way between two frames is not certified, or a correction leaps, the clip is cut (`stretches`).
From one stretch to the next the body waits or goes round (`detour`), so that over the whole clip it
stays as near to the source as it can (`route`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from writhe.arrays import Bools
from writhe.cleaning.clear_segments import Course, leaps_beyond
from writhe.cleaning.detour import Detours
from writhe.cleaning.push_out import corrected
from writhe.cleaning.segment_path import nearest_way
from writhe.collision import Certificate, CollisionTable, certify
from writhe.errors import WritheError
from writhe.skeleton import Figure, Motion, forward
from writhe.solvers.tracking import PostureTracker, TrackingOptions

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Cleaned:
    """A cleaned motion with what it was and what it is."""

    motion: Motion
    before: Certificate
    after: Certificate
    mean_displacement_m: float  # of all joints over all frames
    max_displacement_m: float
    largest_leap_m: float  # how much farther than in the source a joint moves in a frame
    changed_frames: int


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

    Frames more than `fade_s` away from any that penetrates stay exactly as they are. Where the
    source passes through itself the limbs go round or wait, whichever is nearer to the source over
    the whole clip; without `go_round` they do not change sides.
    `variables` (nv) marks what may be changed; by default everything.
    """
    if motion.skeleton.names != figure.skeleton.names:
        raise WritheError(
            f"the motion {motion.name!r} is of another skeleton than {figure.name!r}: retarget it"
        )
    shapes = table or CollisionTable.of_figure(figure)
    tracker = PostureTracker(figure, shapes, options, variables=variables)
    total = 3 * len(motion)
    tell = progress or _silent
    fade = max(1, round(fade_s * motion.fps))
    wanted = corrected(tracker, motion.q, fade, lambda done: tell(done, total))
    course = Course(tracker, motion.q, wanted, motion.fps)
    detours = Detours(tracker, motion.fps) if go_round else None
    rows = nearest_way(course, detours, lambda done: tell(2 * len(motion) + done, total))
    places = forward(figure.skeleton, rows).positions
    moved = np.linalg.norm(places - course.places, axis=2)
    return Cleaned(
        motion=replace(motion, q=rows),
        before=certify(shapes, motion.q, motion.fps),
        after=certify(shapes, rows, motion.fps),
        mean_displacement_m=float(moved.mean()),
        max_displacement_m=float(moved.max()),
        largest_leap_m=float(leaps_beyond(places, course.places).max(initial=0.0)),
        changed_frames=int((moved.max(axis=1) > 1e-6).sum()),
    )


def _silent(done: int, total: int) -> None:
    """Nobody wants to know how far it is."""

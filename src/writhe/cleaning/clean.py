"""Remove the penetrations and pass-throughs of a clip, and certify the result.

1. `push_out`: two sweeps push every frame clear, with corrections that vary smoothly over time.
2. `clear_segments`: the clip is cut where the motion between two frames is not certified or where
   the correction jumps.
3. `segment_path`: the segments are joined by waiting on one side or by detours (`detour`), such
   that the whole clip stays as near to the source as possible.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from writhe.arrays import Bools
from writhe.cleaning.clear_segments import SegmentedClip, excess_motion
from writhe.cleaning.detour import Detours
from writhe.cleaning.push_out import push_frames_clear
from writhe.cleaning.segment_path import nearest_path
from writhe.collision import Certificate, CollisionTable, certify
from writhe.errors import WritheError
from writhe.progress import Progress, no_progress
from writhe.scene import Scene
from writhe.skeleton import Figure, Motion, forward
from writhe.solvers.tracking import PostureTracker, TrackingOptions


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


def clean(
    subject: Figure | Scene,
    motion: Motion,
    *,
    actor: str | None = None,
    table: CollisionTable | None = None,
    options: TrackingOptions | None = None,
    fade_s: float = 0.4,
    go_round: bool = True,
    progress: Progress | None = None,
) -> Cleaned:
    """Remove the penetrations of a motion of a figure, or of an actor of a scene.

    In a scene, `motion` is that of the whole scene (`scene.layout.motion`); only `actor` (by
    default the first) is changed.
    Frames more than `fade_s` away from any penetrating frame stay unchanged. Where the source
    passes through itself, limbs take a detour or wait on their side, whichever stays nearer to the
    source over the whole clip; with `go_round=False` they never change sides.
    """
    if isinstance(subject, Scene):
        figure, variables = _actor_of(subject, actor)
        table = table or subject.layout.table
    else:
        figure, variables = subject, None
    if motion.skeleton.names != figure.skeleton.names:
        raise WritheError(
            f"the motion {motion.name!r} belongs to another skeleton than {figure.name!r}:"
            " retarget it first"
        )
    shapes = table or CollisionTable.of_figure(figure)
    tracker = PostureTracker(figure, shapes, options, variables=variables)
    count, report = len(motion), progress or no_progress
    fade = max(1, round(fade_s * motion.fps))
    target = push_frames_clear(tracker, motion.q, fade, lambda done: report(done / (3 * count)))
    clip = SegmentedClip(tracker, motion.q, target, motion.fps)
    detours = Detours(tracker, motion.fps) if go_round else None
    rows = nearest_path(clip, detours, lambda done: report((2 * count + done) / (3 * count)))
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


def _actor_of(scene: Scene, actor: str | None) -> tuple[Figure, Bools]:
    """The scene's joints as a figure with the actor's roles, and its degrees of freedom (nv,)."""
    chosen = scene.actor(actor)
    layout = scene.layout
    roles = tuple((role, f"{chosen.name}.{joint}") for role, joint in chosen.figure.roles)
    variables = np.zeros(layout.skeleton.dof_count, dtype=np.bool_)
    variables[layout.actor_v[chosen.name]] = True
    return Figure(chosen.figure.name, layout.skeleton, roles=roles), variables

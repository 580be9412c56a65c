"""Remove the penetrations and pass-throughs of a clip, and certify the result.

1. `unfold`: joints that fold their skin are bent back to their fold limits.
2. `solve_windows`: windows of penetrating frames are solved together, starting at the source, with
   velocity and acceleration of the corrections bounded, until the certificate holds between all
   frames.
3. Where that fails or moves the body far, a certified path through that part of the clip decides
   on which side limbs pass, and the windows are solved again from it. The path:
   - `push_out` pushes every frame clear by itself;
   - `clear_segments` splits the clip where the motion between two frames is not certified or where
     the correction jumps;
   - `segment_path` joins the segments by waiting on one side or by detours (`detour`), as near to
     the source as possible.
4. `file_interpolations`: the same for the motion as readers of a BVH file interpolate it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
from threadpoolctl import threadpool_limits

from writhe.arguments import checked
from writhe.arrays import Bools, Floats
from writhe.cleaning.clear_segments import SegmentedClip
from writhe.cleaning.detour import Detours
from writhe.cleaning.file_interpolations import FileInterpolations
from writhe.cleaning.free_dofs import changing_table
from writhe.cleaning.leaps import Leaps, leaps
from writhe.cleaning.push_out import push_frames_clear
from writhe.cleaning.segment_path import nearest_path
from writhe.cleaning.solve_windows import ClipTrajectory
from writhe.cleaning.unfold import unfolded
from writhe.cleaning.window_options import WindowOptions
from writhe.cleaning.window_problem import ClipProblem
from writhe.collision import Certificate, CollisionTable, certify
from writhe.errors import WritheError
from writhe.progress import Progress, no_progress
from writhe.scene import Scene
from writhe.skeleton import Figure, Motion, forward
from writhe.skeleton.configurations import same_joints
from writhe.solvers.posture_tracking import PostureTracker, TrackingOptions

FADE_S = 0.4  # corrections begin and end this long before and after what penetrates
_SHARE_FROM_SOURCE = 0.7  # of the reported progress: the windows started at the source
# more passes over a clip in which a joint is folded: the path of step 3 may fold one
_PASSES_FOR_FOLDS = 3


@dataclass(frozen=True)
class Cleaned:
    """A cleaned motion, with the certificates before and after.

    written: the certificate of the motion as it is written to a BVH file and read back, with slerp
    and with linear Euler angles between frames; None with `euler=False`, or if no shapes could be
    fitted to the skeleton of the file.
    """

    motion: Motion
    before: Certificate
    after: Certificate
    written: Certificate | None
    written_fps: float  # frame rate of that file; above the motion's if only denser frames certify
    mean_displacement_m: float  # over all joints and frames
    max_displacement_m: float
    leaps: Leaps
    changed_frames: int

    @property
    def largest_leap_m(self) -> float:
        """The largest increase of a joint's motion per frame over that of the source, in metres."""
        return self.leaps.beyond_source_m


@checked
def clean(
    subject: Figure | Scene,
    motion: Motion,
    *,
    actor: str | None = None,
    table: CollisionTable | None = None,
    options: TrackingOptions | None = None,
    window_options: WindowOptions | None = None,
    fade_s: float = FADE_S,
    go_round: bool = True,
    euler: bool = True,
    progress: Progress | None = None,
) -> Cleaned:
    """Remove the penetrations of a motion of a figure, or of an actor of a scene.

    In a scene, `motion` is the motion of the whole scene (`scene.layout.motion`), of which only the
    part of `actor` (by default the first) is changed.
    Frames more than twice `fade_s` away from any penetrating frame stay unchanged. Where the source
    passes through itself, limbs take a detour or wait on their side, whichever stays nearer to the
    source over the whole clip; with `go_round=False` they never change sides.
    With `euler`, the motion is also solved and certified as interpolated Euler angles, for a BVH
    file.
    table: the collision table of the subject, if it is not the default one. options: of the
    solutions of single frames; window_options: of windows of frames.
    """
    tracker = _tracker(subject, motion, actor, table, options)
    shapes, figure = tracker.table, tracker.figure
    found = _solved_passes(
        tracker,
        motion,
        None if table is None and isinstance(subject, Figure) else shapes,
        window_options,
        fade_s,
        go_round,
        euler,
        progress or no_progress,
    )
    q, source_positions = found.q, forward(figure.skeleton, motion.q).positions
    positions = forward(figure.skeleton, q).positions
    moved = np.linalg.norm(positions - source_positions, axis=2)
    return Cleaned(
        motion=replace(motion, q=q),
        before=certify(shapes, motion.q, motion.fps),
        after=found.after,
        written=found.written,
        written_fps=found.written_fps,
        mean_displacement_m=float(moved.mean()),
        max_displacement_m=float(moved.max()),
        leaps=leaps(positions, source_positions),
        changed_frames=int((np.abs(q - motion.q).max(axis=1) > 1e-6).sum()),
    )


def cleaned_frames(
    subject: Figure | Scene,
    motion: Motion,
    *,
    actor: str | None = None,
    progress: Progress | None = None,
) -> Floats:
    """(frames, nq) the frames of `clean(..., euler=False)`, for callers that certify them."""
    tracker, report = _tracker(subject, motion, actor, None, None), progress or no_progress
    return _solved_passes(tracker, motion, tracker.table, None, FADE_S, True, False, report).q


def _tracker(
    subject: Figure | Scene,
    motion: Motion,
    actor: str | None,
    table: CollisionTable | None,
    options: TrackingOptions | None,
) -> PostureTracker:
    """What solves single frames of the motion; see `clean`."""
    if isinstance(subject, Scene):
        figure, variables = _actor_of(subject, actor)
        table = table or subject.layout.table
    else:
        figure, variables = subject, None
    if not same_joints(motion.skeleton, figure.skeleton, roots=False):
        raise WritheError(
            f"the motion {motion.name!r} belongs to another skeleton than {figure.name!r}:"
            " retarget it first"
        )
    shapes = table or CollisionTable.of_figure(figure)
    return PostureTracker(figure, shapes, options, variables=variables)


@dataclass(frozen=True)
class _Solution:
    """Cleaned frames (frames, nq), and the certificate of their file; see `Cleaned`."""

    table: CollisionTable
    q: Floats
    fps: float
    written: Certificate | None
    written_fps: float
    by_file: bool  # whether `written` is also that of slerp with these shapes

    @cached_property
    def after(self) -> Certificate:
        """The certificate of the frames."""
        if self.by_file and self.written is not None and self.written.certified:
            return self.written
        return certify(self.table, self.q, self.fps)


def _solved_passes(
    tracker: PostureTracker,
    motion: Motion,
    table: CollisionTable | None,
    window_options: WindowOptions | None,
    fade_s: float,
    go_round: bool,
    euler: bool,
    progress: Progress,
) -> _Solution:
    """One pass over a clip, and more if joints of its result are folded; see `_solved`."""

    def solved(source: Motion) -> _Solution:
        return _solved(tracker, source, table, window_options, fade_s, go_round, euler, progress)

    latest = found = solved(motion)
    for _ in range(_PASSES_FOR_FOLDS if tracker.table.folds else 0):
        if not latest.after.folded_joints:
            break
        bent = unfolded(tracker.table, latest.q, motion.fps, tracker.may_change)
        if bent is latest.q:  # it cannot be changed
            break
        latest = solved(replace(motion, q=bent))
        if latest.after.certified:
            found = latest
    return found


def _solved(
    tracker: PostureTracker,
    motion: Motion,
    table: CollisionTable | None,
    window_options: WindowOptions | None,
    fade_s: float,
    go_round: bool,
    euler: bool,
    progress: Progress,
) -> _Solution:
    """One pass over a clip; table: the tracker's, if it is not the default one of the figure."""
    shapes = tracker.table
    # what is corrected: the source with its folded joints bent back
    given = replace(motion, q=unfolded(shapes, motion.q, motion.fps, tracker.may_change))
    source_positions = forward(tracker.figure.skeleton, motion.q).positions
    problem = ClipProblem(tracker, given.q, motion.fps, window_options, source_positions)
    done = 0.0

    def report(share: float) -> None:
        nonlocal done
        done = max(done, share)  # every path starts to count again
        progress(done)

    fade_frames = max(1, round(fade_s * motion.fps))
    from_source = _SHARE_FROM_SOURCE
    trajectory = ClipTrajectory(
        tracker, problem, fade_frames, lambda share: report(from_source * share)
    )

    @cache
    def path_tracker() -> PostureTracker:
        return _major_tracker(tracker, problem)

    written: Certificate | None = None
    written_fps = motion.fps
    with threadpool_limits(1, "blas"):  # small matrices: more threads are slower
        q = trajectory.solve(
            lambda first, stop: _paths(
                path_tracker(),
                given.slice(first, stop),
                fade_frames,
                go_round,
                lambda share: report(from_source + (1 - from_source) * share),
            ),
            from_path=not go_round,
        )
        bent = unfolded(shapes, q, motion.fps, tracker.may_change)
        if bent is not q:
            q = trajectory.replaced(q, bent)
        if euler:
            file = FileInterpolations(motion)
            q = trajectory.solve_for_file(q, file.failures)
            written, written_fps = file.denser(q)
    # `written` also certifies slerp, with the figure's own shapes
    return _Solution(shapes, q, motion.fps, written, written_fps, by_file=table is None)


def _actor_of(scene: Scene, actor: str | None) -> tuple[Figure, Bools]:
    """The scene's joints as a figure with the actor's roles, and its degrees of freedom (nv,)."""
    chosen = scene.actor(actor)
    layout = scene.layout
    roles = tuple((role, f"{chosen.name}.{joint}") for role, joint in chosen.figure.roles)
    variables = np.zeros(layout.skeleton.dof_count, dtype=np.bool_)
    variables[layout.actor_v[chosen.name]] = True
    return Figure(chosen.figure.name, layout.skeleton, roles=roles), variables


def _major_tracker(tracker: PostureTracker, problem: ClipProblem) -> PostureTracker:
    """A tracker that moves only the main joints; fingers and the like stay as in the source.

    It serves for paths, which only choose on which side limbs pass each other.
    """
    variables = np.zeros_like(tracker.may_change)
    variables[problem.main_dofs] = True
    if (variables == tracker.may_change).all():
        return tracker
    return PostureTracker(
        tracker.figure,
        changing_table(tracker.table, variables),
        tracker.options,
        variables=variables,
    )


def _paths(
    tracker: PostureTracker,
    motion: Motion,
    fade: int,
    go_round: bool,
    report: Callable[[float], None],
) -> list[Floats]:
    """Certified paths (frames, nq) that decide on which side limbs pass, the nearest first.

    A path with detours is followed by the one on which limbs never change sides: which of them
    leads to the nearer motion is known only when both are solved.
    """
    count = len(motion)
    target = push_frames_clear(tracker, motion.q, fade, lambda done: report(done / (2 * count)))
    clip = SegmentedClip(tracker, motion.q, target, motion.fps)

    def searched(done: int) -> None:
        report(0.5 + done / (2 * count))

    paths = [nearest_path(clip, Detours(tracker, motion.fps), searched)] if go_round else []
    staying = nearest_path(clip, None, searched)
    return paths if paths and np.array_equal(paths[0], staying) else [*paths, staying]

"""Drawn paths: a hand or foot follows one in a learnt style; the motion is baked to keys."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats, Vector3
from writhe.cleaning.clean import clean
from writhe.collision import Certificate, CollisionTable, certify
from writhe.errors import WritheError
from writhe.postures.synthetic_clips import MOVEMENTS
from writhe.skeleton import Figure, Motion
from writhe.solvers.trajectory import CHAINS, Chain, Forest
from writhe.studio.document.drawn_paths import (
    LIMBS,
    DrawnPath,
    LimbName,
    Points,
    Seconds,
    StyleName,
    all_paths,
    put_path,
)
from writhe.studio.document.history import Edit
from writhe.studio.document.row_types import SAME_TIME_S, TrackKind, pack
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene.scene_builder import actor_label
from writhe.studio.feature import Feature, Outcome, Work
from writhe.studio.features.motion.certificate import VerdictName
from writhe.studio.files.shared_files import SharedFiles
from writhe.studio.protocol import Message, MessagePart, Task, Time
from writhe.studio.server.jobs import Job
from writhe.styles.follow_paths import follow, smooth_path, starting_at
from writhe.styles.learn_styles import learn_builtin

feature = Feature("trajectories")


class FollowPath(Task):
    """Let a hand or foot follow waypoints in a style; pose keys in that time are replaced."""

    actor: int
    limb: LimbName
    style: StyleName
    points: Points
    start_s: Time
    seconds: Seconds


class RepairMotion(Task):
    """Push penetrations out of a segment of an actor's motion."""

    actor: int
    start_s: Time
    seconds: Seconds


class FollowPathResult(Message):
    """The result: mean distance from the path, penetration, and the verdict in the scene."""

    job: str
    actor: int
    certified: bool
    verdict: VerdictName
    distance_mm: float
    penetration_mm: float


class LimbChoice(MessagePart):
    """A limb that can follow a path, and its end joint on each figure that has it."""

    name: str
    title: str
    joints: dict[str, str]


class StyleChoice(MessagePart):
    """A style, and the limbs it was learnt for."""

    name: str
    title: str
    limbs: list[str]


class DrawnPathState(MessagePart):
    """A drawn path: its key on the timeline and its data."""

    key: int
    actor: int
    start_s: float
    limb: str
    style: str
    seconds: float
    points: list[Vector3]


class TrajectoriesState(MessagePart):
    """The available limbs and styles, and the drawn paths."""

    limbs: list[LimbChoice]
    styles: list[StyleChoice]
    paths: list[DrawnPathState]


@feature.state
def state(editor: Editor) -> TrajectoriesState:
    """The available limbs and styles, and the drawn paths."""
    figures = [editor.document.figure(actor.figure) for actor in editor.document.actors()]
    roles = {one.name: dict(one.roles) for one in figures}
    limbs = [
        LimbChoice(name, title, {f: known[role] for f, known in roles.items() if role in known})
        for name, title in LIMBS.items()
        for role in CHAINS[name][1]
    ]
    built_in = [StyleChoice(name, name.capitalize(), list(LIMBS)) for name in MOVEMENTS]
    styles = [*built_in, *_from_files(editor.posers.shared_files)]
    paths = [
        DrawnPathState(
            one.key,
            one.actor,
            one.start_s,
            one.path.limb,
            one.path.style,
            one.path.seconds,
            one.path.points,
        )
        for one in all_paths(editor.document)
    ]
    return TrajectoriesState(limbs, styles, paths)


def _from_files(shared_files: SharedFiles) -> list[StyleChoice]:
    """The styles in shared files, learnt by `writhe learn`."""
    found: list[StyleChoice] = []
    for name in shared_files.styles.names():
        with contextlib.suppress(WritheError):  # a damaged file must not hide the others
            forest = shared_files.styles.get(name)
            if forest.chain.name in LIMBS:
                found += [
                    StyleChoice(f"{name}/{style}", f"{style} ({name})", [forest.chain.name])
                    for style in forest.styles
                ]
    return found


_learnt: dict[tuple[str, str], Forest] = {}


def _forest(shared_files: SharedFiles, style: str, figure: Figure, limb: str) -> tuple[Forest, str]:
    """The forest that holds a style, and its name there; styles of files are named FILE/STYLE."""
    file, slash, name = style.partition("/")
    if not slash:
        return _built_in(figure, limb), style
    forest = shared_files.styles.get(file)
    if forest.chain.name != limb:
        raise WritheError(f"{style!r} was learnt for the {forest.chain.name}, not the {limb}")
    if forest.chain.figure.skeleton is not figure.skeleton:
        raise WritheError(f"{style!r} was learnt on another body than {figure.name!r}")
    return forest, name


def _built_in(figure: Figure, limb: str) -> Forest:
    """The built-in styles of a limb, learnt on first use (1 to 2 s)."""
    known = _learnt.get((figure.name, limb))
    if known is None or known.chain.figure.skeleton is not figure.skeleton:
        known = _learnt[figure.name, limb] = learn_builtin(Chain.named(figure, limb))
    return known


@feature.task("Follow the path", needs=("trajectories",))
def follow_path(editor: Editor, message: FollowPath) -> Work:
    """Read the current pose; solve, certify and bake the motion in the background."""
    actor = editor.document.actor(message.actor)
    figure = editor.document.figure(actor.figure)
    posture, fps = editor.posed_actor(actor).q.copy(), editor.document.fps
    points = np.array(message.points)
    if not np.isfinite(points).all():
        raise WritheError("the points of a path must be finite")
    count = round(message.seconds * fps) + 1
    shared_files = editor.posers.shared_files
    in_scene = _InScene.of(editor, message.actor, message.start_s, count)

    def work(job: Job) -> Outcome:
        job.report(0.05, "learning the style")
        forest, style = _forest(shared_files, message.style, figure, message.limb)
        job.report(0.4, "following the path")
        path = smooth_path(points, count)
        done = follow(forest.chain, forest.blend(style), path, fps, posture)
        q = starting_at(figure.skeleton, done.motion.q, posture, fps)
        job.report(0.9, "keying")
        return Outcome(
            commit=lambda editor, edit: _store_path(editor, edit, message, q),
            show=_followed(
                job,
                message.actor,
                in_scene.certificate(q),
                float(done.trajectory.distance_m.mean()),
            ),
        )

    return work


@feature.task("Repair the motion")
def repair_motion(editor: Editor, message: RepairMotion) -> Work:
    """Sample the segment now; clean it in the background."""
    actor = editor.document.actor(message.actor)
    figure, fps = editor.document.figure(actor.figure), editor.document.fps
    timeline = editor.document.timeline(actor.id)
    if timeline.empty:
        raise WritheError("there is no motion to repair")
    times = message.start_s + np.arange(round(message.seconds * fps) + 1) / fps
    q = timeline.sample(times)
    in_scene = _InScene.of(editor, message.actor, message.start_s, len(times))

    def work(job: Job) -> Outcome:
        done = clean(
            figure,
            Motion(figure.skeleton, q, fps),
            progress=lambda share, what="": job.report(share, what or "pushing parts apart"),
        )
        return Outcome(
            commit=lambda editor, edit: _bake(
                editor, edit, message.actor, done.motion.q, message.start_s
            ),
            show=_followed(
                job, message.actor, in_scene.certificate(done.motion.q), done.mean_displacement_m
            ),
        )

    return work


@dataclass(frozen=True)
class _InScene:
    """An actor and what is around it over some frames: rows (frames, nq) of the scene."""

    table: CollisionTable
    rows: Floats
    own: slice
    fps: float

    @classmethod
    def of(cls, editor: Editor, actor: int, start_s: float, count: int) -> _InScene:
        layout, fps = editor.scene.layout, editor.document.fps
        rows = editor.sample(start_s + np.arange(count) / fps)
        label = actor_label(actor)
        if label not in layout.actor_q:
            raise WritheError("this character has no solid shapes, so nothing can be certified")
        return cls(layout.table, rows, layout.actor_q[label], fps)

    def certificate(self, q: Floats) -> Certificate:
        """The certificate of the scene with the actor's postures q (frames, nq)."""
        out = self.rows.copy()
        out[:, self.own] = q
        return certify(self.table, out, self.fps)


def _followed(job: Job, actor: int, report: Certificate, distance_m: float) -> FollowPathResult:
    clearance = report.min_clearance_m
    return FollowPathResult(
        job=job.number,
        actor=actor,
        certified=report.certified,
        verdict=report.verdict.value,
        distance_mm=1e3 * distance_m,
        penetration_mm=0.0 if clearance is None else max(0.0, -1e3 * clearance),
    )


def _store_path(editor: Editor, edit: Edit, message: FollowPath, q: Floats) -> None:
    """Bake the motion and store the path, replacing paths in the same time."""
    _bake(editor, edit, message.actor, q, message.start_s)
    drawn = DrawnPath(message.limb, message.style, message.seconds, message.points)
    put_path(editor.document, edit, message.actor, message.start_s, drawn)


def _bake(editor: Editor, edit: Edit, actor: int, q: Floats, start_s: float) -> None:
    """Set a pose key at every frame, replacing the keys in that time."""
    document = editor.document
    track = edits.track_for(document, edit, TrackKind.POSE, "Pose", actor=actor)
    times = start_s + np.arange(len(q)) / document.fps
    for key in document.keys(track):
        if start_s - SAME_TIME_S < key.time_s < times[-1] + SAME_TIME_S:
            edit.delete("keys", key.id)
    if len(document.keys(track)) + len(q) > edits.MAX_KEYS:
        raise WritheError(f"a track holds at most {edits.MAX_KEYS} keys")
    # the last key is set by `put_track_key`, which also extends the timeline
    edits.put_track_key(document, edit, track, float(times[-1]), pack(q[-1]))
    for time_s, row in zip(times[:-1], q[:-1], strict=True):
        edit.insert("keys", track=track, time_s=float(time_s), ease="linear", data=pack(row))

"""Drawn paths: a hand or foot follows one in a learnt style, baked to keys, certified, repaired."""

from __future__ import annotations

import contextlib

import numpy as np

from writhe.arrays import Floats, Vector3
from writhe.cleaning.clean import clean
from writhe.collision import Certificate
from writhe.errors import WritheError
from writhe.postures.synthetic_clips import MOVEMENTS
from writhe.skeleton import Figure, Motion
from writhe.solvers.trajectory import CHAINS, Chain, Forest
from writhe.studio.document.drawn_paths import (
    LIMBS,
    DrawnPath,
    Limb,
    Points,
    Seconds,
    StyleName,
    all_paths,
    put_path,
)
from writhe.studio.document.history import Edit
from writhe.studio.document.rows import TrackKind, pack
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Stage
from writhe.studio.feature import Feature, Outcome, Work
from writhe.studio.files.shared_files import Shelves
from writhe.studio.protocol import Message, Part, Task, Time
from writhe.studio.server.jobs import Job
from writhe.styles.follow_paths import follow, smooth_path
from writhe.styles.learn_styles import learn_builtin

feature = Feature("trajectories")


class FollowPath(Task, frozen=True, tag="follow_path"):
    """Let a hand or foot follow way-points, from a time on, in a style; its keys there go."""

    actor: int
    limb: Limb
    style: StyleName
    points: Points
    start_s: Time
    seconds: Seconds


class RepairPath(Task, frozen=True, tag="repair_path"):
    """Push the penetrations out of a stretch of an actor's motion."""

    actor: int
    start_s: Time
    seconds: Seconds


class PathFollowed(Message, frozen=True, tag="path_followed"):
    """What became of a path: how near the targets it came, and whether it is certified."""

    job: str
    actor: int
    certified: bool
    distance_mm: float
    penetration_mm: float


class LimbChoice(Part, frozen=True):
    """A limb that can follow a path, and the joint that does on each figure that has it."""

    name: str
    title: str
    joints: dict[str, str]


class StyleChoice(Part, frozen=True):
    """A style, and the limbs it was learnt for."""

    name: str
    title: str
    limbs: list[str]


class PathState(Part, frozen=True):
    """A path that was drawn: its key on the timeline, and what it says."""

    key: int
    actor: int
    start_s: float
    limb: str
    style: str
    seconds: float
    points: list[Vector3]


class TrajectoriesState(Part, frozen=True):
    """What can be chosen, and the paths there are."""

    limbs: list[LimbChoice]
    styles: list[StyleChoice]
    paths: list[PathState]


@feature.state
def state(stage: Stage) -> TrajectoriesState:
    """The limbs and styles there are."""
    figures = [stage.document.figure(actor.figure) for actor in stage.document.actors()]
    roles = {one.name: dict(one.roles) for one in figures}
    limbs = [
        LimbChoice(name, title, {f: known[role] for f, known in roles.items() if role in known})
        for name, title in LIMBS.items()
        for role in CHAINS[name][1]
    ]
    built_in = [StyleChoice(name, name.capitalize(), list(LIMBS)) for name in MOVEMENTS]
    styles = [*built_in, *_from_files(stage.posers.shelves)]
    paths = [
        PathState(
            one.key,
            one.actor,
            one.start_s,
            one.path.limb,
            one.path.style,
            one.path.seconds,
            one.path.points,
        )
        for one in all_paths(stage.document)
    ]
    return TrajectoriesState(limbs, styles, paths)


def _from_files(shelves: Shelves) -> list[StyleChoice]:
    """The styles that were learnt by `writhe learn`, of the files opened here."""
    found: list[StyleChoice] = []
    for name in shelves.styles.names():
        with contextlib.suppress(WritheError):  # a damaged file must not hide the others
            forest = shelves.styles.get(name)
            if forest.chain.name in LIMBS:
                found += [
                    StyleChoice(f"{name}/{style}", f"{style} ({name})", [forest.chain.name])
                    for style in forest.styles
                ]
    return found


_learnt: dict[tuple[str, str], Forest] = {}


def _forest(shelves: Shelves, style: str, figure: Figure, limb: str) -> tuple[Forest, str]:
    """Where a style is found, and its name there: a file's styles are called FILE/STYLE."""
    file, slash, name = style.partition("/")
    if not slash:
        return _built_in(figure, limb), style
    forest = shelves.styles.get(file)
    if forest.chain.name != limb:
        raise WritheError(f"{style!r} was learnt for the {forest.chain.name}, not the {limb}")
    if forest.chain.figure.skeleton is not figure.skeleton:
        raise WritheError(f"{style!r} was learnt on another body than {figure.name!r}")
    return forest, name


def _built_in(figure: Figure, limb: str) -> Forest:
    """The styles of a limb, learnt at first use (a second or two)."""
    known = _learnt.get((figure.name, limb))
    if known is None or known.chain.figure.skeleton is not figure.skeleton:
        known = _learnt[figure.name, limb] = learn_builtin(Chain.named(figure, limb))
    return known


@feature.task("Follow the path", needs=("trajectories",))
def follow_path(stage: Stage, message: FollowPath) -> Work:
    """Take the pose as it is; solve, certify and key it beside other work."""
    actor = stage.document.actor(message.actor)
    figure = stage.document.figure(actor.figure)
    posture, fps = stage.puppet(actor).q.copy(), stage.document.fps
    points = np.array(message.points)
    if not np.isfinite(points).all():
        raise WritheError("a path must lie somewhere")
    count = round(message.seconds * fps) + 1
    shelves = stage.posers.shelves

    def work(job: Job) -> Outcome:
        job.report(0.05, "learning the style")
        forest, style = _forest(shelves, message.style, figure, message.limb)
        job.report(0.4, "following the path")
        path = smooth_path(points, count)
        done = follow(forest.chain, forest.blend(style), path, fps, posture)
        job.report(0.9, "keying")
        return Outcome(
            commit=lambda stage, edit: _keep_path(stage, edit, message, done.motion.q),
            show=_followed(
                job, message.actor, done.certificate, float(done.trajectory.distance_m.mean())
            ),
        )

    return work


@feature.task("Repair the motion")
def repair_path(stage: Stage, message: RepairPath) -> Work:
    """Read the stretch; clean it beside other work."""
    actor = stage.document.actor(message.actor)
    figure, fps = stage.document.figure(actor.figure), stage.document.fps
    timeline = stage.document.timeline(actor.id)
    if timeline.empty:
        raise WritheError("there is no motion to repair")
    times = message.start_s + np.arange(round(message.seconds * fps) + 1) / fps
    q = timeline.sample(times)

    def work(job: Job) -> Outcome:
        done = clean(
            Motion(figure.skeleton, q, fps),
            figure,
            progress=lambda made, total: job.report(made / total, "pushing parts apart"),
        )
        return Outcome(
            commit=lambda stage, edit: _bake(
                stage, edit, message.actor, done.motion.q, message.start_s
            ),
            show=_followed(job, message.actor, done.after, done.mean_displacement_m),
        )

    return work


def _followed(job: Job, actor: int, report: Certificate, distance_m: float) -> PathFollowed:
    clearance = report.min_clearance_m
    return PathFollowed(
        job=job.number,
        actor=actor,
        certified=report.certified,
        distance_mm=1e3 * distance_m,
        penetration_mm=0.0 if clearance is None else max(0.0, -1e3 * clearance),
    )


def _keep_path(stage: Stage, edit: Edit, message: FollowPath, q: Floats) -> None:
    """The motion and the path itself, in place of paths that were drawn over the same time."""
    _bake(stage, edit, message.actor, q, message.start_s)
    drawn = DrawnPath(message.limb, message.style, message.seconds, message.points)
    put_path(stage.document, edit, message.actor, message.start_s, drawn)


def _bake(stage: Stage, edit: Edit, actor: int, q: Floats, start_s: float) -> None:
    """Key every frame; keys that were there in between go."""
    document = stage.document
    track = edits.track_for(document, edit, TrackKind.POSE, "Pose", actor=actor)
    times = start_s + np.arange(len(q)) / document.fps
    for key in document.keys(track):
        if start_s - edits.SAME_TIME_S < key.time_s < times[-1] + edits.SAME_TIME_S:
            edit.delete("keys", key.id)
    if len(document.keys(track)) + len(q) > edits.MOST_KEYS:
        raise WritheError(f"a track holds at most {edits.MOST_KEYS} keys")
    # the last through the common door, which also lets the timeline reach that far
    edits.put_track_key(document, edit, track, float(times[-1]), pack(q[-1]))
    for time_s, row in zip(times[:-1], q[:-1], strict=True):
        edit.insert("keys", track=track, time_s=float(time_s), ease="linear", data=pack(row))

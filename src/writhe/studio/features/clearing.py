"""Clears segments that overlap: by a planned detour, or by pushing the motion out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from writhe.arrays import Floats
from writhe.cleaning.clean import clean
from writhe.collision import certify
from writhe.errors import WritheError
from writhe.planning import scene_problem
from writhe.scene import Scene
from writhe.skeleton import Figure, Motion
from writhe.skeleton.kinematics import difference, integrate
from writhe.studio.document import TrackKind
from writhe.studio.document.history import Edit
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.route_search import CLOSE, WIDE, failure_reason, search, timed_motion
from writhe.studio.editing.scene_builder import actor_label
from writhe.studio.editing.scene_sampling import sample_scene
from writhe.studio.feature import Feature, Outcome, Work
from writhe.studio.features.certificate import segment_edges, segment_of
from writhe.studio.protocol import Command, Message, Task, Time
from writhe.studio.server.jobs import Job
from writhe.studio.view.part_labels import display_names
from writhe.topology import linking_vector

feature = Feature("clearing")
_TAPERS = (6, 3)  # frames over which a correction fades out at the ends of a segment, in order
_WOUND = 0.5  # change of linking between two poses above which a detour is needed
_STAYS_M = 0.005  # a pinned joint that moves less between two poses counts as planted


class ClearSegment(Task, frozen=True, tag="clear_segment"):
    """Remove the penetrations from a segment of an actor's motion.

    "detour" plans a new path between the poses at its ends; "push_out" keeps the motion and moves
    only what overlaps.
    """

    actor: int
    start_s: Time
    end_s: Time
    how: Literal["detour", "push_out"]


class ClearAll(Task, frozen=True, tag="clear_all"):
    """Clear all segments that are not certified; keys stay unchanged.

    Segments whose limbs are linked differently at their ends get a detour first; others are pushed
    out first.
    """

    preferred_actor: Annotated[int, Meta(ge=0)]


class ClearResult(Message, frozen=True, tag="clear_result"):
    """The number of cleared segments, and messages about the remaining ones."""

    job: str
    cleared: int
    remaining: list[str]


class BlendAgain(Command, frozen=True, tag="blend_again"):
    """Remove a sampled track, so that its keys are interpolated by their easing."""

    track: int


@dataclass(frozen=True)
class _ActorMotion:
    """An actor whose motion is cleared, in its scene."""

    scene: Scene
    actor: int
    figure: Figure
    pins: tuple[str, ...]
    fps: float
    names: dict[str, str]

    @classmethod
    def of(cls, editor: Editor, actor: int) -> _ActorMotion:
        if actor_label(actor) not in editor.scene.layout.actor_q:
            raise WritheError("this character has no solid shapes, so nothing can collide with it")
        row, document = editor.document.actor(actor), editor.document
        pins = tuple(pin.joint for pin in row.pins)
        figure, names = document.figure(row.figure), display_names(document)
        return cls(editor.scene, actor, figure, pins, document.fps, names)

    @property
    def own(self) -> slice:
        """The slice of the actor in a configuration of the scene."""
        return self.scene.layout.actor_q[actor_label(self.actor)]

    def certified(self, rows: Floats, q: Floats) -> bool:
        """Whether the scene rows (n, nq) are certified with the actor's postures q."""
        out = rows.copy()
        out[:, self.own] = q
        return certify(self.scene.layout.table, out, self.fps).certified

    def overlap(self, q: Floats) -> str:
        """The worst overlap in a configuration of the scene as text; empty if there is none."""
        report = certify(self.scene.layout.table, np.stack([q, q]), self.fps)
        if report.certified:
            return ""
        worst = segment_of(report, 0.0, 0.0, self.names)
        return f"{worst.a} and {worst.b} overlap by {math.ceil(-1000 * worst.clearance_m)} mm"

    def clear(self, q: Floats) -> bool:
        """Whether a configuration of the scene is free of overlaps."""
        return certify(self.scene.layout.table, np.stack([q, q]), self.fps).certified

    def linking_changes(self, first: Floats, last: Floats) -> bool:
        """Whether limbs are linked differently in the two poses (over has become under)."""
        if len(self.figure.strands) < 2:
            return False
        before, after = (linking_vector(self.figure, q[self.own]) for q in (first, last))
        return bool(np.abs(after - before).max() > _WOUND)

    def detour(self, rows: Floats) -> Motion:
        """A planned motion between the first and the last of the scene rows (n, nq)."""
        ends = Motion(self.figure.skeleton, rows[[0, -1], self.own], self.fps).frames()
        planted = tuple(
            joint
            for joint in self.pins
            if np.linalg.norm(np.subtract(*ends.position(joint))) < _STAYS_M
        )
        problem = scene_problem(
            self.scene,
            actor_label(self.actor),
            rows[0, self.own],
            rows[-1, self.own],
            planted=planted,
            around=rows[0],
        )
        reason = ""
        for falloff in (CLOSE, WIDE):
            found = search(problem, falloff)
            if not found.solved:
                reason = failure_reason(found, self.names)
                continue
            try:
                scene_motion = timed_motion(found, (len(rows) - 1) / self.fps, self.fps)
            except WritheError as error:  # the other fall-off may keep more clearance
                reason = str(error)
                continue
            q = np.ascontiguousarray(scene_motion.q[:, self.own])
            q[0], q[-1] = rows[0, self.own], rows[-1, self.own]
            motion = Motion(self.figure.skeleton, q, scene_motion.fps, "Detour")
            if self.certified(rows, motion.resample(self.fps).q):
                return motion
            reason = "other moving parts block every path that was found; push out instead"
        raise WritheError(f"Cannot go around: {reason}.")

    def pushed_out(self, rows: Floats, job: Job) -> Motion:
        """The actor's motion in the scene rows (n, nq) with overlaps pushed out; its ends stay."""
        found = clean(
            self.scene,
            Motion(self.scene.layout.skeleton, rows, self.fps),
            actor=actor_label(self.actor),
            progress=job.report,
        )
        pushed = np.ascontiguousarray(found.motion.q[:, self.own])
        for frames in _TAPERS:
            q = _tapered(self.figure, rows[:, self.own], pushed, frames)
            if self.certified(rows, q):
                return Motion(self.figure.skeleton, q, self.fps, "Pushed out")
        raise WritheError(
            "This segment cannot be pushed out without changing the poses at its ends: parts pass"
            " right through each other. Go around instead."
        )


@feature.task("Fix the segment", needs=("planning",))
def clear_segment(editor: Editor, message: ClearSegment) -> Work:
    """Read the segment now; clear it in the background and add the result to the timeline."""
    mover, fps = _ActorMotion.of(editor, message.actor), editor.document.fps
    first, last = round(message.start_s * fps), round(message.end_s * fps)
    if last <= first:
        raise WritheError("a segment must end after it begins")
    whole = sample_scene(editor, np.arange(_last_frame(editor, last) + 1) / fps)
    kept = _key_frames(editor, message.actor)

    def work(job: Job) -> Outcome:
        begin, end = _clear_ends(mover, whole, first, last, kept)
        rows = whole[begin : end + 1]
        _ends_are_clear(mover, whole, begin, end)
        motion = mover.detour(rows) if message.how == "detour" else mover.pushed_out(rows, job)
        return Outcome(
            commit=lambda editor, edit: edits.put_sampled_track(
                editor.document, edit, message.actor, motion, begin / fps
            ),
            show=ClearResult(job.number, 1, []),
        )

    return work


@feature.task("Fix the motion", needs=("planning",))
def clear_all(editor: Editor, message: ClearAll) -> Work:
    """Certify and clear segment by segment; all changes are one command."""
    edges, fps = segment_edges(editor.document), editor.document.fps
    rows = sample_scene(editor, np.arange(edges[-1] + 1 if edges else 1) / fps)
    names, table = display_names(editor.document), editor.scene.layout.table
    movers = {
        actor.id: _ActorMotion.of(editor, actor.id)
        for actor in editor.document.actors()
        if actor_label(actor.id) in editor.scene.layout.actor_q
    }
    animated = {n for n in movers if not editor.document.timeline(n).empty}
    kept = {number: _key_frames(editor, number) for number in movers}

    def work(job: Job) -> Outcome:
        motions: list[tuple[int, Motion, float]] = []
        remaining: list[str] = []
        for done, (first, last) in enumerate(pairwise(edges)):
            job.report(done / (len(edges) - 1))
            part = rows[first : last + 1]
            found = segment_of(certify(table, part, fps), first / fps, last / fps, names)
            movable = [n for n in found.actors if n in animated] or found.actors
            if found.verdict == "certified" or not movable:
                continue
            mover = movers[
                message.preferred_actor if message.preferred_actor in movable else movable[0]
            ]
            begin, end = _clear_ends(mover, rows, first, last, kept[mover.actor])
            try:
                _ends_are_clear(mover, rows, begin, end)
                motion = _either(mover, rows[begin : end + 1], job)
            except WritheError as error:
                remaining.append(f"{first / fps:.2f} to {last / fps:.2f} s: {error}")
                continue
            rows[begin : end + 1, mover.own] = motion.resample(fps).q
            motions.append((mover.actor, motion, begin / fps))

        def commit(editor: Editor, edit: Edit) -> None:
            for actor, motion, start_s in motions:
                edits.put_sampled_track(editor.document, edit, actor, motion, start_s)

        return Outcome(commit=commit, show=ClearResult(job.number, len(motions), remaining))

    return work


@feature.command("Blend keys again")
def blend_again(editor: Editor, edit: Edit, message: BlendAgain) -> None:
    """Remove the sampled track; its keys stay."""
    motions = {t.id for t in editor.document.all_tracks() if t.kind is TrackKind.SAMPLED}
    if message.track not in motions:
        raise WritheError("that sampled track no longer exists")
    edit.delete("tracks", message.track)


def _last_frame(editor: Editor, at_least: int) -> int:
    edges = segment_edges(editor.document)
    return max(at_least, edges[-1] if edges else 0)


def _key_frames(editor: Editor, actor: int) -> set[int]:
    """The frames of an actor's pose keys, whose poses must not change."""
    track = editor.document.track(actor, TrackKind.POSE)
    keys = [] if track is None else editor.document.keys(track.id)
    return {round(key.time_s * editor.document.fps) for key in keys}


def _clear_ends(
    mover: _ActorMotion, rows: Floats, first: int, last: int, kept: set[int]
) -> tuple[int, int]:
    """The segment from `first` to `last`, extended while its end frames overlap."""
    while first > 0 and first not in kept and not mover.clear(rows[first]):
        first -= 1
    while last < len(rows) - 1 and last not in kept and not mover.clear(rows[last]):
        last += 1
    return first, last


def _ends_are_clear(mover: _ActorMotion, rows: Floats, first: int, last: int) -> None:
    """Raise if a pose at an end overlaps, because no motion between them can clear it."""
    for frame in (first, last):
        overlap = mover.overlap(rows[frame])
        if overlap:
            raise WritheError(
                f"In the pose at {frame / mover.fps:.2f} s {overlap}. Keyed poses are not changed:"
                " drag these parts apart there (moving one of them is enough), or allow the"
                " contact"
            )


def _either(mover: _ActorMotion, rows: Floats, job: Job) -> Motion:
    """A detour first if the linking of the limbs changes, else pushing out first."""
    if mover.linking_changes(rows[0], rows[-1]):
        try:
            return mover.detour(rows)
        except WritheError:
            return mover.pushed_out(rows, job)
    try:
        return mover.pushed_out(rows, job)
    except WritheError:
        return mover.detour(rows)


def _tapered(figure: Figure, before: Floats, after: Floats, frames: int) -> Floats:
    """The correction from `before` to `after` (n, nq), faded out over `frames` at both ends."""
    count = len(before)
    away = np.minimum(np.arange(count), np.arange(count)[::-1])
    share = np.clip(away / min(frames, max(1, (count - 1) // 2)), 0.0, 1.0)
    share = share * share * (3.0 - 2.0 * share)
    return np.stack(
        [
            integrate(figure.skeleton, a, s * difference(figure.skeleton, a, b))
            for a, b, s in zip(before, after, share, strict=True)
        ]
    )

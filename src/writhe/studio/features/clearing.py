"""Stretches that pass through made clear: round the obstacle by planning, or pushed out of it."""

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
from writhe.studio.editing.editor import Stage
from writhe.studio.editing.route_search import CLOSE, WIDE, played, search, why_not
from writhe.studio.editing.scene_builder import label
from writhe.studio.editing.scene_sampling import sample_scene
from writhe.studio.feature import Feature, Outcome, Work
from writhe.studio.features.certificate import stretch_edges, stretch_of
from writhe.studio.protocol import Command, Message, Task, Time
from writhe.studio.server.jobs import Job
from writhe.studio.view.part_labels import names_of
from writhe.topology import linking_vector

feature = Feature("clearing")
_TAPERS = (6, 3)  # frames within which a correction fades out at the ends of a stretch, as tried
_WOUND = 0.5  # a change of linking between two poses that only a way round brings about
_STAYS_M = 0.005  # a pinned joint that moves no farther between two poses stays planted


class ClearStretch(Task, frozen=True, tag="clear_stretch"):
    """Make a stretch of an actor's motion clear.

    "round" plans a way between the poses at its ends; "out" keeps the motion as far as bodies
    allow.
    """

    actor: int
    start_s: Time
    end_s: Time
    how: Literal["round", "out"]


class ClearAll(Task, frozen=True, tag="clear_all"):
    """Make every stretch clear that is not; keys stay as they are.

    Round where limbs change over and under from one key to the next, elsewhere pushed out where
    that is enough.
    """

    prefer: Annotated[int, Meta(ge=0)]


class Cleared(Message, frozen=True, tag="cleared"):
    """How many stretches were made clear, and what is left."""

    job: str
    cleared: int
    left: list[str]


class BlendAgain(Command, frozen=True, tag="blend_again"):
    """Remove a way: the keys are joined as their easing says."""

    way: int


@dataclass(frozen=True)
class _Body:
    """An actor whose motion is made clear, and all that it must keep clear of."""

    scene: Scene
    actor: int
    figure: Figure
    pins: tuple[str, ...]
    fps: float
    names: dict[str, str]

    @classmethod
    def of(cls, stage: Stage, actor: int) -> _Body:
        if label(actor) not in stage.scene.layout.actor_q:
            raise WritheError("this character has no solid shapes: nothing can get into its way")
        row, document = stage.document.actor(actor), stage.document
        pins = tuple(pin.joint for pin in row.pins)
        figure, names = document.figure(row.figure), names_of(document)
        return cls(stage.scene, actor, figure, pins, document.fps, names)

    @property
    def own(self) -> slice:
        """The numbers of the actor in a configuration of the scene."""
        return self.scene.layout.actor_q[label(self.actor)]

    def certified(self, rows: Floats, q: Floats) -> bool:
        """Whether the actor's postures fit between everything else."""
        out = rows.copy()
        out[:, self.own] = q
        return certify(self.scene.layout.table, out, self.fps).certified

    def overlap(self, q: Floats) -> str:
        """What overlaps in a configuration of the scene, in words; nothing where it is clear."""
        report = certify(self.scene.layout.table, np.stack([q, q]), self.fps)
        if report.certified:
            return ""
        worst = stretch_of(report, 0.0, 0.0, self.names)
        return f"{worst.a} and {worst.b} overlap by {math.ceil(-1000 * worst.clearance_m)} mm"

    def clear(self, q: Floats) -> bool:
        """Whether nothing overlaps in a configuration of the scene."""
        return certify(self.scene.layout.table, np.stack([q, q]), self.fps).certified

    def rewound(self, first: Floats, last: Floats) -> bool:
        """Whether limbs are wound otherwise in the second pose: over has become under."""
        if len(self.figure.strands) < 2:
            return False
        before, after = (linking_vector(self.figure, q[self.own]) for q in (first, last))
        return bool(np.abs(after - before).max() > _WOUND)

    def round(self, rows: Floats) -> Motion:
        """A planned way between the first and the last of rows (n, nq)."""
        ends = Motion(self.figure.skeleton, rows[[0, -1], self.own], self.fps).frames()
        planted = tuple(
            joint
            for joint in self.pins
            if np.linalg.norm(np.subtract(*ends.position(joint))) < _STAYS_M
        )
        problem = scene_problem(
            self.scene,
            label(self.actor),
            rows[0, self.own],
            rows[-1, self.own],
            planted=planted,
            around=rows[0],
        )
        reason = ""
        for falloff in (CLOSE, WIDE):
            found = search(problem, falloff)
            if not found.solved:
                reason = why_not(found, self.names)
                continue
            try:
                motion = played(found, (len(rows) - 1) / self.fps, self.fps)
            except WritheError as error:  # the other fall-off may keep more room
                reason = str(error)
                continue
            q = np.ascontiguousarray(motion.q[:, self.own])
            q[0], q[-1] = rows[0, self.own], rows[-1, self.own]
            way = Motion(self.figure.skeleton, q, motion.fps, "Way round")
            if self.certified(rows, way.resample(self.fps).q):
                return way
            reason = "what moves meanwhile gets into every way that was found; push out instead"
        raise WritheError(f"Cannot go round: {reason}.")

    def pushed_out(self, rows: Floats, job: Job) -> Motion:
        """The actor's motion in rows (n, nq) as near as is clear; its ends stay as they are."""
        layout, who = self.scene.layout, label(self.actor)
        roles = tuple((role, f"{who}.{joint}") for role, joint in self.figure.roles)
        variables = np.zeros(layout.skeleton.dof_count, dtype=np.bool_)
        variables[layout.actor_v[who]] = True
        found = clean(
            Motion(layout.skeleton, rows, self.fps),
            Figure(self.figure.name, layout.skeleton, roles=roles),
            table=layout.table,
            variables=variables,
            progress=lambda done, total: job.report(done / total),
        )
        pushed = np.ascontiguousarray(found.motion.q[:, self.own])
        for frames in _TAPERS:
            q = _tapered(self.figure, rows[:, self.own], pushed, frames)
            if self.certified(rows, q):
                return Motion(self.figure.skeleton, q, self.fps, "Pushed out")
        raise WritheError(
            "This stretch cannot be pushed out without changing the poses at its ends: parts pass"
            " right through each other. Go round instead."
        )


@feature.task("Make the stretch clear", needs=("planning",))
def clear_stretch(stage: Stage, message: ClearStretch) -> Work:
    """Read the stretch now, make it clear beside everything else, keep what came of it."""
    body, fps = _Body.of(stage, message.actor), stage.document.fps
    first, last = round(message.start_s * fps), round(message.end_s * fps)
    if last <= first:
        raise WritheError("a stretch begins before it ends")
    whole = sample_scene(stage, np.arange(_last_frame(stage, last) + 1) / fps)
    kept = _key_frames(stage, message.actor)

    def work(job: Job) -> Outcome:
        begin, end = _clear_ends(body, whole, first, last, kept)
        rows = whole[begin : end + 1]
        _ends_are_clear(body, whole, begin, end)
        way = body.round(rows) if message.how == "round" else body.pushed_out(rows, job)
        return Outcome(
            commit=lambda stage, edit: edits.put_way(
                stage.document, edit, message.actor, way, begin / fps
            ),
            show=Cleared(job.number, 1, []),
        )

    return work


@feature.task("Make the motion clear", needs=("planning",))
def clear_all(stage: Stage, message: ClearAll) -> Work:
    """Certify, then clear stretch by stretch; one command for all of it."""
    edges, fps = stretch_edges(stage.document), stage.document.fps
    rows = sample_scene(stage, np.arange(edges[-1] + 1 if edges else 1) / fps)
    names, table = names_of(stage.document), stage.scene.layout.table
    bodies = {
        actor.id: _Body.of(stage, actor.id)
        for actor in stage.document.actors()
        if label(actor.id) in stage.scene.layout.actor_q
    }
    animated = {n for n in bodies if not stage.document.timeline(n).empty}
    kept = {number: _key_frames(stage, number) for number in bodies}

    def work(job: Job) -> Outcome:
        ways: list[tuple[int, Motion, float]] = []
        left: list[str] = []
        for done, (first, last) in enumerate(pairwise(edges)):
            job.report(done / (len(edges) - 1))
            part = rows[first : last + 1]
            found = stretch_of(certify(table, part, fps), first / fps, last / fps, names)
            movable = [n for n in found.actors if n in animated] or found.actors
            if found.verdict == "certified" or not movable:
                continue
            body = bodies[message.prefer if message.prefer in movable else movable[0]]
            begin, end = _clear_ends(body, rows, first, last, kept[body.actor])
            try:
                _ends_are_clear(body, rows, begin, end)
                way = _either(body, rows[begin : end + 1], job)
            except WritheError as error:
                left.append(f"{first / fps:.2f} to {last / fps:.2f} s: {error}")
                continue
            rows[begin : end + 1, body.own] = way.resample(fps).q
            ways.append((body.actor, way, begin / fps))

        def commit(stage: Stage, edit: Edit) -> None:
            for actor, way, start_s in ways:
                edits.put_way(stage.document, edit, actor, way, start_s)

        return Outcome(commit=commit, show=Cleared(job.number, len(ways), left))

    return work


@feature.command("Blend keys again")
def blend_again(stage: Stage, edit: Edit, message: BlendAgain) -> None:
    """Remove the way; its keys stay."""
    ways = {t.id for t in stage.document.all_tracks() if t.kind is TrackKind.WAY}
    if message.way not in ways:
        raise WritheError("that way is not there any more")
    edit.delete("tracks", message.way)


def _last_frame(stage: Stage, at_least: int) -> int:
    edges = stretch_edges(stage.document)
    return max(at_least, edges[-1] if edges else 0)


def _key_frames(stage: Stage, actor: int) -> set[int]:
    """The frames of an actor's pose keys: what a person has set stays."""
    track = stage.document.track(actor, TrackKind.POSE)
    keys = [] if track is None else stage.document.keys(track.id)
    return {round(key.time_s * stage.document.fps) for key in keys}


def _clear_ends(
    body: _Body, rows: Floats, first: int, last: int, kept: set[int]
) -> tuple[int, int]:
    """The stretch from `first` to `last`, longer where a clip overlaps at its ends."""
    while first > 0 and first not in kept and not body.clear(rows[first]):
        first -= 1
    while last < len(rows) - 1 and last not in kept and not body.clear(rows[last]):
        last += 1
    return first, last


def _ends_are_clear(body: _Body, rows: Floats, first: int, last: int) -> None:
    """Say so where a pose at an end overlaps by itself: no in-between can mend that."""
    for frame in (first, last):
        overlap = body.overlap(rows[frame])
        if overlap:
            raise WritheError(
                f"In the pose at {frame / body.fps:.2f} s itself {overlap}. Poses stay as you set"
                " them: drag these parts apart there (the posing does it as soon as you move one),"
                " or let them touch"
            )


def _either(body: _Body, rows: Floats, job: Job) -> Motion:
    """Round where limbs change over and under; else pushed out, which keeps the motion."""
    if body.rewound(rows[0], rows[-1]):
        try:
            return body.round(rows)
        except WritheError:
            return body.pushed_out(rows, job)
    try:
        return body.pushed_out(rows, job)
    except WritheError:
        return body.round(rows)


def _tapered(figure: Figure, before: Floats, after: Floats, frames: int) -> Floats:
    """What was corrected, fading out towards both ends so that the poses there stay."""
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

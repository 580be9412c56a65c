"""Stretches that pass through made clear: round the obstacle by planning, or pushed out of it."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.collision import certify
from writhe.errors import WritheError
from writhe.motion import clean
from writhe.planning import scene_problem
from writhe.skeleton import Figure, Motion
from writhe.skeleton.kinematics import difference, integrate
from writhe.studio import edits
from writhe.studio.document import TrackKind
from writhe.studio.document.history import Edit
from writhe.studio.feature import Feature, Outcome, Work
from writhe.studio.features.certificate import sample_scene
from writhe.studio.going_round import CLOSE, WIDE, played, search, why_not
from writhe.studio.jobs import Job
from writhe.studio.messages import Command, Task, Time
from writhe.studio.naming import names_of
from writhe.studio.stage import Stage
from writhe.studio.surroundings import label

feature = Feature("clearing")
_TAPER_FRAMES = 6  # within which a correction fades out at the ends of a stretch


class GoRound(Task, frozen=True, tag="go_round"):
    """Plan a way between the poses at two times instead of blending them; feet stay if they do."""

    actor: int
    start_s: Time
    end_s: Time


class PushOut(Task, frozen=True, tag="push_out"):
    """Keep the motion between two times as far as bodies allow."""

    actor: int
    start_s: Time
    end_s: Time


class BlendAgain(Command, frozen=True, tag="blend_again"):
    """Remove a way: the keys are joined as their easing says."""

    way: int


@feature.task("Go round")
def go_round(stage: Stage, message: GoRound) -> Work:
    """Read both poses now, plan beside everything else, keep the way."""
    frames, rows = _rows(stage, message)
    layout, who = stage.scene.layout, label(message.actor)
    own, fps, names = layout.actor_q[who], stage.document.fps, names_of(stage.document)
    skeleton = _figure(stage, message.actor).skeleton
    planted = tuple(
        pin.joint
        for pin in stage.document.actor(message.actor).pins
        if _stays(Motion(skeleton, rows[:, own], fps), pin.joint)
    )
    problem = scene_problem(
        stage.scene, who, rows[0, own], rows[-1, own], planted=planted, around=rows[0]
    )

    def work(job: Job) -> Outcome:
        reason = ""
        for done, falloff in enumerate((CLOSE, WIDE)):
            job.report(done / 2)
            found = search(problem, falloff)
            if not found.solved:
                reason = why_not(found, names)
                continue
            motion = played(found, (len(rows) - 1) / fps, fps)
            way = Motion(skeleton, motion.q[:, own], motion.fps, "Way round")
            if not certify(layout.table, _with(rows, own, way.resample(fps).q), fps).certified:
                reason = "what moves meanwhile gets into every way that was found; push out instead"
                continue
            return _kept(message.actor, way, frames[0] / fps)
        raise WritheError(f"Cannot go round: {reason}")

    return work


@feature.task("Push out")
def push_out(stage: Stage, message: PushOut) -> Work:
    """Read the stretch now, clean it beside everything else, keep what came of it."""
    frames, rows = _rows(stage, message)
    layout, who = stage.scene.layout, label(message.actor)
    own, fps = layout.actor_q[who], stage.document.fps
    figure = _figure(stage, message.actor)
    body = Figure(
        figure.name,
        layout.skeleton,
        roles=tuple((role, f"{who}.{joint}") for role, joint in figure.roles),
    )
    variables = np.zeros(layout.skeleton.dof_count, dtype=np.bool_)
    variables[layout.actor_v[who]] = True

    def work(job: Job) -> Outcome:
        found = clean(
            Motion(layout.skeleton, rows, fps),
            body,
            table=layout.table,
            variables=variables,
            progress=lambda done, total: job.report(done / total),
        )
        pushed = np.ascontiguousarray(found.motion.q[:, own])
        for q in (_tapered(figure, rows[:, own], pushed), pushed):
            if certify(layout.table, _with(rows, own, q), fps).certified:
                way = Motion(figure.skeleton, q, fps, "Pushed out")
                return _kept(message.actor, way, frames[0] / fps)
        raise WritheError(
            "This stretch cannot be pushed out: the parts pass right through each other, or the"
            " poses at its ends overlap. Go round instead."
        )

    return work


@feature.command("Blend keys again")
def blend_again(stage: Stage, edit: Edit, message: BlendAgain) -> None:
    """Remove the way; its keys stay."""
    ways = {t.id for t in stage.document.all_tracks() if t.kind is TrackKind.WAY}
    if message.way not in ways:
        raise WritheError("that way is not there any more")
    edit.delete("tracks", message.way)


def _rows(stage: Stage, message: GoRound | PushOut) -> tuple[tuple[int, int], Floats]:
    """The frames that a stretch begins and ends at, and the whole scene in between."""
    if label(message.actor) not in stage.scene.layout.actor_q:
        raise WritheError("this figure has no solid shapes: nothing can get into its way")
    fps = stage.document.fps
    first, last = round(message.start_s * fps), round(message.end_s * fps)
    if last <= first:
        raise WritheError("a stretch begins before it ends")
    return (first, last), sample_scene(stage, np.arange(first, last + 1) / fps)


def _figure(stage: Stage, actor: int) -> Figure:
    return stage.document.figure(stage.document.actor(actor).figure)


def _stays(motion: Motion, joint: str) -> bool:
    """Whether a joint is where it was when the motion ends."""
    ends = Motion(motion.skeleton, motion.q[[0, -1]], motion.fps).frames().position(joint)
    return bool(np.linalg.norm(ends[1] - ends[0]) < 0.005)


def _with(rows: Floats, own: slice, q: Floats) -> Floats:
    out = rows.copy()
    out[:, own] = q
    return out


def _tapered(figure: Figure, before: Floats, after: Floats) -> Floats:
    """What was corrected, fading out towards both ends so that the poses there stay."""
    count = len(before)
    away = np.minimum(np.arange(count), np.arange(count)[::-1])
    share = np.clip(away / min(_TAPER_FRAMES, max(1, (count - 1) // 2)), 0.0, 1.0)
    share = share * share * (3.0 - 2.0 * share)
    return np.stack(
        [
            integrate(figure.skeleton, a, s * difference(figure.skeleton, a, b))
            for a, b, s in zip(before, after, share, strict=True)
        ]
    )


def _kept(actor: int, way: Motion, start_s: float) -> Outcome:
    return Outcome(
        commit=lambda stage, edit: edits.put_way(stage.document, edit, actor, way, start_s)
    )

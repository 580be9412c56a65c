"""Clears segments that overlap: by a planned detour, or by pushing the motion out."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from writhe.cleaning.clear_in_scene import ActorMotion, clear_scene
from writhe.cleaning.motion_change import MotionChange
from writhe.errors import WritheError
from writhe.skeleton import Motion
from writhe.studio.document import TrackKind
from writhe.studio.document.history import Edit
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene_builder import actor_label
from writhe.studio.editing.scene_sampling import sample_scene
from writhe.studio.feature import Feature, Outcome, Work
from writhe.studio.features.certificate import segment_edges
from writhe.studio.protocol import Command, Message, Task, Time
from writhe.studio.server.jobs import Job
from writhe.studio.view.part_labels import display_name, display_names

feature = Feature("clearing")

_SEEN_RAD = 0.01  # a joint that turns less is not mentioned


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

    Segments with different linking at their ends are tried with a detour first, all others by
    pushing out.
    """

    preferred_actor: Annotated[int, Meta(ge=0)]


class ClearResult(Message, frozen=True, tag="clear_result"):
    """The number of cleared segments, what changed in each, and why others were not cleared."""

    job: str
    cleared: int
    remaining: list[str]
    changes: list[str]


class BlendAgain(Command, frozen=True, tag="blend_again"):
    """Remove a sampled track, so that its keys are interpolated by their easing."""

    track: int


def _actor_motion(editor: Editor, actor: int) -> ActorMotion:
    if actor_label(actor) not in editor.scene.layout.actor_q:
        raise WritheError("this character has no solid shapes, so nothing can collide with it")
    document, names = editor.document, display_names(editor.document)
    return ActorMotion(
        editor.scene,
        actor_label(actor),
        document.fps,
        tuple(pin.joint for pin in document.actor(actor).pins),
        _key_frames(editor, actor),
        lambda part: display_name(part, names),
    )


@feature.task("Fix the segment", needs=("planning",))
def clear_segment(editor: Editor, message: ClearSegment) -> Work:
    """Read the segment now; clear it in the background and add the result to the timeline."""
    mover, fps = _actor_motion(editor, message.actor), editor.document.fps
    first, last = round(message.start_s * fps), round(message.end_s * fps)
    if last <= first:
        raise WritheError("a segment must end after it begins")
    whole = sample_scene(editor, np.arange(_last_frame(editor, last) + 1) / fps)

    def work(job: Job) -> Outcome:
        begin, end = mover.segment(whole, first, last)
        rows, detour = whole[begin : end + 1], message.how == "detour"
        motion = mover.detour(rows) if detour else mover.pushed_out(rows, job.report)
        return Outcome(
            commit=lambda editor, edit: edits.put_sampled_track(
                editor.document, edit, message.actor, motion, begin / fps
            ),
            show=ClearResult(
                job.number, 1, [], [_describe(mover, motion, mover.change(rows, motion))]
            ),
        )

    return work


@feature.task("Fix the motion", needs=("planning",))
def clear_all(editor: Editor, message: ClearAll) -> Work:
    """Certify and clear segment by segment; all changes are one command."""
    edges, fps = segment_edges(editor.document), editor.document.fps
    rows = sample_scene(editor, np.arange(edges[-1] + 1 if edges else 1) / fps)
    ids = {
        actor_label(actor.id): actor.id
        for actor in editor.document.actors()
        if actor_label(actor.id) in editor.scene.layout.actor_q
    }
    actors = {name: _actor_motion(editor, number) for name, number in ids.items()}
    animated = frozenset(n for n, i in ids.items() if not editor.document.timeline(i).empty)

    def work(job: Job) -> Outcome:
        found = clear_scene(
            actors,
            rows,
            edges,
            preferred=actor_label(message.preferred_actor),
            animated=animated,
            progress=job.report,
        )

        def commit(editor: Editor, edit: Edit) -> None:
            for name, motion, first in found.motions:
                edits.put_sampled_track(editor.document, edit, ids[name], motion, first / fps)

        changes = [
            _describe(actors[name], motion, change)
            for (name, motion, _), change in zip(found.motions, found.changes, strict=True)
        ]
        show = ClearResult(job.number, len(found.motions), found.remaining, changes)
        return Outcome(commit=commit, show=show)

    return work


@feature.command("Blend keys again")
def blend_again(editor: Editor, edit: Edit, message: BlendAgain) -> None:
    """Remove the sampled track; its keys stay."""
    motions = {t.id for t in editor.document.all_tracks() if t.kind is TrackKind.SAMPLED}
    if message.track not in motions:
        raise WritheError("that sampled track no longer exists")
    edit.delete("tracks", message.track)


def _describe(mover: ActorMotion, motion: Motion, change: MotionChange) -> str:
    """What clearing a segment changed, for the animator."""
    most = ""
    if change.turn_rad > _SEEN_RAD:
        joint = mover.name_of(f"{mover.actor}.{change.joint}")
        most = f", most the {joint} by {np.degrees(change.turn_rad):.0f} degrees"
    return f"{motion.name}: joints moved {1000 * change.mean_m:.0f} mm on average{most}."


def _last_frame(editor: Editor, at_least: int) -> int:
    edges = segment_edges(editor.document)
    return max(at_least, edges[-1] if edges else 0)


def _key_frames(editor: Editor, actor: int) -> frozenset[int]:
    """The frames of an actor's pose keys, whose poses must not change."""
    track = editor.document.track(actor, TrackKind.POSE)
    keys = [] if track is None else editor.document.keys(track.id)
    return frozenset(round(key.time_s * editor.document.fps) for key in keys)

"""Clears penetrating segments: by a planned detour, or by pushing the motion out."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta

from writhe.animation.clear_actor import ActorMotion
from writhe.animation.clear_motion import MovedOutKey, clear_scene, move_pose_out
from writhe.cleaning.motion_change import LIMIT_RAD, MotionChange
from writhe.errors import WritheError
from writhe.skeleton import Motion
from writhe.studio.document import TrackKind
from writhe.studio.document.history import Edit
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene.scene_builder import actor_label
from writhe.studio.feature import Feature, Outcome, Work
from writhe.studio.features.motion.certificate import segment_edges
from writhe.studio.protocol import Command, Message, MessagePart, Task, Time
from writhe.studio.server.jobs import Job
from writhe.studio.view.part_labels import display_name, display_names

feature = Feature("clearing")

_SEEN_RAD = 0.01  # joints that change by less are not mentioned
# what to try if a way to clear a segment fails
_OTHERWISE = {
    "best": "To fix it, ",
    "detour": "Try Push out; if that does not help either, ",
    "push_out": "Try Go around; if that does not help either, ",
}


class ClearSegment(Task):
    """Remove the penetrations from a segment of an actor's motion.

    "detour" plans a new path between the poses at its ends; "push_out" keeps the motion and only
    moves overlapping parts apart; "best" tries both and keeps the one that costs less.
    """

    actor: int
    start_s: Time
    end_s: Time
    how: Literal["best", "detour", "push_out"]


class ClearAll(Task):
    """Clear all segments that are not certified; keys stay unchanged.

    Segments with different linking at their ends are tried with a detour first, all others by
    pushing out.
    """

    preferred_actor: Annotated[int, Meta(ge=0)]
    move_keys: bool = False  # keyed poses that overlap are moved out, by the smallest change


class SegmentChange(MessagePart):
    """What clearing changed in a segment: a sentence, and when the pose changed most.

    flawed: something is left to fix by hand; `text` says what.
    """

    text: str
    at_s: float
    flawed: bool = False


class ClearResult(Message):
    """The number of cleared segments, what changed in each, and why others were not cleared.

    `overlapping_keys` are the times of keyed poses that overlap: they can be moved out by clearing
    again with `move_keys`.
    """

    job: str
    cleared: int
    remaining: list[str]
    changes: list[SegmentChange]
    overlapping_keys: list[float] = msgspec.field(default_factory=list[float])


class BlendAgain(Command):
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


@feature.task("Fix motion", needs=("planning",))
def clear_segment(editor: Editor, message: ClearSegment) -> Work:
    """Read the segment now; clear it in the background and add the result to the timeline."""
    mover, fps = _actor_motion(editor, message.actor), editor.document.fps
    first, last = round(message.start_s * fps), round(message.end_s * fps)
    if last <= first:
        raise WritheError("a segment must end after it begins")
    whole = editor.sample(np.arange(_last_frame(editor, last) + 1) / fps)

    def work(job: Job) -> Outcome:
        begin, end = mover.segment(whole, first, last)
        rows = whole[begin : end + 1]
        fixed = mover.fixed_ends(rows, begin)
        try:
            if message.how == "best":
                found = mover.compared(rows, job.report, fixed=fixed)
            elif message.how == "detour":
                motion = mover.detour(rows)
                found = [(motion, mover.change(rows, motion))]
            else:
                motion = mover.pushed_out(rows, job.report, fixed=fixed)
                found = [(motion, mover.change(rows, motion))]
        except WritheError as error:
            raise WritheError(
                f"{error}. {_OTHERWISE[message.how]}add a key between these poses in which the"
                " parts are apart."
            ) from error
        motion, change = found[0]
        described = _describe(mover, motion, change, begin)
        if len(found) > 1:
            text = described.text + _rejected(*found[1])
            described = SegmentChange(text, described.at_s, described.flawed)
        return Outcome(
            commit=lambda editor, edit: edits.put_sampled_track(
                editor.document, edit, message.actor, motion, begin / fps
            ),
            show=ClearResult(job.number, 1, [], [described]),
        )

    return work


@feature.task("Fix the motion", needs=("planning",))
def clear_all(editor: Editor, message: ClearAll) -> Work:
    """Certify and clear segment by segment; all changes are one command."""
    edges, fps = segment_edges(editor.document), editor.document.fps
    rows = editor.sample(np.arange(edges[-1] + 1 if edges else 1) / fps)
    ids = {
        actor_label(actor.id): actor.id
        for actor in editor.document.actors()
        if actor_label(actor.id) in editor.scene.layout.actor_q
    }
    actors = {name: _actor_motion(editor, number) for name, number in ids.items()}
    animated = frozenset(n for n, i in ids.items() if not editor.document.timeline(i).empty)

    preferred, time_s = actor_label(message.preferred_actor), editor.time_s

    def still(job: Job) -> Outcome:
        moved = move_pose_out(actors, rows[0], preferred=preferred, animated=animated)
        if moved is None:
            return Outcome(show=ClearResult(job.number, 0, [], []))
        change = _moved_key_text(moved, time_s)
        return Outcome(
            commit=lambda editor, edit: edits.set_pose(
                editor.document, edit, ids[moved.actor], moved.q, time_s
            ),
            show=ClearResult(job.number, 1, [], [change]),
        )

    def work(job: Job) -> Outcome:
        found = clear_scene(
            actors,
            rows,
            edges,
            preferred=preferred,
            animated=animated,
            move_keys=message.move_keys,
            progress=job.report,
        )

        def commit(editor: Editor, edit: Edit) -> None:
            for key in found.moved_keys:
                edits.put_key(editor.document, edit, ids[key.actor], key.frame / fps, key.q)
            for name, motion, first in found.motions:
                edits.put_sampled_track(editor.document, edit, ids[name], motion, first / fps)

        changes = [_moved_key_text(key, key.frame / fps) for key in found.moved_keys]
        changes += [
            _describe(actors[name], motion, change, first)
            for (name, motion, first), change in zip(found.motions, found.changes, strict=True)
        ]
        cleared = len(found.motions) + len(found.moved_keys)
        show = ClearResult(
            job.number, cleared, found.remaining, changes, sorted(set(found.overlapping_keys))
        )
        return Outcome(commit=commit, show=show)

    return work if edges else still


@feature.command("Blend keys again")
def blend_again(editor: Editor, edit: Edit, message: BlendAgain) -> None:
    """Remove the sampled track; its keys stay."""
    motions = {t.id for t in editor.document.all_tracks() if t.kind is TrackKind.SAMPLED}
    if message.track not in motions:
        raise WritheError("that sampled track no longer exists")
    edit.delete("tracks", message.track)


def _moved_key_text(key: MovedOutKey, time_s: float) -> SegmentChange:
    return SegmentChange(
        f"The pose at {time_s:.2f} s was moved out, by {1000 * key.distance_m:.0f} mm.", time_s
    )


def _describe(
    mover: ActorMotion, motion: Motion, change: MotionChange, first: int
) -> SegmentChange:
    """What clearing a segment that starts at frame `first` changed, for the animator."""
    largest, at_s = "", (first + change.at_frame) / mover.fps
    if change.turn_rad > _SEEN_RAD:
        joint = mover.name_of(f"{mover.actor}.{change.joint}")
        turn = f"{np.degrees(change.turn_rad):.0f} degrees at {at_s:.2f} s"
        largest = f"; largest change: {joint}, {turn}"
    start_s = first / mover.fps
    return SegmentChange(
        f"{motion.name} from {start_s:.2f} to {start_s + motion.duration_s:.2f} s: joints moved"
        f" {1000 * change.mean_m:.0f} mm on average, {1000 * change.max_m:.0f} mm at most{largest}"
        f"{_broken(change, _pop_text(mover, change, start_s))}.",
        at_s,
        not change.acceptable,
    )


def _rejected(motion: Motion, change: MotionChange) -> str:
    """The other method, and how far its result is from the motion, for comparison."""
    method = "Going around" if motion.name == "Detour" else "Pushing out"
    degrees = np.degrees(change.turn_rad)
    return (
        f" {method} would move joints {1000 * change.mean_m:.0f} mm on average, up to {degrees:.0f}"
        f" degrees{_broken(change)}."
    )


def _pop_text(mover: ActorMotion, change: MotionChange, start_s: float) -> str:
    """Which joint pops, how far and when."""
    joint, degrees = (
        mover.name_of(f"{mover.actor}.{change.popping}"),
        np.degrees(change.popping_rad),
    )
    at_s = start_s + change.popping_at / mover.fps
    return f"{joint} pops, by {degrees:.0f} degrees in the frame at {at_s:.2f} s"


def _broken(change: MotionChange, pop: str = "a joint pops") -> str:
    """What an animator may want to mend afterwards, if anything."""
    wrong = [
        text
        for text, bad in (
            ("joint limits are exceeded", change.beyond_limits_rad > LIMIT_RAD),
            ("planted feet slide", change.feet_slide),
            (pop, change.pops),
        )
        if bad
    ]
    return f". Still to fix by hand: {', '.join(wrong)}" if wrong else ""


def _last_frame(editor: Editor, at_least: int) -> int:
    edges = segment_edges(editor.document)
    return max(at_least, edges[-1] if edges else 0)


def _key_frames(editor: Editor, actor: int) -> frozenset[int]:
    """The frames of an actor's pose keys, whose poses must not change."""
    track = editor.document.track(actor, TrackKind.POSE)
    keys = [] if track is None else editor.document.keys(track.id)
    return frozenset(round(key.time_s * editor.document.fps) for key in keys)

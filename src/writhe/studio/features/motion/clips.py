"""Clips and poses on the timeline: trim, stretch, loop, mirror; copy, paste and flip poses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from writhe.animation.clip_operations import loop, stretch, trim
from writhe.animation.mirror import mirrored_clip, mirrored_pose
from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.skeleton import JointKind
from writhe.studio.document.history import Edit
from writhe.studio.document.timeline import MAX_FRAMES
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Editor
from writhe.studio.feature import Feature
from writhe.studio.protocol import Command, Message, MessagePart, Time
from writhe.studio.protocol.base import KeyNumbers

feature = Feature("clips")


class TrimClip(Command):
    """Keep a part of an actor's clip, which then starts at the same time."""

    actor: int
    start_s: Time
    end_s: Time


class StretchClip(Command):
    """Slow an actor's clip down or speed it up."""

    actor: int
    duration_s: Annotated[float, Meta(gt=0, le=3600)]


class LoopClip(Command):
    """Repeat an actor's clip, each time from where it ended."""

    actor: int
    times: Annotated[int, Meta(ge=2, le=100)]


class MirrorClip(Command):
    """Swap left and right in an actor's clip."""

    actor: int


class StretchKeys(Command):
    """Scale the times of keys about the earliest of them."""

    keys: KeyNumbers
    factor: Annotated[float, Meta(gt=0.01, le=100)]


class FlipKeys(Command):
    """Mirror the poses of keys left to right."""

    keys: KeyNumbers


class CopyPose(Message):
    """Remember the pose of an actor at the playhead."""

    actor: int


class PastePose(Command):
    """Set the remembered pose at the playhead, mirrored if `flipped`.

    On the character it was copied from it is set where it was, on another one where that one is.
    """

    actor: int
    flipped: bool


class ClipState(MessagePart):
    """The clip of an actor."""

    actor: int
    name: str
    start_s: float
    duration_s: float


class ClipsState(MessagePart):
    """All clips of the document."""

    clips: list[ClipState]


@dataclass
class _Copied:
    """The pose that was copied in this session."""

    actor: int = 0
    figure: str = ""
    q: Floats | None = None


@feature.state
def state(editor: Editor) -> ClipsState:
    """The clips of all actors."""
    found: list[ClipState] = []
    for actor in editor.document.actors():
        timeline = editor.document.timeline(actor.id)
        if timeline.clip is not None:
            found.append(
                ClipState(
                    actor.id,
                    timeline.clip.name,
                    timeline.clip_start_s,
                    timeline.clip.duration_s,
                )
            )
    return ClipsState(found)


@feature.command("Trim clip")
def trim_clip(editor: Editor, edit: Edit, message: TrimClip) -> None:
    """Times are those of the timeline."""
    clip, start_s = edits.clip_of(editor.document, message.actor)
    end_s = min(message.end_s - start_s, clip.duration_s)
    part = trim(clip, max(0.0, message.start_s - start_s), end_s)
    edits.put_clip(editor.document, edit, message.actor, part, start_s)


@feature.command("Stretch clip")
def stretch_clip(editor: Editor, edit: Edit, message: StretchClip) -> None:
    """Keys over the clip stay at their times."""
    clip, start_s = edits.clip_of(editor.document, message.actor)
    _check_length(message.duration_s * clip.fps)
    longer = stretch(clip, message.duration_s)
    edits.put_clip(editor.document, edit, message.actor, longer, start_s)


@feature.command("Loop clip")
def loop_clip(editor: Editor, edit: Edit, message: LoopClip) -> None:
    """The body walks on: every repetition starts where the one before it ended."""
    clip, start_s = edits.clip_of(editor.document, message.actor)
    _check_length(message.times * len(clip))
    edits.put_clip(editor.document, edit, message.actor, loop(clip, message.times), start_s)


@feature.command("Mirror clip")
def mirror_clip(editor: Editor, edit: Edit, message: MirrorClip) -> None:
    """At the plane through the body in the first frame."""
    clip, start_s = edits.clip_of(editor.document, message.actor)
    figure = editor.document.figure(editor.document.actor(message.actor).figure)
    edits.put_clip(editor.document, edit, message.actor, mirrored_clip(figure, clip), start_s)


@feature.command("Stretch keys")
def stretch_keys(editor: Editor, edit: Edit, message: StretchKeys) -> None:
    """The earliest key stays."""
    edits.stretch_keys(editor.document, edit, message.keys, message.factor)


@feature.command("Flip keys")
def flip_keys(editor: Editor, edit: Edit, message: FlipKeys) -> None:
    """Keys of any characters."""
    edits.flip_keys(editor.document, edit, message.keys)


@feature.session_step
def copy_pose(editor: Editor, message: CopyPose) -> None:
    """Keep it for this session."""
    actor = editor.document.actor(message.actor)
    copied = editor.session_data(_Copied)
    copied.actor, copied.figure = actor.id, actor.figure
    copied.q = editor.posed_actor(actor).q.copy()


@feature.command("Paste pose")
def paste_pose(editor: Editor, edit: Edit, message: PastePose) -> None:
    """In its place; another body keeps its own."""
    copied, actor = editor.session_data(_Copied), editor.document.actor(message.actor)
    if copied.q is None:
        raise WritheError("no pose was copied: copy one with Ctrl+C first")
    if copied.figure != actor.figure:
        raise WritheError(
            f"the pose was copied from the body {copied.figure}, this one is {actor.figure}:"
            " save it as a pose of that body instead"
        )
    figure = editor.document.figure(actor.figure)
    q = mirrored_pose(figure, copied.q) if message.flipped else copied.q.copy()
    if actor.id != copied.actor and figure.skeleton.joints[0].kind is JointKind.FREE:
        q[[0, 2]] = editor.posed_actor(actor).q[[0, 2]]
    edits.set_pose(editor.document, edit, message.actor, q, editor.time_s)
    edits.update_pins(editor.document, edit, message.actor, q)


def _check_length(frames: float) -> None:
    if frames > MAX_FRAMES:
        raise WritheError(
            f"the clip would have {frames:.0f} frames; at most {MAX_FRAMES} are possible"
        )

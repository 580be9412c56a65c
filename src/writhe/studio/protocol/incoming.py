"""Messages from the page."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from writhe.arrays import Quaternion, Vector3
from writhe.studio.protocol.base import (
    Command,
    KeyNumbers,
    Message,
    MessagePart,
    Name,
    Picture,
    Request,
    Time,
)


class Open(Message, frozen=True, tag="open"):
    """Open a document; the first message of every connection."""

    protocol: int
    document: Annotated[str, Meta(pattern="^[0-9a-f]{12}$")]


class DragHandle(MessagePart, frozen=True):
    """A dragged point of a joint and its target.

    With `alone`, the joint is turned to the orientation and the rest of the body stays.
    """

    joint: int
    point_in_joint: Vector3
    position_in_world: Vector3
    orientation_in_world: Quaternion | None = None
    alone: bool = False


class Drag(Message, frozen=True, tag="drag"):
    """Move an actor towards drag targets, one for each pointer.

    `frames` is the number of 1/60 s steps since the last message, so that the figure moves at the
    same speed on a slow screen.
    """

    sequence: int
    actor: int
    handles: Annotated[list[DragHandle], Meta(min_length=1, max_length=10)]
    frames: Annotated[int, Meta(ge=1, le=4)] = 1
    mirrored: bool = False  # the other side of the body moves as the mirror image


class CancelDrag(Message, frozen=True, tag="cancel_drag"):
    """End a drag without saving: everything returns to where it was before."""


class Seek(Message, frozen=True, tag="seek"):
    """Move the playhead."""

    time_s: Annotated[float, Meta(ge=0, le=36_000)]


class CompareMethod(Message, frozen=True, tag="compare_method"):
    """Pose a second copy of an actor by another method under the same drags; None ends it."""

    actor: int
    method: Name | None


class SetRecording(Message, frozen=True, tag="set_recording"):
    """Start or stop recording drags as motion from the playhead on."""

    on: bool


class Thumbnail(Message, frozen=True, tag="thumbnail"):
    """A small picture of the document for the start page."""

    picture: Picture


class Release(Command, frozen=True, tag="release"):
    """End a drag and save the pose."""

    actor: int


class Undo(Command, frozen=True, tag="undo"):
    """Undo the last command."""


class Redo(Command, frozen=True, tag="redo"):
    """Redo the last undone command."""


class Rename(Command, frozen=True, tag="rename"):
    """Rename the document."""

    name: Name


class SetPin(Command, frozen=True, tag="set_pin"):
    """Pin a joint where it is, or unpin it."""

    actor: int
    joint: int
    hold: Literal["none", "position", "both"]


class ChooseMethod(Command, frozen=True, tag="choose_method"):
    """Set the posing method of an actor."""

    actor: int
    method: Name


class ChooseFigure(Command, frozen=True, tag="choose_figure"):
    """Set the figure of an actor."""

    actor: int
    figure: Name


class AddActor(Command, frozen=True, tag="add_actor"):
    """Add a character."""

    figure: Name


class RemoveActor(Command, frozen=True, tag="remove_actor"):
    """Remove a character."""

    actor: int


class MirrorPose(Command, frozen=True, tag="mirror_pose"):
    """Mirror a pose left to right."""

    actor: int


class ResetPose(Command, frozen=True, tag="reset_pose"):
    """Reset to the starting pose; with `joint`, only its limb."""

    actor: int
    joint: int | None = None


class SetKey(Command, frozen=True, tag="set_key"):
    """Set a key of the actor's current pose at a time."""

    actor: int
    time_s: Time


class MoveKeys(Command, frozen=True, tag="move_keys"):
    """Move keys in time."""

    keys: KeyNumbers
    by_s: Annotated[float, Meta(ge=-3600, le=3600)]


class CopyKeys(Command, frozen=True, tag="copy_keys"):
    """Copy keys so that the earliest copy is at `to_s`."""

    keys: KeyNumbers
    to_s: Time


class DeleteKeys(Command, frozen=True, tag="delete_keys"):
    """Delete keys."""

    keys: KeyNumbers


class SetEase(Command, frozen=True, tag="set_ease"):
    """Set the interpolation after keys, by a name or the handles of a curve (`writhe.easing`)."""

    keys: KeyNumbers
    ease: Annotated[str, Meta(max_length=80)]


class SetTimeline(Command, frozen=True, tag="set_timeline"):
    """Set the length and the frame rate of the timeline."""

    duration_s: Annotated[float, Meta(ge=0.1, le=3600)]
    fps: Annotated[float, Meta(ge=1, le=240)]


class CancelJob(Message, frozen=True, tag="cancel_job"):
    """Cancel a job."""

    job: Request

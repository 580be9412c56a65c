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


class Open(Message):
    """Open a document; the first message of every connection."""

    protocol: int
    document: Annotated[str, Meta(pattern="^[0-9a-f]{12}$")]


class DragHandle(MessagePart):
    """A dragged point of a joint and its target.

    With `alone`, the joint is turned to the orientation and the rest of the body stays. With
    `surface_normal`, the target lies on a surface, and the palm of a dragged hand is laid on it.
    """

    joint: int
    point_in_joint: Vector3
    position_in_world: Vector3
    orientation_in_world: Quaternion | None = None
    alone: bool = False
    surface_normal: Vector3 | None = None


class Drag(Message):
    """Move an actor towards drag targets, one for each pointer.

    `frames` is the number of 1/60 s steps since the last message, so that the figure moves at the
    same speed on a slow screen.
    """

    sequence: int
    actor: int
    handles: Annotated[list[DragHandle], Meta(min_length=1, max_length=10)]
    frames: Annotated[int, Meta(ge=1, le=4)] = 1
    mirrored: bool = False  # the other side of the body moves as the mirror image


class CancelDrag(Message):
    """End a drag without saving: everything returns to where it was before."""


class Seek(Message):
    """Move the playhead."""

    time_s: Annotated[float, Meta(ge=0, le=36_000)]


class CompareMethod(Message):
    """Pose a second copy of an actor by another method under the same drags; None ends it."""

    actor: int
    method: Name | None


class SetRecording(Message):
    """Start or stop recording drags as motion from the playhead on."""

    on: bool


class Thumbnail(Message):
    """A small picture of the document for the start page."""

    picture: Picture


class Release(Command):
    """End a drag and save the pose."""

    actor: int


class Undo(Command):
    """Undo the last command."""


class Redo(Command):
    """Redo the last undone command."""


class Rename(Command):
    """Rename the document."""

    name: Name


class SetPin(Command):
    """Pin the position of a joint, or position and rotation ("both"), or unpin it."""

    actor: int
    joint: int
    hold: Literal["none", "position", "both"]


class ChooseMethod(Command):
    """Set the posing method of an actor."""

    actor: int
    method: Name


class ChooseFigure(Command):
    """Set the figure of an actor."""

    actor: int
    figure: Name


class AddActor(Command):
    """Add a character."""

    figure: Name


class RemoveActor(Command):
    """Remove a character."""

    actor: int


class MirrorPose(Command):
    """Mirror a pose left to right."""

    actor: int


class ResetPose(Command):
    """Reset to the starting pose; with `joint`, only its limb."""

    actor: int
    joint: int | None = None


class SetKey(Command):
    """Set a key of the actor's current pose at a time."""

    actor: int
    time_s: Time


class MoveKeys(Command):
    """Move keys in time."""

    keys: KeyNumbers
    by_s: Annotated[float, Meta(ge=-3600, le=3600)]


class CopyKeys(Command):
    """Copy keys so that the earliest copy is at `to_s`."""

    keys: KeyNumbers
    to_s: Time


class DeleteKeys(Command):
    """Delete keys."""

    keys: KeyNumbers


class SetEase(Command):
    """Set the interpolation after keys, by a name or the handles of a curve (`writhe.easing`)."""

    keys: KeyNumbers
    ease: Annotated[str, Meta(max_length=80)]


class SetTimeline(Command):
    """Set the length and the frame rate of the timeline."""

    duration_s: Annotated[float, Meta(ge=0.1, le=3600)]
    fps: Annotated[float, Meta(ge=1, le=240)]


class CancelJob(Message):
    """Cancel a job."""

    job: Request

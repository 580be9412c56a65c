"""What the page sends."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from writhe.arrays import Quaternion, Vector3
from writhe.studio.protocol.base import (
    Command,
    KeyNumbers,
    Message,
    Name,
    Part,
    Picture,
    Request,
    Time,
)


class Open(Message, frozen=True, tag="open"):
    """Work on a document; the first message of every connection."""

    protocol: int
    document: Annotated[str, Meta(pattern="^[0-9a-f]{12}$")]


class Hold(Part, frozen=True):
    """One finger: a point of a joint and where it should be."""

    joint: int
    point_in_joint: Vector3
    position_in_world: Vector3
    orientation_in_world: Quaternion | None = None


class Drag(Message, frozen=True, tag="drag"):
    """Move an actor towards what the fingers hold.

    `frames` says how many 60ths of a second passed since the last one, so that the figure moves
    at the same speed on a slow screen.
    """

    sequence: int
    actor: int
    holds: Annotated[list[Hold], Meta(min_length=1, max_length=10)]
    frames: Annotated[int, Meta(ge=1, le=4)] = 1


class Seek(Message, frozen=True, tag="seek"):
    """The playhead stands at another time."""

    time_s: Annotated[float, Meta(ge=0, le=36_000)]


class Duel(Message, frozen=True, tag="duel"):
    """Show a second character under the same gesture, posed by this method; None ends it."""

    actor: int
    method: Name | None


class SetRecording(Message, frozen=True, tag="set_recording"):
    """From now on (or no longer) drags are recorded as motion from the playhead on."""

    on: bool


class Thumbnail(Message, frozen=True, tag="thumbnail"):
    """A small picture of the document for the start page."""

    picture: Picture


class Release(Command, frozen=True, tag="release"):
    """The fingers let go: the pose becomes part of the document."""

    actor: int


class Undo(Command, frozen=True, tag="undo"):
    """Take the last command back."""


class Redo(Command, frozen=True, tag="redo"):
    """Bring back what was undone."""


class Rename(Command, frozen=True, tag="rename"):
    """Give the document another title."""

    name: Name


class SetPin(Command, frozen=True, tag="set_pin"):
    """Pin a joint where it is, or free it."""

    actor: int
    joint: int
    hold: Literal["none", "position", "both"]


class ChooseMethod(Command, frozen=True, tag="choose_method"):
    """Pose an actor by another method."""

    actor: int
    method: Name


class ChooseFigure(Command, frozen=True, tag="choose_figure"):
    """Give an actor another body."""

    actor: int
    figure: Name


class AddActor(Command, frozen=True, tag="add_actor"):
    """Add a character."""

    figure: Name


class RemoveActor(Command, frozen=True, tag="remove_actor"):
    """Remove a character."""

    actor: int


class MirrorPose(Command, frozen=True, tag="mirror_pose"):
    """Swap left and right."""

    actor: int


class ResetPose(Command, frozen=True, tag="reset_pose"):
    """Back to the starting pose; with a joint, only its limb."""

    actor: int
    joint: int | None = None


class SetKey(Command, frozen=True, tag="set_key"):
    """Key the actor's present pose at a time."""

    actor: int
    time_s: Time


class MoveKeys(Command, frozen=True, tag="move_keys"):
    """Shift keys in time."""

    keys: KeyNumbers
    by_s: Annotated[float, Meta(ge=-3600, le=3600)]


class CopyKeys(Command, frozen=True, tag="copy_keys"):
    """Copy keys so that the earliest stands at a time."""

    keys: KeyNumbers
    to_s: Time


class DeleteKeys(Command, frozen=True, tag="delete_keys"):
    """Remove keys."""

    keys: KeyNumbers


class SetEase(Command, frozen=True, tag="set_ease"):
    """How the motion goes on from keys: smoothly, evenly, or held until the next."""

    keys: KeyNumbers
    ease: Literal["smooth", "linear", "hold"]


class SetTimeline(Command, frozen=True, tag="set_timeline"):
    """Length and frame rate of the timeline."""

    duration_s: Annotated[float, Meta(ge=0.1, le=3600)]
    fps: Annotated[float, Meta(ge=1, le=240)]


class CancelJob(Message, frozen=True, tag="cancel_job"):
    """Give up something that takes long."""

    job: Request

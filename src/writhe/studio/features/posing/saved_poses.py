"""Saved poses: stored with a picture, applied to any actor of the same figure."""

from __future__ import annotations

from writhe.errors import WritheError
from writhe.studio.document.history import Edit
from writhe.studio.document.row_types import pack, unpack
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Editor
from writhe.studio.feature import Feature
from writhe.studio.files.upload_check import check_picture
from writhe.studio.protocol import Command, MessagePart, Name, Picture

MAX_POSES = 500
feature = Feature("saved_poses")


class SavePose(Command):
    """Save the actor's pose."""

    actor: int
    name: Name
    picture: Picture


class ApplyPose(Command):
    """Apply a saved pose to an actor, or blend a share of it into the current pose."""

    actor: int
    pose: int
    share: edits.Share = 1.0


class DeletePose(Command):
    """Delete a saved pose."""

    pose: int


class SavedPoseState(MessagePart):
    """A saved pose."""

    id: int
    name: str
    figure: str
    picture: bytes


class SavedPosesState(MessagePart):
    """All saved poses of the document."""

    poses: list[SavedPoseState]


@feature.state
def state(editor: Editor) -> SavedPosesState:
    """The saved poses with their pictures."""
    return SavedPosesState(
        [SavedPoseState(p.id, p.name, p.figure, p.picture) for p in editor.document.poses()]
    )


@feature.command("Save pose")
def save(editor: Editor, edit: Edit, message: SavePose) -> None:
    """Save the actor's pose at the playhead."""
    document = editor.document
    actor = document.actor(message.actor)
    count = len(document.poses())
    if count >= MAX_POSES:
        raise WritheError(f"a document holds at most {MAX_POSES} saved poses")
    edit.insert(
        "poses",
        name=message.name.strip()[:60] or f"Pose {count + 1}",
        figure=actor.figure,
        q=pack(editor.posed_actor(actor).q),
        picture=check_picture(message.picture),
    )


@feature.command("Apply pose")
def apply(editor: Editor, edit: Edit, message: ApplyPose) -> None:
    """Apply the pose and move the actor's pins with it."""
    document = editor.document
    figure = document.actor(message.actor).figure
    pose = next((p for p in document.poses() if p.id == message.pose), None)
    if pose is None:
        raise WritheError("that pose no longer exists")
    if pose.figure != figure:
        raise WritheError(f"that pose belongs to the body {pose.figure!r}, not {figure!r}")
    now = editor.posed_actor(document.actor(message.actor)).q
    q = edits.blended(document.figure(figure).skeleton, now, unpack(pose.q), message.share)
    edits.set_pose(document, edit, message.actor, q, editor.time_s)
    edits.update_pins(document, edit, message.actor, q)


@feature.command("Delete pose")
def delete(editor: Editor, edit: Edit, message: DeletePose) -> None:
    """Delete the pose."""
    edit.delete("poses", message.pose)

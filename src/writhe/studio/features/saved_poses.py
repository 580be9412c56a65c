"""Saved poses: kept with a picture, applied to any actor of the same figure."""

from __future__ import annotations

from writhe.errors import WritheError
from writhe.studio.document.history import Edit
from writhe.studio.document.rows import pack, unpack
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Stage
from writhe.studio.feature import Feature
from writhe.studio.files.thumbnails import check_picture
from writhe.studio.protocol import Command, Name, Part, Picture

MOST_POSES = 500
feature = Feature("poses")


class SavePose(Command, frozen=True, tag="save_pose"):
    """Keep the pose for later."""

    actor: int
    name: Name
    picture: Picture


class ApplyPose(Command, frozen=True, tag="apply_pose"):
    """Put an actor into a saved pose."""

    actor: int
    pose: int


class DeletePose(Command, frozen=True, tag="delete_pose"):
    """Forget a saved pose."""

    pose: int


class PoseState(Part, frozen=True):
    """A saved pose."""

    id: int
    name: str
    figure: str
    picture: bytes


class PosesState(Part, frozen=True):
    """All saved poses of the document."""

    poses: list[PoseState]


@feature.state
def state(stage: Stage) -> PosesState:
    """The saved poses with their pictures."""
    return PosesState(
        [PoseState(p.id, p.name, p.figure, p.picture) for p in stage.document.poses()]
    )


@feature.command("Save pose")
def save(stage: Stage, edit: Edit, message: SavePose) -> None:
    """Keep the actor's pose as it is at the playhead."""
    document = stage.document
    actor = document.actor(message.actor)
    count = len(document.poses())
    if count >= MOST_POSES:
        raise WritheError(f"a document holds at most {MOST_POSES} saved poses")
    edit.insert(
        "poses",
        name=message.name.strip()[:60] or f"Pose {count + 1}",
        figure=actor.figure,
        q=pack(stage.puppet(actor).q),
        picture=check_picture(message.picture),
    )


@feature.command("Apply pose")
def apply(stage: Stage, edit: Edit, message: ApplyPose) -> None:
    """Put the actor into the pose, its pins along with it."""
    document = stage.document
    figure = document.actor(message.actor).figure
    pose = next((p for p in document.poses() if p.id == message.pose), None)
    if pose is None:
        raise WritheError("that pose is not there any more")
    if pose.figure != figure:
        raise WritheError(f"that pose is for the body {pose.figure!r}, not {figure!r}")
    q = unpack(pose.q)
    edits.set_pose(document, edit, message.actor, q, stage.time_s)
    edits.repin(document, edit, message.actor, q)


@feature.command("Delete pose")
def delete(stage: Stage, edit: Edit, message: DeletePose) -> None:
    """Forget the pose."""
    edit.delete("poses", message.pose)

"""Ready-made poses to start from: standing, moving, on a chair, on a ladder."""

from __future__ import annotations

from typing import Literal

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.studio.document import Document
from writhe.studio.document.history import Edit
from writhe.studio.editing import edits, object_edits, preset_poses, scene_builder, scene_objects
from writhe.studio.editing.editor import Stage
from writhe.studio.feature import Feature
from writhe.studio.features.contacts import declared
from writhe.studio.protocol import Command, Message, Name, Part
from writhe.studio.view.diagnostics import TOUCHING_M, Readings
from writhe.studio.view.silhouettes import silhouette

feature = Feature("ready")
_TITLES = {"basic": "Floor", "chair": "Chair", "ladder": "Ladder"}


class ListReadyPoses(Message, frozen=True, tag="list_ready_poses"):
    """Which ready-made poses are there?"""


class ReadyPicture(Part, frozen=True):
    """A pose with what a small picture of it is drawn from (`studio.silhouettes`)."""

    name: str
    body: bytes
    object: list[bytes]


class ReadyGroup(Part, frozen=True):
    """The poses of one library."""

    library: str
    title: str
    poses: list[ReadyPicture]


class ReadyPoses(Message, frozen=True, tag="ready_poses"):
    """The answer: all ready-made poses of the human."""

    groups: list[ReadyGroup]


class ApplyReadyPose(Command, frozen=True, tag="apply_ready_pose"):
    """Put a human into a ready-made pose; one on a chair goes to the chair, added if need be."""

    actor: int
    library: Literal["basic", "chair", "ladder"]
    name: Name


@feature.question
def list_poses(stage: Stage, message: ListReadyPoses) -> ReadyPoses:
    """All poses by library."""
    return ReadyPoses(
        [
            ReadyGroup(library, _TITLES[library], [_picture(library, n) for n in names])
            for library in preset_poses.LIBRARIES
            for names in (preset_poses.ready_names(library),)
        ]
    )


def _picture(library: str, name: str) -> ReadyPicture:
    body, shapes = silhouette(library, preset_poses.ready_pose(library, name)[1])
    return ReadyPicture(name, body, list(shapes))


@feature.command("Ready pose")
def apply(stage: Stage, edit: Edit, message: ApplyReadyPose) -> None:
    """The actor takes the pose; what touches in it may touch."""
    document = stage.document
    actor = document.actor(message.actor)
    if actor.figure != "human":
        raise WritheError("ready-made poses are of the human")
    database, number = preset_poses.ready_pose(message.library, message.name)
    on_chair = database.object_name == "chair"
    if database.object_name:
        place = _object_place(document, edit, database.object_name, stage.time_s)
        q = preset_poses.beside_object(database, number, place)
    else:
        skeleton = database.figure.skeleton
        q = preset_poses.where_it_stands(skeleton, database.q[number], stage.puppet(actor).q)
    edits.set_pose(document, edit, actor.id, q, stage.time_s)
    edits.pin_only(
        document,
        edit,
        actor.id,
        q,
        preset_poses.carrying_joints(database.figure.skeleton, q, on_chair=on_chair),
    )
    _allow_touching(stage, edit, actor.id, q)


def _object_place(document: Document, edit: Edit, kind: str, time_s: float) -> Floats:
    found = [thing for thing in document.objects() if thing.kind == kind]
    number = found[0].id if found else object_edits.add_thing(document, edit, kind)
    return scene_objects.place_at(document, document.thing(number), time_s)


def _allow_touching(stage: Stage, edit: Edit, actor: int, q: Floats) -> None:
    """Declare the contacts that the pose is made of: hands on thighs, hips on a seat."""
    document = stage.document
    scene = scene_builder.build_scene(document, scene_builder.SceneKey.of(document))
    place = scene_builder.place_of(document, actor, scene, stage.poses())
    readings = Readings(document.figure("human"), place)
    pairs = {(p.a, p.b) for p in readings.near_pairs(q) if p.clearance_m < TOUCHING_M}
    known = declared(document)
    fresh = sorted((min(a, b), max(a, b)) for a, b in pairs)
    edit.setting("contacts", [*known, *(pair for pair in fresh if pair not in known)])

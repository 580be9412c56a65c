"""Preset poses of the human: standing, moving, on a chair, on a ladder."""

from __future__ import annotations

from typing import Literal

import numpy as np

from writhe.arrays import Floats
from writhe.collision.certificate_slack import SLACK_M
from writhe.errors import WritheError
from writhe.postures import preset_poses
from writhe.skeleton import Figure
from writhe.skeleton.figures import figure
from writhe.skeleton.heading import heading_of, yaw_matrix
from writhe.skeleton.move_root import moved_roots
from writhe.studio.document import ActorRow
from writhe.studio.document.history import Edit
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene import object_edits, placements, scene_builder
from writhe.studio.editing.scene.contact_defaults import GROUND
from writhe.studio.feature import Feature
from writhe.studio.features.posing.contacts import declared
from writhe.studio.protocol import Command, Message, MessagePart, Name
from writhe.studio.view.diagnostics import Diagnostics
from writhe.studio.view.silhouettes import silhouette

feature = Feature("preset_poses")
_STEP_M, _MAX_STEPS = 0.04, 20  # in which a pose is moved out of objects
_TITLES = {"basic": "Floor", "chair": "Chair", "ladder": "Ladder"}


class ListPresetPoses(Message):
    """Request the list of preset poses."""


class PresetPose(MessagePart):
    """A preset pose with the data of its small picture (`studio.view.silhouettes`)."""

    name: str
    body: bytes
    object: list[bytes]


class PresetGroup(MessagePart):
    """The poses of one library."""

    library: str
    title: str
    poses: list[PresetPose]


class PresetPoses(Message):
    """All preset poses of people, the answer to ListPresetPoses.

    `radii` are those of the capsules that the pictures number, in metres.
    """

    groups: list[PresetGroup]
    radii: list[float]


class ApplyPresetPose(Command):
    """Apply a preset pose to a person; a pose on a chair or ladder adds the object if missing."""

    actor: int
    library: Literal["basic", "chair", "ladder"]
    name: Name
    share: edits.Share = 1.0  # below 1 the pose is blended into the current one


@feature.query
def list_poses(editor: Editor, message: ListPresetPoses) -> PresetPoses:
    """All poses by library."""
    return PresetPoses(
        [
            PresetGroup(library, _TITLES[library], [_picture(library, n) for n in names])
            for library in preset_poses.LIBRARIES
            for names in (preset_poses.preset_names(library),)
        ],
        [capsule.radius_m for capsule in figure("human").capsules],
    )


def _picture(library: str, name: str) -> PresetPose:
    body, shapes = silhouette(library, preset_poses.preset_pose(library, name)[1])
    return PresetPose(name, body, list(shapes))


@feature.command("Preset pose")
def apply(editor: Editor, edit: Edit, message: ApplyPresetPose) -> None:
    """Apply the pose, pin its supporting joints and allow its contacts."""
    document = editor.document
    actor = document.actor(message.actor)
    body = document.figure(actor.figure)
    if not preset_poses.is_person(body):
        raise WritheError(
            f"preset poses are for people; {actor.figure!r} was not recognised as one: give its"
            " roles"
        )
    database, _ = preset_poses.preset_pose(message.library, message.name)
    on_chair = database.object_name == "chair"
    placement, now = np.zeros(7), editor.posed_actor(actor).q
    if database.object_name:
        placement = _object_placement(editor, edit, database.object_name, actor, now)
    q = preset_poses.posture_of(body, message.library, message.name, now, placement)
    q = document.with_feet_of_previous_key(
        actor.id, q, editor.time_s, shift=not database.object_name
    )
    if not database.object_name:
        q = _in_front_of_objects(editor, actor.id, body, q)
    q = edits.blended(body.skeleton, now, q, message.share)
    edits.set_pose(document, edit, actor.id, q, editor.time_s)
    if message.share < 1.0:
        edits.update_pins(document, edit, actor.id, q)
        return
    edits.pin_only(
        document,
        edit,
        actor.id,
        q,
        preset_poses.supporting_joints(body, q, on_chair=on_chair),
    )
    _allow_touching(editor, edit, actor.id, body, q)


def _object_placement(
    editor: Editor, edit: Edit, kind: str, actor: ActorRow, now: Floats
) -> Floats:
    """The placement (7,) of the object of a pose, which is added where the actor is if missing."""
    document = editor.document
    found = [item.id for item in document.objects() if item.kind == kind]
    number = (
        found[0]
        if found
        else object_edits.add_beside(document, edit, kind, actor, now, to_walk_to=False)
    )
    return placements.placement_at(document, document.object_row(number), editor.time_s)


def _in_front_of_objects(editor: Editor, actor: int, body: Figure, q: Floats) -> Floats:
    """The pose moved forwards out of the objects it would be in: in front of the chair."""
    scene = scene_builder.build_scene(editor.document, scene_builder.SceneKey.of(editor.document))
    if not body.capsules or not editor.document.objects():
        return q
    in_scene = scene_builder.actor_in_scene(editor.document, actor, scene, editor.poses())
    diagnostics = Diagnostics(body, in_scene)
    objects = {item.name for item in scene.objects} - {GROUND}
    ahead = yaw_matrix(heading_of(body, q))[:, 2]
    for step in range(_MAX_STEPS + 1):
        moved = moved_roots(body.skeleton, q[None], np.eye(3), step * _STEP_M * ahead)[0]
        inside = any(
            pair.clearance_m < -SLACK_M and {pair.a, pair.b} & objects
            for pair in diagnostics.near_pairs(moved)
        )
        if not inside:
            return moved
    return q


def _allow_touching(editor: Editor, edit: Edit, actor: int, body: Figure, q: Floats) -> None:
    """Allow the contacts of the pose, such as hands on thighs or hips on a seat."""
    document = editor.document
    scene = scene_builder.build_scene(document, scene_builder.SceneKey.of(document))
    in_scene = scene_builder.actor_in_scene(document, actor, scene, editor.poses())
    diagnostics = Diagnostics(body, in_scene)
    pairs = {(p.a, p.b) for p in diagnostics.near_pairs(q) if p.clearance_m < -SLACK_M}
    known = declared(document)
    fresh = sorted((min(a, b), max(a, b)) for a, b in pairs)
    edit.setting("contacts", [*known, *(pair for pair in fresh if pair not in known)])

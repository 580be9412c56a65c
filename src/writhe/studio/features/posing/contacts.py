"""Declared contacts: pairs of parts that may touch."""

from __future__ import annotations

from writhe.arrays import vector3
from writhe.collision.certificate_slack import SLACK_M
from writhe.errors import WritheError
from writhe.skeleton import forward
from writhe.solvers.posing import Target
from writhe.studio.document import ActorRow, Document
from writhe.studio.document.history import Edit
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene import scene_objects
from writhe.studio.editing.scene.contact_defaults import GROUND, MAX_MEASURED_M
from writhe.studio.editing.scene.scene_builder import actor_label
from writhe.studio.feature import Feature
from writhe.studio.protocol import Command, MessagePart
from writhe.studio.view.diagnostics import PartGap
from writhe.studio.view.part_labels import body_name, display_name, display_names

feature = Feature("contacts")


class PickedPart(MessagePart):
    """A picked part: a joint of an actor, an object, or (both 0) the ground."""

    actor: int = 0
    joint: int = 0
    object: int = 0


class DeclareContact(Command):
    """Move a part to the nearest other part and allow the two to touch."""

    actor: int
    joint: int


class AllowContact(Command):
    """Allow two picked parts to touch."""

    one: PickedPart
    other: PickedPart


class RemoveContact(Command):
    """Remove a declared contact by its index in the list."""

    index: int


class RemoveAllContacts(Command):
    """Remove all declared contacts."""


class ContactsState(MessagePart):
    """The declared contacts as texts."""

    contacts: list[str]


def declared(document: Document) -> list[tuple[str, str]]:
    """The pairs of parts that may touch."""
    return document.setting("contacts", list[tuple[str, str]], [])


@feature.state
def state(editor: Editor) -> ContactsState:
    """The declared contacts with the names users see."""
    names = display_names(editor.document)
    return ContactsState(
        [
            f"{display_name(a, names)} and {display_name(b, names)}"
            for a, b in declared(editor.document)
        ]
    )


@feature.command("Declare contact")
def declare(editor: Editor, edit: Edit, message: DeclareContact) -> None:
    """Move a part to the nearest other part and allow the contact."""
    document = editor.document
    actor = document.actor(message.actor)
    posed = editor.posed_actor(actor)
    joint = posed.figure.skeleton.joint_name(message.joint)
    gap = posed.diagnostics.nearest_to(posed.q, joint)
    if gap is None:
        raise WritheError(
            f"Nothing is within {100 * MAX_MEASURED_M:.0f} cm of the {body_name(joint)}:"
            " move it closer first."
        )
    known, pair = declared(document), (min(gap.part, gap.other), max(gap.part, gap.other))
    if pair not in known:
        edit.setting("contacts", [*known, pair])
    if gap.clearance_m > -SLACK_M:
        _move_into_contact(editor, edit, actor, joint, gap)


def _move_into_contact(
    editor: Editor, edit: Edit, actor: ActorRow, joint: str, gap: PartGap
) -> None:
    """Move the nearest point of the part to the other part's surface."""
    posed = editor.posed_actor(actor)
    frames = forward(posed.figure.skeleton, posed.q)
    point = frames.rotation(joint).T @ (gap.point - frames.position(joint))
    posed = editor.move_part(actor, Target(joint, vector3(gap.other_point), vector3(point)))
    edits.set_pose(editor.document, edit, actor.id, posed.q, editor.time_s)
    edits.update_pins(editor.document, edit, actor.id, posed.q, {joint})


@feature.command("Allow contact")
def allow(editor: Editor, edit: Edit, message: AllowContact) -> None:
    """Allow two picked parts to touch."""
    document = editor.document
    ones, others = _parts(document, message.one), _parts(document, message.other)
    pairs = {(min(a, b), max(a, b)) for a in ones for b in others if a != b}
    if not pairs or set(ones) == set(others):
        raise WritheError("pick two different parts")
    known = declared(document)
    edit.setting("contacts", [*known, *sorted(pairs - set(known))])


@feature.command("Remove contact")
def remove(editor: Editor, edit: Edit, message: RemoveContact) -> None:
    """Remove one declared contact."""
    known = declared(editor.document)
    if not 0 <= message.index < len(known):
        raise WritheError("that contact no longer exists")
    edit.setting("contacts", [pair for i, pair in enumerate(known) if i != message.index])


@feature.command("Remove all contacts")
def remove_all(editor: Editor, edit: Edit, message: RemoveAllContacts) -> None:
    """Remove all declared contacts."""
    edit.setting("contacts", [])


def _parts(document: Document, picked: PickedPart) -> list[str]:
    if picked.object:
        return [scene_objects.object_label(document.object_row(picked.object))]
    if not picked.actor:
        return [GROUND]
    figure = document.figure(document.actor(picked.actor).figure)
    name = figure.skeleton.joint_name(picked.joint)
    parts = sorted({c.part_name for c in figure.capsules if c.joint == name})
    if not parts:
        raise WritheError(f"{name.replace('_', ' ')} has no solid shape")
    return [f"{actor_label(picked.actor)}.{part}" for part in parts]

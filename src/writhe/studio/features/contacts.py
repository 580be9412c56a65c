"""Declared contacts: parts that may touch, by pointing at both or as the nearest thing."""

from __future__ import annotations

from writhe.arrays import vector3
from writhe.errors import WritheError
from writhe.skeleton import forward
from writhe.solvers.posing import Target
from writhe.studio.document import Actor, Document
from writhe.studio.document.history import Edit
from writhe.studio.editing import edits, scene_objects
from writhe.studio.editing.contact_defaults import GROUND, LOOK_M
from writhe.studio.editing.editor import Stage
from writhe.studio.editing.scene_builder import label
from writhe.studio.feature import Feature
from writhe.studio.protocol import Command, Part
from writhe.studio.view.diagnostics import TOUCHING_M, Gap
from writhe.studio.view.part_labels import body_name, names_of, plain_name

feature = Feature("contacts")


class PartOf(Part, frozen=True):
    """What was pointed at: a joint of an actor, an object, or (both 0) the ground."""

    actor: int = 0
    joint: int = 0
    thing: int = 0


class DeclareContact(Command, frozen=True, tag="declare_contact"):
    """A part rests on what is nearest to it: it goes there, and they may touch from now on."""

    actor: int
    joint: int


class AllowContact(Command, frozen=True, tag="allow_contact"):
    """Two things pointed at may touch from now on."""

    one: PartOf
    other: PartOf


class ForgetContact(Command, frozen=True, tag="forget_contact"):
    """One declared contact less, by its place in the list."""

    index: int


class ForgetContacts(Command, frozen=True, tag="forget_contacts"):
    """No declared contacts any more."""


class ContactsState(Part, frozen=True):
    """The declared contacts in words."""

    contacts: list[str]


def declared(document: Document) -> list[tuple[str, str]]:
    """The pairs of parts that may touch."""
    return document.setting("contacts", list[tuple[str, str]], [])


@feature.state
def state(stage: Stage) -> ContactsState:
    """The contacts as people call them."""
    names = names_of(stage.document)
    return ContactsState(
        [f"{plain_name(a, names)} and {plain_name(b, names)}" for a, b in declared(stage.document)]
    )


@feature.command("Declare contact")
def declare(stage: Stage, edit: Edit, message: DeclareContact) -> None:
    """Let a part rest on what is nearest to it."""
    document = stage.document
    actor = document.actor(message.actor)
    puppet = stage.puppet(actor)
    if not 0 <= message.joint < len(puppet.figure.skeleton):
        raise WritheError(f"this figure has no joint number {message.joint}")
    joint = puppet.figure.skeleton.names[message.joint]
    gap = puppet.readings.nearest_to(puppet.q, joint)
    if gap is None:
        raise WritheError(
            f"Nothing is within {100 * LOOK_M:.0f} cm of the {body_name(joint)} to rest on:"
            " bring it closer first."
        )
    known, pair = declared(document), (min(gap.part, gap.other), max(gap.part, gap.other))
    if pair not in known:
        edit.setting("contacts", [*known, pair])
    if gap.clearance_m > TOUCHING_M:
        _lay_down(stage, edit, actor, joint, gap)


def _lay_down(stage: Stage, edit: Edit, actor: Actor, joint: str, gap: Gap) -> None:
    """Bring the nearest point of the part to the surface that it rests on."""
    puppet = stage.puppet(actor)
    frames = forward(puppet.figure.skeleton, puppet.q)
    point = frames.rotation(joint).T @ (gap.point - frames.position(joint))
    puppet = stage.carry(actor, Target(joint, vector3(gap.other_point), vector3(point)))
    edits.set_pose(stage.document, edit, actor.id, puppet.q, stage.time_s)
    edits.repin(stage.document, edit, actor.id, puppet.q, {joint})


@feature.command("Allow contact")
def allow(stage: Stage, edit: Edit, message: AllowContact) -> None:
    """Let two things touch that were pointed at."""
    document = stage.document
    ones, others = _parts(document, message.one), _parts(document, message.other)
    pairs = {(min(a, b), max(a, b)) for a in ones for b in others if a != b}
    if not pairs or set(ones) == set(others):
        raise WritheError("point at two different parts")
    known = declared(document)
    edit.setting("contacts", [*known, *sorted(pairs - set(known))])


@feature.command("Forget contact")
def forget(stage: Stage, edit: Edit, message: ForgetContact) -> None:
    """They may not touch any more."""
    known = declared(stage.document)
    if not 0 <= message.index < len(known):
        raise WritheError("that contact is not there any more")
    edit.setting("contacts", [pair for i, pair in enumerate(known) if i != message.index])


@feature.command("Forget contacts")
def forget_all(stage: Stage, edit: Edit, message: ForgetContacts) -> None:
    """Nothing may touch any more."""
    edit.setting("contacts", [])


def _parts(document: Document, what: PartOf) -> list[str]:
    if what.thing:
        return [scene_objects.label(document.thing(what.thing))]
    if not what.actor:
        return [GROUND]
    figure = document.figure(document.actor(what.actor).figure)
    if not 0 <= what.joint < len(figure.skeleton):
        raise WritheError(f"this figure has no joint number {what.joint}")
    name = figure.skeleton.names[what.joint]
    parts = sorted({c.part_name for c in figure.capsules if c.joint == name})
    if not parts:
        raise WritheError(f"{name.replace('_', ' ')} has no body of its own to touch with")
    return [f"{label(what.actor)}.{part}" for part in parts]

"""The body of an imported character: roles of its joints, collision shapes, corrections."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from writhe.arrays import vector3
from writhe.io.stored_body import remember_body
from writhe.recognition import ROLES
from writhe.recognition.corrections import remember_roles
from writhe.studio.document.history import Edit
from writhe.studio.editing import character_bodies as bodies
from writhe.studio.editing.editor import Editor
from writhe.studio.feature import Feature
from writhe.studio.protocol import CapsuleShape, Command, Message, MessagePart, Name

feature = Feature("character_body")


class SetRole(Command):
    """Say which role a joint of a character plays; "" for none."""

    actor: int
    joint: int
    role: Name


class SetShapeRadius(Command):
    """Change the radius of a collision shape."""

    actor: int
    shape: int
    radius_m: Annotated[float, Meta(ge=0.001, le=2.0)]


class ExcludeShape(Command):
    """Take a collision shape out of a character's body."""

    actor: int
    shape: int


class IncludeShape(Command):
    """Put an excluded shape back; `shape` counts the excluded ones."""

    actor: int
    shape: int


class RememberBody(Message):
    """Use the roles and shapes of this character whenever its file is opened."""

    actor: int


class BodyRemembered(Message):
    """The roles and shapes of a character are remembered."""

    actor: int


class RoleOfJoint(MessagePart):
    """A role and the joint that plays it."""

    role: str
    joint: int


class CharacterBody(MessagePart):
    """Roles and excluded shapes of a character from a file."""

    actor: int
    roles: list[RoleOfJoint]
    excluded: list[CapsuleShape]
    corrected: bool


class CharacterBodyState(MessagePart):
    """The roles there are, and the characters from files."""

    roles: list[str]
    bodies: list[CharacterBody]


@feature.state
def state(editor: Editor) -> CharacterBodyState:
    """The bodies that can be corrected."""
    found: list[CharacterBody] = []
    for actor in editor.document.actors():
        if editor.document.figure_row(actor.figure) is None:
            continue
        figure, excluded = bodies.own_figure(editor.document, actor.id)
        index = figure.skeleton.index
        found.append(
            CharacterBody(
                actor.id,
                [RoleOfJoint(role, index(joint)) for role, joint in figure.roles],
                [
                    CapsuleShape(
                        index(c.joint),
                        vector3(c.start_in_joint),
                        vector3(c.end_in_joint),
                        c.radius_m,
                        c.part_name,
                    )
                    for c in excluded
                ],
                figure.corrected,
            )
        )
    return CharacterBodyState(list(ROLES), found)


@feature.command("Set role")
def set_role(editor: Editor, edit: Edit, message: SetRole) -> None:
    """Change the role of a joint; limits and masses follow."""
    figure, excluded = bodies.own_figure(editor.document, message.actor)
    joint = figure.skeleton.joint_name(message.joint)
    changed = bodies.with_role(figure, joint, message.role)
    bodies.put_figure(editor.document, edit, message.actor, changed, excluded)


@feature.command("Shape radius")
def set_shape_radius(editor: Editor, edit: Edit, message: SetShapeRadius) -> None:
    """Make a shape thicker or thinner."""
    figure, excluded = bodies.own_figure(editor.document, message.actor)
    changed = bodies.with_radius(figure, message.shape, message.radius_m)
    bodies.put_figure(editor.document, edit, message.actor, changed, excluded)


@feature.command("Exclude shape")
def exclude_shape(editor: Editor, edit: Edit, message: ExcludeShape) -> None:
    """Take a shape out."""
    own = bodies.own_figure(editor.document, message.actor)
    changed = bodies.without_shape(*own, message.shape)
    bodies.put_figure(editor.document, edit, message.actor, *changed)


@feature.command("Include shape")
def include_shape(editor: Editor, edit: Edit, message: IncludeShape) -> None:
    """Put a shape back."""
    own = bodies.own_figure(editor.document, message.actor)
    changed = bodies.with_shape(*own, message.shape)
    bodies.put_figure(editor.document, edit, message.actor, *changed)


@feature.session_step
def remember(editor: Editor, message: RememberBody) -> BodyRemembered:
    """Store roles and shapes for every file with the same skeleton and skin."""
    figure, _ = bodies.own_figure(editor.document, message.actor)
    known = dict(figure.roles)
    remember_roles(figure.skeleton, {role: known.get(role) for role in ROLES})
    remember_body(figure)
    return BodyRemembered(message.actor)

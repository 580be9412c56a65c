"""Relations: two parts of a character keep their relative position, distance or rotation.

The page shows them among the holds, the undo list as *Hold parts*. The terms that keep them are in
`document/relations.py`.
"""

from __future__ import annotations

from writhe.studio.document import relations
from writhe.studio.document.history import Edit
from writhe.studio.editing.editor import Editor
from writhe.studio.feature import Feature
from writhe.studio.protocol import Command, MessagePart, Name

feature = Feature("relations")


class AddRelation(Command):
    """Keep the current position, distance or direction of a joint relative to another."""

    actor: int
    joint: int
    other: int
    kept: relations.RelationKind = "place"


class RemoveRelation(Command):
    """Remove a relation."""

    actor: int
    joint: Name
    other: Name
    kept: relations.RelationKind = "place"


class RelationState(MessagePart):
    """A relation between two joints of an actor."""

    actor: int
    joint: str
    other: str
    kept: str


class RelationsState(MessagePart):
    """The relations of the document."""

    relations: list[RelationState]


@feature.state
def state(editor: Editor) -> RelationsState:
    """The relations of the document."""
    found = relations.all_relations(editor.document)
    return RelationsState([RelationState(r.actor, r.joint, r.other, r.kept) for r in found])


@feature.command("Hold parts")
def add_relation(editor: Editor, edit: Edit, message: AddRelation) -> None:
    """Add a relation between two joints in the current pose."""
    actor = editor.document.actor(message.actor)
    figure = editor.document.figure(actor.figure)
    joint, other = (figure.skeleton.joint_name(number) for number in (message.joint, message.other))
    q = editor.posed_actor(actor).q
    relations.add_relation(editor.document, edit, actor.id, figure, q, joint, other, message.kept)


@feature.command("Remove hold")
def remove_relation(editor: Editor, edit: Edit, message: RemoveRelation) -> None:
    """Remove a relation."""
    relations.remove_relation(
        editor.document, edit, message.actor, message.joint, message.other, message.kept
    )

"""Objects of the scene: add, place, resize, rename, remove and key them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from writhe.arrays import Quaternion, Vector3
from writhe.studio.document.history import Edit
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene import object_edits, scene_objects
from writhe.studio.feature import Feature
from writhe.studio.protocol import Choice, Command, MessagePart, Name, Time
from writhe.studio.view.choice_labels import object_choices

feature = Feature("objects")
Metres = Annotated[float, Meta(gt=0, le=object_edits.LARGEST_M)]


class ChooseScene(Command):
    """Replace the objects of the scene by one built-in object; "empty" removes all."""

    scene: Name


class AddObject(Command):
    """Add an object at a position, or beside an actor."""

    kind: Name
    position: Vector3 | None = None
    actor: int | None = None


class PlaceObject(Command):
    """Set an object's placement; one with placement keys gets a key at the playhead."""

    object: int
    position: Vector3
    rotation: Quaternion


class ResizeObject(Command):
    """Resize a box, ball, capsule or cylinder: full extents along x, y, z in metres."""

    object: int
    size: tuple[Metres, Metres, Metres]


class WeighObject(Command):
    """Set the mass of an object, kg; None: by its volume."""

    object: int
    mass_kg: Annotated[float, Meta(ge=0, le=object_edits.HEAVIEST_KG)] | None = None


class PutDownObject(Command):
    """Lower an object onto what is below it: another object, or the ground."""

    object: int


class RenameObject(Command):
    """Rename an object."""

    object: int
    name: Name


class RemoveObject(Command):
    """Remove an object."""

    object: int


class KeyObject(Command):
    """Set a placement key of an object at a time."""

    object: int
    time_s: Time


class ObjectKinds(MessagePart):
    """The objects that can be added; those in the scene are in the State itself."""

    kinds: list[Choice]


@feature.state
def state(editor: Editor) -> ObjectKinds:
    """The kinds of objects that can be added."""
    return ObjectKinds(object_choices(scene_objects.object_kinds()))


@feature.command("Choose scene")
def choose_scene(editor: Editor, edit: Edit, message: ChooseScene) -> None:
    """Replace the objects by one built-in object."""
    object_edits.choose_scene(editor.document, edit, message.scene)


@feature.command("Add object")
def add(editor: Editor, edit: Edit, message: AddObject) -> None:
    """Add an object."""
    if message.position is not None:
        object_edits.checked_placement(message.position, (1.0, 0.0, 0.0, 0.0))
    elif message.actor is not None:
        actor = editor.document.actor(message.actor)
        object_edits.add_beside(
            editor.document,
            edit,
            message.kind,
            actor,
            editor.posed_actor(actor).q,
            to_walk_to=True,
            time_s=editor.time_s,
        )
        return
    object_edits.add_object(editor.document, edit, message.kind, message.position)


@feature.command("Place object")
def place(editor: Editor, edit: Edit, message: PlaceObject) -> None:
    """Place an object at the playhead."""
    object_edits.place_object(
        editor.document, edit, message.object, message.position, message.rotation, editor.time_s
    )


@feature.command("Resize object")
def resize(editor: Editor, edit: Edit, message: ResizeObject) -> None:
    """Resize an object."""
    object_edits.resize_object(editor.document, edit, message.object, message.size)


@feature.command("Weight")
def weigh(editor: Editor, edit: Edit, message: WeighObject) -> None:
    """Set the mass of an object."""
    object_edits.weigh_object(editor.document, edit, message.object, message.mass_kg)


@feature.command("Put down")
def put_down(editor: Editor, edit: Edit, message: PutDownObject) -> None:
    """Lower an object onto what is below it."""
    object_edits.put_down(editor.document, edit, message.object, editor.time_s)


@feature.command("Rename object")
def rename(editor: Editor, edit: Edit, message: RenameObject) -> None:
    """Rename an object."""
    item = editor.document.object_row(message.object)
    edit.update("objects", item.id, name=message.name.strip() or item.name)


@feature.command("Remove object")
def remove(editor: Editor, edit: Edit, message: RemoveObject) -> None:
    """Remove an object and its keys."""
    object_edits.remove_object(editor.document, edit, message.object)


@feature.command("Key object")
def key(editor: Editor, edit: Edit, message: KeyObject) -> None:
    """Set a placement key."""
    object_edits.key_object(editor.document, edit, message.object, message.time_s)

"""Objects in the scene: added, placed, resized, keyed over time."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from writhe.arrays import Quaternion, Vector3
from writhe.studio.document.history import Edit
from writhe.studio.editing import object_edits, scene_objects
from writhe.studio.editing.editor import Stage
from writhe.studio.feature import Feature
from writhe.studio.protocol import Choice, Command, Name, Part, Time
from writhe.studio.view.choice_labels import thing_choices

feature = Feature("objects")
Metres = Annotated[float, Meta(gt=0, le=object_edits.LARGEST_M)]


class ChooseScene(Command, frozen=True, tag="choose_scene"):
    """Put an object into the scene instead of what is there; "empty" clears it."""

    scene: Name


class AddThing(Command, frozen=True, tag="add_thing"):
    """Add an object somewhere, or beside an actor."""

    kind: Name
    position: Vector3 | None = None
    actor: int | None = None


class PlaceThing(Command, frozen=True, tag="place_thing"):
    """Put an object somewhere; one that has keys is keyed there at the playhead."""

    thing: int
    position: Vector3
    rotation: Quaternion


class ResizeThing(Command, frozen=True, tag="resize_thing"):
    """Give a box, ball, capsule or cylinder another size: whole widths along x, y, z."""

    thing: int
    size: tuple[Metres, Metres, Metres]


class RenameThing(Command, frozen=True, tag="rename_thing"):
    """Give an object another name."""

    thing: int
    name: Name


class RemoveThing(Command, frozen=True, tag="remove_thing"):
    """Remove an object."""

    thing: int


class KeyThing(Command, frozen=True, tag="key_thing"):
    """Key where an object is at a time."""

    thing: int
    time_s: Time


class ObjectsState(Part, frozen=True):
    """The objects that can be added; those in the scene are in the State itself."""

    kinds: list[Choice]


@feature.state
def state(stage: Stage) -> ObjectsState:
    """What can be added."""
    return ObjectsState(thing_choices(scene_objects.thing_kinds()))


@feature.command("Choose scene")
def choose_scene(stage: Stage, edit: Edit, message: ChooseScene) -> None:
    """One built-in object instead of what is there."""
    object_edits.choose_scene(stage.document, edit, message.scene)


@feature.command("Add object")
def add(stage: Stage, edit: Edit, message: AddThing) -> None:
    """A new object."""
    if message.position is not None:
        object_edits.checked_place(message.position, (1.0, 0.0, 0.0, 0.0))
    elif message.actor is not None:
        actor = stage.document.actor(message.actor)
        object_edits.add_beside(stage.document, edit, message.kind, actor, stage.puppet(actor).q)
        return
    object_edits.add_thing(stage.document, edit, message.kind, message.position)


@feature.command("Place object")
def place(stage: Stage, edit: Edit, message: PlaceThing) -> None:
    """Where an object stands at the playhead."""
    object_edits.place_thing(
        stage.document, edit, message.thing, message.position, message.rotation, stage.time_s
    )


@feature.command("Resize object")
def resize(stage: Stage, edit: Edit, message: ResizeThing) -> None:
    """How large an object is."""
    object_edits.resize_thing(stage.document, edit, message.thing, message.size)


@feature.command("Rename object")
def rename(stage: Stage, edit: Edit, message: RenameThing) -> None:
    """What an object is called."""
    thing = stage.document.thing(message.thing)
    edit.update("objects", thing.id, name=message.name.strip() or thing.name)


@feature.command("Remove object")
def remove(stage: Stage, edit: Edit, message: RemoveThing) -> None:
    """An object goes, with its keys."""
    object_edits.remove_thing(stage.document, edit, message.thing)


@feature.command("Key object")
def key(stage: Stage, edit: Edit, message: KeyThing) -> None:
    """An object stays where it is at this time."""
    object_edits.key_thing(stage.document, edit, message.thing, message.time_s)

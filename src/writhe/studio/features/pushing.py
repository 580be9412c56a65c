"""Objects dragged into characters, who give way; parts that keep their place to each other."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np
from msgspec import Meta

from writhe.arrays import Floats, Quaternion, Vector3
from writhe.errors import WritheError
from writhe.scene import ObjectKind, Scene
from writhe.skeleton import Figure
from writhe.solvers.half_space import Response, ResponseOptions
from writhe.solvers.posing import Pin
from writhe.studio.document import Actor, relations
from writhe.studio.document.history import Edit
from writhe.studio.editing import edits, object_edits, scene_builder, scene_objects
from writhe.studio.editing.editor import Stage
from writhe.studio.feature import Feature
from writhe.studio.protocol import Command, Message, Name, Part
from writhe.terms import Term

feature = Feature("pushing")


class PushThing(Message, frozen=True, tag="push_thing"):
    """Move an object towards a place; characters in its way give way, or stop it.

    `frames` says how many 60ths of a second passed since the last one.
    """

    sequence: int
    thing: int
    position: Vector3
    rotation: Quaternion
    frames: Annotated[int, Meta(ge=1, le=4)] = 1


class KeepPush(Command, frozen=True, tag="keep_push"):
    """The push is over: where the object is and the poses it made become the document's."""

    thing: int


class HoldParts(Command, frozen=True, tag="hold_parts"):
    """From now on a joint keeps its place, distance or direction seen from another joint."""

    actor: int
    joint: int
    other: int
    kept: relations.Kept = "place"


class LetGoParts(Command, frozen=True, tag="let_go_parts"):
    """Forget such a relation."""

    actor: int
    joint: Name
    other: Name
    kept: relations.Kept = "place"


class PushedActor(Part, frozen=True):
    """A character after a step of a push."""

    actor: int
    q: bytes


class Pushed(Message, frozen=True, tag="pushed"):
    """Where the object has come to, and the poses of all characters."""

    sequence: int
    thing: int
    position: Vector3
    rotation: Quaternion
    actors: list[PushedActor]
    blocked: bool
    milliseconds: float


class RelationState(Part, frozen=True):
    """What a part keeps of how it is to another."""

    actor: int
    joint: str
    other: str
    kept: str


class PushingState(Part, frozen=True):
    """The relations of the document."""

    relations: list[RelationState]


class _Push:
    """A push in a session's hands."""

    def __init__(self) -> None:
        self.thing = 0
        self.scene: Scene | None = None
        self.response: Response | None = None
        self.q: Floats = np.empty(0)
        self.pins: list[Pin] = []


@feature.state
def state(stage: Stage) -> PushingState:
    """What holds between parts."""
    found = relations.all_relations(stage.document)
    return PushingState([RelationState(r.actor, r.joint, r.other, r.kept) for r in found])


@feature.question
def push(stage: Stage, message: PushThing) -> Pushed:
    """One step of a push; the document stays as it is until `keep_push`."""
    place = object_edits.checked_place(message.position, message.rotation)
    memory = stage.own(_Push)
    if memory.response is None or memory.thing != message.thing or memory.scene is not stage.scene:
        _begin(stage, memory, message.thing)
    response = memory.response
    assert response is not None
    name = scene_objects.label(stage.document.thing(message.thing))
    spent, blocked = 0.0, False
    for _ in range(message.frames):
        result = response.step(memory.q, pins=memory.pins, objects={name: place})
        memory.q = result.q
        spent += result.effort.milliseconds
        blocked = bool(result.blocked)
    layout = response.layout
    actors: list[PushedActor] = []
    for actor in _actors(stage, layout.scene):
        q = memory.q[layout.actor_q[scene_builder.label(actor.id)]]
        stage.puppet(actor).q = q.copy()
        actors.append(PushedActor(actor.id, q.astype("<f4").tobytes()))
    x, y, z, *turn = (float(v) for v in memory.q[layout.object_q[name]])
    return Pushed(
        message.sequence,
        message.thing,
        (x, y, z),
        (turn[0], turn[1], turn[2], turn[3]),
        actors,
        blocked,
        spent,
    )


@feature.command("Move object")
def keep(stage: Stage, edit: Edit, message: KeepPush) -> None:
    """Poses and place of the push become the document's."""
    memory = stage.own(_Push)
    response = memory.response
    if response is None or memory.thing != message.thing:
        return
    layout, document = response.layout, stage.document
    for actor in _actors(stage, layout.scene):
        q = memory.q[layout.actor_q[scene_builder.label(actor.id)]]
        if not np.array_equal(q, stage.pose_now(actor)):
            edits.set_pose(document, edit, actor.id, q, stage.time_s)
    x, y, z, *turn = (
        float(v)
        for v in memory.q[layout.object_q[scene_objects.label(document.thing(message.thing))]]
    )
    rotation = (turn[0], turn[1], turn[2], turn[3])
    object_edits.place_thing(document, edit, message.thing, (x, y, z), rotation, stage.time_s)
    memory.response = None


@feature.command("Hold parts")
def hold(stage: Stage, edit: Edit, message: HoldParts) -> None:
    """A relation between two parts as they are now."""
    actor = stage.document.actor(message.actor)
    figure = stage.document.figure(actor.figure)
    joint, other = _joint(figure, message.joint), _joint(figure, message.other)
    q = stage.puppet(actor).q
    relations.hold(stage.document, edit, actor.id, figure, q, joint, other, message.kept)


@feature.command("Let go of parts")
def let_go(stage: Stage, edit: Edit, message: LetGoParts) -> None:
    """The relation is no more."""
    relations.let_go(
        stage.document, edit, message.actor, message.joint, message.other, message.kept
    )


def _begin(stage: Stage, memory: _Push, number: int) -> None:
    """A scene in which the object can be moved, everything where it is now."""
    thing = stage.document.thing(number)
    name = scene_objects.label(thing)
    now = stage.poses()
    objects = tuple(
        replace(o, kind=ObjectKind.MOVED) if o.name == name else o for o in stage.scene.objects
    )
    scene = Scene(stage.scene.actors, objects, stage.scene.policy)
    layout = scene.layout
    q = layout.rest()
    memory.pins, kept = [], list[Term]()
    for actor in _actors(stage, scene):
        label = scene_builder.label(actor.id)
        q[layout.actor_q[label]] = stage.puppet(actor).q
        memory.pins += [
            Pin(f"{label}.{p.joint}", p.position_in_world, (0.0, 0.0, 0.0), p.orientation_in_world)
            for p in actor.pins
        ]
        kept += relations.terms_of(stage.document, actor.id, f"{label}.")
    for other in scene.objects:
        if other.kind is not ObjectKind.FIXED and other.name in now.things:
            q[layout.object_q[other.name]] = now.things[other.name]
    # planted feet hold a character better than a fixed root does; without them it keeps its root
    response = Response(scene, ResponseOptions(root_free=bool(memory.pins)))
    response.keep(kept)
    memory.thing, memory.scene, memory.response, memory.q = number, stage.scene, response, q


def _actors(stage: Stage, scene: Scene) -> list[Actor]:
    """The document's actors that stand in the scene."""
    present = {actor.name for actor in scene.actors}
    return [a for a in stage.document.actors() if scene_builder.label(a.id) in present]


def _joint(figure: Figure, number: int) -> str:
    if not 0 <= number < len(figure.skeleton):
        raise WritheError(f"this figure has no joint number {number}")
    return figure.skeleton.names[number]

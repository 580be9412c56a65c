"""Objects that push characters aside while dragged."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np
from msgspec import Meta

from writhe.arrays import Floats, Quaternion, Vector3
from writhe.scene import ObjectKind, Scene
from writhe.skeleton import forward
from writhe.solvers.half_space import CollisionResponse, ResponseOptions
from writhe.solvers.posing import Pin
from writhe.studio.document import ActorRow, relations
from writhe.studio.document.history import Edit
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene import object_edits, scene_builder, scene_objects
from writhe.studio.feature import Feature
from writhe.studio.protocol import ActorPose, Command, Message
from writhe.terms import Term

feature = Feature("pushing")

# pins may lag behind a fast object; steps are added until all are within this
_PIN_KEPT_M = 1e-4
_SETTLING_STEPS = 40  # largest number of such steps


class PushObject(Message):
    """Move an object towards a placement; characters are pushed aside, or block it.

    `frames` is the number of 1/60 s steps since the last message.
    """

    sequence: int
    object: int
    position: Vector3
    rotation: Quaternion
    frames: Annotated[int, Meta(ge=1, le=4)] = 1


class CommitPush(Command):
    """End a push and save the object's placement and the characters' poses."""

    object: int


class Pushed(Message):
    """The placement of the pushed object and the poses of all characters."""

    sequence: int
    object: int
    position: Vector3
    rotation: Quaternion
    actors: list[ActorPose]
    blocked: bool
    milliseconds: float


class _Push:
    """The state of a push in one session."""

    def __init__(self) -> None:
        self.object = 0
        self.scene: Scene | None = None
        self.response: CollisionResponse | None = None
        self.q: Floats = np.empty(0)
        self.pins: list[Pin] = []


@feature.session_step
def push(editor: Editor, message: PushObject) -> Pushed:
    """One message of a push; the document is unchanged until `CommitPush`."""
    placement = object_edits.checked_placement(message.position, message.rotation)
    pushed = editor.session_data(_Push)
    if (
        pushed.response is None
        or pushed.object != message.object
        or pushed.scene is not editor.scene
    ):
        _begin(editor, pushed, message.object)
    response = pushed.response
    assert response is not None
    name = scene_objects.object_label(editor.document.object_row(message.object))
    spent, blocked = 0.0, False
    for _ in range(message.frames):
        result = response.step(pushed.q, pins=pushed.pins, objects={name: placement})
        pushed.q = result.q
        spent += result.effort.milliseconds
        blocked = bool(result.blocked)
    layout = response.layout
    actors: list[ActorPose] = []
    for actor in _actors(editor, layout.scene):
        q = pushed.q[layout.actor_q[scene_builder.actor_label(actor.id)]]
        editor.posed_actor(actor).q = q.copy()
        actors.append(ActorPose(actor.id, q.astype("<f4").tobytes()))
    x, y, z, *turn = (float(v) for v in pushed.q[layout.object_q[name]])
    return Pushed(
        message.sequence,
        message.object,
        (x, y, z),
        (turn[0], turn[1], turn[2], turn[3]),
        actors,
        blocked,
        spent,
    )


@feature.command("Move object")
def keep(editor: Editor, edit: Edit, message: CommitPush) -> None:
    """Save the poses and the placement of the push."""
    pushed = editor.session_data(_Push)
    response = pushed.response
    if response is None or pushed.object != message.object:
        return
    _settle(editor, pushed, response)
    layout, document = response.layout, editor.document
    for actor in _actors(editor, layout.scene):
        q = pushed.q[layout.actor_q[scene_builder.actor_label(actor.id)]]
        if not np.array_equal(q, editor.pose_now(actor)):
            edits.set_pose(document, edit, actor.id, q, editor.time_s)
    x, y, z, *turn = (
        float(v)
        for v in pushed.q[
            layout.object_q[scene_objects.object_label(document.object_row(message.object))]
        ]
    )
    rotation = (turn[0], turn[1], turn[2], turn[3])
    object_edits.place_object(document, edit, message.object, (x, y, z), rotation, editor.time_s)
    pushed.response = None


def _settle(editor: Editor, pushed: _Push, response: CollisionResponse) -> None:
    """Go on with the object where it is until pinned joints are back at their pins."""
    name = scene_objects.object_label(editor.document.object_row(pushed.object))
    placement = pushed.q[response.layout.object_q[name]].copy()
    where = {pin.joint: np.array(pin.position_in_world) for pin in pushed.pins}
    frames = forward(response.skeleton, pushed.q)
    away_m = [float(np.linalg.norm(frames.position(j) - p)) for j, p in where.items()]
    for _ in range(_SETTLING_STEPS):
        if max(away_m, default=0.0) < _PIN_KEPT_M:
            return
        result = response.step(pushed.q, pins=pushed.pins, objects={name: placement})
        pushed.q, away_m = result.q, list(result.pin_error_m.values())


def _begin(editor: Editor, pushed: _Push, number: int) -> None:
    """Set up a scene in which the object is movable, at the current poses."""
    item = editor.document.object_row(number)
    object_edits.check_free(editor.document, number, editor.time_s)
    name = scene_objects.object_label(item)
    now = editor.poses()
    objects = tuple(
        replace(o, kind=ObjectKind.MOVED) if o.name == name else o for o in editor.scene.objects
    )
    policy = editor.scene.policy
    for other in editor.scene.objects:
        if other.name != name:  # only bodies are pushed: objects are placed freely
            policy = policy.ignore(name, other.name)
    scene = Scene(editor.scene.actors, objects, policy)
    layout = scene.layout
    q = layout.rest()
    pushed.pins, kept = [], list[Term]()
    for actor in _actors(editor, scene):
        label = scene_builder.actor_label(actor.id)
        q[layout.actor_q[label]] = editor.posed_actor(actor).q
        pushed.pins += [
            Pin(f"{label}.{p.joint}", p.position_in_world, (0.0, 0.0, 0.0), p.orientation_in_world)
            for p in actor.pins
        ]
        kept += relations.relation_terms(editor.document, actor.id, f"{label}.")
    for other in scene.objects:
        if other.kind is not ObjectKind.FIXED and other.name in now.objects:
            q[layout.object_q[other.name]] = now.objects[other.name]
    # pinned feet support a character; without pins its root is fixed
    response = CollisionResponse(scene, ResponseOptions(root_free=bool(pushed.pins)))
    response.set_relations(kept)
    pushed.object, pushed.scene, pushed.response, pushed.q = number, editor.scene, response, q


def _actors(editor: Editor, scene: Scene) -> list[ActorRow]:
    """The document's actors that are in the scene."""
    present = {actor.name for actor in scene.actors}
    return [a for a in editor.document.actors() if scene_builder.actor_label(a.id) in present]

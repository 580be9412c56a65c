"""The scene of a document: all actors, the objects, the contacts declared.

Each actor is posed in one layout with everything else standing still around it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import msgspec
import numpy as np

from writhe.arrays import Floats
from writhe.collision import half_space
from writhe.scene import Actor as SceneActor
from writhe.scene import ObjectKind, Scene, SceneObject
from writhe.skeleton import Figure, forward
from writhe.solvers.posing.actor_in_scene import ActorPlace
from writhe.studio.document import Document, Thing
from writhe.studio.editing import scene_objects
from writhe.studio.editing.contact_defaults import GROUND, POLICY
from writhe.studio.editing.figure_cache import per_figure
from writhe.studio.editing.starting_poses import starting_pose

CONTACT_M = 0.010  # what a declared contact may overlap


@per_figure
def _lowest(figure: Figure) -> float:
    """The lowest point of a figure's shapes in its starting pose."""
    frames = forward(figure.skeleton, starting_pose(figure))
    heights = [
        float(frames.point(c.joint, end)[1]) - c.radius_m
        for c in figure.capsules
        for end in (c.start_in_joint, c.end_in_joint)
    ]
    return min(heights, default=0.0)


class Standing(msgspec.Struct, frozen=True):
    """An object in a layout: one that moves in time is placed anew without a new layout."""

    thing: Thing
    moves: bool


@dataclass(frozen=True)
class SceneKey:
    """What a layout depends on; another key wants another layout."""

    actors: tuple[tuple[int, str], ...]
    things: tuple[Standing, ...]
    contacts: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, document: Document) -> SceneKey:
        """The key of a document as it stands."""
        return cls(
            tuple((actor.id, actor.figure) for actor in document.actors()),
            tuple(_standing(document, thing) for thing in document.objects()),
            tuple(document.setting("contacts", list[tuple[str, str]], [])),
        )


def _standing(document: Document, thing: Thing) -> Standing:
    if not document.place_keys(thing.id):
        return Standing(thing, moves=False)
    body = msgspec.structs.replace(
        thing.body, position=(0.0, 0.0, 0.0), rotation=(1.0, 0.0, 0.0, 0.0)
    )
    return Standing(msgspec.structs.replace(thing, body=body), moves=True)


def label(actor: int) -> str:
    """The actor's name in the layout; parts are called "label.part"."""
    return f"actor{actor}"


def build_scene(document: Document, key: SceneKey) -> Scene:
    """The scene of a document."""
    figures = {number: document.figure(name) for number, name in key.actors}
    actors = tuple(SceneActor(label(n), f) for n, f in figures.items() if f.capsules)
    # the ground lies where the figures stand, a little below their soles
    level = min((_lowest(f) for f in figures.values()), default=0.0)
    objects: list[SceneObject] = []
    if level > -0.2:
        ground = half_space((0.0, min(0.0, level) - 0.003, 0.0), (0.0, 1.0, 0.0))
        objects.append(SceneObject(GROUND, (ground,)))
    objects += [
        SceneObject(
            scene_objects.label(thing),
            scene_objects.shapes_of(thing),
            kind=ObjectKind.MOVED if moves else ObjectKind.FIXED,
            position_m=np.array(thing.body.position),
            rotation=np.array(thing.body.rotation),
            strands=scene_objects.strands_of(thing),
        )
        for thing, moves in ((standing.thing, standing.moves) for standing in key.things)
    ]
    policy = POLICY
    parts = {f"{label(n)}.{c.part_name}" for n, f in figures.items() for c in f.capsules}
    parts |= {thing.name for thing in objects}
    for one, other in combinations([thing.name for thing in objects], 2):
        policy = policy.ignore(one, other)  # people place them; only bodies are kept clear
    for a, b in key.contacts:
        if a in parts and b in parts:  # a figure or object may have gone since
            policy = policy.allow(a, b, CONTACT_M)
    return Scene(actors, tuple(objects), policy)


def place_of(document: Document, actor: int, scene: Scene, poses: Poses) -> ActorPlace:
    """Where an actor is posed, with everything else where it is."""
    place = ActorPlace.in_scene(scene, label(actor))
    arrange(place, scene, poses)
    return place


@dataclass(frozen=True)
class Poses:
    """Where everything is: configurations of actors, places (7,) of objects, by their labels."""

    actors: dict[int, Floats]
    things: dict[str, Floats]


def places_at(document: Document, time_s: float) -> dict[str, Floats]:
    """Where the objects are at a time, by their labels."""
    return {
        scene_objects.label(thing): scene_objects.place_at(document, thing, time_s)
        for thing in document.objects()
    }


def arrange(place: ActorPlace, scene: Scene, poses: Poses) -> None:
    """Put the other actors and the objects that move where they are now."""
    place.state = place.state.copy()
    layout = scene.layout
    for number, q in poses.actors.items():
        if label(number) in layout.actor_q:
            place.state[layout.actor_q[label(number)]] = q
    for thing in scene.objects:
        if thing.kind is ObjectKind.MOVED and thing.name in poses.things:
            place.state[layout.object_q[thing.name]] = poses.things[thing.name]

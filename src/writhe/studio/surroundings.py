"""The scene of a document: all actors, the objects, the contacts declared.

Each actor is posed in one layout with everything else standing still around it.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np

from writhe.arrays import Floats
from writhe.collision import half_space
from writhe.collision.shapes import Core
from writhe.errors import UnknownNameError
from writhe.scene import Actor as SceneActor
from writhe.scene import Scene, SceneObject
from writhe.scene.objects import BUILT_IN, built_in
from writhe.skeleton import Figure, forward
from writhe.solvers.posing.place import ActorPlace
from writhe.studio.collisions import GROUND, POLICY
from writhe.studio.document import Document
from writhe.studio.per_figure import per_figure
from writhe.studio.postures import starting_pose

CONTACT_M = 0.008  # what a declared contact may overlap
# where a built-in object is put beside an actor at the origin that faces +Z
_PLACES = {"chair": (0.0, 0.0, -0.42), "ladder": (0.0, 0.0, 0.42)}


class Thing(msgspec.Struct, frozen=True):
    """An object of a document: a built-in one and where it stands."""

    id: int
    kind: str
    position: tuple[float, float, float]


def scene_kinds() -> list[str]:
    """The objects that a scene can hold."""
    return sorted(BUILT_IN)


def place_for(kind: str) -> bytes:
    """Where a built-in object is put, as it is stored."""
    if kind not in BUILT_IN:
        raise UnknownNameError("object", kind, scene_kinds())
    return msgspec.msgpack.encode(_PLACES.get(kind, (0.0, 0.0, 0.0)))


def things_of(document: Document) -> list[Thing]:
    """The objects of a document."""
    return [
        Thing(row.id, row.kind, msgspec.msgpack.decode(row.data, type=tuple[float, float, float]))
        for row in document.objects()
        if row.kind in BUILT_IN
    ]


def solids(thing: Thing) -> list[tuple[str, list[tuple[float, float, float]], float]]:
    """An object's shapes in the world, for the page: what they are, their points, the radius."""
    shift = np.array(thing.position)
    return [
        (
            "capsule" if shape.core is Core.SEGMENT else "hull",
            [(float(x), float(y), float(z)) for x, y, z in shape.points_in_joint + shift],
            float(shape.radius_m),
        )
        for shape in built_in(thing.kind)[0]
    ]


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


@dataclass(frozen=True)
class SceneKey:
    """What a layout depends on; another key wants another layout."""

    actors: tuple[tuple[int, str], ...]
    things: tuple[Thing, ...]
    contacts: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, document: Document) -> SceneKey:
        """The key of a document as it stands."""
        return cls(
            tuple((actor.id, actor.figure) for actor in document.actors()),
            tuple(things_of(document)),
            tuple(document.setting("contacts", list[tuple[str, str]], [])),
        )


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
            f"{thing.kind}{thing.id}", built_in(thing.kind)[0], position_m=np.array(thing.position)
        )
        for thing in key.things
    ]
    policy = POLICY
    for a, b in key.contacts:
        policy = policy.allow(a, b, CONTACT_M)
    return Scene(actors, tuple(objects), policy)


def place_of(document: Document, actor: int, scene: Scene, poses: dict[int, Floats]) -> ActorPlace:
    """Where an actor is posed, with the others in their poses."""
    place = ActorPlace.in_scene(scene, label(actor))
    arrange(place, scene, poses)
    return place


def arrange(place: ActorPlace, scene: Scene, poses: dict[int, Floats]) -> None:
    """Put the other actors where they are now."""
    place.state = place.state.copy()
    for number, q in poses.items():
        if label(number) in scene.layout.actor_q:
            place.state[scene.layout.actor_q[label(number)]] = q

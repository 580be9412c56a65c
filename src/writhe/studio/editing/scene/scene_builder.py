"""Builds the scene of a document: actors, objects, ground and declared contacts.

Each actor is posed in one layout in which all others are fixed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import msgspec
import numpy as np

from writhe.arrays import Floats
from writhe.collision import ContactPolicy, half_space
from writhe.scene import Actor as SceneActor
from writhe.scene import ObjectKind, Scene, SceneObject
from writhe.scene.carrying import parts_below
from writhe.skeleton import Figure, forward
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.studio.document import Document, ObjectRow
from writhe.studio.document.holds import Anchor, HoldRow, all_holds, carriers
from writhe.studio.editing.figure_cache import per_figure
from writhe.studio.editing.scene import placements, scene_objects
from writhe.studio.editing.scene.contact_defaults import GROUND, POLICY
from writhe.studio.editing.starting_poses import starting_pose

FARTHEST_M = 1000.0  # largest coordinate of anything in a scene
CONTACT_M = 0.010  # overlap allowed at a declared contact


@per_figure
def _lowest(figure: Figure) -> float:
    """Height of the lowest point of a figure's shapes in its starting pose, in metres."""
    frames = forward(figure.skeleton, starting_pose(figure))
    heights = [
        float(frames.point(c.joint, end)[1]) - c.radius_m
        for c in figure.capsules
        for end in (c.start_in_joint, c.end_in_joint)
    ]
    return min(heights, default=0.0)


class LayoutObject(msgspec.Struct, frozen=True):
    """An object of a layout; one with placement keys (`moves`) moves without a new layout."""

    object: ObjectRow
    moves: bool


@dataclass(frozen=True)
class SceneKey:
    """Everything that a layout depends on; a layout is rebuilt when its key changes."""

    actors: tuple[tuple[int, str], ...]
    objects: tuple[LayoutObject, ...]
    contacts: tuple[tuple[str, str], ...]
    held: tuple[HoldRow, ...] = ()  # holds; the parts that they join may touch
    attached: tuple[HoldRow, ...] = ()  # holds whose objects are part of the actor's tree
    joined: tuple[HoldRow, ...] = ()  # holds whose parts do not move apart: they are not tested
    bodies: tuple[int, ...] = ()  # versions of the figures, which the user may correct

    @classmethod
    def of(cls, document: Document, span_s: tuple[float, float] | None = None) -> SceneKey:
        """The key of a document's current state.

        With a span of times, objects carried during all of it are attached to what carries them.
        """
        held = tuple(all_holds(document))
        joined = () if span_s is None else tuple(h for h in held if h.covers(*span_s))
        attached = {} if span_s is None else carriers(list(held), *span_s)
        return cls(
            tuple((actor.id, actor.figure) for actor in document.actors()),
            tuple(_layout_object(document, item) for item in document.objects()),
            tuple(document.setting("contacts", list[tuple[str, str]], [])),
            held,
            tuple(hold for hold in attached.values() if hold.other.actor),
            joined,
            tuple(document.figure_version(actor.figure) for actor in document.actors()),
        )


def only_actor(key: SceneKey, actor: int) -> SceneKey:
    """The key without the other actors."""
    label = f"{actor_label(actor)}."
    return SceneKey(
        tuple(entry for entry in key.actors if entry[0] == actor),
        key.objects,
        tuple(pair for pair in key.contacts if any(part.startswith(label) for part in pair)),
        tuple(h for h in key.held if actor in (h.part.actor, h.other.actor)),
        tuple(h for h in key.attached if h.other.actor == actor),
        tuple(h for h in key.joined if actor in (h.part.actor, h.other.actor)),
        key.bodies,
    )


def _layout_object(document: Document, item: ObjectRow) -> LayoutObject:
    if not placements.moves(document, item):
        return LayoutObject(item, moves=False)
    body = msgspec.structs.replace(
        item.data, position=(0.0, 0.0, 0.0), rotation=(1.0, 0.0, 0.0, 0.0)
    )
    return LayoutObject(msgspec.structs.replace(item, data=body), moves=True)


def actor_label(actor: int) -> str:
    """The actor's name in the layout; its parts are named "label.part"."""
    return f"actor{actor}"


def anchor_label(document: Document, anchor: Anchor) -> str:
    """The name in the layout of a joint ("label.joint") or of an object."""
    if anchor.object:
        return scene_objects.object_label(document.object_row(anchor.object))
    return f"{actor_label(anchor.actor)}.{anchor.joint}"


def build_scene(document: Document, key: SceneKey) -> Scene:
    """The scene of a document."""
    figures = {number: document.figure(name) for number, name in key.actors}
    actors = tuple(SceneActor(actor_label(n), f) for n, f in figures.items() if f.capsules)
    # the ground lies 3 mm below the lowest point of the figures, and at most at height 0
    level = min((_lowest(f) for f in figures.values()), default=0.0)
    objects: list[SceneObject] = []
    if level > -0.2:
        ground = half_space((0.0, min(0.0, level) - 0.003, 0.0), (0.0, 1.0, 0.0))
        objects.append(SceneObject(GROUND, (ground,)))
    carried = {hold.part.object: hold for hold in key.attached}
    objects += [
        _scene_object(document, entry, carried.get(entry.object.id)) for entry in key.objects
    ]
    policy = POLICY
    parts = {f"{actor_label(n)}.{c.part_name}" for n, f in figures.items() for c in f.capsules}
    parts |= {item.name for item in objects}
    for a, b in key.contacts:
        if a in parts and b in parts:  # the figure or object may have been removed
            policy = policy.allow(a, b, CONTACT_M)
    scene = Scene(actors, tuple(objects), policy)
    return replace(scene, policy=_with_holds(document, scene, key)) if key.held else scene


def _scene_object(document: Document, entry: LayoutObject, carrier: HoldRow | None) -> SceneObject:
    item = entry.object
    place, turn, attached = item.data.position, item.data.rotation, ""
    if carrier is not None:
        place, turn = carrier.position, carrier.rotation
        attached = anchor_label(document, carrier.other)
    moves = entry.moves and carrier is None
    return SceneObject(
        scene_objects.object_label(item),
        scene_objects.shapes_of(item),
        kind=ObjectKind.MOVED if moves else ObjectKind.FIXED,
        position_m=np.array(place),
        rotation=np.array(turn),
        strands=scene_objects.strands_of(item),
        attached_to=attached,
        mass_kg=scene_objects.mass_of(item) if attached else 0.0,
    )


def _with_holds(document: Document, scene: Scene, key: SceneKey) -> ContactPolicy:
    """The scene's policy in which parts that are held together may touch."""
    policy, present = scene.policy, {actor.name for actor in scene.actors}
    for hold in key.held:
        sides = [_parts(document, scene, anchor, present) for anchor in (hold.part, hold.other)]
        for one, other in product(*sides):
            if one == other:
                continue
            joined = hold in key.joined
            policy = policy.ignore(one, other) if joined else policy.allow(one, other, CONTACT_M)
    return policy


def _parts(document: Document, scene: Scene, anchor: Anchor, present: set[str]) -> tuple[str, ...]:
    label = anchor_label(document, anchor)
    if anchor.object:
        return (label,)
    return parts_below(scene, label) if actor_label(anchor.actor) in present else ()


def actor_in_scene(document: Document, actor: int, scene: Scene, poses: ScenePoses) -> ActorInScene:
    """An actor in the scene, with all other actors and objects at the given poses."""
    found = ActorInScene.in_scene(scene, actor_label(actor))
    place_environment(found, scene, poses)
    return found


@dataclass(frozen=True)
class ScenePoses:
    """Configurations of actors by number, placements (7,) of objects by label."""

    actors: dict[int, Floats]
    objects: dict[str, Floats]


def object_placements(document: Document, time_s: float) -> dict[str, Floats]:
    """Placements (7,) of the objects at a time, by label."""
    return {
        scene_objects.object_label(item): placements.placement_at(document, item, time_s)
        for item in document.objects()
    }


def place_environment(in_scene: ActorInScene, scene: Scene, poses: ScenePoses) -> None:
    """Set the state of the other actors and of the objects that move."""
    in_scene.state = in_scene.state.copy()
    layout = scene.layout
    for number, q in poses.actors.items():
        if actor_label(number) in layout.actor_q:
            in_scene.state[layout.actor_q[actor_label(number)]] = q
    for item in scene.objects:
        if item.kind is ObjectKind.MOVED and item.name in poses.objects:
            in_scene.state[layout.object_q[item.name]] = poses.objects[item.name]


def sample_document(document: Document, scene: Scene, times_s: Floats) -> Floats:
    """Configurations (times, nq) of a document's scene."""
    layout = scene.layout
    q = np.tile(layout.rest(), (len(times_s), 1))
    for actor in document.actors():
        if actor_label(actor.id) in layout.actor_q:
            timeline = document.timeline(actor.id)
            poses = actor.configuration if timeline.empty else timeline.sample(times_s)
            q[:, layout.actor_q[actor_label(actor.id)]] = poses
    moved = {item.name for item in scene.objects if item.kind is ObjectKind.MOVED}
    for item in document.objects():
        name = scene_objects.object_label(item)
        if name in moved and placements.moves(document, item):
            q[:, layout.object_q[name]] = placements.placements(document, item, times_s)
    return q


def configuration_at(document: Document, scene: Scene, time_s: float, poses: ScenePoses) -> Floats:
    """(nq,) the configuration of a document's scene at a time, with actors in these poses."""
    q = sample_document(document, scene, np.array([time_s]))[0]
    for number, pose in poses.actors.items():
        if actor_label(number) in scene.layout.actor_q:
            q[scene.layout.actor_q[actor_label(number)]] = pose
    return q

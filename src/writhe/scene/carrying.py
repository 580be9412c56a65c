"""Objects that are carried: attached to a joint of an actor, and put down again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from writhe.arguments import checked
from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.scene.scene import ObjectKind, Scene, SceneObject
from writhe.skeleton import forward
from writhe.skeleton.configurations import configuration
from writhe.skeleton.quaternions import quaternion_of


@checked
def carried(scene: Scene, q: Floats, object_name: str, joint: str) -> Scene:
    """The scene with an object attached to a joint ("anna.left_wrist") as they are at q.

    q: configuration of the scene's layout. The object moves with the joint from then on, is kept
    clear of everything else, and is not tested against what carries it: the parts of the joint and
    of those below it. `carried_over` gives configurations of the new scene.
    """
    layout = scene.layout
    frames = forward(layout.skeleton, configuration(layout.skeleton, q))
    turn = frames.rotation(joint)
    if joint.partition(".")[0] not in {actor.name for actor in scene.actors}:
        raise WritheError(f"{joint!r} is no joint of an actor: name it like 'anna.left_wrist'")
    attached = replace(
        scene.object(object_name),
        kind=ObjectKind.FIXED,
        keys=None,
        attached_to=joint,
        position_m=turn.T @ (frames.position(object_name) - frames.position(joint)),
        rotation=np.array(quaternion_of(turn.T @ frames.rotation(object_name))),
    )
    policy = scene.policy
    for part in parts_below(scene, joint):
        policy = policy.ignore(part, object_name)
    return replace(_with_object(scene, attached), policy=policy)


@checked
def put_down(scene: Scene, q: Floats, object_name: str) -> Scene:
    """The scene with a carried object left where it is at q, free to be moved."""
    frames = forward(scene.layout.skeleton, configuration(scene.layout.skeleton, q))
    item = scene.object(object_name)
    if not item.attached_to:
        return scene
    ignored = scene.policy.ignored
    for part in parts_below(scene, item.attached_to):
        ignored = ignored - {(min(part, object_name), max(part, object_name))}
    left = replace(
        item,
        kind=ObjectKind.MOVED,
        attached_to="",
        position_m=frames.position(object_name).copy(),
        rotation=np.array(quaternion_of(frames.rotation(object_name))),
    )
    return replace(_with_object(scene, left), policy=replace(scene.policy, ignored=ignored))


@checked
def carried_over(before: Scene, q: Floats, after: Scene) -> Floats:
    """Configurations (..., nq) of one scene in another one with the same actors and objects.

    An object that is carried in one of them and moved in the other keeps its pose in the world.
    """
    rows = np.atleast_2d(np.asarray(q, dtype=np.float64))
    old, new = before.layout, after.layout
    frames = forward(old.skeleton, rows)
    out = np.tile(new.rest(), (len(rows), 1))
    for actor in after.actors:
        out[:, new.actor_q[actor.name]] = rows[:, old.actor_q[actor.name]]
    for item in after.objects:
        at = new.object_q[item.name]
        if at.stop > at.start:
            out[:, at] = object_poses(frames.position(item.name), frames.rotation(item.name))
    return out[0] if np.ndim(q) == 1 else out


def object_poses(positions: Floats, rotations: Floats) -> Floats:
    """Poses (frames, 7), position and quaternion, of frames (frames, 3), (frames, 3, 3)."""
    turns = np.array([quaternion_of(r) for r in rotations])
    for i in range(1, len(turns)):  # the nearer of the two quaternions of a rotation
        if turns[i] @ turns[i - 1] < 0.0:
            turns[i] *= -1.0
    return np.concatenate([positions, turns], axis=1)


def parts_below(scene: Scene, joint: str) -> tuple[str, ...]:
    """The parts ("anna.left_wrist") of shapes on a joint of an actor and on joints below it."""
    name, _, own = joint.partition(".")
    figure = scene.actor(name).figure
    at = figure.skeleton.index(own)
    below = set(figure.skeleton.names[at : int(figure.skeleton.tree.subtree_end[at])])
    found = (f"{name}.{c.part_name}" for c in figure.capsules if c.joint in below)
    return tuple(dict.fromkeys(found))


def _with_object(scene: Scene, item: SceneObject) -> Scene:
    objects = tuple(item if other.name == item.name else other for other in scene.objects)
    return replace(scene, objects=objects)

"""One coordinate layout for a scene: a forest of all actors and objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np

from writhe.arguments import checked
from writhe.arrays import Bools, Floats, floats, number
from writhe.collision import CollisionTable, Shape
from writhe.collision.shapes import from_capsule
from writhe.errors import UnknownNameError, WritheError
from writhe.scene.scene import Actor, ObjectKind, Scene, SceneObject
from writhe.skeleton import Joint, JointKind, Motion, Skeleton, Tip
from writhe.skeleton.configurations import configuration, same_joints

MAX_ANIMATED_FRAMES = 1e7


class Layout:
    """One skeleton for all actors and objects of a scene, with their slices of q and v.

    Each actor is a child of a fixed joint with the actor's name and pose; its own joints are called
    "actor.joint". A fixed object is a fixed joint (of the actor's tree, if it is carried), any
    other object a free joint, with its name.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        joints: list[Joint] = []
        tips: list[Tip] = []
        for actor in scene.actors:
            joints += _actor_joints(actor)
            tips += [
                Tip(f"{actor.name}.{t.name}", f"{actor.name}.{t.joint}", t.offset_in_joint)
                for t in actor.figure.skeleton.tips
            ]
        joints += [_object_joint(item) for item in scene.objects]
        if not joints:
            raise WritheError("the scene is empty: it needs an actor or an object")
        self.skeleton = Skeleton(joints, tips)
        tree = self.skeleton.tree
        self.actor_q: dict[str, slice] = {}
        self.actor_v: dict[str, slice] = {}
        for actor in scene.actors:
            first = self.skeleton.index(actor.name)
            last = int(tree.subtree_end[first])
            self.actor_q[actor.name] = slice(int(tree.q_start[first]), int(tree.q_start[last]))
            self.actor_v[actor.name] = slice(int(tree.v_start[first]), int(tree.v_start[last]))
        self.object_q = {o.name: self.skeleton.q_slice(o.name) for o in scene.objects}
        self.object_v = {o.name: self.skeleton.v_slice(o.name) for o in scene.objects}

    @cached_property
    def variables(self) -> Bools:
        """(nv,) True for the degrees of freedom that a solver may change: those of undriven
        actors."""
        out = np.zeros(self.skeleton.dof_count, dtype=np.bool_)
        for actor in self.scene.actors:
            out[self.actor_v[actor.name]] = not actor.driven
        return out

    @cached_property
    def table(self) -> CollisionTable:
        """The collision table of the whole scene."""
        shapes: list[Shape] = []
        for actor in self.scene.actors:
            for capsule in actor.figure.capsules:
                shape = from_capsule(capsule)
                shapes.append(shape.on(f"{actor.name}.{shape.joint}", f"{actor.name}.{shape.part}"))
        for item in self.scene.objects:
            shapes += [shape.on(item.name, item.name) for shape in item.shapes]
        folds = [
            fold.on(f"{actor.name}.{fold.joint}")
            for actor in self.scene.actors
            for fold in actor.figure.folds
        ]
        return CollisionTable(self.skeleton, shapes, self.scene.policy, folds)

    def rest(self) -> Floats:
        """(nq,) every actor in its rest pose, every object in its initial pose."""
        q = self.skeleton.rest_configuration.copy()
        for item in self.scene.objects:
            if item.kind is not ObjectKind.FIXED:
                q[self.object_q[item.name]] = item.pose()
        return q

    def configuration(self, q: Floats | None) -> Floats:
        """(nq,) a copy of q after checks of shape and values; without q, `rest`."""
        return self.rest() if q is None else configuration(self.skeleton, q).copy()

    @checked
    def motion(
        self,
        actors: Mapping[str, Motion],
        objects: Mapping[str, Floats] | None = None,
        fps: float | None = None,
    ) -> Motion:
        """The motion of the whole scene, from the motions of its actors.

        All motions must have the same rate and length; an actor without one keeps its rest pose.
        Without any, `fps` gives the rate.
        Animated objects follow their keys; moved objects keep their pose unless `objects` gives
        their poses (frames, 7).
        """
        for name in actors:
            if name not in self.actor_q:
                raise UnknownNameError("actor", name, list(self.actor_q))
        rates = {motion.fps for motion in actors.values()} | ({fps} if fps else set[float]())
        lengths = {len(motion) for motion in actors.values()}
        lengths |= {len(poses) for poses in (objects or {}).values()}
        if len(rates) > 1 or len(lengths) > 1:
            raise WritheError(
                f"the motions of a scene must share rate and length, but have {sorted(rates)}"
                f" frames per second and {sorted(lengths)} frames: resample or cut them"
            )
        if not rates:
            raise WritheError("without an actor's motion, the frame rate must be given: fps=")
        rate = number(rates.pop(), "frames per second", above=0.0)
        count = lengths.pop() if lengths else self._animated_frames(rate)
        q = np.tile(self.rest(), (count, 1))
        for name, motion in actors.items():
            expected = self.scene.actor(name).figure.skeleton
            if not same_joints(motion.skeleton, expected):
                raise WritheError(
                    f"the motion of {name!r} is for another skeleton: retarget it first"
                )
            q[:, self.actor_q[name]] = motion.q
        times = np.arange(count) / rate
        for item in self.scene.objects:
            if item.keys is not None:
                q[:, self.object_q[item.name]] = item.keys.at(times)
        for name, poses in (objects or {}).items():
            if self.scene.object(name).kind is not ObjectKind.MOVED:
                raise WritheError(f"{name!r} is not a moved object")
            q[:, self.object_q[name]] = floats(poses, (count, 7), f"the poses of {name!r}")
        return Motion(self.skeleton, q, rate, "scene")

    def _animated_frames(self, rate: float) -> int:
        ends = [o.keys.times_s[-1] for o in self.scene.objects if o.keys is not None]
        frames = max(ends) * rate if ends else 0.0
        if not 0.0 <= frames <= MAX_ANIMATED_FRAMES:
            raise WritheError(
                f"the keys of the objects end after {frames:g} frames at {rate:g} per second;"
                f" from 0 to {MAX_ANIMATED_FRAMES:g} are possible"
            )
        return int(np.ceil(frames)) + 1


def _actor_joints(actor: Actor) -> list[Joint]:
    anchor = Joint(actor.name, None, JointKind.FIXED, actor.position_m, actor.rotation)
    return [anchor] + [
        replace(
            joint,
            name=f"{actor.name}.{joint.name}",
            parent=actor.name if joint.parent is None else f"{actor.name}.{joint.parent}",
        )
        for joint in actor.figure.skeleton.joints
    ]


def _object_joint(item: SceneObject) -> Joint:
    if item.kind is ObjectKind.FIXED:
        if not item.attached_to:
            return Joint(item.name, None, JointKind.FIXED, item.position_m, item.rotation)
        return Joint(
            item.name,
            item.attached_to,
            JointKind.FIXED,
            item.position_m,
            item.rotation,
            mass_kg=item.mass_kg,
            centre_of_mass=_centre_of_mass(item),
        )
    return Joint(item.name, None, JointKind.FREE)


def _centre_of_mass(item: SceneObject) -> Floats:
    """(3,) in the frame of the object; its origin for one without mass."""
    if item.mass_kg == 0.0:
        return np.zeros(3)
    from writhe.scene.object_mass import volume_and_centre

    return volume_and_centre(item.shapes)[1]

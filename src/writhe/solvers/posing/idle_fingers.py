"""The default poser of a body with fingers, at two levels of detail.

While no handle and no relation is on a finger, fingers are rigid: the body is posed without their
joints, and their capsules, as they are, belong to the wrists. A step costs as much as that of a
body without fingers. Its certificate holds for the whole body, since parts of a rigid hand do not
move relative to each other. With a handle on a finger, all joints are posed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from writhe.arrays import Floats, floats, identical
from writhe.collision import ContactPolicy
from writhe.database import PostureDatabase
from writhe.skeleton import Figure, forward
from writhe.skeleton.attached_joints import attached, finger_joints
from writhe.skeleton.frozen_joints import FrozenFigure
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.solvers.posing.controls import Controls
from writhe.solvers.posing.default_poser import DefaultPoser
from writhe.solvers.posing.handles import Hold, Pin, Target, check_handles
from writhe.solvers.posing.options import DefaultPoserOptions
from writhe.solvers.posing.poser import PoseResult
from writhe.terms import Term


def default_poser(
    figure: Figure,
    database: PostureDatabase | None = None,
    options: DefaultPoserOptions | None = None,
    *,
    actor: ActorInScene | None = None,
    controls: Controls | None = None,
) -> DefaultPoser | FingerPoser:
    """The default poser for a figure, at two levels of detail if it is a person with fingers."""
    kind = FingerPoser if finger_joints(figure) else DefaultPoser
    return kind(figure, database, options, actor=actor, controls=controls)


class FingerPoser:
    """`DefaultPoser` for a person with fingers: the same interface. Not thread-safe."""

    name = "default"

    def __init__(
        self,
        figure: Figure,
        database: PostureDatabase | None = None,
        options: DefaultPoserOptions | None = None,
        *,
        actor: ActorInScene | None = None,
        controls: Controls | None = None,
    ) -> None:
        self.figure = figure
        self.options = (options or DefaultPoserOptions()).scaled_to(figure.skeleton)
        self.actor = actor or ActorInScene.alone(figure)
        self.skeleton = self.actor.skeleton
        self.table = self.actor.table
        self.fingers = frozenset(finger_joints(figure))
        self._database, self._options = database, options
        self._controls = controls or Controls()
        self._relations: tuple[Term, ...] = ()
        self._fingers_related = False
        self._whole: DefaultPoser | None = None
        self._rigid: _RigidHands | None = None

    @property
    def controls(self) -> Controls:
        """Root stay, balance and idle limbs; may be set between steps."""
        return self._controls

    @controls.setter
    def controls(self, controls: Controls) -> None:
        self._controls = controls
        for poser in self._posers():
            poser.controls = controls

    def set_relations(self, relations: Sequence[Term]) -> None:
        """Replace the relations between parts (`DefaultPoser.set_relations`)."""
        self._relations = tuple(relations)
        own = {self.actor.prefix + name for name in self.fingers}
        codes = [term.quantity.encode(self.skeleton) for term in relations]
        joints = {self.skeleton.names[j] for c in codes for j in (c.joint_a, c.joint_b) if j >= 0}
        self._fingers_related = bool(joints & own)
        if self._whole is not None:
            self._whole.set_relations(relations)
        if self._rigid is not None and not self._fingers_related:
            self._rigid.poser.set_relations(relations)

    def step(
        self, q: Floats, targets: Sequence[Target], pins: Sequence[Pin | Hold] = ()
    ) -> PoseResult:
        """One frame of a drag (`DefaultPoser.step`)."""
        check_handles(targets, pins)
        own = floats(q, (self.figure.skeleton.configuration_size,), "the configuration")
        if self._fingers_related or any(self._on_finger(h) for h in (*targets, *pins)):
            return self.whole.step(own, targets, pins)
        if self._rigid is None or not self._rigid.has_fingers_of(own):
            self._rigid = self._attach(own)
        return self._rigid.step(own, targets, pins)

    def set_stance(self, q: Floats) -> None:
        """Set the posture (nq) that trunk and legs return to in this drag, after a step."""
        if self._whole is not None:
            self._whole.set_stance(q)
        if self._rigid is not None:
            self._rigid.poser.set_stance(self._rigid.body.reduced(q))

    def warm_up(self, q: Floats) -> None:
        """Load or compile every kernel that a step may need, so that no drag waits for one."""
        self._rigid = self._attach(np.asarray(q, dtype=np.float64))
        self._rigid.poser.warm_up(self._rigid.body.reduced(q))

    @property
    def whole(self) -> DefaultPoser:
        """The poser of all joints, fingers included."""
        if self._whole is None:
            self._whole = self._make(self.figure, self.actor)
        return self._whole

    def _on_finger(self, handle: Target | Pin | Hold) -> bool:
        other = handle.on if isinstance(handle, Hold) else ""
        return handle.joint in self.fingers or other in self.fingers

    def _posers(self) -> list[DefaultPoser]:
        found = [self._whole, None if self._rigid is None else self._rigid.poser]
        return [poser for poser in found if poser is not None]

    def _make(self, figure: Figure, actor: ActorInScene) -> DefaultPoser:
        poser = DefaultPoser(
            figure, self._database, self._options, actor=actor, controls=self._controls
        )
        if self._relations:
            poser.set_relations(self._relations)
        return poser

    def _attach(self, q: Floats) -> _RigidHands:
        body = attached(self.figure, q, self.fingers)
        whole = self.actor
        policy = _policy(whole.table.policy, self.figure, body.figure, whole.prefix)
        if whole.scene is None:
            actor = ActorInScene.alone(body.figure, policy)
        else:
            name = whole.root
            actors = tuple(
                replace(a, figure=body.figure) if a.name == name else a for a in whole.scene.actors
            )
            scene = replace(whole.scene, actors=actors, policy=policy)
            actor = ActorInScene.in_scene(scene, name)
        return _RigidHands(body, whole, actor, self._make(body.figure, actor))


class _RigidHands:
    """A body posed with rigid hands, and where its coordinates are in those of the whole one."""

    def __init__(
        self, body: FrozenFigure, whole: ActorInScene, actor: ActorInScene, poser: DefaultPoser
    ) -> None:
        self.body, self.poser = body, poser
        self._whole, self._actor = whole, actor
        outside = np.ones(len(whole.state), dtype=np.bool_)
        outside[whole.q] = False
        self._outside = np.flatnonzero(outside)  # entries of the environment, in both models
        there = np.ones(len(actor.state), dtype=np.bool_)
        there[actor.q] = False
        self._outside_there = np.flatnonzero(there)
        fingers = np.ones(len(body.whole), dtype=np.bool_)
        fingers[body.entries] = False
        self._fingers = np.flatnonzero(fingers)
        self._last = np.zeros(0)

    def has_fingers_of(self, q: Floats) -> bool:
        """Whether the fingers are attached as they are at q."""
        if q is self._last:
            return True
        return identical(q[self._fingers], self.body.whole[self._fingers])

    def step(self, q: Floats, targets: Sequence[Target], pins: Sequence[Pin | Hold]) -> PoseResult:
        """One frame, with the configuration and joint frames of the whole body."""
        whole = self._whole
        if len(self._outside):
            self._actor.state[self._outside_there] = whole.state[self._outside]
        result = self.poser.step(self.body.reduced(q), targets, pins)
        self._last = self.body.complete(result.q)
        frames = forward(whole.skeleton, whole.full_configuration(self._last))
        return replace(result, q=self._last, frames=frames)


def _policy(policy: ContactPolicy, figure: Figure, rigid: Figure, prefix: str) -> ContactPolicy:
    """The policy with finger parts called by the parts that carry them."""
    carried = {
        prefix + before.part_name: prefix + after.part_name
        for before, after in zip(figure.capsules, rigid.capsules, strict=True)
    }
    declared: dict[tuple[str, str], float] = {}
    for (a, b), metres in policy.declared_m.items():
        pair = carried.get(a, a), carried.get(b, b)
        if pair[0] != pair[1]:
            declared[pair] = max(metres, declared.get(pair, 0.0))
    ignored = {(carried.get(a, a), carried.get(b, b)) for a, b in policy.ignored}
    return replace(
        policy,
        declared_m=declared,
        ignored=frozenset((min(p), max(p)) for p in ignored if p[0] != p[1]),
    )

"""`half-space` as a poser: one actor among the objects and the other actors of a scene."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from writhe.arrays import Floats
from writhe.collision import violating_parts
from writhe.scene import Actor, Scene
from writhe.skeleton import Figure
from writhe.solvers.half_space.options import ResponseOptions
from writhe.solvers.half_space.response import Response, ResponseResult
from writhe.solvers.posing.handles import Pin, Target
from writhe.solvers.posing.poser import PoseResult
from writhe.terms import Term


class HalfSpacePoser:
    """Poses one actor by half-space inverse kinematics.

    `move` says where the objects are wanted at the next step; `state` is the whole scene.
    """

    name = "half-space"

    def __init__(
        self,
        figure: Figure,
        options: ResponseOptions | None = None,
        *,
        scene: Scene | None = None,
        actor: str | None = None,
    ) -> None:
        self.figure = figure
        self.scene = scene or Scene(actors=(Actor("figure", figure),))
        self.actor = actor or self.scene.actors[0].name
        chosen = options or ResponseOptions(root_free=True)
        self.response = Response(self.scene, chosen, actors=[self.actor])
        self.state = self.scene.layout.rest()
        self.last: ResponseResult | None = None
        self._objects: dict[str, Floats] = {}

    def keep(self, relations: Sequence[Term]) -> None:
        """Terms that hold from now on; joints are called "actor.joint"."""
        self.response.keep(relations)

    def move(self, objects: Mapping[str, Floats]) -> None:
        """Where objects are wanted at the next step: poses (7,)."""
        self._objects.update(objects)

    def step(self, q: Floats, targets: Sequence[Target], pins: Sequence[Pin] = ()) -> PoseResult:
        """The next configuration of the actor from q."""
        prefix, at = f"{self.actor}.", self.scene.layout.actor_q[self.actor]
        if not np.array_equal(self.state[at], q):
            # the pose was changed from outside: its movement is no longer known
            self.response.reset()
            self.state[at] = q
        result = self.response.step(
            self.state,
            [replace(t, joint=prefix + t.joint) for t in targets],
            [replace(p, joint=prefix + p.joint) for p in pins],
            self._objects,
        )
        self.state, self.last = result.q, result
        touching: tuple[str, ...] = ()
        if result.clearance_m is not None and result.clearance_m < -0.001:
            touching = violating_parts(self.response.table, result.q)[0]
        return PoseResult(
            q=result.q[at].copy(),
            status=result.status,
            target_error_m={n.removeprefix(prefix): e for n, e in result.target_error_m.items()},
            pin_error_m={n.removeprefix(prefix): e for n, e in result.pin_error_m.items()},
            milliseconds=result.effort.milliseconds,
            gate=result.gate,
            clearance_m=result.clearance_m,
            touching_parts=tuple(p.removeprefix(prefix) for p in touching),
            notes=tuple(f"{name} is blocked" for name in result.blocked),
        )

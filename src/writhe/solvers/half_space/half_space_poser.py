"""`half-space` as a poser: one actor among the objects and the other actors of a scene."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from writhe.arrays import Floats
from writhe.collision import violating_parts
from writhe.scene import Actor, Scene
from writhe.skeleton import Figure
from writhe.solvers.half_space.collision_response import Response
from writhe.solvers.half_space.options import ResponseOptions
from writhe.solvers.half_space.result import ResponseResult
from writhe.solvers.posing.actor_in_scene import ActorPlace
from writhe.solvers.posing.handles import Hold, Pin, Target
from writhe.solvers.posing.poser import PoseResult
from writhe.terms import Term, keep_relative


class HalfSpacePoser:
    """Poses one actor by half-space inverse kinematics.

    `move` says where the objects are wanted at the next step; `place.state` is the whole scene.
    """

    name = "half-space"

    def __init__(
        self,
        figure: Figure,
        options: ResponseOptions | None = None,
        *,
        place: ActorPlace | None = None,
    ) -> None:
        self.figure = figure
        if place is None or place.scene is None:
            place = ActorPlace.in_scene(Scene(actors=(Actor("figure", figure),)), "figure")
        self.place = place
        assert place.scene is not None
        chosen = options or ResponseOptions(root_free=True, comeback=0.02)
        self.response = Response(place.scene, chosen, actors=[place.root])
        self.last: ResponseResult | None = None
        self._objects: dict[str, Floats] = {}
        self._relations: tuple[Term, ...] = ()

    def keep(self, relations: Sequence[Term]) -> None:
        """Terms that hold from now on; joints are called as in the place's skeleton."""
        self._relations = tuple(relations)

    def move(self, objects: Mapping[str, Floats]) -> None:
        """Where objects are wanted at the next step: poses (7,)."""
        self._objects.update(objects)

    def step(
        self, q: Floats, targets: Sequence[Target], pins: Sequence[Pin | Hold] = ()
    ) -> PoseResult:
        """The next configuration of the actor from q."""
        place = self.place
        held = tuple(_relation(hold, place.prefix) for hold in pins if isinstance(hold, Hold))
        relations = (*self._relations, *held)
        if relations != self.response.wishes.relations:
            self.response.keep(relations)
        if self.last is None or not np.array_equal(self.last.q[place.q], q):
            # the pose was changed from outside: its movement is no longer known
            self.response.reset()
        result = self.response.step(
            place.whole(q),
            [replace(t, joint=place.prefix + t.joint) for t in targets],
            [replace(p, joint=place.prefix + p.joint) for p in pins if isinstance(p, Pin)],
            self._objects,
        )
        self.last = result
        if self._objects:
            place.state[:] = result.q
        touching: tuple[str, ...] = ()
        if result.clearance_m is not None and result.clearance_m < -0.001:
            touching = violating_parts(self.response.table, result.q)[0]
        return PoseResult(
            q=result.q[place.q].copy(),
            status=result.status,
            target_error_m=_own(result.target_error_m, place.prefix),
            pin_error_m=_own(result.pin_error_m, place.prefix),
            milliseconds=result.effort.milliseconds,
            gate=result.gate,
            clearance_m=result.clearance_m,
            touching_parts=touching,
            blocked=result.blocked,
        )


def _relation(hold: Hold, prefix: str) -> Term:
    """A hold as the paper's relative constraint."""
    return keep_relative(
        prefix + hold.joint,
        prefix + hold.on,
        hold.position_in_other,
        point_in_joint=hold.point_in_joint,
    )


def _own(errors: dict[str, float], prefix: str) -> dict[str, float]:
    return {name.removeprefix(prefix): error for name, error in errors.items()}

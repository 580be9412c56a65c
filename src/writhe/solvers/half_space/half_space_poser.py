"""`half-space`: poses one actor of a scene, with its objects and other actors as obstacles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from writhe.arrays import Floats
from writhe.collision import violating_parts
from writhe.collision.certificate_slack import SLACK_M
from writhe.scene import Actor, Scene
from writhe.skeleton import Figure
from writhe.solvers.half_space.collision_response import CollisionResponse
from writhe.solvers.half_space.options import ResponseOptions
from writhe.solvers.half_space.result import ResponseResult
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.solvers.posing.handles import Hold, Pin, Target
from writhe.solvers.posing.poser import PoseResult
from writhe.terms import Term, keep_relative


class HalfSpacePoser:
    """Poses one actor by half-space inverse kinematics.

    `move` sets goals of the objects; `actor.state` is the configuration of the whole scene.
    """

    name = "half-space"

    def __init__(
        self,
        figure: Figure,
        options: ResponseOptions | None = None,
        *,
        actor: ActorInScene | None = None,
    ) -> None:
        self.figure = figure
        if actor is None or actor.scene is None:
            actor = ActorInScene.in_scene(Scene(actors=(Actor("figure", figure),)), "figure")
        self.actor = actor
        assert actor.scene is not None
        chosen = options or ResponseOptions(root_free=True, return_fraction=0.02)
        self.response = CollisionResponse(actor.scene, chosen, actors=[actor.root])
        self.table = self.response.table
        self.last: ResponseResult | None = None
        self._objects: dict[str, Floats] = {}
        self._relations: tuple[Term, ...] = ()

    def set_relations(self, relations: Sequence[Term]) -> None:
        """Replace the relations; joint names are those of the scene ("actor.joint")."""
        self._relations = tuple(relations)

    def move(self, objects: Mapping[str, Floats]) -> None:
        """Set the objects' goals for the next steps: poses (7,)."""
        self._objects.update(objects)

    def step(
        self, q: Floats, targets: Sequence[Target], pins: Sequence[Pin | Hold] = ()
    ) -> PoseResult:
        """The next configuration of the actor from q."""
        actor = self.actor
        held = tuple(_relation(hold, actor.prefix) for hold in pins if isinstance(hold, Hold))
        relations = (*self._relations, *held)
        if relations != self.response.handle_terms.relations:
            self.response.set_relations(relations)
        if self.last is None or not np.array_equal(self.last.q[actor.q], q):
            # the pose was changed from outside: the velocity is unknown
            self.response.reset()
        result = self.response.step(
            actor.full_configuration(q),
            [replace(t, joint=actor.prefix + t.joint) for t in targets],
            [replace(p, joint=actor.prefix + p.joint) for p in pins if isinstance(p, Pin)],
            self._objects,
        )
        self.last = result
        if self._objects:
            actor.state[:] = result.q
        overlapping: tuple[str, ...] = ()
        if result.clearance_m is not None and result.clearance_m < -SLACK_M:
            overlapping = violating_parts(self.response.table, result.q)[0]
        return PoseResult(
            q=result.q[actor.q].copy(),
            status=result.status,
            target_error_m=_own(result.target_error_m, actor.prefix),
            pin_error_m=_own(result.pin_error_m, actor.prefix),
            milliseconds=result.effort.milliseconds,
            gate=result.gate,
            clearance_m=result.clearance_m,
            violating_parts=overlapping,
            blocked=result.blocked,
        )


def _relation(hold: Hold, prefix: str) -> Term:
    """A hold as the paper's relative position constraint."""
    return keep_relative(
        prefix + hold.joint,
        prefix + hold.on,
        hold.position_in_other,
        point_in_joint=hold.point_in_joint,
    )


def _own(errors: dict[str, float], prefix: str) -> dict[str, float]:
    return {name.removeprefix(prefix): error for name, error in errors.items()}

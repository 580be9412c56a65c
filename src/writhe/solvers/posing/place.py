"""Where the posed actor stands: alone, or among the other actors and the objects of a scene."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Bools, Floats
from writhe.collision import CollisionTable
from writhe.scene import Scene
from writhe.skeleton import Figure, Skeleton, forward


@dataclass
class ActorPlace:
    """One actor's share of a coordinate layout.

    `state` is the whole configuration; what is not the actor's stays as it is there.
    """

    skeleton: Skeleton
    table: CollisionTable
    prefix: str  # of the actor's joints in the layout
    root: str  # the joint under which all of the actor hangs
    q: slice
    v: slice
    variables: Bools  # (nv,) which degrees of freedom the poser may change
    rotation: Floats  # (3, 3) of the frame that the actor's root is placed in
    state: Floats
    scene: Scene | None = None

    @classmethod
    def alone(cls, figure: Figure) -> ActorPlace:
        """The figure by itself."""
        skeleton = figure.skeleton
        return cls(
            skeleton,
            CollisionTable.of_figure(figure),
            "",
            skeleton.names[0],
            slice(0, skeleton.configuration_size),
            slice(0, skeleton.dof_count),
            np.ones(skeleton.dof_count, dtype=np.bool_),
            np.eye(3),
            skeleton.rest_configuration,
        )

    @classmethod
    def in_scene(cls, scene: Scene, actor: str) -> ActorPlace:
        """An actor of a scene; the others and the objects do not move."""
        layout = scene.layout
        variables = np.zeros(layout.skeleton.dof_count, dtype=np.bool_)
        variables[layout.actor_v[scene.actor(actor).name]] = True
        state = layout.rest()
        return cls(
            layout.skeleton,
            layout.table,
            f"{actor}.",
            actor,
            layout.actor_q[actor],
            layout.actor_v[actor],
            variables,
            forward(layout.skeleton, state).rotation(actor).copy(),
            state,
            scene,
        )

    def whole(self, q: Floats) -> Floats:
        """The configuration of everything with the actor at q."""
        out = self.state.copy()
        out[self.q] = q
        return out

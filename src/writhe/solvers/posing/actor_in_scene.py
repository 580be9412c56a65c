"""The actor to pose: a figure alone, or one actor of a scene with its environment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from writhe.arrays import Bools, Floats, vector3
from writhe.collision import CollisionTable, ContactPolicy
from writhe.scene import Scene
from writhe.skeleton import Figure, Skeleton, forward, quaternions
from writhe.skeleton.quaternions import quaternion_of
from writhe.solvers.posing.handles import Hold, Pin, Target


def _no_scene() -> Scene | None:
    return None


@dataclass
class ActorInScene:
    """The model that contains the posed actor, and the actor's slices of its coordinates.

    `state` is the configuration of the whole model; only the entries `state[q]` are the actor's.
    """

    skeleton: Skeleton
    table: CollisionTable
    prefix: str  # of the names of the actor's joints in the layout
    root: str  # joint whose subtree is the actor
    q: slice  # the actor's entries of a configuration
    v: slice  # the actor's entries of a tangent step
    variables: Bools  # (nv,) which degrees of freedom the poser may change
    rotation: Floats  # (3, 3) world rotation of the actor's base frame, the root's parent frame
    state: Floats  # (nq,)
    position_m: Floats = field(default_factory=lambda: np.zeros(3))  # of the base frame
    scene: Scene | None = field(default_factory=_no_scene)

    @classmethod
    def alone(cls, figure: Figure, policy: ContactPolicy | None = None) -> ActorInScene:
        """The figure without a scene."""
        skeleton = figure.skeleton
        return cls(
            skeleton,
            CollisionTable.of_figure(figure, policy),
            "",
            skeleton.names[0],
            slice(0, skeleton.configuration_size),
            slice(0, skeleton.dof_count),
            np.ones(skeleton.dof_count, dtype=np.bool_),
            np.eye(3),
            skeleton.rest_configuration,
        )

    @classmethod
    def in_scene(
        cls, scene: Scene, actor: str, policy: ContactPolicy | None = None
    ) -> ActorInScene:
        """An actor of a scene; other actors and objects are fixed obstacles.

        `policy` replaces the scene's contact policy if given.
        """
        layout = scene.layout
        variables = np.zeros(layout.skeleton.dof_count, dtype=np.bool_)
        variables[layout.actor_v[scene.actor(actor).name]] = True
        state = layout.rest()
        frames = forward(layout.skeleton, state)
        return cls(
            layout.skeleton,
            layout.table if policy is None else layout.table.with_policy(policy),
            f"{actor}.",
            actor,
            layout.actor_q[actor],
            layout.actor_v[actor],
            variables,
            frames.rotation(actor).copy(),
            state,
            frames.position(actor).copy(),
            scene,
        )

    def full_configuration(self, q: Floats) -> Floats:
        """(nq,) the configuration of the whole model with the actor at q."""
        out = self.state.copy()
        out[self.q] = q
        return out

    def in_actor_frame(self, handles: Sequence[Target | Pin | Hold]) -> list[Target | Pin | Hold]:
        """Handles with world poses expressed in the actor's base frame instead."""
        if not self.position_m.any() and np.array_equal(self.rotation, np.eye(3)):
            return list(handles)
        out: list[Target | Pin | Hold] = []
        w, x, y, z = quaternion_of(self.rotation)
        inverse = np.array([w, -x, -y, -z])
        for handle in handles:
            if isinstance(handle, Hold):
                out.append(handle)
                continue
            there = self.rotation.T @ (np.array(handle.position_in_world) - self.position_m)
            turn = handle.orientation_in_world
            if turn is not None:
                a, b, c, d = quaternions.multiply(inverse, np.array(turn))
                turn = (float(a), float(b), float(c), float(d))
            out.append(replace(handle, position_in_world=vector3(there), orientation_in_world=turn))
        return out

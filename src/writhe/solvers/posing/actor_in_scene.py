"""Where the posed actor stands: alone, or among the other actors and the objects of a scene."""

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
    position_m: Floats = field(default_factory=lambda: np.zeros(3))  # of that frame
    scene: Scene | None = field(default_factory=_no_scene)

    @classmethod
    def alone(cls, figure: Figure, policy: ContactPolicy | None = None) -> ActorPlace:
        """The figure by itself."""
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
    def in_scene(cls, scene: Scene, actor: str, policy: ContactPolicy | None = None) -> ActorPlace:
        """An actor of a scene; the others and the objects do not move.

        `policy` stands in for the scene's own where given.
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

    def whole(self, q: Floats) -> Floats:
        """The configuration of everything with the actor at q."""
        out = self.state.copy()
        out[self.q] = q
        return out

    def seen_by_actor(self, handles: Sequence[Target | Pin | Hold]) -> list[Target | Pin | Hold]:
        """Handles in the frame that the actor's root is placed in, in place of the world."""
        if not self.position_m.any() and np.array_equal(self.rotation, np.eye(3)):
            return list(handles)
        out: list[Target | Pin | Hold] = []
        w, x, y, z = quaternion_of(self.rotation)
        back = np.array([w, -x, -y, -z])
        for handle in handles:
            if isinstance(handle, Hold):
                out.append(handle)
                continue
            there = self.rotation.T @ (np.array(handle.position_in_world) - self.position_m)
            turn = handle.orientation_in_world
            if turn is not None:
                a, b, c, d = quaternions.multiply(back, np.array(turn))
                turn = (float(a), float(b), float(c), float(d))
            place = vector3(there)
            out.append(replace(handle, position_in_world=place, orientation_in_world=turn))
        return out

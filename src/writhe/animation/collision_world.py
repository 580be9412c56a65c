"""The body that is animated, among the floor or the other actors and objects of a scene."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Bools, Floats
from writhe.collision import CollisionTable
from writhe.planning.ground_assumptions import FLOOR, floor_height, with_floor
from writhe.scene import Scene
from writhe.skeleton import Figure, Skeleton

# configurations (times, nq) of the whole scene at given times; `World.rows` overwrites the actor's
# part
EnvironmentOverTime = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False)
class World:
    """One actor and the scene around it, as one configuration.

    `actor_q`, `actor_v` are the actor's parts of q and v, `prefix` starts the names of its joints.
    """

    figure: Figure
    table: CollisionTable
    actor_q: slice
    actor_v: slice
    prefix: str
    around: EnvironmentOverTime
    limited_under: str | None  # the joint below which joint limits apply; None: everywhere

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of the whole configuration."""
        return self.table.skeleton

    @property
    def variables(self) -> Bools:
        """(nv,) True for the actor's degrees of freedom."""
        out = np.zeros(self.skeleton.dof_count, dtype=np.bool_)
        out[self.actor_v] = True
        return out

    def joint(self, role: str) -> str | None:
        """The name in the skeleton of the joint with a role, if there is one."""
        found = dict(self.figure.roles).get(role)
        return None if found is None else f"{self.prefix}{found}"

    def rows(self, times_s: Floats, q: Floats) -> Floats:
        """(times, nq) the whole configuration with the actor at q (times, its nq)."""
        out = self.around(times_s)
        out[:, self.actor_q] = q
        return out


def figure_world(
    figure: Figure, keys: Floats, table: CollisionTable | None, floor: bool | float
) -> World:
    """A figure alone.

    floor: a number is the floor's height; True puts a floor at the lowest height on which one of
    the keys (k, nq) stands; False means no floor.
    """
    shapes = table or CollisionTable.of_figure(figure)
    height = None if floor is False else float(floor) if floor is not True else None
    if floor is True:
        heights = [floor_height(figure, q, q) for q in keys]
        standing = [h for h in heights if h is not None]
        height = min(standing) if standing else None
    if height is not None and FLOOR not in shapes.part_names:
        shapes = with_floor(shapes, height)
    nq, nv = figure.skeleton.configuration_size, figure.skeleton.dof_count

    def around(times_s: Floats) -> Floats:
        return np.tile(shapes.skeleton.rest_configuration, (len(times_s), 1))

    return World(figure, shapes, slice(0, nq), slice(0, nv), "", around, None)


def scene_world(scene: Scene, actor: str | None, environment: EnvironmentOverTime | None) -> World:
    """An actor (by default the first) of a scene; animated objects follow their keys."""
    chosen, layout = scene.actor(actor), scene.layout

    def around(times_s: Floats) -> Floats:
        rows = np.tile(layout.rest(), (len(times_s), 1))
        for item in scene.objects:
            if item.keys is not None:
                rows[:, layout.object_q[item.name]] = item.keys.at(times_s)
        return rows

    return World(
        chosen.figure,
        layout.table,
        layout.actor_q[chosen.name],
        layout.actor_v[chosen.name],
        f"{chosen.name}.",
        environment or around,
        chosen.name,
    )

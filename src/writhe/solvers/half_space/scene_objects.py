"""The objects of a scene in its configurations: placed, moved towards goals, measured."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from writhe.arrays import Floats, floats, lengths
from writhe.errors import WritheError
from writhe.kernels.skeleton import kinematics
from writhe.scene import ObjectKind, Scene


class SceneObjects:
    """Moves the objects in configurations (nq) of the whole scene; the actors stay."""

    def __init__(self, scene: Scene) -> None:
        self._scene, self._layout = scene, scene.layout
        self._skeleton = scene.layout.skeleton

    def placed(self, q: Floats, objects: Mapping[str, Floats]) -> Floats:
        """q with the objects at the given poses (7,)."""
        out = q.copy()
        for name, pose in objects.items():
            if self._scene.object(name).kind is ObjectKind.FIXED:
                raise WritheError(
                    f"the object {name!r} is fixed; its kind must be moved or animated"
                )
            own = floats(pose, (7,), f"the pose of {name!r}").copy()
            lengths(own[:3], (3,), f"the position of {name!r}")
            length = float(np.linalg.norm(own[3:]))
            if length < 1e-6:
                raise WritheError(f"the pose of {name!r} has a quaternion of length zero")
            own[3:] /= length
            out[self._layout.object_q[name]] = own
        return out

    def moved(self, q: Floats, goal: Floats, fraction: float) -> Floats:
        """q with the objects moved by a fraction towards their poses in `goal`."""
        out = np.empty_like(q)
        kinematics.interpolate(self._skeleton.tree, q, goal, min(fraction, 1.0), out)
        for at in self._layout.actor_q.values():
            out[at] = q[at]
        return out

    def travel_m(self, q: Floats, goal: Floats) -> float:
        """Upper bound in metres on the motion of any object point from q to `goal`."""
        maximum, step = 0.0, np.empty(self._skeleton.dof_count)
        kinematics.difference(self._skeleton.tree, q, goal, step)
        for name, at in self._layout.object_v.items():
            if at.stop == at.start:
                continue
            turn = float(np.linalg.norm(step[at.start + 3 : at.stop]))
            shift = float(np.linalg.norm(step[at.start : at.start + 3]))
            maximum = max(maximum, shift + turn * self._size_m(name))
        return maximum

    def _size_m(self, name: str) -> float:
        bodies = self._layout.table.bodies
        reach = bodies.reach[bodies.joint == self._skeleton.index(name)]
        return float(reach.max(initial=0.0))

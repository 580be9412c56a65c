"""The way out of a dead end: when an object is stopped, look for a clear pose and steer towards it.

The search takes a few rounds a step, so that no step becomes long. Until a pose is found the
object waits; then the body is drawn to it, still held by half-spaces and certified, and the object
follows.
"""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.skeleton import kinematics
from writhe.solvers.half_space.multistart import ClearPoseSearch

ROUNDS_A_STEP = 2
PACE_RAD = 0.04  # how fast the body is drawn, a step
PATIENCE = 25  # steps without getting nearer after which another pose is looked for
GIVE_UP = 30  # starts, until the objects have moved on
MOVED_M = 0.02
_ARRIVED_RAD = 0.02


class Escape:
    """Keeps a search going while objects are blocked, and the pose it found."""

    def __init__(self, search: ClearPoseSearch) -> None:
        self.search = search
        self.goal: Floats | None = None
        self._searching = False
        self._ahead: Floats | None = None
        self._nearest, self._waited = np.inf, 0

    def reset(self) -> None:
        """Nothing is blocked any more."""
        self.goal, self._searching = None, False

    def pull(self, q: Floats) -> Floats | None:
        """The tangent step (nv) towards the pose found, None while there is none."""
        if self.goal is None:
            return None
        step = np.empty(self.search.skeleton.dof_count)
        kinematics.difference(self.search.skeleton.tree, q, self.goal, step)
        step[~self.search.objective.free] = 0.0
        longest = float(np.abs(step).max(initial=0.0))
        if longest < self._nearest - 0.25 * PACE_RAD:
            self._nearest, self._waited = longest, 0
        else:
            self._waited += 1
        if longest < _ARRIVED_RAD or self._waited > PATIENCE:
            self.goal = None
            return None
        return step * min(1.0, PACE_RAD / longest)

    def _moved(self, ahead: Floats) -> bool:
        """Whether the search is for a scene that has changed since."""
        if self._ahead is None:
            return True
        step = np.empty(self.search.skeleton.dof_count)
        kinematics.difference(self.search.skeleton.tree, self._ahead, ahead, step)
        step[self.search.objective.free] = 0.0
        return float(np.abs(step).max(initial=0.0)) > MOVED_M

    def look(self, ahead: Floats) -> None:
        """Go on searching a clear pose for the scene `ahead` (objects where they want to be)."""
        if self.goal is not None:
            return
        if not self._searching or self._moved(ahead):
            self.search.begin(ahead)
            self._ahead, self._searching = ahead, True
        if self.search.starts > GIVE_UP:
            return
        self.goal = self.search.advance(ROUNDS_A_STEP)
        if self.goal is not None:
            self._searching = False
            self._nearest, self._waited = np.inf, 0

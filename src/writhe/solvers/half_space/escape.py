"""Escape from a dead end: when an object is blocked, search for a clear pose and steer to it.

The search takes a few rounds per step, so that no step becomes long. Until a pose is found the
object waits; then the body is pulled towards the pose, still subject to half-spaces and the gate,
and the object follows.
"""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.skeleton import kinematics
from writhe.solvers.half_space.multistart import ClearPoseSearch

ROUNDS_PER_STEP = 2
PULL_RAD = 0.04  # largest pull per step
PATIENCE = 25  # steps without getting nearer after which another pose is searched
GIVE_UP = 30  # starts after which the search pauses until the objects have moved
MOVED_M = 0.02  # objects that moved farther than this make the search start anew
_ARRIVED_RAD = 0.02


class Escape:
    """A search that continues while objects are blocked, and the pose it found."""

    def __init__(self, search: ClearPoseSearch) -> None:
        self.search = search
        self.goal: Floats | None = None
        self._searching = False
        self._ahead: Floats | None = None
        self._nearest, self._waited = np.inf, 0

    def reset(self) -> None:
        """Forget the search: nothing is blocked any more."""
        self.goal, self._searching = None, False

    def pull(self, q: Floats) -> Floats | None:
        """(nv,) the tangent step towards the pose found; None while there is none."""
        if self.goal is None:
            return None
        step = np.empty(self.search.skeleton.dof_count)
        kinematics.difference(self.search.skeleton.tree, q, self.goal, step)
        step[~self.search.objective.free] = 0.0
        longest = float(np.abs(step).max(initial=0.0))
        if longest < self._nearest - 0.25 * PULL_RAD:
            self._nearest, self._waited = longest, 0
        else:
            self._waited += 1
        if longest < _ARRIVED_RAD or self._waited > PATIENCE:
            self.goal = None
            return None
        return step * min(1.0, PULL_RAD / longest)

    def _moved(self, ahead: Floats) -> bool:
        """Whether the objects have moved since the search began."""
        if self._ahead is None:
            return True
        step = np.empty(self.search.skeleton.dof_count)
        kinematics.difference(self.search.skeleton.tree, self._ahead, ahead, step)
        step[self.search.objective.free] = 0.0
        return float(np.abs(step).max(initial=0.0)) > MOVED_M

    def look(self, ahead: Floats) -> None:
        """Continue the search for a clear pose, the objects at their next poses (`ahead`, nq)."""
        if self.goal is not None:
            return
        if not self._searching or self._moved(ahead):
            self.search.begin(ahead)
            self._ahead, self._searching = ahead, True
        if self.search.starts > GIVE_UP:
            return
        self.goal = self.search.advance(ROUNDS_PER_STEP)
        if self.goal is not None:
            self._searching = False
            self._nearest, self._waited = np.inf, 0

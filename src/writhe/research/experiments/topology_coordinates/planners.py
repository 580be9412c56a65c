"""Sampling planners (OMPL) on the same task with the same gate; needs the extra `ompl`."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.collision import CollisionTable, Gate, NearPairs
from writhe.collision.certificate_slack import GATE_SLACK_M
from writhe.errors import MissingExtraError
from writhe.planning.ompl_planners import search_states
from writhe.skeleton import forward
from writhe.skeleton.kinematics import difference, integrate

PLANNERS = ("RRTConnect", "RRT")
_MARGIN = 0.6  # radians or metres by which samples may exceed both ends
_SEED = 1


class _TangentStates:
    """Tangent steps from the start, of the degrees of freedom that differ at the goal.

    States must be free of overlap and motions certified by the gate, as are the steps of the
    tangling solver.
    """

    def __init__(self, table: CollisionTable, start: Floats, goal: Floats) -> None:
        self._start, self._skeleton = start, table.skeleton
        self._gate, self._near = Gate(table), NearPairs(table)
        required = difference(table.skeleton, start, goal)
        self._free = np.flatnonzero(np.abs(required) > 1e-9)
        self.goal, self.size = required[self._free], len(self._free)
        self.low, self.high = (
            np.minimum(self.goal, 0.0) - _MARGIN,
            np.maximum(self.goal, 0.0) + _MARGIN,
        )
        self.checked = self.motions_checked = 0

    def _configuration(self, state: Floats) -> Floats:
        step = np.zeros(self._skeleton.dof_count)
        step[self._free] = state
        return integrate(self._skeleton, self._start, step)

    def valid(self, state: Floats) -> bool:
        """Whether a state is free of overlap."""
        self.checked += 1
        frames = forward(self._skeleton, self._configuration(state))
        self._near.find(frames.positions, frames.rotations, 0.0)
        return bool(self._near.clearance.min(initial=0.0) >= -GATE_SLACK_M)

    def motion_valid(self, a: Floats, b: Floats) -> bool:
        """Whether the gate certifies the motion between two states."""
        self.motions_checked += 1
        return self._gate.fraction(self._configuration(a), self._configuration(b)) >= 1.0


def sampled(
    table: CollisionTable, start: Floats, goal: Floats, planner: str, cap_s: float
) -> dict[str, Any]:
    """Plan from one configuration to the other: whether the goal was reached in time, with counts.

    `motions_checked` counts motions between states that are themselves free of overlap.
    """
    states = _TangentStates(table, start, goal)
    begin = time.perf_counter()
    try:
        found = search_states(states, planner, seed=_SEED, seconds=cap_s)
    except MissingExtraError:
        return {"planner": planner, "skipped": "OMPL is not installed: pip install 'writhe[ompl]'"}
    return {
        "planner": planner,
        "solved": found is not None,
        "seconds": time.perf_counter() - begin,
        "cap_s": cap_s,
        "dimensions": states.size,
        "states_checked": states.checked,
        "motions_checked": states.motions_checked,
    }

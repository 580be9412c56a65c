"""Sampling planners (OMPL) on the same task with the same gate; needs the extra `ompl`."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.collision import CollisionTable, Gate, NearPairs
from writhe.collision.tolerance import GATE_SLACK_M
from writhe.kernels.skeleton import kinematics
from writhe.skeleton.kinematics import difference

PLANNERS = ("RRTConnect", "RRT")
_MARGIN = 0.6  # radians or metres by which samples may exceed both ends


def sampled(
    table: CollisionTable, start: Floats, goal: Floats, planner: str, cap_s: float
) -> dict[str, Any]:
    """Plan from one configuration to the other in tangent coordinates at the start.

    States must be free of overlap and motions certified by the gate, as are the steps of the
    tangling solver. Returns whether the goal was reached in time, with counts.
    """
    try:
        from ompl import base, geometric, util  # type: ignore[import-not-found]
    except ImportError:
        return {"planner": planner, "skipped": "OMPL is not installed: pip install 'writhe[ompl]'"}
    bindings: Any = base
    skeleton = table.skeleton
    required = difference(skeleton, start, goal)
    free = np.flatnonzero(np.abs(required) > 1e-9)
    size = len(free)
    gate, near = Gate(table), NearPairs(table)
    n = len(skeleton)
    positions, rotations = np.empty((n, 3)), np.empty((n, 3, 3))
    checks = [0, 0]

    def configuration(state: Any) -> Floats:
        step, out = np.zeros(skeleton.dof_count), np.empty_like(start)
        step[free] = [state[i] for i in range(size)]
        kinematics.integrate(skeleton.tree, start, step, out)
        return out

    def valid(state: Any) -> bool:
        checks[0] += 1
        kinematics.forward(skeleton.tree, configuration(state), positions, rotations)
        near.find(positions, rotations, 0.0)
        clearance = near.clearance
        return bool(clearance.min(initial=0.0) >= -GATE_SLACK_M)

    class Gated(bindings.MotionValidator):
        """Validates motions by the gate."""

        def __init__(self, information: Any) -> None:
            super().__init__(information)

        def checkMotion(self, first: Any, second: Any, *_: Any) -> bool:
            checks[1] += 1
            if not valid(second):
                return False
            return gate.fraction(configuration(first), configuration(second)) >= 1.0

    util.setLogLevel(util.LogLevel.LOG_ERROR)
    space = bindings.RealVectorStateSpace(size)
    bounds = bindings.RealVectorBounds(size)
    for i, k in enumerate(free):
        bounds.setLow(i, float(min(0.0, required[k]) - _MARGIN))
        bounds.setHigh(i, float(max(0.0, required[k]) + _MARGIN))
    space.setBounds(bounds)
    setup: Any = geometric.SimpleSetup(space)
    setup.setStateValidityChecker(valid)
    information = setup.getSpaceInformation()
    information.setMotionValidator(Gated(information))
    ends = [space.allocState(), space.allocState()]
    for i, k in enumerate(free):
        ends[0][i], ends[1][i] = 0.0, float(required[k])
    setup.setStartAndGoalStates(*ends)
    setup.setPlanner(getattr(geometric, planner)(information))
    begin = time.perf_counter()
    solved = setup.solve(float(cap_s))
    return {
        "planner": planner,
        "solved": "Exact" in str(solved),
        "seconds": time.perf_counter() - begin,
        "cap_s": cap_s,
        "dimensions": size,
        "states_checked": checks[0],
        "motions_checked": checks[1],
    }

"""Places a body on the ground: shifts the root vertically until the lowest point touches the floor.

The path of a figure without a scene does not determine its position in the world. A vertical shift
of the root changes no gap between the figure's own parts, so a certified path stays certified.
"""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.collision import CollisionTable
from writhe.collision.shapes import Core
from writhe.errors import WritheError
from writhe.planning.problem import PlanProblem
from writhe.skeleton import JointKind, forward

LIFT_M = 0.001  # clearance of frames above the floor, since the motion between them may be lower


def rest_on_ground(problem: PlanProblem, q: Floats, ground_m: float = 0.0) -> Floats:
    """q (frames, nq) with the root moved vertically so that the lowest point is at `ground_m`."""
    if problem.planted:
        raise WritheError(
            "planted parts fix the body's height: plant nothing, or do not set ground_m"
        )
    root = moving_root(problem)
    skeleton = problem.skeleton
    height = int(skeleton.tree.q_start[root]) + 1
    below = slice(root, int(skeleton.tree.subtree_end[root]))
    out = q.copy()
    out[:, height] += ground_m + LIFT_M - lowest_points(problem.table, q, below)
    return out


def lowest_points(table: CollisionTable, q: Floats, joints: slice) -> Floats:
    """(frames,) height of the lowest point of the shapes on a range of joints."""
    shapes, frames = table.shapes, forward(table.skeleton, q)
    lowest = np.full(len(q), np.inf)
    for i in range(len(shapes.joint)):
        joint = int(shapes.joint[i])
        if not joints.start <= joint < joints.stop or shapes.core[i] == Core.HALF_SPACE:
            continue
        points = shapes.points[shapes.point_start[i] : shapes.point_start[i + 1]]
        heights = frames.positions[:, joint, 1:2] + frames.rotations[:, joint, 1] @ points.T
        lowest = np.minimum(lowest, heights.min(axis=1) - shapes.radius[i])
    return lowest


def moving_root(problem: PlanProblem) -> int:
    """Index of the free joint at the root of the moving actor."""
    skeleton, variable = problem.skeleton, problem.variable
    for j, joint in enumerate(skeleton.joints):
        at = int(skeleton.tree.v_start[j])
        if joint.kind is JointKind.FREE and (variable is None or variable[at]):
            return j
    raise WritheError("the figure has no free root joint that could move vertically")

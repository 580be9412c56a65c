"""A body on the ground: every posture of a motion lowered or lifted until it rests on the floor.

A path of a figure that is alone says nothing about where the figure is. Moving the root up and down
changes no gap of its own parts, so that a certified path stays certified, and whoever rolls, sits
up or knots himself keeps touching what he lies on.
"""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.collision import CollisionTable
from writhe.collision.shapes import Core
from writhe.errors import WritheError
from writhe.planning.problem import PlanProblem
from writhe.skeleton import JointKind, forward

LIFT_M = 0.001  # by which frames are held above the floor: arcs between them may dip


def rest_on_ground(problem: PlanProblem, q: Floats, ground_m: float = 0.0) -> Floats:
    """q (frames, nq) with the moving root at the height where its lowest point is at `ground_m`."""
    if problem.planted:
        raise WritheError(
            "planted parts hold the body in its place: plant nothing, or do not ask for the ground"
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
    """The free joint that carries what moves."""
    skeleton, variable = problem.skeleton, problem.variable
    for j, joint in enumerate(skeleton.joints):
        at = int(skeleton.tree.v_start[j])
        if joint.kind is JointKind.FREE and (variable is None or variable[at]):
            return j
    raise WritheError("the figure has no root that could move up and down")

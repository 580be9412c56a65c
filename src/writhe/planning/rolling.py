"""Rolling on the ground: a lying body is rotated to stay balanced as its shape changes.

A rotation of the whole figure changes no gap between its own parts. From frame to frame the contact
points do not slide, and the body tips so that the centre of mass sinks, until it is vertically
above the contacts: quasi-static motion. Contacts are weighted by height, w =
exp(-(h - h_lowest) / SOFT_M). With r from the weighted contacts to the centre of mass, the rotation
about r_z e_x - r_x e_z lowers the centre fastest.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from writhe.arrays import Floats, Ints
from writhe.collision.shapes import Core
from writhe.planning.problem import PlanProblem
from writhe.planning.shift_to_ground import moving_root, rest_on_ground
from writhe.skeleton import Skeleton, forward

SOFT_M = 0.01  # height above the lowest contact at which the weight is 1/e
MAX_TURN = 0.06  # largest rotation between two frames, in radians
STEPS = 4  # of rotation per frame
RATE = 2.0  # radians of rotation per metre of horizontal distance from the centre to its support


def roll_on_ground(problem: PlanProblem, q: Floats, ground_m: float = 0.0) -> Floats:
    """q (frames, nq) rolling on the floor at `ground_m`, starting at the pose of the first frame.

    The root poses of all later frames are replaced: the goal's root pose is not kept.
    """
    root, skeleton = moving_root(problem), problem.skeleton
    body, out = _ContactBody(problem, root), q.copy()
    turn, shift = np.eye(3), np.zeros(3)
    before: Floats | None = None
    for t in range(len(out)):
        points, centre = body.contact_points(q[t])
        points, centre = points @ turn.T + shift, turn @ centre + shift
        if before is not None:
            slid = body.weights(before) @ (points - before)
            slid[1] = 0.0
            points, centre, shift = points - slid, centre - slid, shift - slid
            for _ in range(STEPS):
                support = body.weights(points) @ points
                arm = centre - support
                tip = RATE / STEPS * np.array([arm[2], 0.0, -arm[0]])
                tip *= min(1.0, MAX_TURN / STEPS / max(float(np.linalg.norm(tip)), 1e-12))
                small = Rotation.from_rotvec(tip).as_matrix()
                points = support + (points - support) @ small.T
                centre = support + small @ arm
                turn, shift = small @ turn, support + small @ (shift - support)
        before = points
        _turn_root(skeleton, root, turn, shift, out[t])
    return rest_on_ground(problem, out, ground_m)


class _ContactBody:
    """The points at which the figure can touch the floor, and its masses."""

    def __init__(self, problem: PlanProblem, root: int) -> None:
        skeleton, shapes = problem.skeleton, problem.table.shapes
        self.skeleton, last = skeleton, int(skeleton.tree.subtree_end[root])
        counts = np.diff(shapes.point_start)
        joints: Ints = np.repeat(shapes.joint, counts)
        own = (joints >= root) & (joints < last)
        own &= np.repeat(shapes.core != Core.HALF_SPACE, counts)
        self.points, self.joints = shapes.points[own], joints[own]
        self.radius = np.repeat(shapes.radius, counts)[own]
        self.mass = np.zeros(len(skeleton))
        self.mass[root:last] = skeleton.mass[root:last]

    def contact_points(self, q: Floats) -> tuple[Floats, Floats]:
        """(p, 3) world positions of the contact points at q, and the centre of mass."""
        frames = forward(self.skeleton, q)
        rotations, positions = frames.rotations, frames.positions
        points = positions[self.joints]
        points = points + np.einsum("pij,pj->pi", rotations[self.joints], self.points)
        centres = np.einsum("nij,nj->ni", rotations, self.skeleton.centre_of_mass) + positions
        return points, self.mass @ centres / self.mass.sum()

    def weights(self, points: Floats) -> Floats:
        """(p,) weight of each contact point by its height; they sum to 1."""
        heights = points[:, 1] - self.radius
        weight = np.exp(-(heights - heights.min()) / SOFT_M)
        return weight / weight.sum()


def _turn_root(skeleton: Skeleton, root: int, turn: Floats, shift: Floats, q: Floats) -> None:
    """Rotate and translate a whole figure by its root, in place."""
    at, offset = int(skeleton.tree.q_start[root]), skeleton.tree.offset[root]
    q[at : at + 3] = turn @ (q[at : at + 3] + offset) + shift - offset
    own = Rotation.from_quat(q[at + 3 : at + 7], scalar_first=True)
    q[at + 3 : at + 7] = (Rotation.from_matrix(turn) * own).as_quat(scalar_first=True)

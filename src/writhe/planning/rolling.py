"""A body that lies on the ground stays balanced on it: it rolls as its shape changes.

Whoever is alone may be turned as a whole without any gap of its own parts changing. From frame to
frame the body keeps its contacts where they are and tips towards the posture of least height of its
centre of mass, which is where that centre is above the contacts: slow, balanced motion without
sliding. Contacts are weighed smoothly by their height, w = exp(-(h - h_lowest) / SOFT_M), and the
centre's height above them falls fastest with the turn  r_z e_x - r_x e_z,  r from the contacts to
the centre.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from writhe.arrays import Floats, Ints
from writhe.collision.shapes import Core
from writhe.planning.ground import moving_root, rest_on_ground
from writhe.planning.problem import PlanProblem
from writhe.skeleton import Skeleton, forward

SOFT_M = 0.01  # contacts this much higher than the lowest weigh a third
MOST_TURN = 0.06  # radians that the body tips between two frames, at most
STEPS = 4  # of tipping, in one frame
RATE = 2.0  # radians of tipping for a metre between the centre and its support


def roll_on_ground(problem: PlanProblem, q: Floats, ground_m: float = 0.0) -> Floats:
    """q (frames, nq) rolling on the floor at `ground_m`, from where the first frame lies.

    Where the last frame comes to lie is for the rolling to say.
    """
    root, skeleton = moving_root(problem), problem.skeleton
    body, out = _Body(problem, root), q.copy()
    turn, shift = np.eye(3), np.zeros(3)
    before: Floats | None = None
    for t in range(len(out)):
        places, centre = body.placed(q[t])
        places, centre = places @ turn.T + shift, turn @ centre + shift
        if before is not None:
            slid = body.weights(before) @ (places - before)
            slid[1] = 0.0
            places, centre, shift = places - slid, centre - slid, shift - slid
            for _ in range(STEPS):
                support = body.weights(places) @ places
                arm = centre - support
                tip = RATE / STEPS * np.array([arm[2], 0.0, -arm[0]])
                tip *= min(1.0, MOST_TURN / STEPS / max(float(np.linalg.norm(tip)), 1e-12))
                small = Rotation.from_rotvec(tip).as_matrix()
                places = support + (places - support) @ small.T
                centre = support + small @ arm
                turn, shift = small @ turn, support + small @ (shift - support)
        before = places
        _turn_root(skeleton, root, turn, shift, out[t])
    return rest_on_ground(problem, out, ground_m)


class _Body:
    """The points by which the figure can touch the floor, and its mass."""

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

    def placed(self, q: Floats) -> tuple[Floats, Floats]:
        """(p, 3) where the points are, and the centre of mass."""
        frames = forward(self.skeleton, q)
        rotations, positions = frames.rotations, frames.positions
        points = positions[self.joints]
        points = points + np.einsum("pij,pj->pi", rotations[self.joints], self.points)
        centres = np.einsum("nij,nj->ni", rotations, self.skeleton.centre_of_mass) + positions
        return points, self.mass @ centres / self.mass.sum()

    def weights(self, places: Floats) -> Floats:
        """(p,) how much each point carries, by its height."""
        heights = places[:, 1] - self.radius
        weight = np.exp(-(heights - heights.min()) / SOFT_M)
        return weight / weight.sum()


def _turn_root(skeleton: Skeleton, root: int, turn: Floats, shift: Floats, q: Floats) -> None:
    """Turn and move a figure as a whole, in place."""
    at, offset = int(skeleton.tree.q_start[root]), skeleton.tree.offset[root]
    q[at : at + 3] = turn @ (q[at : at + 3] + offset) + shift - offset
    own = Rotation.from_quat(q[at + 3 : at + 7], scalar_first=True)
    q[at + 3 : at + 7] = (Rotation.from_matrix(turn) * own).as_quat(scalar_first=True)

"""The posture prior for pairs: the partner's joints predicted from a database of two people.

A pair is one body of twice the joints whose held joints are the leader's (`HELD`): the neighbour
regression of the posture prior (`solvers.posing.posture_prior`) then gives the partner's joints.
Neighbours are the pairs with similar linking between the two bodies and the nearest postures and
placement.

Two readings of the prediction g_j of a partner's joint are blended by its *closeness* to the
leader, c_j = exp(-(d_j / reach)^2 / 2), where d_j is the distance of g_j from the leader's nearest
joint: a hand that is shaken must be where the leader's hand is; a foot far from the leader stays
where it was, changed as the prediction changes in the frame of the partner's root:

    expected_j = c_j g_j + (1 - c_j) (x_j + l_j - l0_j)

    x_j        joint when the drag began, moved with the partner's root
    l_j, l0_j  prediction in the frame of its own root (height kept), now and when the drag began

The whole is scaled by the trust w / (w + half_trust_weight) in the neighbours, w the sum of their
weights: a pair unlike all of the database does not react.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arguments import check_fields
from writhe.arrays import Floats, Ints
from writhe.database.pairs import PairDatabase, pair_bundle, pair_features
from writhe.kernels.posing.neighbour_regression import (
    make_candidate_workspace,
    predict_from_neighbours,
)
from writhe.skeleton import forward
from writhe.solvers.posing.regression import Facing, rotate_about_vertical

# the leader's joints that the prediction depends on
HELD = (
    "left_wrist",
    "right_wrist",
    "left_elbow",
    "right_elbow",
    "head",
    "hips",
    "left_ankle",
    "right_ankle",
)


@dataclass(frozen=True, slots=True)
class PairPriorOptions:
    """Options of the prior for pairs. Lengths in metres."""

    neighbours: int = 100
    linking_radius: float = 0.25  # of the neighbour search
    misfit_sigma_m: float = 0.15  # neighbour weight: misfit of the leader's held joints
    distance_sigma_m: float = 0.2  # neighbour weight: RMS distance of all joints of the pair
    heading_weight: float = 0.1  # neighbour alignment: weight of a joint that is not held
    ridge_m: float = 0.03  # of the neighbour regression
    half_trust_weight: float = 1.0  # sum w of neighbour weights at which the trust is 1/2
    reach_m: float = 0.25  # of the closeness to the leader
    mirror: bool = True  # add the mirror image of every pair
    search_interval: int = 3  # frames between neighbour searches

    def __post_init__(self) -> None:
        check_fields(self)


class PairPrior:
    """Predicts the joints of a partner while the leader is moved."""

    def __init__(self, database: PairDatabase, options: PairPriorOptions | None = None) -> None:
        """Every pair of the database is used in both roles."""
        self.options = options or PairPriorOptions()
        every = database.with_both_roles()
        self.database = every.with_mirror_images() if self.options.mirror else every
        skeleton = self.database.figure.skeleton
        self._skeleton, self._count = skeleton, len(skeleton)
        self._bundle = pair_bundle(database.figure)
        points = self.database.joint_positions()
        self._coordinate_first = np.ascontiguousarray(points.transpose(0, 2, 1))  # (N, 3, 2 n)
        self._facing = Facing(points[:, : self._count])
        self._held: Ints = np.array([skeleton.index(name) for name in HELD], dtype=np.int64)
        self._workspace = make_candidate_workspace(
            self.options.neighbours, 2 * self._count, len(self._held)
        )
        self._pair = np.empty((2 * self._count, 3))
        self._prediction = np.empty((2 * self._count, 3))
        self._neighbours: Ints = np.zeros(0, dtype=np.int64)
        self._start: tuple[Floats, Floats] | None = None  # x and l0, both relative to the root
        self._age = 0
        _ = self.database.search  # built now, so that no drag waits for it
        self.expected = np.zeros((self._count, 3))  # (n, 3) the partner's joints, in the world
        self.closeness = np.zeros(self._count)  # (n,) of each to the leader, from 0 to 1
        self.trust = 0.0

    def reset(self) -> None:
        """Forget the current drag: the next `update` begins a new one."""
        self._start = None

    def update(self, leader: Floats, partner: Floats) -> None:
        """Update `expected`, `closeness` and `trust` for two configurations (nq) in the world."""
        options, count, pair = self.options, self._count, self._pair
        pair[:count] = forward(self._skeleton, leader).positions
        pair[count:] = forward(self._skeleton, partner).positions
        if self._start is None or self._age >= options.search_interval:
            self._find_neighbours(leader, partner)
        self._age += 1
        weight = predict_from_neighbours(
            self._coordinate_first,
            self._neighbours,
            self._held,
            pair[self._held],
            pair,
            options.heading_weight,
            options.misfit_sigma_m,
            options.distance_sigma_m,
            options.ridge_m,
            self._workspace,
            self._prediction,
        )
        self.trust = weight / (weight + options.half_trust_weight)
        predicted, now = self._prediction[count:], pair[count:]
        own = self._about_root(predicted)
        if self._start is None:
            self._start = self._about_root(now), own
        started, predicted_then = self._start
        apart = np.linalg.norm(predicted[:, None] - pair[None, :count], axis=2).min(axis=1)
        self.closeness[:] = self.trust * np.exp(-0.5 * (apart / options.reach_m) ** 2)
        changed = started + self.trust * (own - predicted_then)
        kept = rotate_about_vertical(changed, float(self._facing.heading(now)))
        kept += now[0] * np.array([1.0, 0.0, 1.0])
        near = self.closeness[:, None]
        self.expected[:] = near * predicted + (1.0 - near) * kept

    def _find_neighbours(self, leader: Floats, partner: Floats) -> None:
        """Search the pairs nearest to this one."""
        pair = PairDatabase.from_postures(self.database.figure, leader[None], partner[None])
        features = pair_features(pair.figure, pair.leader, pair.partner)[0]
        options = self.options
        self._neighbours, _ = self.database.search.query(
            features, pair.linking[0], options.neighbours, options.linking_radius
        )
        self._age = 0

    def _about_root(self, points: Floats) -> Floats:
        """(n, 3) a body's joints without the root's place and the body's heading."""
        away = points - points[0] * np.array([1.0, 0.0, 1.0])
        return rotate_about_vertical(away, -float(self._facing.heading(points)))

"""The naturalness of the default poser: what nearby postures do, as a soft quadratic prior.

Among the postures of the database that are topologically near the current one and nearest in joint
angles, those whose end effectors agree with where they are wanted count most. With the steps x_k
from the current posture to them, weights w_k, mean m and covariance S:

    L = (I + S / spread^2)^-1

is small along directions in which natural postures vary and one elsewhere, so 1/2 v^T L v makes
natural movement cheap, and 1/2 pull (v - m)^T L (v - m) leads towards the neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.database import posture_features
from writhe.database.posture import heading_quaternion, joint_importance
from writhe.kernels.prior import neighbour_prior, neighbour_weights, posture_feature_row
from writhe.solvers.posing.asking import Asking
from writhe.solvers.posing.handles import Handle, Hold


@dataclass(frozen=True, slots=True)
class PriorOptions:
    """How the neighbours are chosen and used."""

    neighbours: int = 100
    linking_radius: float = 0.25
    spread_rad: float = 0.05  # movement against the data counts fully below this
    bandwidth: float = 1.0  # weights fall off with distance, in medians of it
    effector_sigma_m: float = 0.10  # and with the disagreement of the end effectors


class NeighbourPrior:
    """Mean and precision of the postures around a configuration."""

    def __init__(self, asking: Asking, options: PriorOptions | None = None) -> None:
        self.asking = asking
        self.database = asking.database
        database = self.database
        self.options = options or PriorOptions()
        skeleton = database.figure.skeleton
        nv, k = skeleton.dof_count, min(self.options.neighbours, len(database))
        self._importance = joint_importance(skeleton)
        self._positions = database.joint_positions()
        self._features = np.empty(len(database.search.centre))
        self._steps, self._weights = np.empty((k, nv)), np.empty(k)
        self._covariance, self._room = np.empty((nv, nv)), np.empty((nv, nv))
        self.mean = np.zeros(nv)
        self.precision = np.eye(nv)
        self.numbers: Ints = np.zeros(0, dtype=np.int64)
        self.unfamiliar = 0.0
        self._usual_distance = self._typical_distance()

    def update(
        self, q: Floats, handles: Sequence[Handle] = (), placed: Floats | None = None
    ) -> None:
        """Look up the neighbours of q; fills `mean`, `precision` and `unfamiliar`.

        `placed` (3, 3) is the rotation of the frame that the root stands in, if not the world's.
        """
        skeleton, options = self.database.figure.skeleton, self.options
        posture_feature_row(skeleton.tree, self._importance, q, self._features)
        self.numbers, distances = self.database.search.query(
            self._features, self.asking.linking(q), len(self._steps), options.linking_radius
        )
        self.unfamiliar = float(distances[0]) / self._usual_distance
        heading = heading_quaternion(q)
        joints, goals = self._goals(heading, handles, placed)
        neighbour_weights(
            distances,
            options.bandwidth * max(float(distances[len(distances) // 2]), 1e-6),
            self._positions,
            self.numbers,
            joints,
            goals,
            options.effector_sigma_m,
            self._weights,
        )
        neighbour_prior(
            skeleton.tree,
            q,
            heading,
            self.database.q,
            self.numbers,
            self._weights,
            options.spread_rad,
            self._steps,
            self._covariance,
            self._room,
            self.mean,
            self.precision,
        )

    def _goals(
        self, heading: Floats, handles: Sequence[Handle], placed: Floats | None
    ) -> tuple[Ints, Floats]:
        """Joints that are held and where they should be, seen from the root's heading."""
        skeleton = self.database.figure.skeleton
        placed_in_world = [h for h in handles if not isinstance(h, Hold)]
        joints = np.array([skeleton.index(h.joint) for h in placed_in_world], dtype=np.int64)
        world = np.array([h.position_in_world for h in placed_in_world], dtype=np.float64)
        world = world.reshape(-1, 3)
        if placed is not None:
            world = world @ placed
        c = heading[0] ** 2 - heading[2] ** 2
        s = 2.0 * heading[0] * heading[2]
        goals = np.empty_like(world)
        goals[:, 0] = c * world[:, 0] - s * world[:, 2]
        goals[:, 1] = world[:, 1]
        goals[:, 2] = s * world[:, 0] + c * world[:, 2]
        return joints, goals

    def _typical_distance(self) -> float:
        """The distance at which a posture is as far from the database as its own records get.

        The 95th percentile of the distance to the nearest other record, over a sample of them.
        """
        database = self.database
        if len(database) < 3:
            return 1.0
        rows = np.linspace(0, len(database) - 1, min(200, len(database))).astype(np.int64)
        features = posture_features(database.figure.skeleton, database.q[rows])
        linking = database.all_linking
        found = [
            database.search.query(f, linking[i], 2, 1e9)[1][1]
            for f, i in zip(features, rows, strict=True)
        ]
        return max(float(np.percentile(found, 95)), 1e-6)

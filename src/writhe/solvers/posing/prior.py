"""The naturalness of the default poser: what nearby postures do, as a soft quadratic prior.

From the K postures of the database that are topologically near the current one and nearest in joint
angles, with steps x_k from the current posture to them, weights w_k, mean m and covariance S:

    L = (I + S / eps^2)^-1

is small along directions in which natural postures vary and one elsewhere, so 1/2 v^T L v makes
natural movement cheap, and 1/2 pull (v - m)^T L (v - m) leads back among the neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from writhe.arrays import Floats, Ints
from writhe.database import PostureDatabase, posture_features
from writhe.database.posture import heading_quaternion, normalise
from writhe.kernels.prior import neighbour_steps, weighted_spread
from writhe.topology import body_bundle


@dataclass(frozen=True, slots=True)
class PriorOptions:
    """How the neighbours are chosen and used."""

    neighbours: int = 50
    linking_radius: float = 0.25
    spread_rad: float = 0.05  # eps: movement against the data counts fully below this
    bandwidth: float = 1.0  # neighbours' weights fall off with distance, in medians of it


class NeighbourPrior:
    """Mean and precision of the postures around a configuration."""

    def __init__(self, database: PostureDatabase, options: PriorOptions | None = None) -> None:
        self.database = database
        self.options = options or PriorOptions()
        skeleton = database.figure.skeleton
        nv = skeleton.dof_count
        k = min(self.options.neighbours, len(database))
        self._bundle = body_bundle(database.figure)
        self._steps = np.empty((k, nv))
        self._spread = np.empty((nv, nv))
        self.mean = np.zeros(nv)
        self.precision = np.eye(nv)
        self._identity = np.eye(nv)
        self.numbers: Ints = np.zeros(0, dtype=np.int64)
        self.unfamiliar = 0.0
        self._usual_distance = self._typical_distance()

    def update(self, q: Floats) -> None:
        """Look up the neighbours of q; fills `mean`, `precision` and `unfamiliar`."""
        skeleton, options = self.database.figure.skeleton, self.options
        features = posture_features(skeleton, normalise(skeleton, q))[0]
        numbers, distances = self.database.search.query(
            features, self._bundle.linking(q), len(self._steps), options.linking_radius
        )
        self.numbers = numbers
        self.unfamiliar = float(distances[0]) / self._usual_distance
        neighbour_steps(
            skeleton.tree, q, heading_quaternion(q), self.database.q, numbers, self._steps
        )
        scale = options.bandwidth * max(float(np.median(distances)), 1e-9)
        weights = np.exp(-0.5 * (distances / scale) ** 2)
        weights /= weights.sum()
        weighted_spread(self._steps, weights, self.mean, self._spread)
        self._spread /= options.spread_rad**2
        self._spread.flat[:: len(self.mean) + 1] += 1.0
        factor = cho_factor(self._spread, lower=True, check_finite=False)
        self.precision = cho_solve(factor, self._identity, check_finite=False)

    def _typical_distance(self) -> float:
        """The distance at which a posture is as far from the database as its own records get.

        The 95th percentile of the distance to the nearest other record, over a sample of them.
        """
        database = self.database
        if len(database) < 3:
            return 1.0
        rows = np.linspace(0, len(database) - 1, min(200, len(database))).astype(np.int64)
        features = posture_features(database.figure.skeleton, database.q[rows])
        found = [
            database.search.query(f, database.linking[i], 2, 1e9)[1][1]
            for f, i in zip(features, rows, strict=True)
        ]
        return max(float(np.percentile(found, 95)), 1e-6)

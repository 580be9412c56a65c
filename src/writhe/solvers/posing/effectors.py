"""Finding postures by their end effectors."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.database import NeighbourSearch

_MOST = 20_000  # postures in an index; of a larger database every so-many-th


class EffectorIndex:
    """Finds postures by how a set of joints lie to each other, whatever their place and heading.

    Distances between the joints and their heights do not change when a posture is turned about the
    vertical or shifted along the floor.
    """

    def __init__(self, points: Floats, linking: Floats) -> None:
        """points (N, E, 3) of the joints, linking (N, L) of the postures."""
        self._numbers = np.arange(0, len(points), -(-len(points) // _MOST), dtype=np.int64)
        self._first, self._second = np.triu_indices(points.shape[1], 1)
        features = self._invariants(points[self._numbers])
        self._search = NeighbourSearch(features, linking[self._numbers])

    def query(self, points: Floats, linking: Floats, k: int, radius: float) -> Ints:
        """Numbers of the k postures near in linking whose joints lie most like `points` (E, 3)."""
        found, _ = self._search.query(self._invariants(points[None])[0], linking, k, radius)
        return self._numbers[found]

    def _invariants(self, points: Floats) -> Floats:
        between = points[:, self._first] - points[:, self._second]
        return np.hstack([np.sqrt((between * between).sum(axis=2)), points[:, :, 1]])

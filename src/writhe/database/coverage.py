"""How far apart postures are on average over their joints, and how well one set covers another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.database.posture_distances import nearest_joint_distances


@dataclass(frozen=True, slots=True)
class Coverage:
    """Distances from postures to the nearest of a set: mean joint distance, in metres."""

    count: int
    mean_m: float
    median_m: float
    p95_m: float
    max_m: float

    def to_json(self) -> dict[str, float]:
        """Plain data, in centimetres."""
        return {
            "count": self.count,
            "mean_cm": round(100 * self.mean_m, 2),
            "median_cm": round(100 * self.median_m, 2),
            "p95_cm": round(100 * self.p95_m, 2),
            "max_cm": round(100 * self.max_m, 2),
        }


def nearest_distances(points: Floats, among: Floats) -> Floats:
    """(N,) mean joint distance of each of `points` (N, n, 3) to the nearest of `among`."""
    out = np.full(len(points), np.inf)
    if len(points) and len(among):
        nearest_joint_distances(np.ascontiguousarray(points), np.ascontiguousarray(among), out)
    return out


def coverage(points: Floats, among: Floats) -> Coverage:
    """How well the postures `among` cover `points`, both given by joint positions."""
    found = nearest_distances(points, among)
    if len(found) == 0:
        return Coverage(0, 0.0, 0.0, 0.0, 0.0)
    return Coverage(
        len(found),
        float(found.mean()),
        float(np.median(found)),
        float(np.percentile(found, 95)),
        float(found.max()),
    )

"""Mean joint distances of postures, and how well one set of postures covers another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.database.posture_distances import nearest_joint_distances


@dataclass(frozen=True, slots=True)
class Coverage:
    """Statistics of the distance from postures to the nearest of a set (mean over joints)."""

    count: int
    mean_m: float
    median_m: float
    p95_m: float
    max_m: float

    def as_dict(self) -> dict[str, float]:
        """A JSON object, distances in centimetres."""
        return {
            "count": self.count,
            "mean_cm": round(100 * self.mean_m, 2),
            "median_cm": round(100 * self.median_m, 2),
            "p95_cm": round(100 * self.p95_m, 2),
            "max_cm": round(100 * self.max_m, 2),
        }


def nearest_distances(points: Floats, reference: Floats) -> Floats:
    """(N,) mean joint distance from each of `points` (N, n, 3) to the nearest of `reference`."""
    out = np.full(len(points), np.inf)
    if len(points) and len(reference):
        nearest_joint_distances(np.ascontiguousarray(points), np.ascontiguousarray(reference), out)
    return out


def coverage(points: Floats, reference: Floats) -> Coverage:
    """How well the postures `reference` cover `points`, both as joint positions (N, n, 3)."""
    found = nearest_distances(points, reference)
    if len(found) == 0:
        return Coverage(0, 0.0, 0.0, 0.0, 0.0)
    return Coverage(
        len(found),
        float(found.mean()),
        float(np.median(found)),
        float(np.percentile(found, 95)),
        float(found.max()),
    )

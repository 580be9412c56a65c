"""A small capsule around balls."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats

MOST_AXIS_POINTS = 24


def _distances(points: Floats, start: Floats, end: Floats) -> Floats:
    along = end - start
    length2 = float(along @ along)
    t = np.clip((points - start) @ along / length2, 0, 1) if length2 > 1e-18 else 0.0
    return np.linalg.norm(points - start - np.multiply.outer(t, along), axis=-1)


def around(points: Floats, radii: Floats) -> tuple[Floats, Floats, float]:
    """Ends and radius of a capsule around balls at `points` (n, 3), the smallest over axes.

    The axes tried join two of the points, or are their principal axes shortened by the radius.
    """
    middle = points.mean(axis=0)
    spread = points - middle
    some = points
    if len(points) > MOST_AXIS_POINTS:
        some = points[:: len(points) // MOST_AXIS_POINTS + 1]
    tried = [(some[i], some[j]) for i in range(len(some)) for j in range(i, len(some))]
    for direction in np.linalg.svd(spread, full_matrices=False)[2]:
        along = spread @ direction
        low, high = along.min() * direction, along.max() * direction
        tried += [(middle + share * low, middle + share * high) for share in (0.5, 0.75, 1.0)]

    def measure(ends: tuple[Floats, Floats]) -> tuple[float, float]:
        radius = float((_distances(points, *ends) + radii).max())
        length = float(np.linalg.norm(ends[1] - ends[0]))
        return np.pi * radius**2 * (length + 4 / 3 * radius), radius

    best = min(tried, key=lambda ends: measure(ends)[0])
    return best[0], best[1], measure(best)[1]

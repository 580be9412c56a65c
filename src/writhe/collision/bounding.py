"""A small capsule around balls."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats

MOST_AXIS_POINTS = 24
SPARSE = 3.0


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

    def radius(ends: tuple[Floats, Floats]) -> float:
        return float((_distances(points, *ends) + radii).max())

    best = min(tried, key=lambda ends: volume(*ends, radius(ends)))
    return best[0], best[1], radius(best)


def volume(start: Floats, end: Floats, radius: float) -> float:
    """The volume of a capsule."""
    return float(np.pi * radius**2 * (np.linalg.norm(end - start) + 4 / 3 * radius))


def is_sparse(points: list[Floats], radii: list[float]) -> bool:
    """Whether the capsule around several shapes is mostly empty, as for the frame of a chair.

    points: each shape's core points; radii: each shape's radius.
    """
    if len(points) < 2:
        return False
    every = np.repeat(radii, [len(p) for p in points])
    whole = volume(*around(np.concatenate(points), every))
    parts = sum(volume(*around(p, np.full(len(p), r))) for p, r in zip(points, radii, strict=True))
    return whole > SPARSE * parts

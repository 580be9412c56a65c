"""A small capsule around balls."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats

MOST_AXIS_POINTS = 24
SPARSE = 3.0


def around(points: Floats, radii: Floats) -> tuple[Floats, Floats, float]:
    """Ends and radius of a capsule around balls at `points` (n, 3), the smallest over axes.

    The axes tried join two of the points, or are their principal axes shortened by the radius.
    """
    middle = points.mean(axis=0)
    spread = points - middle
    some = points
    if len(points) > MOST_AXIS_POINTS:
        some = points[:: len(points) // MOST_AXIS_POINTS + 1]
    first, second = np.triu_indices(len(some))
    directions = np.linalg.svd(spread, full_matrices=False)[2]
    along = directions @ spread.T
    shares = np.array([0.5, 0.75, 1.0])[:, None, None]
    low = middle + shares * along.min(axis=1)[:, None] * directions
    high = middle + shares * along.max(axis=1)[:, None] * directions
    starts = np.concatenate([some[first], low.reshape(-1, 3)])
    ends = np.concatenate([some[second], high.reshape(-1, 3)])
    axes = ends - starts
    apart = points - starts[:, None]
    squares = np.maximum((axes * axes).sum(axis=1), 1e-18)
    t = np.clip(np.einsum("apc,ac->ap", apart, axes) / squares[:, None], 0.0, 1.0)
    apart -= t[:, :, None] * axes[:, None]
    radius = (np.sqrt((apart * apart).sum(axis=2)) + radii).max(axis=1)
    best = int(np.argmin(radius**2 * (np.sqrt(squares) + 4 / 3 * radius)))
    return starts[best], ends[best], float(radius[best])


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

"""Bounding capsules."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats

MAX_AXIS_POINTS = 24
SPARSE = 3.0  # a bounding capsule with this many times the volume of its shapes is mostly empty


def bounding_capsule(points: Floats, radii: Floats) -> tuple[Floats, Floats, float]:
    """Ends and radius of a small capsule around balls with centres (n, 3) and radii (n,).

    The smallest by volume of those whose axis joins two of the points or is a principal axis at
    50, 75 or 100 % of the extent of the points.
    """
    if len(points) <= 2 and radii[0] == radii[-1]:
        return points[0], points[-1], float(radii[0])
    middle = points.mean(axis=0)
    spread = points - middle
    some = points
    if len(points) > MAX_AXIS_POINTS:
        some = points[:: len(points) // MAX_AXIS_POINTS + 1]
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


def capsule_volume(start: Floats, end: Floats, radius: float) -> float:
    """The volume of a capsule."""
    return float(np.pi * radius**2 * (np.linalg.norm(end - start) + 4 / 3 * radius))


def is_sparse(points: list[Floats], radii: list[float]) -> bool:
    """Whether the bounding capsule of several shapes is mostly empty, e.g. for a chair's frame.

    points: core points of each shape; radii: radius of each shape.
    """
    if len(points) < 2:
        return False
    every = np.repeat(radii, [len(p) for p in points])
    whole = capsule_volume(*bounding_capsule(np.concatenate(points), every))
    parts = sum(
        capsule_volume(*bounding_capsule(p, np.full(len(p), r)))
        for p, r in zip(points, radii, strict=True)
    )
    return whole > SPARSE * parts

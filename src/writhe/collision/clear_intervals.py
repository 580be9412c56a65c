"""Intervals of a motion that are proven to be clear before the exact sweep.

A broad phase, for example on a GPU (`accelerator.broad_phase`), proves for most intervals between
rows that every pair keeps its clearance. `certify` then sweeps only the remaining ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from writhe.arrays import Bools
from writhe.collision.collision_table import CollisionTable
from writhe.collision.interpolated_motion import InterpolatedMotion


@dataclass(frozen=True)
class ClearIntervals:
    """clear (rows - 1,): True where every pair keeps a clearance of `min_clearance_m`.

    In these intervals no pair may be deeper than the slack of the certificate, and none may overlap
    deeply (`DeepOverlap`).
    """

    clear: Bools
    min_clearance_m: float

    @classmethod
    def none(cls, rows: int) -> ClearIntervals:
        """No interval is proven."""
        return cls(np.zeros(max(0, rows - 1), dtype=np.bool_), np.inf)


# table, motion and slack in metres
BroadPhase: TypeAlias = Callable[[CollisionTable, InterpolatedMotion, float], ClearIntervals]


def remaining_runs(breaks: Bools, clear: Bools) -> list[tuple[int, int]]:
    """First and last rows of the runs that are still to be swept.

    breaks, clear (rows - 1,): intervals that are not swept because the motion in them is not known,
    and because they are clear. A row next to a clear interval needs no run of its own.
    """
    count = len(breaks) + 1
    cut = np.flatnonzero(breaks | clear)
    firsts, lasts = np.concatenate([[0], cut + 1]), np.concatenate([cut, [count - 1]])
    return [
        (int(first), int(last))
        for first, last in zip(firsts, lasts, strict=True)
        if last > first
        or not ((first > 0 and clear[first - 1]) or (last < count - 1 and clear[last]))
    ]

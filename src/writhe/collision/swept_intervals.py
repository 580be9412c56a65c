"""States of the intervals between frames (clear, to be swept, open), and the arrays of the sweep.

The rows of a motion are its frames. A broad phase, for example on a GPU
(`accelerator.broad_phase`), proves for most intervals that every pair keeps its clearance.
`certify` then sweeps only the remaining ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from writhe.arrays import Bools, Bytes, Floats, Ints
from writhe.collision.collision_table import CollisionTable
from writhe.collision.interpolated_motion import InterpolatedMotion
from writhe.kernels.collision.clip_sweep import OpenIntervals, SweptClip
from writhe.kernels.collision.interval_bounds import CLEAR, MOVES, STILL


@dataclass(frozen=True)
class ClearIntervals:
    """clear (rows - 1,): True where every pair keeps a clearance of `min_clearance_m`.

    In these intervals every pair is proven to be no deeper than the slack of the certificate, and
    not to overlap deeply (`DeepOverlap`).
    """

    clear: Bools
    min_clearance_m: float

    @classmethod
    def none(cls, rows: int) -> ClearIntervals:
        """No interval is proven."""
        return cls(np.zeros(max(0, rows - 1), dtype=np.bool_), np.inf)


# table, motion and slack in metres
BroadPhase: TypeAlias = Callable[[CollisionTable, InterpolatedMotion, float], ClearIntervals]


def after_rows(breaks: Bools, clear: Bools) -> Bytes:
    """(rows,) what follows each row: MOVES, STILL or CLEAR of `kernels.collision.interval_bounds`.

    breaks (rows - 1,): intervals whose motion is not known; clear (rows - 1,): intervals that are
    proven clear. Neither kind is swept. A row next to a clear interval needs no test of its own.
    """
    out = np.full(len(breaks) + 1, STILL, dtype=np.uint8)
    out[:-1] = np.where(breaks, STILL, np.where(clear, CLEAR, MOVES))
    if len(out) > 1 and out[-2] == CLEAR:
        out[-1] = CLEAR
    return out


def swept_clip(table: CollisionTable, interpolated: InterpolatedMotion) -> SweptClip:
    """An interpolated motion and empty results."""
    k = len(table.pairs.deep)
    order, angles = _channels(interpolated, len(table.skeleton))
    return SweptClip(
        q=interpolated.q,
        order=order,
        euler=angles,
        clearance=np.full(k, np.inf),
        frame=np.zeros(k),
        proven=np.full(k, np.inf),
        required=np.full(k, -np.inf),
        failed=np.zeros(k, dtype=np.int64),
        undecided=np.zeros(k, dtype=np.int64),
        lower_bound=np.full(1, np.inf),
    )


def with_interpolation(clip: SweptClip, interpolated: InterpolatedMotion) -> SweptClip:
    """A copy of the results so far, to be continued under one interpolation of the same rows."""
    order, angles = _channels(interpolated, len(clip.order))
    results = {name: getattr(clip, name).copy() for name in SweptClip._fields[3:]}
    return clip._replace(order=order, euler=angles, **results)


def open_intervals(capacity: int) -> OpenIntervals:
    """Allocate up to `capacity` open intervals."""
    return OpenIntervals(
        row=np.zeros(capacity, dtype=np.int64),
        pair=np.zeros(capacity, dtype=np.int64),
        bound=np.zeros(capacity),
        required=np.zeros(capacity),
        state=np.zeros(2, dtype=np.int64),
        lowest=np.full(2, np.inf),
    )


def with_doubled_capacity(opened: OpenIntervals) -> OpenIntervals:
    """The same entries with twice the capacity."""
    more = open_intervals(2 * len(opened.row))
    for old, new in zip(opened, more, strict=True):
        new[: len(old)] = old
    return more


def _channels(interpolated: InterpolatedMotion, joints: int) -> tuple[Ints, Floats]:
    """Order (n, 3) and angles (rows, n, 3) of Euler channels, for the kernels."""
    if interpolated.euler is None:
        return np.full((joints, 3), -1, dtype=np.int64), np.zeros((1, joints, 3))
    return (
        np.ascontiguousarray(interpolated.euler.order, dtype=np.int64),
        np.ascontiguousarray(interpolated.euler.angles, dtype=np.float64),
    )

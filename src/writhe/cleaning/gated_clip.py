"""Which intervals of a clip the gate certifies, checked again only where frames have changed."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.cleaning.window_options import BETWEEN, Instant
from writhe.collision import CollisionTable
from writhe.collision.gate import gate_workspace
from writhe.kernels.cleaning.gated_intervals import certified_intervals
from writhe.kernels.collision.shape_gaps import Pairs
from writhe.kernels.skeleton import kinematics


class GatedClip:
    """The frames (count, nq) that were checked last, and whether each interval passes the gate."""

    def __init__(self, table: CollisionTable, pairs: Pairs, slack_m: float, frames: Floats) -> None:
        self._table, self._pairs, self._slack_m = table, pairs, slack_m
        self._work = gate_workspace(table)
        self._checked = frames
        self._passed: Bools = np.ones(max(len(frames) - 1, 0), dtype=np.bool_)
        self._check(frames, np.arange(len(self._passed)))

    def passed(self) -> Bools:
        """(count - 1,) whether each interval of the frames checked last passes, as a copy."""
        return self._passed.copy()

    def failures(self, q: Floats, first: int = 0, stop: int | None = None) -> list[Instant]:
        """Instants of the intervals of q that the gate does not certify, from first to stop - 1."""
        stale: Bools = np.any(q != self._checked, axis=1)
        self._check(q, np.flatnonzero(np.logical_or(stale[:-1], stale[1:])))
        found: list[Instant] = []
        for t in first + np.flatnonzero(np.logical_not(self._passed[first:stop])):
            for u in BETWEEN:
                between = np.empty(q.shape[1])
                kinematics.interpolate(self._table.skeleton.tree, q[t], q[t + 1], u, between)
                found.append(Instant(int(t), u, between))
        return found

    def _check(self, q: Floats, intervals: Ints) -> None:
        """Find out which of the intervals pass the gate."""
        table = self._table
        certified_intervals(
            table.skeleton.tree,
            table.shapes,
            table.bodies,
            self._pairs,
            q,
            intervals,
            self._slack_m,
            self._work,
            self._passed,
        )
        self._checked = q.copy()


def frames_beside(instants: list[Instant], count: int) -> Bools:
    """(count,) the frames before and after each instant."""
    out = np.zeros(count, dtype=np.bool_)
    for instant in instants:
        out[instant.frame : instant.frame + 2] = True
    return out

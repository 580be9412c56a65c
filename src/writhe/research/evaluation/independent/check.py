"""The check: the deepest penetration beyond the allowance in a motion, by sampling.

Every interval between two breaks of a motion is halved, for every pair by itself, as long as the
clearance in the middle and the largest speed that was seen leave room for a penetration that is
deeper than the deepest one so far. Once shapes move less than STEP_M in a piece, the clearance is
searched around every local minimum of the samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.research.evaluation.independent.mechanism import Mechanism
from writhe.research.evaluation.independent.motions import AnyMotion
from writhe.research.evaluation.independent.placed import PairTable, Placed

STEP_M = 0.006  # no two cores move farther than this against each other in a smallest piece
FASTER = 1.2  # speeds between samples may be so much higher than between neighbouring samples
MEETING_M = 1e-4  # cores nearer than this intersect
MAX_HALVINGS = 12
_SPEED_SAMPLES = 17  # of an interval
_MIN_DIP_M = 2e-4
_EXACT_M = 2e-6  # the search ends when shapes move less than this between its samples
_BLOCK = 48  # intervals at once
_SEARCHED = 64  # pieces at once


@dataclass(frozen=True)
class Finding:
    """The smallest clearance (gap plus allowance) of a motion, where and when it occurs.

    depth_m is the penetration beyond the allowance: max(0, -clearance). For hulls whose cores
    overlap it counts the radii alone, a lower bound.
    """

    clearance_m: float
    time: float
    pair: int
    cores_met: bool

    @property
    def depth_m(self) -> float:
        """Penetration beyond the allowance."""
        return max(0.0, -self.clearance_m)


def check(mechanism: Mechanism, motion: AnyMotion, interesting_m: float = -5e-4) -> Finding:
    """The deepest penetration in a motion; rotations by pi are tried in both directions.

    Clearances above `interesting_m` are found at some samples only, not searched between them.
    """
    table = PairTable(mechanism)
    found = [_Search(table, each, interesting_m).run() for each in [motion, *motion.other_ways()]]
    return min(found, key=lambda finding: finding.clearance_m)


def gaps_at(mechanism: Mechanism, motion: AnyMotion, times: np.ndarray) -> np.ndarray:
    """(pairs, t) gaps of all pairs at times."""
    placed = Placed(PairTable(mechanism), motion, np.asarray(times, float))
    count = len(mechanism.pairs)
    pairs, at = np.repeat(np.arange(count), len(times)), np.tile(np.arange(len(times)), count)
    values, _ = placed.clearances(pairs, at)
    return values.reshape(count, -1) - mechanism.allowance[:, None]


class _Search:
    """The search in one motion. Pieces are arrays: pair, interval, and which piece of it."""

    def __init__(self, table: PairTable, motion: AnyMotion, interesting_m: float) -> None:
        self.table, self.motion, self.interesting = table, motion, interesting_m
        self.best, self.when, self.pair, self.met = np.inf, 0.0, -1, False

    def run(self) -> Finding:
        """Search all intervals."""
        breaks = self.motion.breaks
        if len(self.table.mechanism.pairs):
            self._look_at_breaks(breaks)
            for first in range(0, len(breaks) - 1, _BLOCK):
                block = breaks[first : first + _BLOCK + 1]
                self._intervals(block[:-1], block[1:])
        return Finding(float(self.best), float(self.when), int(self.pair), bool(self.met))

    def _limits(self, pairs: np.ndarray) -> np.ndarray:
        """(m,) the clearances below which something new would be found."""
        deepest = min(self.best, self.interesting)
        return np.maximum(deepest, self.table.spare[pairs] + MEETING_M)

    def _clearances(self, placed: Placed, pairs: np.ndarray, at: np.ndarray, times: np.ndarray):
        """(m,) clearances of pairs at times[at]; the deepest of them is noted."""
        values, cores = placed.clearances(pairs, at, far_m=0.02)
        if len(values):
            k = int(values.argmin())
            if values[k] < self.best:
                self.best, self.when, self.pair = values[k], times[at[k]], pairs[k]
            self.met = self.met or bool(cores.min() < MEETING_M)
        return values

    def _look_at_breaks(self, breaks: np.ndarray) -> None:
        for first in range(0, len(breaks), _BLOCK):
            times = breaks[first : first + _BLOCK]
            placed = Placed(self.table, self.motion, times)
            pairs, at = np.nonzero(placed.ball_clearances() < 0.0)
            self._clearances(placed, pairs, at, times)

    def _intervals(self, start: np.ndarray, end: np.ndarray) -> None:
        """Search the intervals from start (i,) to end (i,)."""
        travel = FASTER * self._path_lengths(start, end)  # (solids, i)
        travel = travel[self.table.first] + travel[self.table.second]  # (pairs, i)
        middle = 0.5 * (start + end)
        near = Placed(self.table, self.motion, middle).ball_clearances() - 0.5 * travel
        limits = self._limits(np.arange(len(travel)))[:, None]
        pair, interval = np.nonzero(near < limits)
        piece = np.zeros(len(pair), int)
        for halvings in range(MAX_HALVINGS + 1):
            width = 0.5**halvings
            place = (interval << halvings) + piece
            places, at = np.unique(place, return_inverse=True)
            i, k = places >> halvings, places & ((1 << halvings) - 1)
            times = start[i] + (k + 0.5) * width * (end - start)[i]
            placed = Placed(self.table, self.motion, times)
            values = self._clearances(placed, pair, at, times)
            change = travel[pair, interval] * width  # in the piece
            kept = values - 0.5 * change < self._limits(pair)
            last = (change <= STEP_M) | (halvings == MAX_HALVINGS)
            done = kept & last
            if done.any():
                self._search_minima(
                    pair[done], interval[done], piece[done], values[done], change[done],
                    start, end, width,
                )  # fmt: skip
            split = kept & ~last
            pair, interval = np.repeat(pair[split], 2), np.repeat(interval[split], 2)
            piece = np.stack([2 * piece[split], 2 * piece[split] + 1], axis=1).ravel()
            if len(pair) == 0:
                return

    def _path_lengths(self, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """(solids, i) how far a core would get in each interval at its highest speed, m."""
        n, mechanism = _SPEED_SAMPLES, self.table.mechanism
        # not at the ends, where a motion may jump
        times = start[:, None] + (end - start)[:, None] * np.linspace(1e-6, 1 - 1e-6, n)
        placed = Placed(self.table, self.motion, times.ravel())
        out = np.zeros((len(mechanism.solids), len(start)))
        ends = placed.all_ends().reshape(len(start), n, len(out), -1, 3)
        out[:] = _longest_step(ends).T
        for s, solid in enumerate(mechanism.solids):
            if len(solid.points) != 2:
                points = placed.points_of(s).reshape(len(start), n, 1, -1, 3)
                out[s] = _longest_step(points)[:, 0]
        return (n - 1) * out

    def _search_minima(
        self,
        pair: np.ndarray,
        interval: np.ndarray,
        piece: np.ndarray,
        values: np.ndarray,
        change: np.ndarray,
        start: np.ndarray,
        end: np.ndarray,
        width: float,
    ) -> None:
        """Search around the local minima in time of smallest pieces, all of the same width."""
        order = np.lexsort((piece, interval, pair))
        pair, interval, piece = pair[order], interval[order], piece[order]
        values, change = values[order], change[order]
        follows = (np.diff(pair) == 0) & (np.diff(interval) == 0) & (np.diff(piece) == 1)
        step = np.where(follows, np.diff(values), np.nan)
        before, after = np.append(np.nan, step), np.append(step, np.nan)
        lowest = ~(before > 0) & ~(after < 0)  # true beside a missing neighbour
        # between samples, a gap decreases by about as much as it changes between them
        known = np.fmax(np.abs(before), np.abs(after))
        dip = np.where(np.isnan(known), change, np.minimum(known + _MIN_DIP_M, change))
        span = (end - start)[interval]
        low = np.maximum(start[interval] + (piece - 0.5) * width * span, start[interval])
        high = np.minimum(start[interval] + (piece + 1.5) * width * span, end[interval])
        chosen = np.flatnonzero(lowest & (values - dip < self._limits(pair)))
        chosen = chosen[np.argsort((values - dip)[chosen])]
        for first in range(0, len(chosen), _SEARCHED):
            some = chosen[first : first + _SEARCHED]
            some = some[(values - dip)[some] < self._limits(pair[some])]
            self._refine(pair[some], low[some], high[some], 2.0 * change[some])

    def _refine(
        self, pair: np.ndarray, low: np.ndarray, high: np.ndarray, change: np.ndarray
    ) -> None:
        """Search between times low (m,) and high (m,) of pairs; change (m,) is their travel, m."""
        n = 9
        while len(pair):
            times = np.linspace(low, high, n, axis=1)
            placed = Placed(self.table, self.motion, times.ravel())
            at = np.arange(times.size)
            values = self._clearances(placed, np.repeat(pair, n), at, times.ravel())
            values = values.reshape(-1, n)
            rows, k = np.arange(len(pair)), values.argmin(axis=1)
            low = times[rows, np.maximum(k - 1, 0)]
            high = times[rows, np.minimum(k + 1, n - 1)]
            change = change / (n - 1)
            drop = np.minimum(change, np.abs(np.diff(values, axis=1)).max(axis=1) + 1e-6)
            on = (values[rows, k] - drop < self._limits(pair)) & (drop > _EXACT_M)
            pair, low, high, change = pair[on], low[on], high[on], 2.0 * change[on]


def _longest_step(points: np.ndarray) -> np.ndarray:
    """(i, s) how far a point gets from one time to the next; points (i, t, s, k, 3)."""
    moved = np.diff(points, axis=1)
    return np.sqrt((moved * moved).sum(axis=-1).max(axis=(1, 3)))

"""The check: the deepest penetration beyond the allowance in a motion, by sampling."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from writhe.research.evaluation.independent.distances import (
    hull_distance,
    hull_separation,
    plane_distance,
    segment_distance,
)
from writhe.research.evaluation.independent.mechanism import (
    HALF_SPACE,
    SEGMENT,
    Mechanism,
    RigidShape,
)
from writhe.research.evaluation.independent.motions import AnyMotion

STEP_M = 0.006  # no point of a core moves farther than this between two samples
NEAR_M = 0.02  # pairs with a smaller clearance are refined; larger gaps are only bounded
MEETING_M = 1e-4  # cores nearer than this intersect
MAX_SAMPLES = 4000  # between two breaks
_MIN_DIP_M = 2e-4
_BLOCK = 512  # samples placed at once


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

    Clearances above `interesting_m` are found at the samples only, not refined between them.
    """
    readings = [motion, *motion.other_ways()]
    found = [_check(mechanism, each, interesting_m) for each in readings]
    return min(found, key=lambda finding: finding.clearance_m)


def _check(mechanism: Mechanism, motion: AnyMotion, interesting_m: float) -> Finding:
    best = Finding(np.inf, 0.0, -1, False)
    if len(mechanism.pairs) == 0:
        return best
    breaks = motion.breaks
    if len(breaks) == 1:
        return _deepest(mechanism, motion, breaks, best, 0.0, interesting_m)
    for start, end in pairwise(breaks):
        longest = _longest_way(mechanism, motion, start, end)
        count = int(np.clip(np.ceil(1.2 * longest / STEP_M), 8, MAX_SAMPLES)) + 1
        times, margin = np.linspace(start, end, count), 1.2 * longest / (count - 1)
        for first in range(0, count - 1, _BLOCK):
            block = times[first : first + _BLOCK + 1]
            best = _deepest(mechanism, motion, block, best, margin, interesting_m)
    return best


def _longest_way(mechanism: Mechanism, motion: AnyMotion, start: float, end: float) -> float:
    """Upper estimate of the path length of a core point, from its highest speed, m."""
    positions, rotations = mechanism.place(*motion.at(np.linspace(start, end, 17)))
    longest = 0.0
    for solid in mechanism.solids:
        if solid.kind != HALF_SPACE:
            moved = np.diff(_placed(solid, positions, rotations), axis=0)
            longest = max(longest, float(np.linalg.norm(moved, axis=2).max()) * 16)
    return longest


def _deepest(
    mechanism: Mechanism,
    motion: AnyMotion,
    times: np.ndarray,
    best: Finding,
    margin: float,
    interesting_m: float,
) -> Finding:
    """The deeper of the best finding so far and the deepest at or between these times.

    margin: how much nearer than at the samples a pair can be between them, m.
    """
    clearance, distance = _clearances(mechanism, motion, times, None)
    pair, at = np.unravel_index(int(clearance.argmin()), clearance.shape)
    met = bool((distance < MEETING_M).any())
    if clearance[pair, at] < best.clearance_m:
        best = Finding(float(clearance[pair, at]), float(times[at]), int(pair), best.cores_met)
    if len(times) > 1:
        rows, columns = _local_minima(clearance)
        # between samples, a gap decreases by about as much as it changes between them
        change = np.abs(np.diff(clearance, axis=1)).max(axis=1, initial=0.0)
        dip = np.minimum(change + _MIN_DIP_M, margin)
        lowest = clearance[rows, columns] - dip[rows]
        for k in np.argsort(lowest):
            pair, at = int(rows[k]), int(columns[k])
            if lowest[k] > min(best.clearance_m, interesting_m):
                break
            low, high = times[max(at - 1, 0)], times[min(at + 1, len(times) - 1)]
            found, when, nearest = _refined(mechanism, motion, pair, low, high)
            met = met or nearest < MEETING_M
            if found < best.clearance_m:
                best = Finding(found, when, pair, best.cores_met)
    return replace(best, cores_met=best.cores_met or met)


def _refined(
    mechanism: Mechanism, motion: AnyMotion, pair: int, low: float, high: float
) -> tuple[float, float, float]:
    """The smallest clearance of a pair between two times, when, and how near its cores are."""
    found, when, nearest = np.inf, low, np.inf
    width = high - low
    while high - low > 1e-4 * width:
        times = np.linspace(low, high, 9)
        values, cores = _clearances(mechanism, motion, times, np.array([pair]))
        k = int(values[0].argmin())
        nearest = min(nearest, float(cores[0].min()))
        gained = found - values[0, k]
        if gained > 0:
            found, when = float(values[0, k]), float(times[k])
        low, high = times[max(k - 1, 0)], times[min(k + 1, 8)]
        if gained < 1e-6 and nearest > 0.01:
            break
    return found, when, nearest


def _local_minima(clearance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs and samples at which the clearance is below NEAR_M and a local minimum in time."""
    padded = np.pad(clearance, ((0, 0), (1, 1)), constant_values=np.inf)
    lowest = (clearance <= padded[:, :-2]) & (clearance < padded[:, 2:]) & (clearance < NEAR_M)
    rows, columns = np.nonzero(lowest)
    return rows, columns


def gaps_at(mechanism: Mechanism, motion: AnyMotion, times: np.ndarray) -> np.ndarray:
    """(pairs, t) gaps of all pairs at times; large gaps of hulls are lower bounds."""
    values, _ = _clearances(mechanism, motion, np.asarray(times, float), None, exact=True)
    return values - mechanism.allowance[:, None]


def _clearances(
    mechanism: Mechanism,
    motion: AnyMotion,
    times: np.ndarray,
    pairs: np.ndarray | None,
    exact: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """(pairs, t) gap plus allowance, and distance of the cores."""
    positions, rotations = mechanism.place(*motion.at(times))
    chosen = np.arange(len(mechanism.pairs)) if pairs is None else pairs
    a, b = mechanism.pairs[chosen].T
    solids = mechanism.solids
    placed: dict[int, np.ndarray] = {
        int(s): _placed(solids[s], positions, rotations) for s in np.unique([a, b])
    }
    radii = np.array([solids[i].radius + solids[j].radius for i, j in zip(a, b, strict=True)])
    spare = mechanism.allowance[chosen] - radii
    distance = np.empty((len(chosen), len(times)))
    straight = np.array(
        [solids[i].kind == SEGMENT == solids[j].kind for i, j in zip(a, b, strict=True)], bool
    )
    if straight.any():
        distance[straight] = _segments(placed, a[straight], b[straight], -spare[straight], exact)
    for k in np.flatnonzero(~straight):
        first, second = int(a[k]), int(b[k])
        if solids[first].kind == HALF_SPACE:
            first, second = second, first
        if solids[second].kind == HALF_SPACE:
            distance[k] = plane_distance(placed[first], placed[second])
            continue
        low = hull_separation(placed[first], placed[second])
        distance[k] = np.maximum(low, 0.0)
        for t in np.flatnonzero(exact | (low + spare[k] < NEAR_M)):
            distance[k, t] = hull_distance(placed[first][t], placed[second][t])
    return distance + spare[:, None], distance


def _segments(
    placed: dict[int, np.ndarray], a: np.ndarray, b: np.ndarray, reach: np.ndarray, exact: bool
) -> np.ndarray:
    """(pairs, t) distances; where bounding balls are far apart, a lower bound."""
    index = {s: i for i, s in enumerate(placed)}
    two = {s: p for s, p in placed.items() if p.shape[1] == 2}
    first = np.zeros((len(placed), *next(iter(two.values()))[:, 0].shape))
    last = np.zeros_like(first)
    for s, points in two.items():
        first[index[s]], last[index[s]] = points[:, 0], points[:, 1]
    rows_a, rows_b = np.array([index[int(s)] for s in a]), np.array([index[int(s)] for s in b])
    centre, half = 0.5 * (first + last), 0.5 * np.linalg.norm(last - first, axis=-1)
    out = np.linalg.norm(centre[rows_a] - centre[rows_b], axis=-1) - half[rows_a] - half[rows_b]
    near = np.ones_like(out, bool) if exact else out < (reach + NEAR_M)[:, None]
    k, t = np.nonzero(near)
    i, j = rows_a[k], rows_b[k]
    out[k, t] = segment_distance(first[i, t], last[i, t], first[j, t], last[j, t])
    return out


def _placed(solid: RigidShape, positions: np.ndarray, rotations: np.ndarray) -> np.ndarray:
    """(t, k, 3) the points of a solid in the world."""
    at, turn = positions[:, solid.joint], rotations[:, solid.joint]
    return at[:, None] + np.einsum("tij,kj->tki", turn, solid.points)

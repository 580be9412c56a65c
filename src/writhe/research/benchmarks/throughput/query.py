"""`writhe bench query`: neighbour search by size of the database.

Postures are random mixtures with statistics similar to motion capture: joint-angle features of low
intrinsic dimension, and sparse linking values. A body alone has `10` linking dimensions, a body
with an object's strands `60`. A query returns 50 neighbours. All sizes are drawn from the same
mixture.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.database import NeighbourSearch
from writhe.progress import Progress

SIZES = (1_000, 10_000, 100_000, 1_000_000)
FEATURES, INTRINSIC, NEIGHBOURS, RADIUS = 51, 8, 50, 0.25
QUERIES, ROUNDS, SEED = 200, 3, 1


def run(progress: Progress) -> dict[str, Any]:
    """Median microseconds of one exact query, by linking dimensions and database size."""
    found: dict[str, dict[str, float]] = {}
    for dimensions in (10, 60):
        row: dict[str, float] = {}
        for size in SIZES:
            progress(None, f"{size} postures, {dimensions} linking dimensions")
            row[str(size)] = round(measure_query_us(size, dimensions), 1)
        found[str(dimensions)] = row
    few, many = str(SIZES[1]), str(SIZES[-1])
    growth = {dimensions: round(row[many] / row[few], 2) for dimensions, row in found.items()}
    return {"microseconds": found, "neighbours": NEIGHBOURS, f"{many}_over_{few}": growth}


def synthetic_postures(
    count: int, dimensions: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Features (count, FEATURES) along smooth random walks, and sparse linking values."""
    basis = rng.normal(0.0, 1.0, (INTRINSIC, FEATURES)) * (0.7 ** np.arange(INTRINSIC))[:, None]
    clips = max(1, count // 400)
    phases = rng.uniform(0.0, 2.0 * np.pi, (clips, INTRINSIC))
    rates = rng.uniform(0.5, 2.0, (clips, INTRINSIC))
    centres = rng.normal(0.0, 1.0, (clips, INTRINSIC))
    clip = np.arange(count) % clips
    at = (np.arange(count) // clips) / 60.0
    latent = centres[clip] + 0.6 * np.sin(phases[clip] + rates[clip] * at[:, None])
    features = 0.2 * np.tanh(latent @ basis) + rng.normal(0.0, 0.005, (count, FEATURES))
    mixing = rng.normal(0.0, 1.0, (INTRINSIC, dimensions))
    linking = 0.4 * np.tanh(np.maximum(latent @ mixing - 1.5, 0.0) / 3.0)
    return features, linking


def measure_query_us(size: int, dimensions: int) -> float:
    """Median microseconds of a query among `size` synthetic postures.

    The time of a query is that of its fastest run, to exclude interference by other programs.
    """
    rng = np.random.default_rng(SEED)
    features, linking = synthetic_postures(size + QUERIES, dimensions, rng)
    held = rng.permutation(size + QUERIES)
    asked, kept = held[:QUERIES], held[QUERIES:]
    search = NeighbourSearch(features[kept], linking[kept])
    search.query(features[asked[0]], linking[asked[0]], NEIGHBOURS, RADIUS)
    times = np.empty((ROUNDS, QUERIES))
    for times_of_round in times:
        for n, i in enumerate(asked):
            start = time.perf_counter()
            search.query(features[i], linking[i], NEIGHBOURS, RADIUS)
            times_of_round[n] = time.perf_counter() - start
    return 1e6 * float(np.median(times.min(axis=0)))

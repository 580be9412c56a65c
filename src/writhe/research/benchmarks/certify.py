"""Time of the certificate: one step of the human, and a clip of 1000 frames."""

from __future__ import annotations

import time

import numpy as np

from writhe.arrays import Floats
from writhe.collision import CollisionTable, Gate, NearPairs, certify
from writhe.skeleton import Figure, forward, kinematics
from writhe.skeleton.figures import figure

STEP_RAD = 0.02  # standard deviation per degree of freedom and step: brisk movement at 60 Hz


def walk(table: CollisionTable, count: int, seed: int = 7) -> Floats:
    """Configurations (count, nq) of a gated random walk about the rest pose."""
    skeleton = table.skeleton
    random = np.random.default_rng(seed)
    gate = Gate(table)
    rest = skeleton.rest_configuration.copy()
    out = np.empty((count, skeleton.configuration_size))
    q, step = rest, np.zeros(skeleton.dof_count)
    for i in range(count):
        out[i] = q
        # steps correlated with the previous one, and a weak bias towards the rest pose
        step = 0.8 * step + random.normal(0, 0.6 * STEP_RAD, len(step))
        step += 0.01 * kinematics.difference(skeleton, q, rest)
        q = gate.limit(q, kinematics.integrate(skeleton, q, step))
    return out


def _table(given: Figure | None) -> CollisionTable:
    return CollisionTable.of_figure(given or figure("human"))


def certify_step_us(given: Figure | None = None, steps: int = 1000) -> float:
    """Median microseconds of `Gate.fraction` over random steps of the human."""
    table = _table(given)
    path = walk(table, steps + 1)
    gate = Gate(table)
    gate.fraction(path[0], path[1])
    seconds = np.empty(steps)
    for i in range(steps):
        start = time.perf_counter()
        gate.fraction(path[i], path[i + 1])
        seconds[i] = time.perf_counter() - start
    return float(np.median(seconds) * 1e6)


def near_pairs_us(
    given: Figure | None = None, steps: int = 1000, distance_m: float = 0.06
) -> float:
    """Median microseconds of listing the pairs nearer than `distance_m`."""
    table = _table(given)
    near = NearPairs(table)
    seconds = np.empty(steps)
    for i, q in enumerate(walk(table, steps)):
        frames = forward(table.skeleton, q)
        start = time.perf_counter()
        near.find(frames.positions, frames.rotations, distance_m)
        seconds[i] = time.perf_counter() - start
    return float(np.median(seconds) * 1e6)


def certify_clip_s(given: Figure | None = None, frames: int = 1000) -> float:
    """Seconds to certify a clip of the human, after compilation."""
    table = _table(given)
    path = walk(table, frames)
    certify(table, path[:2], fps=30.0)
    start = time.perf_counter()
    certify(table, path, fps=30.0)
    return time.perf_counter() - start

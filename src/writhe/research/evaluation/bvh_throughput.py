"""BVH reading speed, compared with a plain Python parser."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from writhe.io.bvh.read import load_bvh
from writhe.io.bvh.write import save_bvh
from writhe.skeleton import Motion
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import integrate

FRAMES = 12_000


def synthetic_motion(frames: int = FRAMES) -> Motion:
    """A smooth seeded motion of all joints of the human."""
    skeleton = figure("human").skeleton
    rng = np.random.default_rng(7)
    size = rng.uniform(0.1, 0.5, skeleton.dof_count)
    rate = rng.uniform(0.5, 2.0, skeleton.dof_count)
    times = np.arange(frames)[:, None] / 30.0
    steps = size * np.sin(times * rate)
    q = np.array([integrate(skeleton, skeleton.rest_configuration, step) for step in steps])
    return Motion(skeleton, q, 30.0, "synthetic")


def pure_python_channels(path: Path) -> list[list[float]]:
    """The channel values of a BVH file, read in plain Python."""
    rows: list[list[float]] = []
    reading = False
    with path.open(encoding="utf-8") as file:
        for line in file:
            if reading:
                rows.append([float(word) for word in line.split()])
            elif line.startswith("Frame Time"):
                reading = True
    return rows


def _megabytes_per_second(read: Callable[[Path], object], path: Path, repetitions: int) -> float:
    best = float("inf")
    for _ in range(repetitions):
        start = time.perf_counter()
        read(path)
        best = min(best, time.perf_counter() - start)
    return path.stat().st_size / best / 1e6


def bvh_throughput(frames: int = FRAMES, repetitions: int = 5) -> dict[str, float]:
    """Megabytes per second, best of several repetitions after a warm-up.

    `writhe` is the whole `load` (hierarchy, numbers, checks, quaternions); `pure_python` only
    splits lines and converts numbers.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "synthetic.bvh"
        save_bvh(synthetic_motion(frames), path)
        load_bvh(path)
        return {
            "writhe": _megabytes_per_second(load_bvh, path, repetitions),
            "pure_python": _megabytes_per_second(pure_python_channels, path, repetitions),
        }

"""The figures of merit of a method on a workload."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.body import Body
from benchmarks.geometry import world_frames
from benchmarks.judge import judge
from benchmarks.pool import Answer
from benchmarks.workloads import Task
from writhe.kernels.limits import limit_excess  # TODO
from writhe.skeleton import Figure
from writhe.topology import linking_vector

WRONG_LINKING = 0.25
MET_M = 0.01


@dataclass
class Figures:
    """Gathered over the tasks of one workload."""

    figure: Figure
    body: Body
    frames: int = 0
    penetrating: int = 0
    pass_throughs: int = 0
    deepest_m: float = 0.0
    asked: int = 0
    unmet: int = 0
    wrong: int = 0
    compared: int = 0
    milliseconds: list[np.ndarray] = field(default_factory=list[np.ndarray])
    residuals: list[np.ndarray] = field(default_factory=list[np.ndarray])
    jumps: list[np.ndarray] = field(default_factory=list[np.ndarray])
    jerks: list[np.ndarray] = field(default_factory=list[np.ndarray])
    errors: list[np.ndarray] = field(default_factory=list[np.ndarray])

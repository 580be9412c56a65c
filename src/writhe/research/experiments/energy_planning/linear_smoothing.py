"""The paper's smoothing of sampled paths: linear interpolation between all pairs of frames.

Section 7.2 (after Yamane and others): wherever two frames of a path can be joined by a straight
line, the line replaces the path between them, until no further line is possible.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.planning.straight_line import LineSettings, connect_straight
from writhe.planning import Plan
from writhe.planning.compiled_problem import CompiledProblem
from writhe.planning.ompl_planners import SamplingPlanner
from writhe.planning.problem import PlanProblem
from writhe.research.experiments.energy_planning.postures import Experiment
from writhe.skeleton import Skeleton
from writhe.skeleton.configuration_paths import path_length, resample_evenly
from writhe.skeleton.kinematics import difference, interpolate

SPACING_RAD = 0.01  # between frames; a line must shorten the path by more than that
_LINE = LineSettings(0.02, 0.15)


@dataclass(frozen=True)
class Smoothed:
    """A search by RRTConnect, and the smoothing of its path. Seconds are CPU time."""

    search_s: float
    smoothing_s: float
    finished: bool  # False: stopped at the limit
    tests: int
    replaced: int
    length_before_rad: float
    length_rad: float


def smooth(problem: PlanProblem, path: Floats, limit_s: float) -> tuple[Floats, int, int, bool]:
    """The smoothed path, lines tested, lines used, and whether it ended within the limit."""
    compiled, skeleton = CompiledProblem(problem), problem.skeleton
    rows, begun, tests, used, finished = _even(skeleton, path), time.thread_time(), 0, 0, False
    while not finished:
        finished, i = True, 0
        while i < len(rows) - 2:
            along = _lengths(skeleton, rows[i:])
            for j in range(len(rows) - 1, i + 1, -1):
                apart = float(np.linalg.norm(difference(skeleton, rows[i], rows[j])))
                if along[j - i] - apart < SPACING_RAD:
                    continue
                if time.thread_time() - begun > limit_s:
                    return rows, tests, used, False
                tests += 1
                ends = rows[i], rows[j]
                if connect_straight(
                    compiled.model, *ends, _LINE, compiled.workspace, compiled.line
                ) == 1:  # fmt: skip
                    count = max(2, int(np.ceil(apart / SPACING_RAD)) + 1)
                    shares = np.linspace(0.0, 1.0, count)
                    line = np.array([interpolate(skeleton, *ends, float(s)) for s in shares])
                    rows = np.concatenate([rows[:i], line, rows[j + 1 :]])
                    used, finished = used + 1, False
                    break
            i += 1
    return rows, tests, used, True


def search_and_smooth(
    experiment: Experiment, seed: int, seconds: float = 20.0, limit_s: float = 100.0
) -> dict[str, Any] | None:
    """`Smoothed` as JSON for RRTConnect with edges of at most 0.3 rad; None if it finds no path."""
    problem = experiment.problem()
    planner = SamplingPlanner(
        "rrtconnect", seed=seed, seconds=seconds, simplify=False, range_rad=0.3
    )
    begun = time.process_time()
    found: Plan = planner.plan(problem)
    search_s = time.process_time() - begun
    if not found.solved:
        return None
    begun = time.thread_time()
    rows, tests, used, finished = smooth(problem, found.path, limit_s)
    return asdict(
        Smoothed(
            search_s,
            time.thread_time() - begun,
            finished,
            tests,
            used,
            found.length_rad,
            path_length(problem.skeleton, rows),
        )
    )


def _even(skeleton: Skeleton, path: Floats) -> Floats:
    count = int(np.ceil(path_length(skeleton, path) / SPACING_RAD)) + 1
    return resample_evenly(skeleton, path, max(3, count))


def _lengths(skeleton: Skeleton, rows: Floats) -> Floats:
    """(frames,) length of the path up to each frame."""
    steps = [np.linalg.norm(difference(skeleton, a, b)) for a, b in pairwise(rows)]
    return np.concatenate([[0.0], np.cumsum(steps)])

"""The cost by which solutions of a part of a clip are compared."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.cleaning.window_problem import ClipProblem

SLIDE_M = 0.004  # a planted foot that moves farther in a frame than in the source slides
TOO_FAST_M = 0.002  # a step longer than its bound by more than this is too fast
_METRES_PER_TURN = 0.03  # cost of the joint that turns farthest, per radian
# cost of the mean speed of corrections: a limb that goes round another one moves more than one that
# waits, also where both are as far from the source
_MOVEMENT_S = 0.2


def solution_cost(problem: ClipProblem, q: Floats, first: int, stop: int) -> float:
    """The cost of the frames first .. stop - 1 of q (frames, nq), in m.

    The mean over frames of the displacement of the joints, of the speed at which they move relative
    to the source, and of the joint that turns farthest; and the sums of leaps and slides beyond
    their bounds.
    """
    part = slice(max(0, first - 1), stop + 1)
    allowed = problem.allowed_step[part]
    positions = problem.positions(q[part])
    step = np.linalg.norm(np.diff(positions, axis=0), axis=2)
    leap = np.maximum(step - allowed[: len(step)] - TOO_FAST_M, 0.0).max(axis=1, initial=0.0)
    apart = problem.offsets(positions, part.start)
    displacement = np.linalg.norm(apart, axis=2).mean()
    speed = np.linalg.norm(np.diff(apart, axis=0), axis=2).mean(axis=1).sum() / len(apart)
    turns = np.abs(problem.corrections(q, first, stop)).max(axis=1, initial=0.0)
    slide = np.maximum(problem.slides(q, first, stop) - SLIDE_M, 0.0)
    mean = displacement + _MOVEMENT_S * problem.fps * speed + _METRES_PER_TURN * turns.mean()
    return float(mean + leap.sum() + slide.sum())

"""The linear terms of the step QP that move shoulder girdle and gaze, in one call."""

from __future__ import annotations

from writhe.arrays import Floats
from writhe.kernels.jit import kernel
from writhe.kernels.posing.gaze import GazeJoints, add_gaze_pull
from writhe.kernels.posing.shoulder_girdle import GirdleJoints, add_girdle_pull


@kernel
def add_habit_pulls(
    girdle: GirdleJoints,
    gaze: GazeJoints,
    positions: Floats,
    rotations: Floats,
    q: Floats,
    strengths: Floats,
    point: Floats,
    inertia: Floats,
    pull: Floats,
) -> None:
    """Add to pull (nv) the pulls of shoulder girdle and gaze at q (nq), with its joint frames.

    strengths (2): of the girdle's rhythm and of the gaze, which is directed at `point` (3).
    """
    if strengths[0] > 0.0:
        add_girdle_pull(girdle, positions, rotations, q, strengths[0], pull)
    if strengths[1] > 0.0:
        add_gaze_pull(gaze, positions, rotations, q, point, strengths[1], inertia, pull)

"""The linear terms of the step QP that move girdle, gaze and stance, in one call."""

from __future__ import annotations

from writhe.arrays import Floats
from writhe.kernels.jit import kernel
from writhe.kernels.posing.gaze import GazeJoints, add_gaze_pull
from writhe.kernels.posing.shoulder_girdle import GirdleJoints, add_girdle_pull
from writhe.kernels.posing.stance import Stance, add_stance_pull


@kernel
def add_habit_pulls(
    girdle: GirdleJoints,
    gaze: GazeJoints,
    stance: Stance,
    positions: Floats,
    rotations: Floats,
    q: Floats,
    strengths: Floats,
    point: Floats,
    inertia: Floats,
    pull: Floats,
) -> None:
    """Add to pull (nv) the pulls of girdle, gaze and stance at q (nq), with its joint frames.

    strengths (3): of the girdle's rhythm, of the gaze, which is directed at `point` (3), and of the
    return to the stance.
    """
    if strengths[0] > 0.0:
        add_girdle_pull(girdle, positions, rotations, q, strengths[0], pull)
    if strengths[1] > 0.0:
        add_gaze_pull(gaze, positions, rotations, q, point, strengths[1], inertia, pull)
    if strengths[2] > 0.0:
        add_stance_pull(stance, q, strengths[2], inertia, pull)

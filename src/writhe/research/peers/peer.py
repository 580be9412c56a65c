"""What an adapter is: a peer posed frame by frame from joint targets. NumPy only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

# The rule of all: a frame is done when every target is this near, or after so many iterations.
MET_M = 0.001
ITERATIONS = 10
STILL_RAD = 1e-4  # an iteration that moves no joint further than this is the last
PIN_WEIGHT = 10.0  # how much more a pin weighs than a target (error, not its square)


REACH_M = 0.05


def within_reach(here: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """The point at most REACH_M on the way to the goal.

    Solvers that linearise contacts are led to a far target in steps, which spares them jumps over
    what lies between.
    """
    away = goal - here
    length = float(np.linalg.norm(away))
    return goal if length <= REACH_M else here + (REACH_M / length) * away


class Peer(Protocol):
    """Poses a body towards targets, one frame at a time."""

    settings: dict[str, Any]  # printed with the results
    minds_ball: bool  # whether it can be told of something that is moved into the body

    def start(self, q: np.ndarray, pins: Mapping[str, np.ndarray]) -> None:
        """A drag starts in this configuration with these joints held where given (metres)."""
        ...

    def move_ball(self, place: np.ndarray) -> None:
        """The ball is to be here at the end of the next frame; called where `minds_ball`."""
        ...

    # A peer that can stop the ball where the body has no way out has `ball_place` (3,), where the
    # ball is after a step; without it the ball goes where it is moved.

    def step(self, targets: Mapping[str, np.ndarray]) -> np.ndarray:
        """The next configuration, with these joints wanted where given."""
        ...

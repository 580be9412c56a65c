"""The adapter protocol: a peer poses a body frame by frame from joint targets. NumPy only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

# Stopping rule of all peers: every target within this distance, or the iteration limit.
MET_M = 0.001
ITERATIONS = 10
STILL_RAD = 1e-4  # largest joint step below which the iteration ends
PIN_WEIGHT = 10.0  # weight of a pin relative to a target (on the error, not its square)


REACH_M = 0.05


def within_reach(here: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """The point towards the goal, at most REACH_M away.

    Solvers that linearise contacts approach far targets in steps, so that they do not jump over
    obstacles.
    """
    away = goal - here
    length = float(np.linalg.norm(away))
    return goal if length <= REACH_M else here + (REACH_M / length) * away


class Peer(Protocol):
    """Poses a body towards targets, one frame at a time."""

    settings: dict[str, Any]  # printed with the results
    avoids_ball: bool  # whether it can avoid a moving ball

    def start(self, q: np.ndarray, pins: Mapping[str, np.ndarray]) -> None:
        """Start a drag at configuration q with joints pinned at world positions (metres)."""
        ...

    def move_ball(self, position: np.ndarray) -> None:
        """Set the ball's position at the end of the next frame; called if `avoids_ball`."""
        ...

    # A peer that can stop the ball has `ball_place` (3,), the ball's position after a step; without
    # it the ball follows its path.

    def step(self, targets: Mapping[str, np.ndarray]) -> np.ndarray:
        """The next configuration (n,), towards the joints' target positions."""
        ...

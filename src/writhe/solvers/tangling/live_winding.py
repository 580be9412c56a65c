"""Winding step by step towards a goal that may move, such as the value of a slider."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.solvers.tangling.goals import Tangle
from writhe.solvers.tangling.stepper import TangleStepper

PATIENCE = 20  # steps without progress after which winding has stalled
_PROGRESS = 0.995  # factor of the merit that counts as progress
_GOAL_MOVED = 1.5  # factor of the merit by which it rises when the goal was changed


@dataclass
class LiveWinding:
    """A stepper with one goal and the configuration that it reached."""

    stepper: TangleStepper
    q: Floats
    best: float = np.inf  # the smallest merit so far
    since: int = 0  # steps since the merit last improved

    def move(self, goal: Tangle, steps: int) -> tuple[bool, bool]:
        """Take up to `steps` certified steps; whether the goal is reached, whether it stalled."""
        stepper, steps = self.stepper, max(1, steps)
        stepper.set_target(0, goal)
        stepper.update(self.q)
        before, reached = stepper.merit(self.q), False
        for _ in range(steps):
            self.q = stepper.step(self.q)
            stepper.update(self.q)
            reached = bool(stepper.reached().all())
            if reached:
                break
        merit = stepper.merit(self.q)
        if before > _GOAL_MOVED * self.best or merit < _PROGRESS * self.best:
            self.best, self.since = merit, 0
        else:
            self.since += steps
        return reached, not reached and self.since >= PATIENCE

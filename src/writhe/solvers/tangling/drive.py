"""What is driven from outside: a captured partner, an animated thing, frame by frame."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, floats
from writhe.kernels import kinematics
from writhe.skeleton import Skeleton


class Drive:
    """A path (frames, nq) that the driven part of a scene follows, by its own clock.

    The clock stands still while the gate stops a step: what cannot be evaded waits. `waited` counts
    the frames lost so.
    """

    def __init__(self, skeleton: Skeleton, path: Floats, frames_a_step: float = 1.0) -> None:
        self.skeleton = skeleton
        self.path = floats(path, (None, skeleton.configuration_size), "the driven path")
        self.frames_a_step = frames_a_step
        self.clock = 0.0
        self.waited = 0.0

    @property
    def ended(self) -> bool:
        """Whether the path is at its end."""
        return self.clock >= len(self.path) - 1

    def step(self, q: Floats) -> Floats:
        """(nv,) the tangent step from q to where the driven part is next."""
        after = min(self.clock + self.frames_a_step, len(self.path) - 1.0)
        there = np.empty((1, len(q)))
        kinematics.interpolate_batch(
            self.skeleton.tree, self.path, np.array([after]), there
        )
        out = np.empty(self.skeleton.dof_count)
        kinematics.difference(self.skeleton.tree, q, there[0], out)
        return out

    def advance(self, fraction: float) -> None:
        """The step was taken up to this fraction."""
        if not self.ended:
            self.clock += fraction * self.frames_a_step
            self.waited += (1.0 - fraction) * self.frames_a_step

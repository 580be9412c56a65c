"""What is driven from outside: a captured partner, an animated thing, frame by frame."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, floats
from writhe.errors import WritheError
from writhe.kernels.skeleton import kinematics
from writhe.skeleton import Skeleton


class Drive:
    """A path (frames, nq) that the driven part of a scene follows, by its own clock.

    The clock stands still while the gate stops a step: what cannot be evaded waits. `waited` counts
    the frames lost so.
    """

    def __init__(self, skeleton: Skeleton, path: Floats, frames_a_step: float = 1.0) -> None:
        self.skeleton = skeleton
        self.path = floats(path, (None, skeleton.configuration_size), "the driven path")
        if len(self.path) < 2:
            raise WritheError("a driven path has two frames or more")
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
        before = min(int(after), len(self.path) - 2)
        there, out = np.empty_like(q), np.empty(self.skeleton.dof_count)
        tree = self.skeleton.tree
        kinematics.interpolate(
            tree, self.path[before], self.path[before + 1], after - before, there
        )
        kinematics.difference(tree, q, there, out)
        return out

    def advance(self, fraction: float) -> None:
        """The step was taken up to this fraction."""
        if not self.ended:
            self.clock += fraction * self.frames_a_step
            self.waited += (1.0 - fraction) * self.frames_a_step

"""Prescribed motion of a part of the scene: a captured partner, an animated object."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, floats
from writhe.errors import WritheError
from writhe.kernels.skeleton import kinematics
from writhe.skeleton import Skeleton


class DrivenMotion:
    """A path (frames, nq) that the driven part of a scene follows, with a clock in frames.

    Where the gate shortens a step the clock advances by that fraction only; `delayed_frames` counts
    the frames lost.
    """

    def __init__(self, skeleton: Skeleton, path: Floats, frames_per_step: float = 1.0) -> None:
        self.skeleton = skeleton
        self.path = floats(path, (None, skeleton.configuration_size), "the driven path")
        if len(self.path) < 2:
            raise WritheError(f"a driven path needs two frames or more, not {len(self.path)}")
        self.frames_per_step = frames_per_step
        self.clock = 0.0
        self.delayed_frames = 0.0

    @property
    def finished(self) -> bool:
        """Whether the clock is at the end of the path."""
        return self.clock >= len(self.path) - 1

    def step(self, q: Floats) -> Floats:
        """(nv,) the tangent step from q to the next configuration of the path."""
        after = min(self.clock + self.frames_per_step, len(self.path) - 1.0)
        before = min(int(after), len(self.path) - 2)
        there, out = np.empty_like(q), np.empty(self.skeleton.dof_count)
        tree = self.skeleton.tree
        kinematics.interpolate(
            tree, self.path[before], self.path[before + 1], after - before, there
        )
        kinematics.difference(tree, q, there, out)
        return out

    def advance(self, fraction: float) -> None:
        """Advance the clock by the fraction of a step that was taken."""
        if not self.finished:
            self.clock += fraction * self.frames_per_step
            self.delayed_frames += (1.0 - fraction) * self.frames_per_step

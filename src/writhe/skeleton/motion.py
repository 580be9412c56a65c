"""A motion: configurations of one skeleton at a constant rate."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from writhe.arguments import check_fields, checked
from writhe.arrays import Floats, floats, number
from writhe.errors import WritheError
from writhe.kernels.skeleton import kinematics as kernels
from writhe.skeleton.configurations import configurations
from writhe.skeleton.kinematics import Frames, forward
from writhe.skeleton.skeleton import Skeleton


@dataclass(frozen=True)
class Motion:
    """Frames of one skeleton: `q` (frames, nq) at `fps` frames per second.

    `source` keeps what a file format needs to write the motion as it was read (channel order,
    units); it does not affect the motion.
    """

    skeleton: Skeleton
    q: Floats
    fps: float
    name: str = "motion"
    source: dict[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        check_fields(self)
        q = configurations(self.skeleton, self.q, f"the motion {self.name!r}", unit=False)
        if len(q) == 0:
            raise WritheError(f"the motion {self.name!r} has no frames")
        if not (np.isfinite(self.fps) and self.fps > 0):
            raise WritheError(f"frames per second must be positive, not {self.fps}")
        object.__setattr__(self, "q", q)

    def __len__(self) -> int:
        return len(self.q)

    @property
    def duration_s(self) -> float:
        """Seconds from the first frame to the last."""
        return (len(self) - 1) / self.fps

    def frames(self) -> Frames:
        """World frames of all joints at all frames."""
        return forward(self.skeleton, self.q)

    @checked
    def at(self, times_s: ArrayLike) -> Floats:
        """Configurations (times, nq) interpolated at times in seconds, clamped to the motion."""
        times = floats(np.atleast_1d(times_s), (None,), "times") * self.fps
        out = np.empty((len(times), self.skeleton.configuration_size))
        kernels.interpolate_batch(self.skeleton.tree, self.q, times, out)
        return out

    @checked
    def resample(self, fps: float) -> Motion:
        """The same motion at another rate."""
        number(fps, "frames per second", above=0.0, maximum=1e6)
        count = max(1, int(np.floor(self.duration_s * fps + 1e-9)) + 1)
        return replace(self, q=self.at(np.arange(count) / fps), fps=fps)

    @checked
    def slice(self, start: int, stop: int) -> Motion:
        """Frames start .. stop-1."""
        return replace(self, q=self.q[start:stop])

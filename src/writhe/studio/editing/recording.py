"""Poses recorded during drags, saved as a clip."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton import Motion, Skeleton

_MAX_POSES = 20_000


@dataclass
class Recording:
    """Poses recorded during drags, with their times."""

    start_s: float  # time on the timeline at which the recording begins
    began: float | None = None  # clock time at the first pose
    times_s: list[float] = field(default_factory=list[float])
    q: list[Floats] = field(default_factory=list[Floats])

    def add(self, q: Floats) -> None:
        """Record a pose now; further poses than 20,000 are dropped."""
        if len(self.q) > _MAX_POSES:
            return
        now = time.perf_counter()
        if self.began is None:
            self.began = now
        self.times_s.append(now - self.began)
        self.q.append(q.copy())

    def clip(self, skeleton: Skeleton, fps: float) -> Motion:
        """The recorded motion at a constant frame rate."""
        times = np.array(self.times_s)
        count = max(2, int(times[-1] * fps) + 1)
        frame_times = np.arange(count) / fps
        # poses were recorded at uneven times: map frame times to fractional indices of poses, then
        # interpolate between these poses
        index = np.interp(frame_times, times, np.arange(len(times), dtype=float))
        q = Motion(skeleton, np.array(self.q), 1.0).at(index)
        return Motion(skeleton, q, fps, "Recorded drag")

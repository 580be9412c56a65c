"""What the tracks of an actor say about its pose at a time.

Pose keys are joined by cubics in the tangent space of the earlier key. Slopes are taken from the
neighbours and limited so that no coordinate overshoots a key (Fritsch and Carlson 1980, "Monotone
piecewise cubic interpolation", SIAM J. Numerical Analysis 17(2)). Over a clip the keys form a
layer: what is interpolated is their difference from the clip, and it fades out beyond the keys.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton import Motion, Skeleton
from writhe.skeleton.kinematics import difference, integrate

FADE_S = 1.0  # how long a layer takes to fade out beyond its outermost keys


@dataclass(frozen=True)
class PoseKeys:
    """Keys in order of time: `q` (k, nq)."""

    times_s: Floats
    q: Floats
    ease: tuple[str, ...]


@dataclass(frozen=True)
class ActorTimeline:
    """The pose track and the clip of one actor, ready to be asked."""

    skeleton: Skeleton
    keys: PoseKeys | None = None
    clip: Motion | None = None
    clip_start_s: float = 0.0
    _slopes: list[Floats] = field(default_factory=list[Floats])

    @property
    def empty(self) -> bool:
        """Whether no track says anything."""
        return self.keys is None and self.clip is None

    @property
    def end_s(self) -> float:
        """When the last key or the clip ends."""
        last = float(self.keys.times_s[-1]) if self.keys is not None else 0.0
        if self.clip is not None:
            last = max(last, self.clip_start_s + self.clip.duration_s)
        return last

    def at(self, time_s: float) -> Floats:
        """The configuration at a time."""
        if self.clip is None:
            if self.keys is None:
                return self.skeleton.rest_configuration
            return self._keyed(time_s)
        ground = self._ground(time_s)
        if self.keys is None:
            return ground
        return integrate(self.skeleton, ground, self._layer(time_s))

    def sample(self, times_s: Floats) -> Floats:
        """Configurations (times, nq)."""
        if self.keys is None and self.clip is not None:
            return self.clip.at(times_s - self.clip_start_s)
        return np.stack([self.at(float(t)) for t in times_s])

    def _ground(self, time_s: float) -> Floats:
        assert self.clip is not None
        return self.clip.at([time_s - self.clip_start_s])[0]

    def _span(self, time_s: float) -> tuple[int, float]:
        """The key before a time and how far the time is from it, in 0..1, to the next."""
        assert self.keys is not None
        times = self.keys.times_s
        if time_s <= times[0]:
            return 0, 0.0
        if time_s >= times[-1]:
            return len(times) - 1, 0.0
        i = int(np.searchsorted(times, time_s, side="right")) - 1
        return i, float((time_s - times[i]) / (times[i + 1] - times[i]))

    def _keyed(self, time_s: float) -> Floats:
        assert self.keys is not None
        keys = self.keys
        i, u = self._span(time_s)
        if u == 0.0 or keys.ease[i] == "hold":
            return keys.q[i]
        step = difference(self.skeleton, keys.q[i], keys.q[i + 1])
        if keys.ease[i] == "linear":
            return integrate(self.skeleton, keys.q[i], u * step)
        span = float(keys.times_s[i + 1] - keys.times_s[i])
        start, end = self._slope(i) * span, self._slope(i + 1) * span
        return integrate(self.skeleton, keys.q[i], _cubic(u, step, start, end))

    def _slope(self, i: int) -> Floats:
        """Tangent velocity at key i: zero at the ends and at turning points, else limited."""
        if not self._slopes:
            self._slopes.extend(self._all_slopes())
        return self._slopes[i]

    def _all_slopes(self) -> list[Floats]:
        assert self.keys is not None
        keys = self.keys
        rates = [
            difference(self.skeleton, keys.q[i], keys.q[i + 1])
            / (keys.times_s[i + 1] - keys.times_s[i])
            for i in range(len(keys.times_s) - 1)
        ]
        return monotone_slopes(np.array(rates), self.skeleton.dof_count)

    def _layer(self, time_s: float) -> Floats:
        assert self.keys is not None
        times = self.keys.times_s
        offsets = self._offsets()
        i, u = self._span(time_s)
        if time_s < times[0] or time_s > times[-1]:
            away = max(times[0] - time_s, time_s - times[-1])
            return offsets[i] * _ease(max(0.0, 1.0 - away / FADE_S))
        if u == 0.0 or self.keys.ease[i] == "hold":
            return offsets[i]
        w = u if self.keys.ease[i] == "linear" else _ease(u)
        return (1.0 - w) * offsets[i] + w * offsets[i + 1]

    def _offsets(self) -> list[Floats]:
        """How far each key stands from the clip at its time; kept where slopes would be."""
        assert self.keys is not None
        if not self._slopes:
            self._slopes.extend(
                difference(self.skeleton, self._ground(float(t)), q)
                for t, q in zip(self.keys.times_s, self.keys.q, strict=True)
            )
        return self._slopes


def _ease(u: float) -> float:
    return u * u * (3.0 - 2.0 * u)


def _cubic(u: float, step: Floats, start: Floats, end: Floats) -> Floats:
    """Hermite cubic from 0 to `step` with the given end slopes, at u in 0..1."""
    u2, u3 = u * u, u * u * u
    return (u3 - 2 * u2 + u) * start + (3 * u2 - 2 * u3) * step + (u3 - u2) * end


def monotone_slopes(rates: Floats, size: int) -> list[Floats]:
    """Slopes at the keys for the rates (k - 1, size) between them, so that nothing overshoots."""
    slopes = [np.zeros(size)]
    for before, after in pairwise(rates):
        same_way = before * after > 0
        limit = 3.0 * np.minimum(np.abs(before), np.abs(after))
        middle = 0.5 * (before + after)
        slopes.append(np.where(same_way, np.clip(middle, -limit, limit), 0.0))
    slopes.append(np.zeros(size))
    return slopes

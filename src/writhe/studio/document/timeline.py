"""What the tracks of an actor say about its pose at a time.

Pose keys are joined by cubics in the tangent space of the earlier key. Slopes are taken from the
neighbours and limited so that no coordinate overshoots a key (Fritsch and Carlson 1980, "Monotone
piecewise cubic interpolation", SIAM J. Numerical Analysis 17(2)). Over a clip the keys form a
layer: what is interpolated is their difference from the clip, and it fades out beyond the keys. A
way is sampled motion from one key to a later one (planned, wound, pushed clear); keys within it are
a layer over it in the same manner.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton import Motion, Skeleton
from writhe.skeleton.kinematics import difference, integrate

FADE_S = 1.0  # how long a layer takes to fade out beyond its outermost keys
_AT_S = 1e-4  # times nearer than this are the same


@dataclass(frozen=True)
class PoseKeys:
    """Keys in order of time: `q` (k, nq)."""

    times_s: Floats
    q: Floats
    ease: tuple[str, ...]


@dataclass(frozen=True)
class Way:
    """Sampled motion in place of what keys would be joined by."""

    start_s: float
    motion: Motion

    @property
    def end_s(self) -> float:
        """When it is over."""
        return self.start_s + self.motion.duration_s

    def covers(self, time_s: float) -> bool:
        """Whether it says where the actor is at a time."""
        return self.start_s - _AT_S <= time_s <= self.end_s + _AT_S

    def at(self, time_s: float) -> Floats:
        """The configuration at a time."""
        return self.motion.at([time_s - self.start_s])[0]

    def velocity(self, *, at_end: bool) -> Floats:
        """Tangent velocity as it starts or ends."""
        q = self.motion.q[-2:] if at_end else self.motion.q[:2]
        return self.motion.fps * difference(self.motion.skeleton, q[0], q[1])


@dataclass(frozen=True)
class ActorTimeline:
    """The pose track, the clip and the ways of one actor, ready to be asked."""

    skeleton: Skeleton
    keys: PoseKeys | None = None
    clip: Motion | None = None
    clip_start_s: float = 0.0
    ways: tuple[Way, ...] = ()
    _slopes: list[Floats] = field(default_factory=list[Floats])

    @property
    def empty(self) -> bool:
        """Whether no track says anything."""
        return self.keys is None and self.clip is None and not self.ways

    @property
    def end_s(self) -> float:
        """When the last key or the clip ends."""
        last = float(self.keys.times_s[-1]) if self.keys is not None else 0.0
        if self.clip is not None:
            last = max(last, self.clip_start_s + self.clip.duration_s)
        return max([last, *(way.end_s for way in self.ways)])

    def at(self, time_s: float) -> Floats:
        """The configuration at a time."""
        for way in self.ways:
            if way.covers(time_s):
                return self._over(way, time_s)
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
        if self.keys is None and self.clip is not None and not self.ways:
            return self.clip.at(times_s - self.clip_start_s)
        return np.stack([self.at(float(t)) for t in times_s])

    def _over(self, way: Way, time_s: float) -> Floats:
        """A way with the keys that stand within it laid over it."""
        inside = (
            [] if self.keys is None else np.flatnonzero([way.covers(t) for t in self.keys.times_s])
        )
        if self.keys is None or not len(inside):
            return way.at(time_s)
        times = self.keys.times_s[inside]
        after = int(np.searchsorted(times, time_s, side="right"))
        near = [inside[max(after - 1, 0)], inside[min(after, len(inside) - 1)]]
        offsets = [
            difference(self.skeleton, way.at(float(self.keys.times_s[k])), self.keys.q[k])
            for k in near
        ]
        start, end = (float(self.keys.times_s[k]) for k in near)
        u = _ease((time_s - start) / (end - start)) if end > start else 0.0
        return integrate(self.skeleton, way.at(time_s), (1.0 - u) * offsets[0] + u * offsets[1])

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
        rates = np.array(
            [
                difference(self.skeleton, keys.q[i], keys.q[i + 1])
                / (keys.times_s[i + 1] - keys.times_s[i])
                for i in range(len(keys.times_s) - 1)
            ]
        )
        slopes = monotone_slopes(rates, self.skeleton.dof_count)
        # where a way begins or ends at a key, what joins it goes on as the way does
        for way in self.ways:
            for i, time_s in enumerate(keys.times_s):
                ends = abs(time_s - way.end_s) < _AT_S
                if ends or abs(time_s - way.start_s) < _AT_S:
                    beside = rates[min(i, len(rates) - 1) if ends else max(i - 1, 0)]
                    slopes[i] = _limited(way.velocity(at_end=ends), beside)
        return slopes

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
        smaller = np.where(np.abs(before) < np.abs(after), before, after)
        slopes.append(_limited(0.5 * (before + after), np.where(before * after > 0, smaller, 0.0)))
    slopes.append(np.zeros(size))
    return slopes


def _limited(slope: Floats, rate: Floats) -> Floats:
    """A slope that does not overshoot where the rate on a side is this."""
    return np.where(slope * rate > 0, np.clip(slope, -3.0 * np.abs(rate), 3.0 * np.abs(rate)), 0.0)

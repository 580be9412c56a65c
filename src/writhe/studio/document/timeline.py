"""The pose of an actor at a time, from its tracks.

Pose keys are interpolated by cubics in the tangent space of the earlier key. Slopes are taken from
the neighbours and limited so that no coordinate overshoots a key (Fritsch and Carlson 1980,
"Monotone piecewise cubic interpolation", SIAM J. Numerical Analysis 17(2)). Over a clip the keys
form a layer: their difference from the clip is interpolated, and it fades out beyond the keys. A
sampled track is motion from one key to a later one (planned, wound, pushed clear); keys within it
form a layer over it in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from writhe.arrays import Floats
from writhe.easing import smoothstep
from writhe.skeleton import Motion, Skeleton
from writhe.skeleton.kinematics import difference, integrate

MAX_FRAMES = 20_000  # of a motion that is shown, certified or imported
FADE_S = 1.0  # how long a layer takes to fade out beyond its outermost keys
_AT_S = 1e-4  # times that differ by less than this are equal


@dataclass(frozen=True)
class PoseKeys:
    """Pose keys in order of time; `q` (k, nq)."""

    times_s: Floats
    q: Floats
    ease: tuple[str, ...]


@dataclass(frozen=True)
class SampledTrack:
    """Sampled motion that replaces the interpolation between two keys."""

    start_s: float
    motion: Motion

    @property
    def end_s(self) -> float:
        """Its end time."""
        return self.start_s + self.motion.duration_s

    def covers(self, time_s: float) -> bool:
        """Whether a time lies within the track."""
        return self.start_s - _AT_S <= time_s <= self.end_s + _AT_S

    def at(self, time_s: float) -> Floats:
        """The configuration at a time."""
        return self.motion.at([time_s - self.start_s])[0]

    def velocity(self, *, at_end: bool) -> Floats:
        """Tangent velocity (nv,) at its start or end."""
        q = self.motion.q[-2:] if at_end else self.motion.q[:2]
        return self.motion.fps * difference(self.motion.skeleton, q[0], q[1])


@dataclass(frozen=True)
class ActorTimeline:
    """The pose keys, the clip and the sampled tracks of one actor, evaluated at a time."""

    skeleton: Skeleton
    keys: PoseKeys | None = None
    clip: Motion | None = None
    clip_start_s: float = 0.0
    sampled_tracks: tuple[SampledTrack, ...] = ()
    _slopes: list[Floats] = field(default_factory=list[Floats])

    @property
    def empty(self) -> bool:
        """Whether the actor has no keys, no clip and no sampled tracks."""
        return self.keys is None and self.clip is None and not self.sampled_tracks

    @property
    def end_s(self) -> float:
        """End time of the last key, clip or sampled track."""
        last = float(self.keys.times_s[-1]) if self.keys is not None else 0.0
        if self.clip is not None:
            last = max(last, self.clip_start_s + self.clip.duration_s)
        return max([last, *(sampled.end_s for sampled in self.sampled_tracks)])

    def at(self, time_s: float) -> Floats:
        """The configuration at a time."""
        for sampled in self.sampled_tracks:
            if sampled.covers(time_s):
                return self._over(sampled, time_s)
        if self.clip is None:
            if self.keys is None:
                return self.skeleton.rest_configuration
            return self._keyed(time_s)
        base = self._clip_pose(time_s)
        if self.keys is None:
            return base
        return integrate(self.skeleton, base, self._layer(time_s))

    def sample(self, times_s: Floats) -> Floats:
        """Configurations (times, nq)."""
        if self.keys is None and self.clip is not None and not self.sampled_tracks:
            return self.clip.at(times_s - self.clip_start_s)
        return np.stack([self.at(float(t)) for t in times_s])

    def _over(self, sampled: SampledTrack, time_s: float) -> Floats:
        """The pose of a sampled track with the keys within it as a layer."""
        inside = (
            []
            if self.keys is None
            else np.flatnonzero([sampled.covers(t) for t in self.keys.times_s])
        )
        if self.keys is None or not len(inside):
            return sampled.at(time_s)
        times = self.keys.times_s[inside]
        after = int(np.searchsorted(times, time_s, side="right"))
        near = [inside[max(after - 1, 0)], inside[min(after, len(inside) - 1)]]
        offsets = [
            difference(self.skeleton, sampled.at(float(self.keys.times_s[k])), self.keys.q[k])
            for k in near
        ]
        start, end = (float(self.keys.times_s[k]) for k in near)
        u = smoothstep((time_s - start) / (end - start)) if end > start else 0.0
        return integrate(self.skeleton, sampled.at(time_s), (1.0 - u) * offsets[0] + u * offsets[1])

    def _clip_pose(self, time_s: float) -> Floats:
        assert self.clip is not None
        return self.clip.at([time_s - self.clip_start_s])[0]

    def _span(self, time_s: float) -> tuple[int, float]:
        """Index of the key before a time, and the fraction 0..1 of the interval to the next key."""
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
        # at the ends of a sampled track the adjacent interpolation continues its velocity
        for sampled in self.sampled_tracks:
            for i, time_s in enumerate(keys.times_s):
                ends = abs(time_s - sampled.end_s) < _AT_S
                if ends or abs(time_s - sampled.start_s) < _AT_S:
                    beside = rates[min(i, len(rates) - 1) if ends else max(i - 1, 0)]
                    slopes[i] = _limited(sampled.velocity(at_end=ends), beside)
        return slopes

    def _layer(self, time_s: float) -> Floats:
        assert self.keys is not None
        times = self.keys.times_s
        offsets = self._offsets()
        i, u = self._span(time_s)
        if time_s < times[0] or time_s > times[-1]:
            outside = max(times[0] - time_s, time_s - times[-1])
            return offsets[i] * smoothstep(1.0 - outside / FADE_S)
        if u == 0.0 or self.keys.ease[i] == "hold":
            return offsets[i]
        w = u if self.keys.ease[i] == "linear" else smoothstep(u)
        return (1.0 - w) * offsets[i] + w * offsets[i + 1]

    def _offsets(self) -> list[Floats]:
        """Tangent difference of each key from the clip at its time; cached in place of slopes."""
        assert self.keys is not None
        if not self._slopes:
            self._slopes.extend(
                difference(self.skeleton, self._clip_pose(float(t)), q)
                for t, q in zip(self.keys.times_s, self.keys.q, strict=True)
            )
        return self._slopes


def _cubic(u: float, step: Floats, start: Floats, end: Floats) -> Floats:
    """Hermite cubic from 0 to `step` with the given end slopes, at u in 0..1."""
    u2, u3 = u * u, u * u * u
    return (u3 - 2 * u2 + u) * start + (3 * u2 - 2 * u3) * step + (u3 - u2) * end


def monotone_slopes(rates: Floats, size: int) -> list[Floats]:
    """Slopes (size,) at k keys for the rates (k - 1, size) between them, without overshoot."""
    slopes = [np.zeros(size)]
    for before, after in pairwise(rates):
        smaller = np.where(np.abs(before) < np.abs(after), before, after)
        slopes.append(_limited(0.5 * (before + after), np.where(before * after > 0, smaller, 0.0)))
    slopes.append(np.zeros(size))
    return slopes


def _limited(slope: Floats, rate: Floats) -> Floats:
    """The slope limited so that a cubic with this rate on one side does not overshoot."""
    return np.where(slope * rate > 0, np.clip(slope, -3.0 * np.abs(rate), 3.0 * np.abs(rate)), 0.0)

"""The pose of an actor at a time, from its tracks.

Between pose keys the pose follows their eased blend (`writhe.animation.keys`), corrected to keep
pins, limits and contacts (`studio.editing.in_betweens`). Over a clip, the keys form an additive
layer: their difference from the clip is interpolated, and fades out beyond the keys. A sampled
track is motion from one key to a later one (planned, wound, pushed clear); keys within it form a
layer over it in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from writhe.animation.keys import KeyBlend, limited_slope
from writhe.arrays import Floats
from writhe.easing import smoothstep
from writhe.kernels.skeleton import kinematics
from writhe.skeleton import Motion, Skeleton
from writhe.skeleton.kinematics import difference, integrate

MAX_FRAMES = 20_000  # of a motion that is displayed, certified or imported
FADE_S = 1.0  # time over which a layer fades out beyond its outermost keys
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


class SolvedSpan:
    """The frames (n, nq) of a span, evenly spaced from its first key to its last."""

    def __init__(self, skeleton: Skeleton, q: Floats) -> None:
        self._skeleton, self.q = skeleton, q

    def at(self, u: float) -> Floats:
        """The configuration at a fraction 0..1 of the span."""
        place = min(max(u, 0.0), 1.0) * (len(self.q) - 1)
        frame = min(int(place), len(self.q) - 2)
        share = place - frame
        if share < 1e-9:
            return self.q[frame].copy()
        out = np.empty(self.q.shape[1])
        pair = self.q[frame], self.q[frame + 1]
        kinematics.interpolate(self._skeleton.tree, *pair, share, out)
        return out


SolveSpan = Callable[[KeyBlend, int], SolvedSpan | None]


@dataclass(frozen=True)
class ActorTimeline:
    """The pose keys, the clip and the sampled tracks of one actor, evaluated at a time."""

    skeleton: Skeleton
    keys: PoseKeys | None = None
    clip: Motion | None = None
    clip_start_s: float = 0.0
    sampled_tracks: tuple[SampledTrack, ...] = ()
    solve_span: SolveSpan | None = None

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

    @cached_property
    def _blend(self) -> KeyBlend:
        """The eased blend of the keys."""
        keys = self.keys
        assert keys is not None
        blend = KeyBlend(self.skeleton, keys.times_s, keys.q, keys.ease)
        # at the ends of a sampled track the adjacent interpolation continues its velocity
        for sampled in self.sampled_tracks:
            for i, time_s in enumerate(keys.times_s):
                ends = abs(time_s - sampled.end_s) < _AT_S
                if len(blend.rates) and (ends or abs(time_s - sampled.start_s) < _AT_S):
                    beside = blend.rates[min(i, len(blend.rates) - 1) if ends else max(i - 1, 0)]
                    blend.slopes[i] = limited_slope(sampled.velocity(at_end=ends), beside)
        return blend

    def _keyed(self, time_s: float) -> Floats:
        blend = self._blend
        i, u = blend.span(time_s)
        if u == 0.0 or self.solve_span is None:
            return blend.at(time_s)
        if i not in self._solved:
            self._solved[i] = self.solve_span(blend, i)
        solved = self._solved[i]
        return blend.at(time_s) if solved is None else solved.at(u)

    @cached_property
    def _solved(self) -> dict[int, SolvedSpan | None]:
        """The spans solved so far, by the number of their first key."""
        return {}

    def _layer(self, time_s: float) -> Floats:
        assert self.keys is not None
        times = self.keys.times_s
        offsets = self._offsets
        i, u = self._blend.span(time_s)
        if time_s < times[0] or time_s > times[-1]:
            outside = max(times[0] - time_s, time_s - times[-1])
            return offsets[i] * smoothstep(1.0 - outside / FADE_S)
        if u == 0.0 or self.keys.ease[i] == "hold":
            return offsets[i]
        w = u if self.keys.ease[i] == "linear" else smoothstep(u)
        return (1.0 - w) * offsets[i] + w * offsets[i + 1]

    @cached_property
    def _offsets(self) -> list[Floats]:
        """Tangent difference of each key from the clip at its time."""
        assert self.keys is not None
        return [
            difference(self.skeleton, self._clip_pose(float(t)), q)
            for t, q in zip(self.keys.times_s, self.keys.q, strict=True)
        ]

"""The pose of an actor at a time, from its tracks.

Between pose keys the pose follows their eased blend (`writhe.animation.key_interpolation`),
corrected to keep pins, limits and contacts (`studio.editing.in_betweens`). Over a clip, the keys
form an additive layer: their difference from the clip is interpolated, and fades out beyond the
keys. A sampled track is motion from one key to a later one (planned, wound, pushed clear); keys
within it form a layer over it in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from writhe.animation.key_interpolation import KeyBlend, ease_progress, limited_slope
from writhe.arrays import Bools, Floats
from writhe.easing import smoothstep
from writhe.skeleton import Motion, Skeleton
from writhe.skeleton.configuration_paths import path_rows
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

    def with_key(self, time_s: float, q: Floats) -> PoseKeys:
        """These keys with the pose q (nq) at a time, in place of a key there."""
        others = np.abs(self.times_s - time_s) >= _AT_S
        at = int(np.searchsorted(self.times_s[others], time_s))
        kept = [ease for ease, other in zip(self.ease, others, strict=True) if other]
        replaced = [ease for ease, other in zip(self.ease, others, strict=True) if not other]
        return PoseKeys(
            np.insert(self.times_s[others], at, time_s),
            np.insert(self.q[others], at, q, axis=0),
            (*kept[:at], *(replaced[:1] or ["smooth"]), *kept[at:]),
        )


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
        return bool(self.covers_each(np.array([time_s]))[0])

    def covers_each(self, times_s: Floats) -> Bools:
        """(n,) whether times (n,) lie within the track."""
        return (times_s >= self.start_s - _AT_S) & (times_s <= self.end_s + _AT_S)

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

    def sample(self, u: Floats) -> Floats:
        """(n, nq) configurations at fractions u (n,), each 0..1, of the span."""
        at = np.clip(u, 0.0, 1.0) * (len(self.q) - 1)
        frames = np.rint(at).astype(np.int64)
        if np.abs(at - frames).max(initial=0.0) < 1e-6:
            return self.q[frames]
        return path_rows(self._skeleton, self.q, at)


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
    environment: object = None  # identifies what solved spans depend on besides the keys

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
        return self.sample(np.array([time_s]))[0]

    def sample(self, times_s: Floats, *, solved_only: bool = False) -> Floats:
        """Configurations (times, nq).

        With `solved_only`, spans that are not solved yet follow the blend of their keys.
        """
        if self.clip is not None:
            out = self._layered(times_s)
        elif self.keys is not None:
            out = self._keyed(times_s, solved_only)
        else:
            out = np.tile(self.skeleton.rest_configuration, (len(times_s), 1))
        for sampled in self.sampled_tracks:
            inside = sampled.covers_each(times_s)
            for frame in np.flatnonzero(inside):
                out[frame] = self._over(sampled, float(times_s[frame]))
        return out

    def adopt(self, earlier: ActorTimeline) -> None:
        """Take over the solved spans of an earlier timeline whose keys are the same."""
        if self.keys is None or earlier.keys is None or self.solve_span is None:
            return
        if self.environment != earlier.environment or self.clip is not None:
            return
        new, old = self._blend, earlier._blend
        if new.q.shape[1] != old.q.shape[1] or min(len(new.q), len(old.q)) < 2:
            return
        at = np.minimum(np.searchsorted(old.times_s, new.times_s[:-1]), len(old.times_s) - 2)
        same = np.ones(len(at), dtype=bool)
        for k in range(2):
            here = slice(k, k + len(at))
            same &= new.times_s[here] == old.times_s[at + k]
            same &= (new.q[here] == old.q[at + k]).all(axis=1)
            same &= (new.slopes[here] == old.slopes[at + k]).all(axis=1)
        for i in np.flatnonzero(same):
            j = int(at[i])
            if j in earlier._solved and new.ease[i] == old.ease[j]:
                self._solved[int(i)] = earlier._solved[j]

    def solve_near(self, time_s: float, enough: Callable[[], bool]) -> bool:
        """Solve spans in the order of their distance from a time, until `enough` or all are.

        Returns whether all are solved. Those solved before, with the same keys, are found again.
        """
        if self.keys is None or self.clip is not None or self.solve_span is None:
            return True
        blend, times = self._blend, self.keys.times_s
        apart = np.maximum(times[:-1] - time_s, time_s - times[1:])
        for i in np.argsort(apart, kind="stable"):
            if int(i) not in self._solved:
                if enough():
                    return False
                self._solved[int(i)] = self.solve_span(blend, int(i))
        return True

    def _layered(self, times_s: Floats) -> Floats:
        """The clip with the keys as a layer."""
        assert self.clip is not None
        out = self.clip.at(times_s - self.clip_start_s)
        if self.keys is None:
            return out
        start, end = self.keys.times_s[[0, -1]]
        near = (times_s > start - FADE_S) & (times_s < end + FADE_S)
        for frame in np.flatnonzero(near):
            out[frame] = integrate(self.skeleton, out[frame], self._layer(float(times_s[frame])))
        return out

    def _over(self, sampled: SampledTrack, time_s: float) -> Floats:
        """The pose of a sampled track with the keys within it as a layer."""
        if self.keys is None:
            return sampled.at(time_s)
        inside = np.flatnonzero([sampled.covers(t) for t in self.keys.times_s])
        if not len(inside):
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

    def _keyed(self, times_s: Floats, solved_only: bool) -> Floats:
        """The keys' blend, corrected in the spans between them."""
        blend = self._blend
        out = blend.sample(times_s)
        if self.solve_span is None:
            return out
        span, u = blend.spans(times_s)
        order = np.argsort(span, kind="stable")
        first = np.flatnonzero(np.diff(span[order], prepend=-1))
        for at in np.split(order, first[1:]):
            i, between = int(span[at[0]]), at[u[at] > 0.0]
            if not len(between):
                continue
            if i not in self._solved and not solved_only:
                self._solved[i] = self.solve_span(blend, i)
            solved = self._solved.get(i)
            if solved is not None:
                out[between] = solved.sample(u[between])
        return out

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
        w = float(ease_progress(self.keys.ease[i], np.array([u]))[0])
        return (1.0 - w) * offsets[i] + w * offsets[i + 1]

    @cached_property
    def _offsets(self) -> list[Floats]:
        """Tangent difference of each key from the clip at its time."""
        assert self.keys is not None
        return [
            difference(self.skeleton, self._clip_pose(float(t)), q)
            for t, q in zip(self.keys.times_s, self.keys.q, strict=True)
        ]

"""`BezierCurve`: a channel of an animation program, and bounds of its difference from lines."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from writhe.arguments import check_fields, checked
from writhe.arrays import Bools, Floats, Ints, floats
from writhe.errors import WritheError

_ROUNDING = 1e-11  # of the largest value of a curve


@dataclass(frozen=True)
class BezierCurve:
    """A channel: keys at `times_s` (k,) with `values` (k,), and handles (k, 2) as (time, value).

    The curve is constant before the first key and after the last one. Handles that overlap in time
    are shortened in proportion, as Blender does, so that the curve has one value at each time.
    """

    times_s: Floats
    values: Floats
    left: Floats
    right: Floats

    def __post_init__(self) -> None:
        check_fields(self)
        times = floats(self.times_s, (None,), "the times of a curve")
        count = len(times)
        if count == 0 or (np.diff(times) <= 0).any():
            raise WritheError("a curve needs keys at increasing times")
        for name, shape in (("values", (count,)), ("left", (count, 2)), ("right", (count, 2))):
            object.__setattr__(self, name, floats(getattr(self, name), shape, f"{name} of a curve"))
        object.__setattr__(self, "times_s", times)
        if (self.left[:, 0] > times).any() or (self.right[:, 0] < times).any():
            raise WritheError("the handles of a key must be before and after it")

    @classmethod
    @checked
    def linear(cls, times_s: ArrayLike, values: ArrayLike) -> BezierCurve:
        """Straight lines between keys."""
        times = floats(times_s, (None,), "the times of a curve")
        levels = floats(values, (len(times),), "the values of a curve")
        left, right = np.stack([times, levels], axis=1), np.stack([times, levels], axis=1)
        left[1:] -= np.diff(left, axis=0) / 3
        right[:-1] += np.diff(right, axis=0) / 3
        return cls(times, levels, left, right)

    def at(self, times_s: Floats) -> Floats:
        """Values at times (t,)."""
        return self.sampled(times_s)[0]

    def errors(self, times_s: Floats) -> Floats:
        """(t - 1,) bounds of the distance from straight lines between the values at times (t,).

        All keys between the first and the last time must be among the times.
        """
        return self.sampled(times_s)[1]

    def sampled(
        self, times_s: Floats, timings: dict[bytes, CurveTiming] | None = None
    ) -> tuple[Floats, Floats]:
        """Values (t,) at times (t,), and the bounds `errors` (t - 1,).

        timings: those of other curves at the same times; curves whose keys and handles lie at the
        same times share one.
        """
        if self._is_straight:
            return np.interp(times_s, self.times_s, self.values), np.zeros(len(times_s) - 1)
        x, y = self._segments[:, :, 0], self._segments[:, :, 1]
        key = x.tobytes()
        timing = None if timings is None else timings.get(key)
        if timing is None:
            timing = CurveTiming.of(np.ascontiguousarray(x), times_s)
            if timings is not None:
                timings[key] = timing
        points = y[timing.segment]
        values = np.einsum("tk,tk->t", timing.weights, points)
        step = np.diff(values)
        out = np.zeros(len(step))
        for weights, share in timing.inner:
            inner = np.einsum("tk,tk->t", weights, points[:-1])
            out = np.maximum(out, np.abs(inner - (values[:-1] + step * share)))
        return values, np.where(timing.inside, out, 0.0)

    @cached_property
    def _segments(self) -> Floats:
        """(k - 1, 4, 2) control points, handles that overlap in time shortened."""
        ends = np.stack([self.times_s, self.values], axis=1)
        first, last = self.right[:-1] - ends[:-1], self.left[1:] - ends[1:]
        long = first[:, 0] - last[:, 0]
        factor = np.minimum(1.0, np.diff(self.times_s) / np.maximum(long, 1e-300))[:, None]
        return np.stack(
            [ends[:-1], ends[:-1] + factor * first, ends[1:] + factor * last, ends[1:]], axis=1
        )

    @cached_property
    def _is_straight(self) -> bool:
        """Whether all control points lie on the lines between keys, but for rounding."""
        if len(self.times_s) == 1:
            return True
        points = self._segments
        ends, inner = points[:, [0, 3]], points[:, 1:3]
        slope = np.diff(self.values) / np.diff(self.times_s)
        line = ends[:, :1, 1] + slope[:, None] * (inner[:, :, 0] - ends[:, :1, 0])
        return bool(np.abs(inner[:, :, 1] - line).max() <= _ROUNDING * np.abs(self.values).max())


@dataclass(frozen=True)
class CurveTiming:
    """Where times (t,) lie on curves whose control points have certain times.

    segment: (t,) of each time; weights: (t, 4) of its control values in the value at that time.
    inner: for the two inner control points of the part from each time but the last to the next, the
    weights (t - 1, 4), and where the point lies in that interval (t - 1,), 0 at its start and 1 at
    its end. inside: (t - 1,) whether an interval lies between the first key and the last.
    """

    segment: Ints
    weights: Floats
    inner: tuple[tuple[Floats, Floats], ...]
    inside: Bools

    @classmethod
    def of(cls, x: Floats, times_s: Floats) -> CurveTiming:
        """The timing of curves with segments between control times x (k - 1, 4)."""
        starts, ends = x[:, 0], x[:, 3]
        now = np.clip(times_s, starts[0], ends[-1])
        segment = np.clip(np.searchsorted(starts, now, side="right") - 1, 0, len(x) - 1)
        points = x[segment]
        s = _parameter(points, now)
        s = np.where(now >= ends[segment], 1.0, np.where(now <= starts[segment], 0.0, s))
        # the segment that begins at or before each time but the last, from s0 to s1
        s0 = s[:-1]
        s1 = np.where(s[1:] > s0, s[1:], 1.0)
        inner: list[tuple[Floats, Floats]] = []
        # control points of the part, by the blossom b(s0, s0, s1) and b(s0, s1, s1)
        for weights in (_blossom(s0, s0, s1), _blossom(s0, s1, s1)):
            at = np.einsum("tk,tk->t", weights, points[:-1])
            inner.append((weights, (at - times_s[:-1]) / np.diff(times_s)))
        inside = (times_s[:-1] >= starts[0]) & (times_s[1:] <= ends[-1])
        return cls(segment, _blossom(s, s, s), tuple(inner), inside)


def _parameter(x: Floats, now: Floats) -> Floats:
    """(t,) the s in [0, 1] at which increasing cubics with Bernstein coefficients (t, 4) are `now`.

    Newton's method, kept within a shrinking bracket.
    """
    c1 = 3.0 * (x[:, 1] - x[:, 0])
    c2 = 3.0 * (x[:, 2] - 2.0 * x[:, 1] + x[:, 0])
    c3 = x[:, 3] - x[:, 0] - 3.0 * (x[:, 2] - x[:, 1])
    low, high = np.zeros(len(now)), np.ones(len(now))
    away = now - x[:, 0]
    s = np.clip(away / np.maximum(x[:, 3] - x[:, 0], 1e-300), 0.0, 1.0)
    for _ in range(60):
        value = ((c3 * s + c2) * s + c1) * s - away
        before = value <= 0.0
        low, high = np.where(before, s, low), np.where(before, high, s)
        slope = (3.0 * c3 * s + 2.0 * c2) * s + c1
        step = s - value / np.where(slope > 0.0, slope, 1e-300)
        good = (slope > 0.0) & (step > low) & (step < high)
        last, s = s, np.where(good, step, 0.5 * (low + high))
        if np.abs(s - last).max(initial=0.0) < 1e-15:
            break
    return s


def _blossom(a: Floats, b: Floats, c: Floats) -> Floats:
    """(t, 4) weights of control points in de Casteljau's construction by three parameters."""
    u, v, w = 1.0 - a, 1.0 - b, 1.0 - c
    first, second = a * v * w + u * b * w + u * v * c, a * b * w + a * v * c + u * b * c
    return np.stack([u * v * w, first, second, a * b * c], axis=1)

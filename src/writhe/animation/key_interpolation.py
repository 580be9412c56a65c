"""Pose keys, and their eased blend.

Keys are interpolated by cubics in the tangent space of the earlier key. Slopes are taken from the
neighbours and limited so that no coordinate overshoots a key (Fritsch and Carlson 1980, "Monotone
piecewise cubic interpolation", SIAM J. Numerical Analysis 17(2)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from writhe.arguments import check_fields
from writhe.arrays import Floats, Ints, number
from writhe.easing import Handles, bezier_progress, ease_handles, read_ease, smoothstep
from writhe.errors import WritheError
from writhe.kernels.animation.key_blend import blend_rows, key_steps
from writhe.skeleton import Skeleton
from writhe.skeleton.configurations import configuration

LATEST_S = 1e5


@dataclass(frozen=True)
class Key:
    """A pose q (nq) at a time.

    `ease` is the interpolation to the next key: `smooth`, `linear`, `hold`, `ease_in`,
    `ease_out`, `ease_in_out`, or the handles (x1, y1, x2, y2) of a curve (`writhe.easing`).
    """

    time_s: float
    q: ArrayLike
    ease: str | Handles = "smooth"

    def __post_init__(self) -> None:
        check_fields(self)
        number(self.time_s, "the time of a key", minimum=-LATEST_S, maximum=LATEST_S)
        read_ease(self.ease)


def check_keys(skeleton: Skeleton, keys: Sequence[Key]) -> tuple[Floats, Floats]:
    """Times (k,) and poses (k, nq) of the keys; raises unless they fit and their times increase."""
    if not keys:
        raise WritheError("an animation needs at least one key")
    times = np.array([key.time_s for key in keys], dtype=np.float64)
    if np.any(np.diff(times) <= 0.0):
        late = int(np.argmax(np.diff(times) <= 0.0))
        raise WritheError(
            f"the times of keys must increase, but {times[late]:g} s is followed by"
            f" {times[late + 1]:g} s: sort the keys, and give each its own time"
        )
    rows = [
        configuration(skeleton, key.q, f"the key at {key.time_s:g} s", unit=False) for key in keys
    ]
    return times, np.array(rows)


class KeyBlend:
    """The eased blend of keys.

    times_s (k,), q (k, nq), an easing for each key (`writhe.easing`). slopes (k, nv): tangent
    velocities at the keys; by default those of the neighbours, without overshoot.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        times_s: Floats,
        q: Floats,
        ease: Sequence[str],
        slopes: Sequence[Floats] | None = None,
    ) -> None:
        self.skeleton, self.times_s, self.q, self.ease = skeleton, times_s, q, tuple(ease)
        self.steps = np.zeros((max(len(q) - 1, 0), skeleton.dof_count))
        key_steps(skeleton.tree, q, self.steps)
        self.lengths_s = np.diff(times_s)
        self.rates = self.steps / self.lengths_s[:, None] if len(q) > 1 else self.steps
        self.slopes = monotone_slopes(self.rates) if slopes is None else np.array(slopes)

    def span(self, time_s: float) -> tuple[int, float]:
        """Index of the key before a time, and the fraction 0..1 of the interval to the next key."""
        i, u = self.spans(np.array([time_s]))
        return int(i[0]), float(u[0])

    def spans(self, times_s: Floats) -> tuple[Ints, Floats]:
        """`span` of several times (n,): indices (n,) and fractions (n,)."""
        last = len(self.times_s) - 1
        at = np.clip(times_s, self.times_s[0], self.times_s[-1])
        i = np.clip(np.searchsorted(self.times_s, at, side="right") - 1, 0, last)
        inside = i < last
        u = np.zeros(len(at))
        before = i[inside]
        u[inside] = (at[inside] - self.times_s[before]) / self.lengths_s[before]
        return i, u

    def at(self, time_s: float) -> Floats:
        """The configuration at a time; before the first and after the last key that of the key."""
        return self.sample(np.array([time_s]))[0]

    def sample(self, times_s: Floats) -> Floats:
        """Configurations (times, nq)."""
        span, u = self.spans(times_s)
        progress, cubic = np.zeros(len(u)), np.zeros(len(u), dtype=np.int64)
        for i in np.unique(span):
            at = span == i
            ease = self.ease[int(i)]
            if ease == "smooth":
                cubic[at] = 1
            else:
                progress[at] = ease_progress(ease, u[at])
        out = np.empty((len(u), self.q.shape[1]))
        tree, lengths = self.skeleton.tree, self.lengths_s
        blend_rows(tree, self.q, self.steps, self.slopes, lengths, span, u, progress, cubic, out)
        return out


def ease_progress(ease: str, u: Floats) -> Floats:
    """(n,) progress from a key to the next at shares u (n,) of the time between them.

    Smooth keys are taken to have no neighbours beyond these two.
    """
    if ease == "hold":
        return np.zeros(len(u))
    handles = ease_handles(ease)
    if handles is None:
        return smoothstep(u)
    return u if ease == "linear" else bezier_progress(u, handles)


def monotone_slopes(rates: Floats) -> Floats:
    """(k, size) slopes at k keys for the rates (k - 1, size) between them, without overshoot."""
    slopes = np.zeros((len(rates) + 1, rates.shape[1]))
    before, after = rates[:-1], rates[1:]
    smaller = np.where(np.abs(before) < np.abs(after), before, after)
    same = np.where(before * after > 0, smaller, 0.0)
    slopes[1:-1] = limited_slope(0.5 * (before + after), same)
    return slopes


def limited_slope(slope: Floats, rate: Floats) -> Floats:
    """The slope limited so that a cubic with this rate on one side does not overshoot."""
    return np.where(slope * rate > 0, np.clip(slope, -3.0 * np.abs(rate), 3.0 * np.abs(rate)), 0.0)

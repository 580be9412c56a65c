"""Pose keys, and their eased blend.

Keys are interpolated by cubics in the tangent space of the earlier key. Slopes are taken from the
neighbours and limited so that no coordinate overshoots a key (Fritsch and Carlson 1980, "Monotone
piecewise cubic interpolation", SIAM J. Numerical Analysis 17(2)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from writhe.arguments import check_fields
from writhe.arrays import Floats, number
from writhe.errors import WritheError
from writhe.kernels.skeleton import kinematics
from writhe.skeleton import Skeleton
from writhe.skeleton.configurations import configuration

Ease = Literal["smooth", "linear", "hold"]
LATEST_S = 1e5


@dataclass(frozen=True)
class Key:
    """A pose q (nq) at a time. `ease` is the interpolation to the next key."""

    time_s: float
    q: ArrayLike
    ease: Ease = "smooth"

    def __post_init__(self) -> None:
        check_fields(self)
        number(self.time_s, "the time of a key", least=-LATEST_S, most=LATEST_S)


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

    times_s (k,), q (k, nq). slopes (k, nv): tangent velocities at the keys; by default those of the
    neighbours, without overshoot.
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
        for i, (a, b) in enumerate(pairwise(q)):
            kinematics.difference(skeleton.tree, a, b, self.steps[i])
        self.rates = self.steps / np.diff(times_s)[:, None] if len(q) > 1 else self.steps
        self.slopes = (
            monotone_slopes(self.rates, skeleton.dof_count) if slopes is None else list(slopes)
        )

    def span(self, time_s: float) -> tuple[int, float]:
        """Index of the key before a time, and the fraction 0..1 of the interval to the next key."""
        times = self.times_s
        if time_s <= times[0]:
            return 0, 0.0
        if time_s >= times[-1]:
            return len(times) - 1, 0.0
        i = int(np.searchsorted(times, time_s, side="right")) - 1
        return i, float((time_s - times[i]) / (times[i + 1] - times[i]))

    def at(self, time_s: float) -> Floats:
        """The configuration at a time; before the first and after the last key that of the key."""
        i, u = self.span(time_s)
        if u == 0.0 or self.ease[i] == "hold":
            return self.q[i].copy()
        step = self.steps[i]
        if self.ease[i] == "linear":
            moved = u * step
        else:
            length = float(self.times_s[i + 1] - self.times_s[i])
            moved = hermite_cubic(u, step, self.slopes[i] * length, self.slopes[i + 1] * length)
        out = np.empty(self.q.shape[1])
        kinematics.integrate(self.skeleton.tree, self.q[i], moved, out)
        return out

    def sample(self, times_s: Floats) -> Floats:
        """Configurations (times, nq)."""
        return np.stack([self.at(float(t)) for t in times_s])


def hermite_cubic(u: float, step: Floats, start: Floats, end: Floats) -> Floats:
    """Cubic from 0 to `step` with the given end slopes, at u in 0..1."""
    u2, u3 = u * u, u * u * u
    return (u3 - 2 * u2 + u) * start + (3 * u2 - 2 * u3) * step + (u3 - u2) * end


def monotone_slopes(rates: Floats, size: int) -> list[Floats]:
    """Slopes (size,) at k keys for the rates (k - 1, size) between them, without overshoot."""
    slopes = [np.zeros(size)]
    for before, after in pairwise(rates):
        smaller = np.where(np.abs(before) < np.abs(after), before, after)
        slopes.append(
            limited_slope(0.5 * (before + after), np.where(before * after > 0, smaller, 0.0))
        )
    slopes.append(np.zeros(size))
    return slopes


def limited_slope(slope: Floats, rate: Floats) -> Floats:
    """The slope limited so that a cubic with this rate on one side does not overshoot."""
    return np.where(slope * rate > 0, np.clip(slope, -3.0 * np.abs(rate), 3.0 * np.abs(rate)), 0.0)

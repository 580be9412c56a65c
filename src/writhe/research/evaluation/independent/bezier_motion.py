"""Joints that follow Bezier curves as Blender evaluates them: one curve for every channel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from writhe.research.evaluation.independent.rotations import (
    about_axis,
    matrices,
    of_vector,
    product,
)


@dataclass(frozen=True)
class Curve:
    """Keys (k,) with values (k,) and handles (k, 2): time and value before and after each key."""

    times: np.ndarray
    values: np.ndarray
    left: np.ndarray
    right: np.ndarray

    def at(self, times: np.ndarray) -> np.ndarray:
        """Values (t,): the parameter of a time by bisection, constant outside the keys."""
        if len(self.times) == 1:
            return np.full(len(times), self.values[0])
        now = np.clip(times, self.times[0], self.times[-1])
        k = np.clip(np.searchsorted(self.times, now, side="right") - 1, 0, len(self.times) - 2)
        x0, x3, y0, y3 = self.times[k], self.times[k + 1], self.values[k], self.values[k + 1]
        before, after = (
            self.right[k] - np.stack([x0, y0], 1),
            np.stack([x3, y3], 1) - self.left[k + 1],
        )
        both = before[:, 0] + after[:, 0]  # handles longer than the interval are scaled down
        scale = np.where(both > x3 - x0, (x3 - x0) / np.where(both > 0, both, 1.0), 1.0)
        x1, y1 = x0 + scale * before[:, 0], y0 + scale * before[:, 1]
        x2, y2 = x3 - scale * after[:, 0], y3 - scale * after[:, 1]
        low, high = np.zeros(len(now)), np.ones(len(now))
        for _ in range(60):
            s = 0.5 * (low + high)
            early = _cubic(x0, x1, x2, x3, s) < now
            low, high = np.where(early, s, low), np.where(early, high, s)
        return _cubic(y0, y1, y2, y3, 0.5 * (low + high))

    def as_lists(self) -> list[Any]:
        """Plain data for JSON."""
        return [part.tolist() for part in (self.times, self.values, self.left, self.right)]


def _cubic(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray, s: np.ndarray) -> np.ndarray:
    r = 1.0 - s
    return r**3 * a + 3 * r * r * s * b + 3 * r * s * s * c + s**3 * d


@dataclass(frozen=True)
class ChannelCurves:
    """The curves of a joint.

    axes: of its Euler angles, outermost first; of a hinge its axis (3,); None for quaternions.
    """

    joint: int
    rotation: tuple[Curve, ...]
    axes: tuple[float, ...] | None
    hinge: bool = False
    location: tuple[Curve, ...] = ()


@dataclass(frozen=True)
class BezierMotion:
    """A motion of n joints along curves; time is in seconds after the first key."""

    count: int
    joints: tuple[ChannelCurves, ...]

    @property
    def _keys(self) -> np.ndarray:
        curves = [c for joint in self.joints for c in (*joint.rotation, *joint.location)]
        return np.unique(np.concatenate([c.times for c in curves]))

    @property
    def length(self) -> float:
        """Seconds from the first key to the last."""
        return float(np.ptp(self._keys))

    @property
    def breaks(self) -> np.ndarray:
        """The times of all keys."""
        return self._keys - self._keys[0]

    def at(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Shifts (t, n, 3) and rotation matrices (t, n, 3, 3) in the rest frames."""
        now = times + self._keys[0]
        shift = np.zeros((len(times), self.count, 3))
        turn = np.zeros((len(times), self.count, 4))
        turn[..., 0] = 1.0
        for own in self.joints:
            values = [curve.at(now) for curve in own.rotation]
            if own.location:
                shift[:, own.joint] = np.stack([curve.at(now) for curve in own.location], axis=1)
            if own.axes is None:
                turn[:, own.joint] = np.stack(values, axis=1)
            elif own.hinge:
                turn[:, own.joint] = of_vector(values[0][:, None] * np.array(own.axes))
            else:
                for axis, angle in zip(own.axes, values, strict=True):
                    turn[:, own.joint] = product(turn[:, own.joint], about_axis(int(axis), angle))
        return shift, matrices(turn)

    def other_ways(self) -> list[BezierMotion]:
        """None: curves say which way every rotation goes."""
        return []

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "kind": "bezier",
            "count": self.count,
            "joints": [
                [
                    own.joint,
                    [curve.as_lists() for curve in own.rotation],
                    None if own.axes is None else list(own.axes),
                    own.hinge,
                    [curve.as_lists() for curve in own.location],
                ]
                for own in self.joints
            ],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> BezierMotion:
        """Read what `as_dict` gave."""

        def curves(lists: list[Any]) -> tuple[Curve, ...]:
            return tuple(Curve(*(np.array(part) for part in each)) for each in lists)

        return cls(
            data["count"],
            tuple(
                ChannelCurves(
                    joint,
                    curves(rotation),
                    None if axes is None else tuple(axes),
                    hinge,
                    curves(at),
                )
                for joint, rotation, axes, hinge, at in data["joints"]
            ),
        )

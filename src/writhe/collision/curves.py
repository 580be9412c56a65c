"""`certify_curves`: the certificate of joints that follow Bezier curves, one for each channel.

Animation programs such as Blender store a curve for every Euler angle or quaternion component.
Linear curves of quaternion components are interpolated component by component and normalised, which
is not slerp. Here curves are approximated by straight lines between rows, with a proven bound.

Bound for a channel. Between two rows the curve is a cubic Bezier segment (x(s), y(s)) in time and
value, and L the straight line through its ends. y(s) - L(x(s)) is a polynomial whose Bernstein
coefficients are y_k - L(x_k) at the control points, so none of its values exceeds the largest of
them in magnitude. Euler angles: the rotation is off by at most the sum of the three errors.
Quaternions: with e the norm of the four errors, m the least norm on the straight line and v the
change divided by m, the normalised curve differs from slerp between the normalised rows by at most
2 e / m + v^2 / 2 (`io.gltf.keys` has the second term), and the rotations by 2.1 times that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from writhe.arguments import check_fields, checked
from writhe.arrays import Floats, floats
from writhe.collision.certificate import Certificate
from writhe.collision.certify import certify_interpolations
from writhe.collision.interpolated_motion import EulerChannels, InterpolatedMotion, gap_error
from writhe.collision.subject import Subject, table_of
from writhe.collision.tolerance import SLACK_M
from writhe.errors import WritheError
from writhe.kernels.skeleton.kinematics import BALL, FREE, HINGE
from writhe.skeleton import Skeleton

ERROR_M = 2e-4  # target error of the approximation
MAX_ROWS = 200_000
MAX_REFINE = 1024  # rows between two keys
UNBOUNDED_RAD = 2.0 * np.pi
_LARGEST_BOUND = 0.3
_LARGEST_TURN = 0.9 * np.pi  # of an Euler angle from row to row


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
        return self._split(times_s)[2]

    def errors(self, times_s: Floats) -> Floats:
        """(t - 1,) bounds of the distance from straight lines between the values at times (t,).

        All keys between the first and the last time must be among the times.
        """
        points, s, values = self._split(times_s)
        # the segment that begins at or before each time but the last, from s0 to s1
        points, s0 = points[:-1], s[:-1]
        s1 = np.where(s[1:] > s0, s[1:], 1.0)
        inside = (times_s[:-1] >= self.times_s[0]) & (times_s[1:] <= self.times_s[-1])
        # control points of the part, by the blossom b(s0, s0, s1) and b(s0, s1, s1)
        inner = [_blossom(points, s0, s0, s1), _blossom(points, s0, s1, s1)]
        share = np.diff(times_s)
        out = np.zeros(len(share))
        for point in inner:
            line = values[:-1] + np.diff(values) * (point[:, 0] - times_s[:-1]) / share
            out = np.maximum(out, np.abs(point[:, 1] - line))
        return np.where(inside, out, 0.0)

    def _split(self, times_s: Floats) -> tuple[Floats, Floats, Floats]:
        """Control points (t, 4, 2) of the segment of each time, its parameter, and the value."""
        keys, count = self.times_s, len(self.times_s)
        if count == 1:
            still = np.tile([keys[0], self.values[0]], (len(times_s), 4, 1))
            return still, np.zeros(len(times_s)), np.full(len(times_s), self.values[0])
        ends = np.stack([keys, self.values], axis=1)
        first, last = self.right[:-1] - ends[:-1], self.left[1:] - ends[1:]
        long = first[:, 0] - last[:, 0]
        factor = np.minimum(1.0, np.diff(keys) / np.maximum(long, 1e-300))[:, None]
        all_points = np.stack(
            [ends[:-1], ends[:-1] + factor * first, ends[1:] + factor * last, ends[1:]], axis=1
        )
        now = np.clip(times_s, keys[0], keys[-1])
        segment = np.clip(np.searchsorted(keys, now, side="right") - 1, 0, count - 2)
        points = all_points[segment]
        low, high = np.zeros(len(now)), np.ones(len(now))
        for _ in range(60):  # x(s) increases
            middle = 0.5 * (low + high)
            before = _blossom(points, middle, middle, middle)[:, 0] <= now
            low, high = np.where(before, middle, low), np.where(before, high, middle)
        s = np.where(now >= keys[segment + 1], 1.0, np.where(now <= keys[segment], 0.0, low))
        return points, s, _blossom(points, s, s, s)[:, 1]


def _blossom(points: Floats, a: Floats, b: Floats, c: Floats) -> Floats:
    """(t, 2) de Casteljau's construction of cubics (t, 4, 2) with a parameter for each step."""
    for s in (a, b, c):
        points = points[:, :-1] + s[:, None, None] * np.diff(points, axis=1)
    return points[:, 0]


@dataclass(frozen=True)
class JointCurves:
    """The curves of one joint.

    rotation: four curves of quaternion components (w, x, y, z), or one for each Euler angle in
    radians (one for a hinge). order: the axes of the Euler angles, outermost first; Blender's mode
    "XYZ", which applies X first, is "ZYX" here. location: three curves in metres for a free joint.
    """

    rotation: tuple[BezierCurve, ...] = ()
    order: str = "ZYX"
    location: tuple[BezierCurve, ...] = ()

    def __post_init__(self) -> None:
        check_fields(self)
        if len(self.rotation) not in (0, 1, 3, 4) or len(self.location) not in (0, 3):
            raise WritheError("a joint has 1, 3 or 4 curves of rotation and 3 of location")
        if len(self.rotation) == 3 and sorted(self.order.upper()) != ["X", "Y", "Z"]:
            raise WritheError(
                f"the order of Euler angles names X, Y and Z once, not {self.order!r}"
            )

    @property
    def all(self) -> tuple[BezierCurve, ...]:
        """Every curve."""
        return (*self.rotation, *self.location)


@checked
def certify_curves(
    subject: Subject, curves: Mapping[str, JointCurves], slack_m: float = SLACK_M
) -> Certificate:
    """Certify the motion of joints (by name) along Bezier curves; the other joints rest.

    Rows are inserted until the approximation changes no gap by more than 0.2 mm; the remaining
    error bound is subtracted from every gap.
    """
    table = table_of(subject)
    refine = 1
    while True:
        interpolated = interpolated_curves(table.skeleton, curves, refine)
        error_m = gap_error(table, interpolated)
        rows = len(interpolated.q)
        if error_m <= ERROR_M or refine >= MAX_REFINE or 2 * rows > MAX_ROWS:
            return certify_interpolations(table, [interpolated], slack_m, "curves")
        # the error falls about with the square of the distance between rows
        refine = min(MAX_REFINE, max(2 * refine, int(1.1 * refine * np.sqrt(error_m / ERROR_M))))


def interpolated_curves(
    skeleton: Skeleton, curves: Mapping[str, JointCurves], refine: int = 1
) -> InterpolatedMotion:
    """Joint curves as a motion with `refine` rows between two keys, and its error bounds."""
    keys = [curve.times_s for each in curves.values() for curve in each.all]
    if not keys:
        raise WritheError("there are no curves")
    times = _refined(np.unique(np.concatenate(keys)), curves, refine)
    n, tree = len(skeleton), skeleton.tree
    q = np.tile(skeleton.rest_configuration, (len(times), 1))
    order, angles = np.full((n, 3), -1, dtype=np.int64), np.zeros((len(times), n, 3))
    turn, shift = np.zeros(n), np.zeros(n)
    for name, each in curves.items():
        j = skeleton.index(name)
        start, end = int(tree.q_start[j]), int(tree.q_start[j + 1])
        if each.location:
            if tree.kind[j] != FREE:
                raise WritheError(f"{name!r} has curves of location but is not free")
            q[:, start : start + 3] = np.stack([c.at(times) for c in each.location], axis=1)
            away = [c.errors(times).max(initial=0.0) for c in each.location]
            shift[j] = float(np.linalg.norm(away))
        if not each.rotation:
            continue
        values = np.stack([c.at(times) for c in each.rotation], axis=1)
        off = np.stack([c.errors(times) for c in each.rotation], axis=1)
        if tree.kind[j] == HINGE and len(each.rotation) == 1:
            q[:, start] = values[:, 0]
            turn[j] = float(off.max(initial=0.0))
        elif tree.kind[j] in (BALL, FREE) and len(each.rotation) == 4:
            norm = np.linalg.norm(values, axis=1, keepdims=True)
            if norm.min() < 1e-6:
                raise WritheError(f"the quaternion of {name!r} is zero at some time")
            q[:, end - 4 : end] = values / norm
            turn[j] = _quaternion_error(values, off)
        elif tree.kind[j] in (BALL, FREE) and len(each.rotation) == 3:
            order[j] = ["XYZ".index(axis) for axis in each.order.upper()]
            angles[:, j] = values
            turn[j] = float(off.sum(axis=1).max(initial=0.0))
            q[:, end - 4 : end] = EulerChannels(order, angles).quaternions(j)
        else:
            raise WritheError(f"{name!r} cannot follow {len(each.rotation)} curves of rotation")
    interpolated = InterpolatedMotion(
        "curves", q, times - times[0], np.zeros(len(times) - 1, dtype=np.bool_),
        rotation_error_rad=turn, translation_error_m=shift,
    )  # fmt: skip
    return (
        replace(interpolated, euler=EulerChannels(order, angles))
        if (order >= 0).any()
        else interpolated
    )


def _refined(times: Floats, curves: Mapping[str, JointCurves], refine: int) -> Floats:
    """Times with `refine` parts of each interval, or more where an Euler angle turns far."""
    if len(times) < 2:
        return times
    parts = np.full(len(times) - 1, refine)
    for each in curves.values():
        if len(each.rotation) == 3:
            for curve in each.rotation:
                far = np.abs(np.diff(curve.at(times))) + 2 * curve.errors(times)
                parts = np.maximum(parts, np.ceil(far / _LARGEST_TURN).astype(np.int64))
    rows: list[Floats] = [
        times[i] + (times[i + 1] - times[i]) * np.arange(k) / k
        for i, k in enumerate(parts.tolist())
    ]
    return np.append(np.concatenate(rows), times[-1])


def _quaternion_error(values: Floats, off: Floats) -> float:
    """The bound of the module's docstring for components (rows, 4), in radians."""
    if len(values) < 2:
        return 0.0
    step = np.diff(values, axis=0)
    square = np.maximum((step * step).sum(axis=1), 1e-300)
    nearest = np.clip(-(values[:-1] * step).sum(axis=1) / square, 0.0, 1.0)
    least = np.linalg.norm(values[:-1] + nearest[:, None] * step, axis=1)
    if (least < 1e-3).any():
        return UNBOUNDED_RAD
    speed = np.sqrt(square) / least
    error = float((2 * np.linalg.norm(off, axis=1) / least + 0.5 * speed**2).max())
    return 2.1 * error if error < _LARGEST_BOUND else UNBOUNDED_RAD

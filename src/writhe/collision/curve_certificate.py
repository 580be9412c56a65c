"""`certify_curves`: the certificate of joints that follow Bezier curves, one for each channel.

Animation programs such as Blender store a curve for every Euler angle or quaternion component.
Linear curves of quaternion components are interpolated component by component and normalised, which
is not slerp. Here curves are approximated by straight lines between rows, with a proven bound.

Bound for a channel. Between two rows the curve is a cubic Bezier segment (x(s), y(s)) in time and
value, and L the straight line through its ends. y(s) - L(x(s)) is a polynomial whose Bernstein
coefficients are y_k - L(x_k) at the control points, so none of its values exceeds the largest of
them in magnitude. Euler angles: the rotation is off by at most the sum of the three errors.
Quaternions: with e the norm of the four errors and m the least norm on the straight line, the
normalised curve is within 2 e / m of the normalised line. That line turns along the arc of slerp by
theta, but not evenly: at the fraction t its speed is n0 n1 sin(theta) / |p(t)|^2, with n0 and n1
the norms at the rows and p(t) the point of the line. It meets slerp at both ends, so it is ahead or
behind by at most max_t |speed - theta| / 2. The rotations differ by 2.1 times
the sum of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from writhe.arguments import check_fields, checked
from writhe.arrays import Floats, Ints
from writhe.collision.bezier_curve import BezierCurve, CurveTiming
from writhe.collision.certificate import Certificate
from writhe.collision.certificate_slack import SLACK_M
from writhe.collision.certify import certify_interpolations
from writhe.collision.certify_arguments import Subject, table_of
from writhe.collision.collision_table import CollisionTable
from writhe.collision.interpolated_motion import EulerChannels, InterpolatedMotion, gap_errors
from writhe.collision.verdict import Verdict
from writhe.errors import WritheError
from writhe.kernels.skeleton.kinematics import BALL, FREE, HINGE
from writhe.skeleton import Skeleton

# target errors of the approximation, m. What the gate accepts, at most 0.9 mm of penetration, is
# certified within the fine one; the coarse one decides most other motions with half as many rows.
COARSE_ERROR_M, ERROR_M = 4.5e-4, 9e-5
MAX_ROWS = 200_000
MAX_REFINE = 1024  # parts into which an interval is cut at once
_MAX_ROUNDS = 10  # of cutting; where a quaternion passes through zero no number would do
UNBOUNDED_RAD = 2.0 * np.pi
_LARGEST_BOUND = 0.3
_LARGEST_TURN = 0.9 * np.pi  # of an Euler angle from row to row


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
    subject: Subject,
    curves: Mapping[str, JointCurves],
    slack_m: float = SLACK_M,
    *,
    fine: bool = False,
) -> Certificate:
    """Certify the motion of joints (by name) along Bezier curves; the other joints rest.

    Rows are inserted where the curves need them, until the error of the approximation moves no gap
    by more than 0.45 mm, or 0.09 mm if that leaves something undecided (at once with `fine`, for
    motions that use the tolerance); the bound that remains is added to what the certificate
    requires.
    """
    table = table_of(subject)

    def certified(error_m: float) -> Certificate:
        rows = refined_curves(table, curves, error_m)
        return certify_interpolations(table, [rows], slack_m, "curves")

    if not fine:
        found = certified(COARSE_ERROR_M)
        if found.undecided == 0 or found.verdict is Verdict.PASSES_THROUGH:
            return found
    return certified(ERROR_M)


def refined_curves(
    table: CollisionTable, curves: Mapping[str, JointCurves], max_error_m: float = ERROR_M
) -> InterpolatedMotion:
    """Joint curves as a motion with as many rows as its error needs, up to `MAX_ROWS`."""
    times = _half_turns_split(_key_times(curves), curves)
    found, error_m = _with_errors(table, curves, times)
    for _ in range(_MAX_ROUNDS):
        # the error of an interval falls with the square of its length, or faster
        parts = np.ceil(np.sqrt(np.maximum(error_m / max_error_m, 1.0))).astype(np.int64)
        parts = np.minimum(parts, MAX_REFINE)
        if (parts == 1).all() or parts.sum() > MAX_ROWS:
            break
        times = _split_intervals(times, parts)
        found, error_m = _with_errors(table, curves, times)
    return found


def _with_errors(
    table: CollisionTable, curves: Mapping[str, JointCurves], times: Floats
) -> tuple[InterpolatedMotion, Floats]:
    """Joint curves with rows at times, and the error (rows - 1,) of a gap between them, m."""
    found, errors = _approximation(table.skeleton, curves, times)
    error_m = gap_errors(table, found.q, errors) if len(errors) else np.zeros(0)
    return replace(found, gap_error_m=float(error_m.max(initial=0.0))), error_m


def interpolated_curves(
    skeleton: Skeleton, curves: Mapping[str, JointCurves], refine: int = 1
) -> InterpolatedMotion:
    """Joint curves as a motion with `refine` rows between two keys, and its error bounds."""
    times = _key_times(curves)
    times = _split_intervals(times, np.full(max(0, len(times) - 1), refine))
    return _approximation(skeleton, curves, _half_turns_split(times, curves))[0]


def _key_times(curves: Mapping[str, JointCurves]) -> Floats:
    keys = [curve.times_s for each in curves.values() for curve in each.all]
    if not keys:
        raise WritheError("there are no curves")
    return np.unique(np.concatenate(keys))


def _approximation(
    skeleton: Skeleton, curves: Mapping[str, JointCurves], times: Floats
) -> tuple[InterpolatedMotion, Floats]:
    """Joint curves as a motion with rows at times, and the errors (rows - 1, 2 n) between them.

    The errors are those of rotation (n) in radians, then those of translation (n) in metres.
    """
    n, tree = len(skeleton), skeleton.tree
    q = np.tile(skeleton.rest_configuration, (len(times), 1))
    order, angles = np.full((n, 3), -1, dtype=np.int64), np.zeros((len(times), n, 3))
    turn, shift = np.zeros((len(times) - 1, n)), np.zeros((len(times) - 1, n))
    timings: dict[bytes, CurveTiming] = {}
    for name, each in curves.items():
        j = skeleton.index(name)
        start, end = int(tree.q_start[j]), int(tree.q_start[j + 1])
        if each.location:
            if tree.kind[j] != FREE:
                raise WritheError(f"{name!r} has curves of location but is not free")
            places, away = _columns(each.location, times, timings)
            q[:, start : start + 3] = places
            shift[:, j] = np.linalg.norm(away, axis=1)
        if not each.rotation:
            continue
        values, off = _columns(each.rotation, times, timings)
        if tree.kind[j] == HINGE and len(each.rotation) == 1:
            q[:, start] = values[:, 0]
            turn[:, j] = off[:, 0]
        elif tree.kind[j] in (BALL, FREE) and len(each.rotation) == 4:
            norm = np.linalg.norm(values, axis=1, keepdims=True)
            if norm.min() < 1e-6:
                raise WritheError(f"the quaternion of {name!r} is zero at some time")
            q[:, end - 4 : end] = values / norm
            turn[:, j] = _quaternion_errors(values, off)
        elif tree.kind[j] in (BALL, FREE) and len(each.rotation) == 3:
            order[j] = ["XYZ".index(axis) for axis in each.order.upper()]
            angles[:, j] = values
            turn[:, j] = off.sum(axis=1)
            q[:, end - 4 : end] = EulerChannels(order, angles).quaternions()[:, j]
        else:
            raise WritheError(f"{name!r} cannot follow {len(each.rotation)} curves of rotation")
    interpolated = InterpolatedMotion(
        "curves", q, times - times[0], np.zeros(len(times) - 1, dtype=np.bool_),
        rotation_error_rad=turn.max(axis=0, initial=0.0),
        translation_error_m=shift.max(axis=0, initial=0.0),
    )  # fmt: skip
    if (order >= 0).any():
        interpolated = replace(interpolated, euler=EulerChannels(order, angles))
    return interpolated, np.hstack([turn, shift])


def _columns(
    curves: tuple[BezierCurve, ...], times: Floats, timings: dict[bytes, CurveTiming]
) -> tuple[Floats, Floats]:
    """Values (t, c) and error bounds (t - 1, c) of curves."""
    found = [curve.sampled(times, timings) for curve in curves]
    return np.stack([f[0] for f in found], axis=1), np.stack([f[1] for f in found], axis=1)


def _half_turns_split(times: Floats, curves: Mapping[str, JointCurves]) -> Floats:
    """Times with rows inserted where an Euler angle turns far from one to the next."""
    parts = np.ones(max(0, len(times) - 1), dtype=np.int64)
    timings: dict[bytes, CurveTiming] = {}
    for each in curves.values():
        if len(each.rotation) == 3:
            for curve in each.rotation:
                values, off = curve.sampled(times, timings)
                far = np.abs(np.diff(values)) + 2 * off
                parts = np.maximum(parts, np.ceil(far / _LARGEST_TURN).astype(np.int64))
    return _split_intervals(times, parts)


def _split_intervals(times: Floats, parts: Ints) -> Floats:
    """Times with each interval cut into a number of parts."""
    if len(times) < 2 or (parts == 1).all():
        return times
    interval = np.repeat(np.arange(len(parts)), parts)
    within = np.arange(len(interval)) - np.repeat(np.cumsum(parts) - parts, parts)
    rows = times[interval] + np.diff(times)[interval] * within / parts[interval]
    return np.append(rows, times[-1])


def _quaternion_errors(values: Floats, off: Floats) -> Floats:
    """(rows - 1,) the bounds of the module's docstring for components (rows, 4), in radians."""
    step = np.diff(values, axis=0)
    square = np.maximum((step * step).sum(axis=1), 1e-300)
    nearest = np.clip(-(values[:-1] * step).sum(axis=1) / square, 0.0, 1.0)
    minimum = np.linalg.norm(values[:-1] + nearest[:, None] * step, axis=1)
    norm = np.linalg.norm(values, axis=1)
    ends = norm[:-1] * norm[1:]
    maximum = np.maximum(norm[:-1], norm[1:])
    # the sine from the cross product: the cosine alone loses small angles
    cosine = (values[:-1] * values[1:]).sum(axis=1) / ends
    sine = np.linalg.norm(
        values[1:] / norm[1:, None] - cosine[:, None] * values[:-1] / norm[:-1, None], axis=1
    )
    theta = np.arctan2(sine, cosine)
    safe = np.maximum(minimum, 1e-3)
    fastest, slowest = ends * sine / safe**2, ends * sine / maximum**2
    uneven = 0.5 * np.maximum(fastest - theta, theta - slowest)
    error = 2 * np.linalg.norm(off, axis=1) / safe + np.maximum(uneven, 0.0)
    # beyond a right angle slerp goes the other way round
    lost = (minimum < 1e-3) | (cosine <= 0.0) | (error > _LARGEST_BOUND)
    return np.where(lost, UNBOUNDED_RAD, 2.1 * error)

"""A motion under one of the interpolation schemes that programs use between its samples.

Programs interpolate the same file differently: rotations along the shortest arc (slerp), Euler
angles unwrapped, or Euler angles as stored. `certify` checks each of these separately.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from writhe.arguments import check_fields
from writhe.arrays import Bools, Floats, Ints
from writhe.collision.collision_table import CollisionTable
from writhe.errors import WritheError
from writhe.kernels.skeleton.euler_channels import channel_quaternions
from writhe.kernels.skeleton.kinematics import BALL, FREE, HINGE, interpolate_batch
from writhe.skeleton import Skeleton
from writhe.skeleton.quaternions import HALF_TURN_RAD

_LONGEST_STEP = 0.9 * np.pi  # radians by which an Euler angle changes between subdivided rows
_MAX_TURNS = 50.0  # from frame to frame, of an angle that is interpolated as stored
_LARGEST_ANGLE = 1e6  # radians; above, an angle is not stored precisely enough


@dataclass(frozen=True)
class EulerChannels:
    """Rotations as Euler angles, three per joint, which programs interpolate linearly.

    order (n, 3): axes 0, 1, 2 (x, y, z), outermost first, so that the joint's rotation is
    R_order0(angle 0) R_order1(angle 1) R_order2(angle 2); a row of -1 for joints without channels.
    angles (rows, n, 3) in radians, as stored.
    """

    order: Ints
    angles: Floats

    def __post_init__(self) -> None:
        check_fields(self)
        order, angles = np.asarray(self.order), np.asarray(self.angles)
        if order.ndim != 2 or order.shape[1] != 3 or angles.shape[1:] != order.shape:
            raise WritheError(
                f"Euler channels need axes (n, 3) and angles (rows, n, 3), not {order.shape} and"
                f" {angles.shape}"
            )
        if ((order < -1) | (order > 2)).any():
            raise WritheError("the axes of Euler channels are 0, 1, 2, or -1 for none")
        if np.abs(angles).max(initial=0.0) > _LARGEST_ANGLE:
            raise WritheError(
                f"an Euler angle of {np.abs(angles).max():.3g} radians: angles must be within"
                f" {_LARGEST_ANGLE:g}"
            )

    def joined(self, other: EulerChannels) -> EulerChannels:
        """These channels and, for the joints that have none here, those of another."""
        mine = self.order[:, :1] >= 0
        order = np.where(mine, self.order, other.order)
        return EulerChannels(order, np.where(mine, self.angles, other.angles))

    def quaternions(self) -> Floats:
        """(rows, n, 4) the rotations of the joints; the identity for those without channels."""
        out = np.empty((*self.angles.shape[:2], 4))
        order = np.ascontiguousarray(self.order, dtype=np.int64)
        channel_quaternions(order, np.ascontiguousarray(self.angles, dtype=np.float64), out)
        return out


@dataclass(frozen=True)
class InterpolatedMotion:
    """Configurations at increasing times, and how they are interpolated.

    jumps (rows - 1,): True where the pose changes at once, without motion in between.
    rotation_error_rad, translation_error_m (n,): bounds of the distance of each joint's local
    transform from the true motion between rows, for curves that the rows only approximate.
    gap_error_m: a bound of `gap_error` that is known already.
    short_hinges: hinge angles are stored as rotations, so they interpolate along the shorter arc.
    """

    name: str
    q: Floats  # (rows, nq)
    times_s: Floats  # (rows,)
    jumps: Bools
    euler: EulerChannels | None = None
    short_hinges: bool = False
    rotation_error_rad: Floats | None = None
    translation_error_m: Floats | None = None
    gap_error_m: float | None = None

    @classmethod
    def of_frames(
        cls, name: str, q: Floats, fps: float, euler: EulerChannels | None = None
    ) -> InterpolatedMotion:
        """Frames (rows, nq) at a constant rate, without jumps."""
        count = len(q)
        return cls(name, q, np.arange(count) / fps, np.zeros(max(0, count - 1), np.bool_), euler)

    def seconds(self, row: float) -> float:
        """The time of a fractional row number."""
        times, before = self.times_s, int(row)
        if before + 1 >= len(times):
            return float(times[-1])
        start, share = float(times[before]), row - before
        return start + share * (float(times[before + 1]) - start)


def unwrapped_jumps(channels: EulerChannels) -> Bools:
    """(rows - 1,) True where an angle changes by more than half a turn.

    Some programs unwrap such an angle (from 150 to -150 degrees is +60), others interpolate the
    stored numbers (-300).
    """
    change = np.abs(np.diff(channels.angles, axis=0))
    return change.max(axis=(1, 2), initial=0.0) > np.pi


def as_stored(
    skeleton: Skeleton, interpolated: InterpolatedMotion, channels: EulerChannels
) -> InterpolatedMotion:
    """The motion that interpolates the stored angles (of the same rows) without unwrapping them.

    The kernels take the shortest arc between rows, so rows are inserted where a stored angle
    changes by more than pi.
    """
    change = np.abs(np.diff(channels.angles, axis=0)).max(axis=(1, 2), initial=0.0)
    turns = change / (2 * np.pi)
    if turns.max(initial=0.0) > _MAX_TURNS:
        frame = int(turns.argmax())
        raise WritheError(
            f"a stored Euler angle changes by {turns[frame]:.3g} turns from frame {frame} to"
            f" {frame + 1}, too far to follow: store angles between -180 and 180 degrees"
        )
    parts = np.maximum(1, np.ceil(change / _LONGEST_STEP)).astype(np.int64)
    within: list[Floats] = [i + np.arange(int(n)) / int(n) for i, n in enumerate(parts)]
    row: Floats = np.concatenate([*within, np.array([float(len(parts))])])
    q = np.empty((len(row), skeleton.configuration_size))
    interpolate_batch(skeleton.tree, interpolated.q, row, q)
    whole = np.minimum(row.astype(np.int64), len(parts) - 1)
    share = (row - whole)[:, None, None]
    angles = (1 - share) * channels.angles[whole] + share * channels.angles[whole + 1]
    between = EulerChannels(channels.order, angles)
    _write_rotations(skeleton, between, q)
    return replace(
        interpolated,
        name="euler as stored",
        q=q,
        times_s=np.interp(row, np.arange(len(interpolated.q)), interpolated.times_s),
        jumps=np.repeat(interpolated.jumps, parts),
        euler=between,
    )


def with_rows_at(
    table: CollisionTable, interpolated: InterpolatedMotion, times_s: Floats
) -> InterpolatedMotion:
    """The same motion with a row at each of these times too, as far as they lie within it.

    An interval with a rotation by pi is not divided: it would no longer be recognised as one.
    """
    skeleton, given = table.skeleton, interpolated.times_s
    last = len(given) - 1
    if last < 1:
        return interpolated
    inside = np.setdiff1d(times_s[(times_s > given[0]) & (times_s < given[-1])], given)
    interval = np.searchsorted(given, inside) - 1
    divided = ~(interpolated.jumps | half_turns(table, interpolated))[interval]
    inside, interval = inside[divided], interval[divided]
    if len(inside) == 0:
        return interpolated
    new = interval + (inside - given[interval]) / (given[interval + 1] - given[interval])
    row = np.sort(np.concatenate([np.arange(last + 1.0), new]))
    whole = np.minimum(row.astype(np.int64), last - 1)
    share = row - whole
    q = np.empty((len(row), skeleton.configuration_size))
    interpolate_batch(skeleton.tree, interpolated.q, row, q)
    if interpolated.short_hinges:
        at = skeleton.tree.q_start[np.flatnonzero(skeleton.tree.kind == HINGE)]
        start, end = interpolated.q[whole][:, at], interpolated.q[whole + 1][:, at]
        q[:, at] = start + share[:, None] * _shorter(end - start)
    euler = interpolated.euler
    if euler is not None:
        start, end = euler.angles[whole], euler.angles[whole + 1]
        angles = start + share[:, None, None] * _shorter(end - start)
        kept = share == 0.0
        angles[kept] = euler.angles[whole[kept]]
        angles[-1] = euler.angles[-1]
        euler = EulerChannels(euler.order, angles)
        _write_rotations(skeleton, euler, q)
    return replace(
        interpolated,
        q=q,
        times_s=np.interp(row, np.arange(last + 1), given),
        jumps=interpolated.jumps[whole[:-1]],
        euler=euler,
    )


def _shorter(change: Floats) -> Floats:
    """The same turns along the shorter arc."""
    return change - 2 * np.pi * np.rint(change / (2 * np.pi))


def _write_rotations(skeleton: Skeleton, channels: EulerChannels, q: Floats) -> None:
    """Set the rotations of configurations (rows, nq) to those of the Euler angles."""
    turns = channels.quaternions()
    for j in np.flatnonzero(channels.order[:, 0] >= 0):
        end = int(skeleton.tree.q_start[j + 1])
        if skeleton.tree.kind[j] == HINGE:
            q[:, end - 1] = channels.angles[:, j, 0]
        else:
            q[:, end - 4 : end] = turns[:, j]


def half_turns(table: CollisionTable, interpolated: InterpolatedMotion) -> Bools:
    """(rows - 1,) True where a joint that moves tested shapes rotates by pi.

    Such a rotation has no unique shortest arc: rounding decides which one a program takes.
    """
    tree, count = table.skeleton.tree, len(interpolated.q) - 1
    out = np.zeros(max(0, count), dtype=np.bool_)
    if count < 1:
        return out
    has_euler = (
        interpolated.euler.order[:, 0] >= 0
        if interpolated.euler is not None
        else np.zeros(len(tree.kind), dtype=np.bool_)
    )
    slerps = np.flatnonzero(((tree.kind == BALL) | (tree.kind == FREE)) & ~has_euler)
    if len(slerps):
        ends = tree.q_start[slerps + 1][:, None] + np.arange(-4, 0)
        turns = interpolated.q[:, ends]
        half = np.abs(np.einsum("fjc,fjc->fj", turns[1:], turns[:-1])) < 0.5 * HALF_TURN_RAD
        _mark(table, out, half, slerps)
    if interpolated.short_hinges:
        hinges = np.flatnonzero((tree.kind == HINGE) & ~has_euler)
        _mark(
            table, out, _is_half(np.diff(interpolated.q[:, tree.q_start[hinges]], axis=0)), hinges
        )
    if interpolated.euler is not None and interpolated.name == "euler":
        half = _is_half(np.diff(interpolated.euler.angles, axis=0)).any(axis=2) & has_euler
        _mark(table, out, half, np.arange(len(tree.kind)))
    return out


def _is_half(change: Floats) -> Bools:
    """Whether angles equal pi modulo 2 pi, within the tolerance."""
    return np.abs(_shorter(change)) > np.pi - HALF_TURN_RAD


def _mark(table: CollisionTable, out: Bools, half: Bools, joints: Ints) -> None:
    """Mark rows in out (rows - 1,) from half (rows - 1, joints), for joints that matter."""
    if not half.any():
        return
    matter = _moving_joints(table)
    out |= half[:, [int(j) in matter for j in joints]].any(axis=1)


def _moving_joints(table: CollisionTable) -> set[int]:
    """The joints whose rotation moves the shapes of some tested pair relative to each other."""
    found: set[int] = set()
    parent, pairs = table.skeleton.tree.parent, table.pairs
    for a, b, ancestor in zip(pairs.a, pairs.b, pairs.ancestor, strict=True):
        for body in (a, b):
            joint = int(table.bodies.joint[body])
            while joint != ancestor:
                found.add(joint)
                joint = int(parent[joint])
    return found


def gap_error(table: CollisionTable, interpolated: InterpolatedMotion) -> float:
    """Bound in metres of how much a gap between rows may differ from that of the true motion."""
    turn, shift = interpolated.rotation_error_rad, interpolated.translation_error_m
    if interpolated.gap_error_m is not None:
        return interpolated.gap_error_m
    if turn is None or shift is None or not (turn.any() or shift.any()):
        return 0.0
    errors = gap_errors(table, interpolated.q, np.concatenate([turn, shift])[None])
    return float(errors.max(initial=0.0))


def gap_errors(table: CollisionTable, q: Floats, errors: Floats) -> Floats:
    """(k,) bounds of what k sets of errors (k, 2 n) of joints do to a gap of a motion q, in metres.

    errors: of the rotations (n) in radians, then of the translations (n) in metres.
    A rotation that is off by w radians displaces a point at distance rho by at most w rho, with rho
    the reach over all poses, as in the certificate's speed bound. So does a scale that is off by
    the share w; since it makes shapes grow as well, rho includes their radii.
    """
    tree, pairs = table.skeleton.tree, table.pairs
    n = len(tree.parent)
    length, longest_shift = np.linalg.norm(tree.offset, axis=1), errors[:, n:].max(axis=0)
    for j in range(n):
        start, end = int(tree.q_start[j]), int(tree.q_start[j + 1])
        if tree.kind[j] == FREE:
            length[j] += np.linalg.norm(q[:, start : start + 3], axis=1).max()
        elif end - start == 1 and tree.kind[j] != HINGE:
            length[j] += np.abs(q[:, start]).max()
    # metres that a body is off, seen from an ancestor, by a radian and by a metre of each joint
    effects: dict[tuple[int, int], Floats] = {}
    shapes, radius = table.bodies.shape_start, table.shapes.radius
    for body, joint in enumerate(table.bodies.joint):
        j, effect = int(joint), np.zeros(2 * n)
        largest = radius[shapes[body] : shapes[body + 1]].max(initial=0.0)
        reach = float(table.bodies.reach[body] + largest)
        effects[body, j] = effect
        while j >= 0:
            effect = effect.copy()
            effect[j], effect[n + j] = reach, 1.0
            reach += float(length[j] + longest_shift[j])
            j = int(tree.parent[j])
            effects[body, j] = effect
    number = {key: i for i, key in enumerate(effects)}
    off = errors @ np.stack(list(effects.values()), axis=1)
    out = np.zeros(len(errors))
    for a, b, ancestor in zip(pairs.a, pairs.b, pairs.ancestor, strict=True):
        first, second = number[int(a), int(ancestor)], number[int(b), int(ancestor)]
        np.maximum(out, off[:, first] + off[:, second], out=out)
    return out

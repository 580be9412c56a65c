"""`certify`: bounds of the penetration in a motion, at its frames and between them."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from writhe.arguments import check_fields, checked
from writhe.arrays import Floats, Ints, number
from writhe.collision.certificate import Certificate, DeepOverlap, PairWorst
from writhe.collision.collision_table import CollisionTable
from writhe.collision.events import deep_overlaps
from writhe.collision.gate import SLACK_M, gate_workspace
from writhe.collision.policy import LEFT_OUT_M
from writhe.errors import WritheError
from writhe.kernels.collision.clip_sweep import SweptClip, sweep_clip, witness_frames
from writhe.kernels.skeleton.kinematics import BALL, FREE
from writhe.skeleton.configurations import configurations

INTERPOLATIONS = ("slerp", "euler", "both")
# Coordinates up to 10 km are stored to 2e-12 m; a chain of 100 joints and the distance of two
# shapes add up less than 10^4 roundings. All bounds keep this in reserve.
ROUNDING_M = 1e-8
SAME_ROTATION = 1e-6  # radians: Euler channels and quaternions this close agree


@dataclass(frozen=True)
class EulerChannels:
    """Rotations as Euler angles, three per joint, which readers of the file interpolate linearly.

    order (n, 3): axes 0, 1, 2 (x, y, z), outermost first, so that the joint's rotation is
    R_order0(angle 0) R_order1(angle 1) R_order2(angle 2); a row of -1 for joints without channels.
    angles (frames, n, 3) in radians; between frames each takes the shorter way round.
    """

    order: Ints
    angles: Floats

    def __post_init__(self) -> None:
        check_fields(self)


@checked
def certify(
    table: CollisionTable,
    q: ArrayLike,
    fps: float = 30.0,
    interpolation: str = "slerp",
    euler: EulerChannels | None = None,
    slack_m: float = SLACK_M,
) -> Certificate:
    """Certify the motion q (frames, nq) of the table's skeleton, between its frames too.

    interpolation: "slerp" rotates every joint along the shortest arc; "euler" interpolates the
    channels linearly; "both" gives the worse result of the two.
    """
    if interpolation not in INTERPOLATIONS:
        raise WritheError(
            f"interpolation must be one of {', '.join(INTERPOLATIONS)}, not {interpolation!r}"
        )
    number(fps, "frames per second", above=0.0)
    slack_m = number(slack_m, "slack_m", above=ROUNDING_M, most=0.1)
    rows = configurations(table.skeleton, q, "the motion")
    if len(rows) == 0:
        raise WritheError("the motion has no frames")
    rows = _with_unit_quaternions(table, rows)
    if interpolation != "slerp":
        if euler is None:
            raise WritheError(
                f"interpolation {interpolation!r} needs Euler channels, but this motion has none:"
                " use 'slerp'"
            )
        _check_channels(table, rows, euler)
    start = time.perf_counter()
    found: list[Certificate] = []
    if interpolation != "euler":
        found.append(_certify(table, rows, fps, "slerp", None, slack_m))
    if interpolation != "slerp":
        found.append(_certify(table, rows, fps, "euler", euler, slack_m))
    return _worst(found, interpolation, fps, time.perf_counter() - start)


def _with_unit_quaternions(table: CollisionTable, rows: Floats) -> Floats:
    """A copy with normalised quaternions: rounded ones from files would scale limbs a little."""
    out, tree = rows.copy(), table.skeleton.tree
    for j in range(len(table.skeleton)):
        if tree.kind[j] in (BALL, FREE):
            part = out[:, int(tree.q_start[j + 1]) - 4 : int(tree.q_start[j + 1])]
            part /= np.linalg.norm(part, axis=1, keepdims=True)
    return out


def _clip(table: CollisionTable, rows: Floats, euler: EulerChannels | None) -> SweptClip:
    n, k = len(table.skeleton), len(table.pairs.deep)
    if euler is None:
        order, angles = np.full((n, 3), -1, dtype=np.int64), np.zeros((1, n, 3))
    else:
        order = np.ascontiguousarray(euler.order, dtype=np.int64)
        angles = np.ascontiguousarray(euler.angles, dtype=np.float64)
    return SweptClip(
        q=rows,
        order=order,
        euler=angles,
        clearance=np.full(k, np.inf),
        frame=np.zeros(k),
        proven=np.full(k, np.inf),
        required=np.full(k, -np.inf),
        failed=np.zeros(k, dtype=np.int64),
        undecided=np.zeros(k, dtype=np.int64),
        lower_bound=np.full(1, np.inf),
    )


def _certify(
    table: CollisionTable,
    rows: Floats,
    fps: float,
    name: str,
    euler: EulerChannels | None,
    slack_m: float,
) -> Certificate:
    start = time.perf_counter()
    slack_m -= ROUNDING_M
    clip, work = _clip(table, rows, euler), gate_workspace(table)
    arrays = table.skeleton.tree, table.shapes, table.bodies, table.pairs
    best = witness_frames(*arrays, clip, slack_m, work)
    started = clip.required < -slack_m
    best = sweep_clip(*arrays, clip, slack_m, best, work)
    events = deep_overlaps(table, clip, work, fps)
    undecided = int(clip.undecided.sum())
    lower_bound = float(clip.lower_bound[0]) - ROUNDING_M
    return Certificate(
        # a deep overlap fails even if it is there from the first frame on
        certified=not clip.failed.any() and undecided == 0 and not events,
        pass_throughs=tuple(e for e in events if e.pass_through),
        deep_overlaps=tuple(events),
        penetration_witnessed_m=max(0.0, -best),
        penetration_upper_bound_m=max(0.0, -lower_bound),
        min_clearance_m=lower_bound if lower_bound < 0.5 * LEFT_OUT_M else None,
        undecided=undecided,
        interpolation=name,
        frames=len(rows),
        seconds=time.perf_counter() - start,
        worst_pairs=_worst_pairs(table, clip, started, fps),
        evaluations=int(work.pair_workspace.evaluations[0]),
    )


def _worst_pairs(
    table: CollisionTable, clip: SweptClip, started: np.ndarray, fps: float
) -> tuple[PairWorst, ...]:
    """The worst shape pair of every pair of parts that was evaluated, worst first."""
    worst: dict[tuple[int, int], int] = {}
    for k in np.flatnonzero(clip.clearance < 0.5 * LEFT_OUT_M):
        _, a, b = table.shape_pairs[k]
        parts = table.shape_parts[a], table.shape_parts[b]
        if parts not in worst or clip.clearance[k] < clip.clearance[worst[parts]]:
            worst[parts] = int(k)
    rows = [
        PairWorst(
            a=table.part_names[a],
            b=table.part_names[b],
            clearance_m=float(clip.clearance[k]),
            proven_m=float(min(clip.proven[k], clip.clearance[k])),
            allowance_m=float(table.pairs.allowance[k]),
            time_s=float(clip.frame[k]) / fps,
            violates=bool(clip.failed[k]),
            started_in_violation=bool(started[k]),
        )
        for (a, b), k in worst.items()
    ]
    return tuple(sorted(rows, key=lambda row: row.clearance_m))


def _worst(found: list[Certificate], interpolation: str, fps: float, seconds: float) -> Certificate:
    """The worst values over the certificates of several interpolations of one motion."""
    clearances = [c.min_clearance_m for c in found if c.min_clearance_m is not None]
    deepest = max(found, key=lambda c: c.penetration_upper_bound_m)
    events = (
        _union([c.deep_overlaps for c in found], fps) if len(found) > 1 else found[0].deep_overlaps
    )
    return Certificate(
        certified=all(c.certified for c in found),
        pass_throughs=tuple(e for e in events if e.pass_through),
        deep_overlaps=events,
        penetration_witnessed_m=deepest.penetration_witnessed_m,
        penetration_upper_bound_m=deepest.penetration_upper_bound_m,
        min_clearance_m=min(clearances) if clearances else None,
        undecided=sum(c.undecided for c in found),
        interpolation=interpolation,
        frames=found[0].frames,
        seconds=seconds,
        worst_pairs=max(found, key=lambda c: c.penetration_upper_bound_m).worst_pairs,
        evaluations=sum(c.evaluations for c in found),
    )


def _union(lists: list[tuple[DeepOverlap, ...]], fps: float) -> tuple[DeepOverlap, ...]:
    """Deep overlaps of all interpolations, without duplicates.

    Two of the same parts that share a frame interval are duplicates: a pass-through is kept, else
    the deeper one.
    """
    kept: list[DeepOverlap] = []
    for event in sorted(
        (e for one in lists for e in one), key=lambda e: (not e.pass_through, -e.depth_m)
    ):
        first, last = np.floor(event.interval_s[0] * fps), np.ceil(event.interval_s[1] * fps)
        if not any(
            (event.a, event.b) == (other.a, other.b)
            and first < np.ceil(other.interval_s[1] * fps)
            and np.floor(other.interval_s[0] * fps) < last
            for other in kept
        ):
            kept.append(event)
    return tuple(sorted(kept, key=lambda e: (e.time_s, e.a, e.b)))


def _check_channels(table: CollisionTable, rows: Floats, euler: EulerChannels) -> None:
    """Raise unless the channels give the same rotations as q at every frame."""
    skeleton, n = table.skeleton, len(table.skeleton)
    if euler.order.shape != (n, 3) or euler.angles.shape != (len(rows), n, 3):
        raise WritheError(
            f"Euler channels must be (joints, 3) and (frames, joints, 3) = ({len(rows)}, {n}, 3),"
            f" not {euler.order.shape} and {euler.angles.shape}"
        )
    if not np.isfinite(euler.angles).all():
        raise WritheError("the Euler channels contain values that are not finite")
    for j in range(n):
        if euler.order[j, 0] < 0:
            continue
        if skeleton.tree.kind[j] not in (BALL, FREE):
            raise WritheError(f"{skeleton.names[j]!r} has Euler channels but is no ball joint")
        end = int(skeleton.tree.q_start[j + 1])
        stored = np.array([[1.0, 0.0, 0.0, 0.0]])
        for slot in range(3):
            stored = _times_turn(stored, int(euler.order[j, slot]), euler.angles[:, j, slot])
        # unit quaternions are the same rotation if their dot product is 1 or -1
        apart = 1 - np.abs((stored * rows[:, end - 4 : end]).sum(axis=1))
        if apart.max() > SAME_ROTATION**2:
            raise WritheError(
                f"the Euler channels of {skeleton.names[j]!r} and its rotation differ at frame"
                f" {int(apart.argmax())}: they must be those that the motion was read from"
            )


def _times_turn(quaternions: Floats, axis: int, angles: Floats) -> Floats:
    """Quaternions (n, 4) times rotations by angles (n,) about one coordinate axis."""
    u, v = (axis + 1) % 3, (axis + 2) % 3
    c, s = np.cos(angles / 2), np.sin(angles / 2)
    w, along, first, second = (quaternions[:, i] for i in (0, 1 + axis, 1 + u, 1 + v))
    out = np.empty((len(angles), 4))
    out[:, 0] = w * c - along * s
    out[:, 1 + axis] = along * c + w * s
    out[:, 1 + u] = first * c + second * s
    out[:, 1 + v] = second * c - first * s
    return out

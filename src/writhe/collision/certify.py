"""`certify`: bounds of the penetration in a motion, at its frames and between them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Bools, Floats, Ints, number
from writhe.collision.certificate import Certificate, DeepOverlap, PairWorst
from writhe.collision.certificate_slack import SLACK_M
from writhe.collision.certify_arguments import Subject, rows_and_rate, table_of
from writhe.collision.clear_intervals import BroadPhase, ClearIntervals, remaining_runs
from writhe.collision.collision_table import CollisionTable
from writhe.collision.contact_policy import LEFT_OUT_M
from writhe.collision.folds import FoldedJoint, find_folds
from writhe.collision.gate import gate_workspace
from writhe.collision.interpolated_motion import (
    EulerChannels,
    InterpolatedMotion,
    as_stored,
    gap_error,
    half_turns,
    unwrapped_jumps,
)
from writhe.collision.overlap_events import deep_overlaps
from writhe.collision.verdict import Verdict, worst_verdict
from writhe.errors import WritheError
from writhe.kernels.collision.clip_sweep import DIP_M, SweptClip, sweep_clip, witness_frames
from writhe.kernels.collision.step_gate import GateWorkspace
from writhe.kernels.skeleton.kinematics import BALL, FREE, HINGE
from writhe.skeleton import Motion

INTERPOLATIONS = ("slerp", "euler", "both")
# Bound of the accumulated rounding error: coordinates up to 10 km are stored to 2e-12 m, and a
# chain of 100 joints and the distance of two shapes need fewer than 10^4 operations. It is added to
# all bounds.
ROUNDING_M = 1e-8
SAME_ROTATION = 1e-6  # radians: Euler channels and quaternions this close agree
# A motion that approximates curves with a larger error than this is undecided.
LARGEST_ERROR_M = 5e-4


def certify(
    subject: Subject,
    motion: Motion | ArrayLike,
    fps: float | None = None,
    interpolation: str = "slerp",
    euler: EulerChannels | None = None,
    slack_m: float = SLACK_M,
) -> Certificate:
    """Certify a motion of a figure, scene or collision table, between its frames too.

    motion: a `Motion` of the subject's skeleton, or an array (frames, nq), which needs `fps`.
    interpolation: "slerp" rotates every joint along the shortest arc; "euler" interpolates the
    Euler channels linearly, unwrapped and, where that differs, as stored; "both" gives the worst
    result of all of these.
    """
    table = table_of(subject)
    rows, fps = rows_and_rate(table, motion, fps)
    slack_m = number(slack_m, "slack_m", above=ROUNDING_M, maximum=0.1)
    slerp = InterpolatedMotion.of_frames("slerp", rows, fps)
    return certify_interpolations(
        table, interpolations_of(table, slerp, interpolation, euler), slack_m
    )


def interpolations_of(
    table: CollisionTable,
    slerp: InterpolatedMotion,
    interpolation: str,
    euler: EulerChannels | None,
) -> list[InterpolatedMotion]:
    """The interpolations to check for an `interpolation` argument (see `certify`)."""
    if not isinstance(cast(object, interpolation), str) or interpolation not in INTERPOLATIONS:
        raise WritheError(
            f"interpolation must be one of {', '.join(INTERPOLATIONS)}, not {interpolation!r}"
        )
    if len(slerp.q) == 0:
        raise WritheError("the motion has no frames")
    slerp = replace(slerp, q=_with_unit_quaternions(table, slerp.q))
    if interpolation == "slerp":
        return [slerp]
    if euler is None:
        raise WritheError(
            f"interpolation {interpolation!r} needs Euler channels, but this motion has none:"
            " use 'slerp'"
        )
    _check_channels(table, slerp.q, euler)
    found = [] if interpolation == "euler" else [slerp]
    by_angles = replace(slerp, name="euler", euler=euler)
    found.append(by_angles)
    if unwrapped_jumps(euler).any():
        found.append(as_stored(table.skeleton, by_angles, euler))
    return found


def certify_interpolations(
    table: CollisionTable,
    interpolations: Sequence[InterpolatedMotion],
    slack_m: float = SLACK_M,
    interpolation: str | None = None,
    broad_phase: BroadPhase | None = None,
) -> Certificate:
    """The worst certificate of several interpolations of one motion.

    Quaternions must be normalised, as `interpolations_of` does. `interpolation` is the name that
    the result gets; by default it follows from the names of the interpolations. Intervals that
    `broad_phase` proves to be clear are not swept; the verdict and the events do not depend on it,
    and bounds of the penetration change by less than 0.1 mm.
    """
    start = time.perf_counter()
    found = [_certify(table, one, slack_m, broad_phase) for one in interpolations]
    if interpolation is None:
        names = {interpolated.name for interpolated in interpolations}
        interpolation = "euler" if "slerp" not in names else "both" if len(names) > 1 else "slerp"
    return _worst(found, interpolation, interpolations[0], time.perf_counter() - start)


def _with_unit_quaternions(table: CollisionTable, rows: Floats) -> Floats:
    """A copy with normalised quaternions; the rounded ones of a file would scale the limbs."""
    out, tree = rows.copy(), table.skeleton.tree
    for j in range(len(table.skeleton)):
        if tree.kind[j] in (BALL, FREE):
            part = out[:, int(tree.q_start[j + 1]) - 4 : int(tree.q_start[j + 1])]
            part /= np.linalg.norm(part, axis=1, keepdims=True)
    return out


def swept_clip(table: CollisionTable, interpolated: InterpolatedMotion) -> SweptClip:
    """An interpolated motion and empty results, as the sweep kernels take them."""
    n, k = len(table.skeleton), len(table.pairs.deep)
    if interpolated.euler is None:
        order, angles = np.full((n, 3), -1, dtype=np.int64), np.zeros((1, n, 3))
    else:
        order = np.ascontiguousarray(interpolated.euler.order, dtype=np.int64)
        angles = np.ascontiguousarray(interpolated.euler.angles, dtype=np.float64)
    return SweptClip(
        q=interpolated.q,
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


def _pieces(clip: SweptClip, breaks: Bools, clear: Bools) -> list[tuple[int, int, SweptClip]]:
    """The clip cut at `breaks` (rows - 1,) and without `clear` intervals (rows - 1,).

    The first and last row of each piece, and the piece, which writes to the clip's result arrays. A
    piece of one row is a static pose.
    """
    if not (breaks.any() or clear.any()):
        return [(0, len(clip.q) - 1, clip)]
    found: list[tuple[int, int, SweptClip]] = []
    for first, last in remaining_runs(breaks, clear):
        rows = np.arange(first, last + 1) if last > first else np.array([first, first])
        found.append((first, last, _at_rows(clip, rows)))
    return found


def _at_rows(clip: SweptClip, rows: Ints) -> SweptClip:
    """Some rows of a clip, with the same result arrays."""
    euler = clip.euler[rows] if len(clip.euler) > 1 else clip.euler
    return clip._replace(q=np.ascontiguousarray(clip.q[rows]), euler=euler)


def _witness_rows(
    table: CollisionTable,
    clip: SweptClip,
    pieces: list[tuple[int, int, SweptClip]],
    slack: float,
    work: GateWorkspace,
) -> float:
    """The smallest clearance at the rows of the pieces and at the first row."""
    arrays = table.skeleton.tree, table.shapes, table.bodies, table.pairs
    wanted = np.zeros(len(clip.q), dtype=np.bool_)
    wanted[0] = True
    for first, last, _ in pieces:
        wanted[first : last + 1] = True
    if wanted.all():
        return witness_frames(*arrays, clip, slack, work)
    rows = np.flatnonzero(wanted)
    best = witness_frames(*arrays, _at_rows(clip, rows), slack, work)
    clip.frame[:] = rows[clip.frame.astype(np.int64)]
    return best


def _certify(
    table: CollisionTable,
    interpolated: InterpolatedMotion,
    slack_m: float,
    broad_phase: BroadPhase | None,
) -> Certificate:
    start = time.perf_counter()
    error_m = gap_error(table, interpolated) + ROUNDING_M
    slack = slack_m - min(error_m, LARGEST_ERROR_M)
    turns = half_turns(table, interpolated)
    clip, work = swept_clip(table, interpolated), gate_workspace(table)
    arrays = table.skeleton.tree, table.shapes, table.bodies, table.pairs
    breaks = turns | interpolated.jumps
    known = ClearIntervals.none(len(clip.q))
    if broad_phase is not None:
        known = broad_phase(table, interpolated, slack)
    clear = known.clear & ~breaks
    pieces = _pieces(clip, breaks, clear)
    best = _witness_rows(table, clip, pieces, slack, work)
    started = clip.required < -slack
    lower_bound, events = min(known.min_clearance_m, best), list[DeepOverlap]()
    for first, last, piece in pieces:
        if first and clear[first - 1]:  # no pair is in violation any more
            clip.required[:] = -slack
        before = clip.clearance.copy() if first else clip.clearance
        best = sweep_clip(*arrays, piece, slack, best, work)
        lower_bound = min(lower_bound, float(clip.lower_bound[0]))
        deeper = clip.clearance < before
        clip.frame[deeper] = np.minimum(clip.frame[deeper] + first, last)
    for first, last, piece in pieces:

        def seconds(row: float, first: int = first, last: int = last) -> float:
            return interpolated.seconds(min(first + row, last))

        events += deep_overlaps(table, piece, work, seconds)
    # pairs that the approximation error leaves undecided
    close = (clip.failed == 1) & (clip.clearance + error_m >= -slack_m)
    undecided = int(clip.undecided.sum() + turns.sum() + close.sum())
    undecided += error_m > LARGEST_ERROR_M and lower_bound - error_m < -slack_m
    folded, unproven_folds = find_folds(table, interpolated, breaks)
    undecided += unproven_folds
    depths = [_depth(table, clip, row, slack, work) for row in (0, -1)]
    lower_bound -= error_m
    return Certificate(
        verdict=_verdict(
            events,
            bool(folded) or bool((clip.failed == 1)[~close].any()),
            bool(started.any()),
            undecided,
            depths,
        ),
        pass_throughs=tuple(e for e in events if e.pass_through),
        deep_overlaps=tuple(events),
        penetration_witnessed_m=max(0.0, -best),
        penetration_upper_bound_m=max(0.0, -lower_bound),
        min_clearance_m=lower_bound if lower_bound < 0.5 * LEFT_OUT_M else None,
        undecided=undecided,
        interpolation=interpolated.name,
        frames=len(interpolated.q),
        seconds=time.perf_counter() - start,
        worst_pairs=_worst_pairs(table, clip, started, interpolated),
        evaluations=int(work.pair_workspace.evaluations[0]),
        start_depth_m=depths[0],
        end_depth_m=depths[1],
        jumps=int(interpolated.jumps.sum()),
        untested_pairs=sum(rule.left_out for rule in table.rules),
        folded_joints=folded,
    )


def _depth(
    table: CollisionTable, clip: SweptClip, row: int, slack: float, work: GateWorkspace
) -> float:
    """The deepest penetration of any pair at one row, metres."""
    k = len(table.pairs.deep)
    still = clip._replace(
        q=clip.q[row][None].copy(),
        clearance=np.full(k, np.inf),
        frame=np.zeros(k),
        required=np.full(k, -np.inf),
    )
    tree, shapes, bodies, pairs = table.skeleton.tree, table.shapes, table.bodies, table.pairs
    return max(0.0, -float(witness_frames(tree, shapes, bodies, pairs, still, slack, work)))


def _verdict(
    events: list[DeepOverlap],
    fails: bool,
    starts_in_violation: bool,
    undecided: int,
    depths_m: list[float],
) -> Verdict:
    """The verdict of one interpolation; a deep overlap counts even if it is within the slack.

    fails: a pair gets deeper than allowed, or a joint is folded. depths_m: the penetration at the
    first and last frame.
    """
    if any(event.pass_through for event in events):
        return Verdict.PASSES_THROUGH
    if fails or (events and not starts_in_violation):
        return Verdict.PENETRATING
    if starts_in_violation:
        improves = undecided == 0 and depths_m[1] < depths_m[0] - DIP_M
        return Verdict.IMPROVING if improves else Verdict.PENETRATING
    return Verdict.UNDECIDED if undecided else Verdict.CERTIFIED


def _worst_pairs(
    table: CollisionTable, clip: SweptClip, started: Bools, interpolated: InterpolatedMotion
) -> tuple[PairWorst, ...]:
    """The worst shape pair of every pair of parts that was evaluated, worst first."""
    worst: dict[tuple[int, int], int] = {}
    for k in np.flatnonzero(clip.clearance < 0.5 * LEFT_OUT_M):
        _, a, b = table.shape_pairs[k]
        parts = table.shape_parts[int(a)], table.shape_parts[int(b)]
        if parts not in worst or clip.clearance[k] < clip.clearance[worst[parts]]:
            worst[parts] = int(k)
    rows = [
        PairWorst(
            a=table.part_names[a],
            b=table.part_names[b],
            clearance_m=float(clip.clearance[k]),
            proven_m=float(min(clip.proven[k], clip.clearance[k])),
            allowance_m=float(table.pairs.allowance[k]),
            time_s=interpolated.seconds(float(clip.frame[k])),
            violates=bool(clip.failed[k] or started[k]),
            started_in_violation=bool(started[k]),
        )
        for (a, b), k in worst.items()
    ]
    return tuple(sorted(rows, key=lambda row: row.clearance_m))


def _worst(
    found: list[Certificate], interpolation: str, first: InterpolatedMotion, seconds: float
) -> Certificate:
    """The worst values over the certificates of several interpolations of one motion."""
    clearances = [c.min_clearance_m for c in found if c.min_clearance_m is not None]
    deepest = max(found, key=lambda c: c.penetration_upper_bound_m)
    events = (
        _union([c.deep_overlaps for c in found], first.times_s)
        if len(found) > 1
        else found[0].deep_overlaps
    )
    return Certificate(
        verdict=worst_verdict(c.verdict for c in found),
        pass_throughs=tuple(e for e in events if e.pass_through),
        deep_overlaps=events,
        penetration_witnessed_m=deepest.penetration_witnessed_m,
        penetration_upper_bound_m=deepest.penetration_upper_bound_m,
        min_clearance_m=min(clearances) if clearances else None,
        undecided=sum(c.undecided for c in found),
        interpolation=interpolation,
        frames=found[0].frames,
        seconds=seconds,
        worst_pairs=deepest.worst_pairs,
        evaluations=sum(c.evaluations for c in found),
        start_depth_m=max(c.start_depth_m for c in found),
        end_depth_m=max(c.end_depth_m for c in found),
        jumps=max(c.jumps for c in found),
        untested_pairs=found[0].untested_pairs,
        folded_joints=_deepest_folds(found),
    )


def _deepest_folds(found: list[Certificate]) -> tuple[FoldedJoint, ...]:
    """The folded joints of several interpolations, each where it exceeds its limit most."""
    worst: dict[str, FoldedJoint] = {}
    for folded in (f for one in found for f in one.folded_joints):
        known = worst.get(folded.joint)
        if known is None or folded.beyond_rad > known.beyond_rad:
            worst[folded.joint] = folded
    return tuple(worst.values())


def _union(lists: list[tuple[DeepOverlap, ...]], times_s: Floats) -> tuple[DeepOverlap, ...]:
    """Deep overlaps of all interpolations, without duplicates.

    Two of the same parts that share an interval between rows are duplicates: a pass-through is
    kept, else the deeper one.
    """
    kept: list[tuple[DeepOverlap, int, int]] = []
    for event in sorted(
        (e for one in lists for e in one), key=lambda e: (not e.pass_through, -e.depth_m)
    ):
        first = int(np.searchsorted(times_s, event.interval_s[0] + 1e-9)) - 1
        last = int(np.searchsorted(times_s, event.interval_s[1] - 1e-9))
        if not any(
            (event.a, event.b) == (other.a, other.b) and first < end and begin < last
            for other, begin, end in kept
        ):
            kept.append((event, first, last))
    return tuple(sorted((e for e, _, _ in kept), key=lambda e: (e.time_s, e.a, e.b)))


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
        if skeleton.tree.kind[j] not in (HINGE, BALL, FREE):
            raise WritheError(f"{skeleton.names[j]!r} has Euler channels but does not turn")
        end = int(skeleton.tree.q_start[j + 1])
        if skeleton.tree.kind[j] == HINGE:
            half = 0.5 * rows[:, end - 1 : end]
            turns = np.hstack([np.cos(half), np.sin(half) * skeleton.tree.axis[j]])
        else:
            turns = rows[:, end - 4 : end]
        stored = euler.quaternions(j)
        # unit quaternions are the same rotation if their dot product is 1 or -1
        apart = 1 - np.abs((stored * turns).sum(axis=1))
        if apart.max() > SAME_ROTATION**2:
            raise WritheError(
                f"the Euler channels of {skeleton.names[j]!r} and its rotation differ at frame"
                f" {int(apart.argmax())}: they must be those that the motion was read from"
            )

"""`certify`: bounds of the penetration in a motion, at its frames and between them.

Which verdict they give is decided in `verdict.py`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Bools, Floats, Ints, number
from writhe.collision.certificate import Certificate, PairWorst, worst_certificate
from writhe.collision.certificate_slack import SLACK_M
from writhe.collision.certify_arguments import Subject, rows_and_rate, table_of
from writhe.collision.collision_table import CollisionTable
from writhe.collision.contact_policy import LEFT_OUT_M
from writhe.collision.folds import find_folds
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
from writhe.collision.swept_intervals import (
    BroadPhase,
    ClearIntervals,
    after_rows,
    open_intervals,
    swept_clip,
    with_doubled_capacity,
    with_interpolation,
)
from writhe.collision.verdict import motion_verdict
from writhe.errors import WritheError
from writhe.kernels.collision.clip_sweep import DIP_M, OpenIntervals, SweptClip, sweep_open
from writhe.kernels.collision.interval_bounds import bound_intervals, clearances_at
from writhe.kernels.collision.step_gate import GateWorkspace
from writhe.kernels.skeleton.kinematics import BALL, FREE, HINGE
from writhe.skeleton import Motion

INTERPOLATIONS = ("slerp", "euler", "both")
# Both are added to every bound. ROUNDING_M bounds the accumulated rounding error: coordinates up to
# 10 km are stored to 2e-12 m, and a chain of 100 joints and the distance of two shapes need fewer
# than 10^4 operations. PARALLEL_SHARE times the longest segment bounds the error of treating nearly
# parallel segments as parallel (`kernels.collision.segment_distance.PARALLEL`).
ROUNDING_M = 1e-8
PARALLEL_SHARE = 2e-6
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
    result of all of these. euler: the channels that the motion was read from, needed unless the
    interpolation is "slerp". slack_m: penetration beyond the allowances that is tolerated.
    Returns a `Certificate` (`collision.certificate`).
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
    `broad_phase` proves to be clear are not swept: this changes neither the verdict nor the events,
    and bounds of the penetration by less than 0.1 mm.
    """
    start, work = time.perf_counter(), gate_workspace(table)
    groups = [[one] for one in interpolations]
    if broad_phase is None:
        groups = _sharing_rows(table, interpolations)
    found: list[Certificate] = []
    swept: list[tuple[InterpolatedMotion, SweptClip, Bools]] = []
    for group in groups:
        rows = _bounded(table, group, slack_m, broad_phase, work)
        for one in group:
            clip = with_interpolation(rows.clip, one)
            found.append(_certify(table, one, rows, clip, slack_m, work))
            swept.append((one, clip, rows.started))
    if interpolation is None:
        names = {interpolated.name for interpolated in interpolations}
        interpolation = "euler" if "slerp" not in names else "both" if len(names) > 1 else "slerp"
    seconds = time.perf_counter() - start
    worst = worst_certificate(found, interpolation, interpolations[0].times_s, seconds)
    return replace(
        worst,
        worst_pairs=_worst_pairs(table, swept),
        evaluations=int(work.pair_workspace.evaluations[0]),
    )


def _with_unit_quaternions(table: CollisionTable, rows: Floats) -> Floats:
    """A copy with normalised quaternions; the rounded ones of a file would scale the limbs."""
    out, tree = rows.copy(), table.skeleton.tree
    for j in range(len(table.skeleton)):
        if tree.kind[j] in (BALL, FREE):
            part = out[:, int(tree.q_start[j + 1]) - 4 : int(tree.q_start[j + 1])]
            part /= np.linalg.norm(part, axis=1, keepdims=True)
    return out


@dataclass(frozen=True)
class _BoundedRows:
    """Rows that one or several interpolations share, with bounds that hold for all of them."""

    clip: SweptClip
    opened: OpenIntervals
    runs: list[tuple[int, int]]  # first and last rows of continuous motion
    turns: Bools  # (rows - 1,) half turns
    breaks: Bools  # (rows - 1,) half turns and jumps
    started: Bools  # (k,) pairs that start in violation
    depths_m: tuple[float, float]  # penetration at the first and last row
    error_m: float


def _sharing_rows(
    table: CollisionTable, interpolations: Sequence[InterpolatedMotion]
) -> list[list[InterpolatedMotion]]:
    """Group the interpolations that share frames and intervals; each group is bounded once."""
    groups: list[list[InterpolatedMotion]] = []
    for one in interpolations:
        same = [
            group
            for group in groups
            if group[0].q is one.q
            and group[0].jumps is one.jumps
            and group[0].rotation_error_rad is one.rotation_error_rad
            and sum(each.euler is not None for each in (*group, one)) <= 1
            and (half_turns(table, group[0]) == half_turns(table, one)).all()
        ]
        if same:
            same[0].append(one)
        else:
            groups.append([one])
    return groups


def _bounded(
    table: CollisionTable,
    group: list[InterpolatedMotion],
    slack_m: float,
    broad_phase: BroadPhase | None,
    work: GateWorkspace,
) -> _BoundedRows:
    """Bounds of every pair at the rows and between them."""
    one = next((each for each in group if each.euler is not None), group[0])
    error_m = gap_error(table, one) + ROUNDING_M + PARALLEL_SHARE * table.longest_segment_m
    slack = slack_m - min(error_m, LARGEST_ERROR_M)
    turns = half_turns(table, one)
    breaks = turns | one.jumps
    known = ClearIntervals.none(len(one.q))
    if broad_phase is not None:
        known = broad_phase(table, one, slack)
    clip = swept_clip(table, one)
    arrays = table.skeleton.tree, table.shapes, table.bodies, table.pairs
    clearances = np.empty((2, len(clip.clearance)))
    for row, out in zip((0, -1), clearances, strict=True):
        clearances_at(*arrays, clip.q[row], work, out)
    clip.clearance[:] = clearances[0]
    started = clearances[0] < -slack
    clip.required[:] = np.where(started, clearances[0] - DIP_M, -slack)
    opened = open_intervals(max(2 * len(clip.clearance), 4 * len(clip.q)))
    opened.lowest[:] = clip.clearance.min(initial=np.inf), known.min_clearance_m
    slerps, follows = any(each.euler is None for each in group), after_rows(breaks, known.clear)
    while opened.state[0] < len(clip.q):
        bound_intervals(*arrays, clip, slerps, follows, slack, work, opened)
        if opened.state[0] < len(clip.q):
            opened = with_doubled_capacity(opened)
    ends: list[int] = np.flatnonzero(breaks).tolist()
    return _BoundedRows(
        clip=clip,
        opened=opened,
        runs=list(zip([0, *(i + 1 for i in ends)], [*ends, len(clip.q) - 1], strict=True)),
        turns=turns,
        breaks=breaks,
        started=started,
        depths_m=(
            max(0.0, -float(clearances[0].min(initial=0.0))),
            max(0.0, -float(clearances[1].min(initial=0.0))),
        ),
        error_m=error_m,
    )


def _certify(
    table: CollisionTable,
    interpolated: InterpolatedMotion,
    rows: _BoundedRows,
    clip: SweptClip,
    slack_m: float,
    work: GateWorkspace,
) -> Certificate:
    """The certificate of one interpolation, without worst pairs and counts.

    Writes the results of the sweep into `clip`.
    """
    start = time.perf_counter()
    arrays = table.skeleton.tree, table.shapes, table.bodies, table.pairs
    error_m = rows.error_m
    best = sweep_open(*arrays, table.shape_pairs, clip, rows.opened, work)
    lower_bound = float(clip.lower_bound[0])
    events = deep_overlaps(table, clip, rows.runs, rows.opened, work, interpolated.seconds)
    # pairs that the approximation error leaves undecided
    close = (clip.failed == 1) & (clip.clearance + error_m >= -slack_m)
    undecided = int(clip.undecided.sum() + rows.turns.sum() + close.sum())
    undecided += error_m > LARGEST_ERROR_M and lower_bound - error_m < -slack_m
    folded, unproven_folds = find_folds(table, interpolated, rows.breaks)
    undecided += unproven_folds
    lower_bound -= error_m
    return Certificate(
        verdict=motion_verdict(
            passes_through=any(event.pass_through for event in events),
            overlaps_deeply=bool(events),
            fails=bool(folded) or bool((clip.failed == 1)[~close].any()),
            starts_in_violation=bool(rows.started.any()),
            ends_shallower=rows.depths_m[1] < rows.depths_m[0] - DIP_M,
            decided=undecided == 0,
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
        worst_pairs=(),
        evaluations=0,
        start_depth_m=rows.depths_m[0],
        end_depth_m=rows.depths_m[1],
        jumps=int(interpolated.jumps.sum()),
        untested_pairs=sum(rule.left_out for rule in table.rules),
        folded_joints=folded,
    )


def _worst_pairs(
    table: CollisionTable,
    swept: list[tuple[InterpolatedMotion, SweptClip, Bools]],
) -> tuple[PairWorst, ...]:
    """The worst shape pair of every pair of parts that was evaluated, worst first.

    swept: the interpolations with their results and the pairs that start in violation.
    """
    clearance: Floats = np.array([clip.clearance for _, clip, _ in swept])
    smallest: Floats = clearance.min(axis=0)
    worst: Ints = clearance.argmin(axis=0)
    proven = np.minimum(np.array([clip.proven for _, clip, _ in swept]).min(axis=0), smallest)
    started: Bools = np.logical_or.reduce([each for _, _, each in swept])
    violates: Bools = started | np.logical_or.reduce([clip.failed > 0 for _, clip, _ in swept])
    order = np.argsort(smallest, kind="stable")
    order = order[smallest[order] < 0.5 * LEFT_OUT_M]
    parts: Ints = np.array(table.shape_parts, dtype=np.int64)[table.shape_pairs[:, 1:]]
    _, firsts = np.unique(parts[order], axis=0, return_index=True)
    rows: list[PairWorst] = []
    for k in order[np.sort(firsts)].tolist():
        interpolated, clip, _ = swept[int(worst[k])]
        a, b = (table.part_names[int(part)] for part in parts[k])
        rows.append(
            PairWorst(
                a=a,
                b=b,
                clearance_m=float(smallest[k]),
                proven_m=float(proven[k]),
                allowance_m=float(table.pairs.allowance[k]),
                time_s=interpolated.seconds(float(clip.frame[k])),
                violates=bool(violates[k]),
                started_in_violation=bool(started[k]),
            )
        )
    return tuple(rows)


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
    tree, stored = skeleton.tree, euler.quaternions()
    turns = np.broadcast_to(np.array([1.0, 0.0, 0.0, 0.0]), stored.shape).copy()
    for j in np.flatnonzero(euler.order[:, 0] >= 0):
        if tree.kind[j] not in (HINGE, BALL, FREE):
            raise WritheError(f"{skeleton.names[j]!r} has Euler channels but does not turn")
        end = int(tree.q_start[j + 1])
        if tree.kind[j] == HINGE:
            half = 0.5 * rows[:, end - 1 : end]
            turns[:, j] = np.hstack([np.cos(half), np.sin(half) * tree.axis[j]])
        else:
            turns[:, j] = rows[:, end - 4 : end]
    # unit quaternions are the same rotation if their dot product is 1 or -1
    apart = 1 - np.abs(np.einsum("fjc,fjc->fj", stored, turns))
    if apart.max(initial=0.0) > SAME_ROTATION**2:
        frame, joint = np.unravel_index(int(apart.argmax()), apart.shape)
        raise WritheError(
            f"the Euler channels of {skeleton.names[joint]!r} and its rotation differ at frame"
            f" {frame}: they must be those that the motion was read from"
        )

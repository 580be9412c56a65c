"""Time spans of deep overlap of shape pairs, and whether their cores meet within them."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.collision.clip_sweep import OpenIntervals, SweptClip, begin_interval
from writhe.kernels.collision.sampled_gaps import shared_gap_at_fraction
from writhe.kernels.collision.segment_distance import segment_parameters
from writhe.kernels.collision.shape_gaps import (
    SEGMENT,
    Bodies,
    Pairs,
    Shapes,
)
from writhe.kernels.collision.step_gate import GateWorkspace
from writhe.kernels.collision.step_motion import (
    chord_lower_bound,
    distance_curvature,
    gap_lower_bound,
    moving_pair,
    separation_along,
)
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import Tree

CORES_MEET_M = 1e-4  # cores nearer than this are taken to meet
FINEST_M = 1e-5  # intervals in which no point moves farther than this are not halved
LONGEST_DEEP = 0.125  # frames: a subinterval up to this long with both ends deep counts as deep


class DeepSpans(NamedTuple):
    """Candidate shape pairs (c), their state during the sweep, and the spans found (s at most)."""

    body_pair: Ints  # (c,)
    shape_a: Ints  # (c,)
    shape_b: Ints  # (c,)
    shape_pair: Ints  # (c,)
    open_span: Ints  # (c,) index of the span that is open, -1 for none
    candidate: Ints  # (s,) index of the candidate
    time: Floats  # (s, 2) start and end in frames
    normal: Floats  # (s, 2, 3) at start and end, in the frame of b's joint
    deepest: Floats  # (s,) smallest gap witnessed
    deepest_time: Floats  # (s,) time of that gap, in frames
    cores_meet: Ints  # (s,) 1: the cores meet
    cut: Ints  # (s, 2) 1: the clip starts or ends within the span
    start_normal: Floats  # (3,) scratch
    end_normal: Floats  # (3,) scratch


@kernel(inline=True)
def _normal_in_b(work: GateWorkspace, out: Floats) -> None:
    rotation, n = work.pair_workspace.rotation_b, work.pair_workspace.out
    for c in range(3):
        out[c] = rotation[0, c] * n[0] + rotation[1, c] * n[1] + rotation[2, c] * n[2]


@kernel
def _open(spans: DeepSpans, i: int, count: int, time: float, normal: Floats, cut: bool) -> int:
    if count < spans.candidate.shape[0]:
        spans.open_span[i] = count
        spans.candidate[count] = i
        spans.time[count, 0], spans.time[count, 1] = time, time
        spans.deepest[count] = 0.0
        spans.cores_meet[count] = 0
        spans.cut[count, 0] = 1 if cut else 0
        spans.cut[count, 1] = 0
        for c in range(3):
            spans.normal[count, 0, c] = normal[c]
    return count + 1


@kernel(inline=True)
def _same_points_distance(points: Floats, a: int, b: int, s: float, t: float) -> float:
    """Distance of the points at parameters s and t of the segments that start at rows a and b."""
    total = 0.0
    for c in range(3):
        p = points[a, c] + s * (points[a + 1, c] - points[a, c])
        x = p - points[b, c] - t * (points[b + 1, c] - points[b, c])
        total += x * x
    return sqrt(total)


@kernel(inline=True)
def _advance_candidate(
    tree: Tree,
    shapes: Shapes,
    pairs: Pairs,
    i: int,
    frame: int,
    first: int,
    spans: DeepSpans,
    count: int,
    work: GateWorkspace,
) -> int:
    """Find the deep spans of candidate i in one frame interval; returns the new span count.

    first: the first frame of the sweep.
    """
    motion, workspace, normal = work.motion, work.pair_workspace, work.pair_workspace.normal
    start_normal, end_normal = spans.start_normal, spans.end_normal
    p, a, b = spans.body_pair[i], spans.shape_a[i], spans.shape_b[i]
    deep, pair = -pairs.deep[spans.shape_pair[i]], moving_pair(pairs, p, a, b, motion)
    speed, acceleration = pair.speed, pair.acceleration
    size = shapes.radius[a] + shapes.radius[b]
    meeting = CORES_MEET_M - size
    round_pair = shapes.core[a] == SEGMENT and shapes.core[b] == SEGMENT
    points, row_a, row_b = workspace.placed.points, shapes.point_start[a], shapes.point_start[b]
    t, span, u, v = 0.0, 1.0, 0.0, 0.0
    before = shared_gap_at_fraction(tree, shapes, motion, work.samples, pair, 0.0, workspace)
    _normal_in_b(work, start_normal)
    for c in range(3):
        normal[c] = workspace.out[c]
    if round_pair:
        u, v = segment_parameters(points, row_a, row_b)
    while t < 1.0:
        target = min(t + span, 1.0)
        span = target - t
        after = shared_gap_at_fraction(tree, shapes, motion, work.samples, pair, target, workspace)
        end_separation = separation_along(shapes, a, b, normal, workspace)
        bound = gap_lower_bound(before, after, end_separation, span, speed, acceleration)
        bend = distance_curvature(before, after, size, span, speed, acceleration)
        if bend < np.inf:
            bound = max(bound, chord_lower_bound(before, after, bend * span * span))
        finest = span * speed < FINEST_M or span < 1e-9
        both = before < deep and after < deep
        highest = 0.5 * (before + after + speed * span)
        if round_pair and both:
            # two points of the cores are at least as far apart as the cores, and d'' >= -A
            end = _same_points_distance(points, row_a, row_b, u, v) - size
            bend = acceleration * span * span
            highest = min(highest, -chord_lower_bound(-before, -end, bend))
        is_deep = both and (span <= LONGEST_DEEP or highest < deep)
        is_clear = bound >= deep
        if finest and not is_clear:
            is_deep = True
        now = spans.open_span[i]
        met = now >= 0 and spans.cores_meet[now] == 1
        if is_deep and not met and bound < meeting and not finest:
            is_deep = before < meeting or after < meeting
        if not (is_clear or is_deep):
            span *= 0.5
            continue
        _normal_in_b(work, end_normal)
        if is_clear and now >= 0:
            spans.time[now, 1] = frame + t
            for c in range(3):
                spans.normal[now, 1, c] = start_normal[c]
            spans.open_span[i] = -1
        if is_deep:
            if now < 0:
                cut = frame == first and t == 0.0
                count = _open(spans, i, count, frame + t, start_normal, cut)
                now = spans.open_span[i]
            if now >= 0:
                spans.time[now, 1] = frame + target
                if before < spans.deepest[now]:
                    spans.deepest[now], spans.deepest_time[now] = before, frame + t
                if after < spans.deepest[now]:
                    spans.deepest[now], spans.deepest_time[now] = after, frame + target
                if bound < meeting:
                    spans.cores_meet[now] = 1
                for c in range(3):
                    spans.normal[now, 1, c] = end_normal[c]
        t, before = target, after
        if round_pair:
            u, v = segment_parameters(points, row_a, row_b)
        for c in range(3):
            start_normal[c], normal[c] = end_normal[c], workspace.out[c]
        span *= 2.0
    return count


@kernel
def deep_spans(
    tree: Tree,
    shapes: Shapes,
    bodies: Bodies,
    pairs: Pairs,
    clip: SweptClip,
    first: int,
    last: int,
    opened: OpenIntervals,
    candidate: Ints,
    spans: DeepSpans,
    work: GateWorkspace,
) -> int:
    """Find the time spans from row `first` to row `last` in which a candidate overlaps deeply.

    candidate (k,): index of each shape pair among the candidates, -1 for none. Only open intervals
    are examined: in the others no pair overlaps deeply. Returns the number of spans; if it exceeds
    the rows of `spans`, the rest was dropped.
    """
    count, entry = 0, 0
    near = np.full(spans.body_pair.shape[0], -1)  # the last frame with an open interval
    for frame in range(first, max(last, first + 1)):
        some = False
        while entry < opened.state[1] and opened.row[entry] <= frame:
            k = opened.pair[entry]
            lowest_gap = opened.bound[entry] - pairs.allowance[k]
            is_here = opened.row[entry] == frame and candidate[k] >= 0
            if is_here and lowest_gap < FINEST_M - pairs.deep[k]:
                near[candidate[k]] = frame
                some = True
            entry += 1
        for i in range(spans.open_span.shape[0]):
            some = some or spans.open_span[i] >= 0
        if not some:
            continue
        begin_interval(tree, bodies, clip, frame, min(frame + 1, last), work)
        for i in range(spans.body_pair.shape[0]):
            if spans.open_span[i] < 0 and near[i] != frame:
                continue
            count = _advance_candidate(tree, shapes, pairs, i, frame, first, spans, count, work)
    for i in range(spans.open_span.shape[0]):
        if spans.open_span[i] >= 0:
            spans.cut[spans.open_span[i], 1] = 1
    return count

"""When pairs overlap deeply, and whether their cores meet meanwhile."""

from __future__ import annotations

from typing import NamedTuple

from writhe.arrays import Floats, Ints
from writhe.kernels.collision.clip_sweep import Clip
from writhe.kernels.collision.shape_gaps import Bodies, Pairs, Shapes
from writhe.kernels.collision.step_gate import GateRoom
from writhe.kernels.collision.step_motion import (
    begin,
    bound_bodies,
    gap_between,
    least_gap,
    separation_after,
)
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import Tree

CORES_MEET_M = 1e-4  # cores nearer than this are taken to meet
FINEST_M = 1e-5  # stretches in which nothing moves farther than this are not cut any finer
HELD = 0.125  # of a frame: both ends deep, so taken as deep all through


class Spans(NamedTuple):
    """Candidates (c), their state while the clip is read, and the spans found (s at most)."""

    body_pair: Ints  # (c,)
    shape_a: Ints  # (c,)
    shape_b: Ints  # (c,)
    shape_pair: Ints  # (c,)
    open_span: Ints  # (c,) the span that goes on, -1 when there is none
    candidate: Ints  # (s,) which candidate
    time: Floats  # (s, 2) start and end in frames
    normal: Floats  # (s, 2, 3) at start and end, in b's frame
    deepest: Floats  # (s,) smallest gap witnessed
    deepest_time: Floats  # (s,) when, in frames
    meets: Ints  # (s,) 1: the cores meet
    cut: Ints  # (s, 2) 1: the span is cut off by the start or end of the clip


@kernel
def _normal_in_b(work: GateRoom, out: Floats) -> None:
    rotation, n = work.room.rotation_b, work.room.out
    for c in range(3):
        out[c] = rotation[0, c] * n[0] + rotation[1, c] * n[1] + rotation[2, c] * n[2]


@kernel
def _open(spans: Spans, i: int, count: int, time: float, normal: Floats, cut: bool) -> int:
    if count < spans.candidate.shape[0]:
        spans.open_span[i] = count
        spans.candidate[count] = i
        spans.time[count, 0], spans.time[count, 1] = time, time
        spans.deepest[count] = 0.0
        spans.meets[count] = 0
        spans.cut[count, 0] = 1 if cut else 0
        spans.cut[count, 1] = 0
        for c in range(3):
            spans.normal[count, 0, c] = normal[c]
    return count + 1


@kernel
def _walk(
    tree: Tree,
    shapes: Shapes,
    pairs: Pairs,
    i: int,
    frame: int,
    spans: Spans,
    count: int,
    work: GateRoom,
    near: Floats,
    far: Floats,
) -> int:
    """Walk candidate i through one interval; returns how many spans there are now."""
    moves, room, normal = work.moves, work.room, work.normal
    p, a, b = spans.body_pair[i], spans.shape_a[i], spans.shape_b[i]
    ancestor, deep = pairs.ancestor[p], -pairs.deep[spans.shape_pair[i]]
    column = ancestor + 1
    speed = moves.speed[pairs.a[p], column] + moves.speed[pairs.b[p], column]
    acceleration = moves.acceleration[pairs.a[p], column] + moves.acceleration[pairs.b[p], column]
    meeting = CORES_MEET_M - shapes.radius[a] - shapes.radius[b]
    t, span = 0.0, 1.0
    before = gap_between(tree, shapes, moves, a, b, ancestor, 0.0, room)
    _normal_in_b(work, near)
    for c in range(3):
        normal[c] = room.out[c]
    while t < 1.0:
        target = min(t + span, 1.0)
        span = target - t
        after = gap_between(tree, shapes, moves, a, b, ancestor, target, room)
        across = separation_after(shapes, a, b, normal, room)
        bound = least_gap(before, after, across, span, speed, acceleration)
        finest = span * speed < FINEST_M or span < 1e-9
        both = before < deep and after < deep
        is_deep = both and (span <= HELD or 0.5 * (before + after + speed * span) < deep)
        is_clear = bound >= deep
        if finest and not is_clear:
            is_deep = True
        now = spans.open_span[i]
        met = now >= 0 and spans.meets[now] == 1
        if is_deep and not met and bound < meeting and not finest:
            is_deep = before < meeting or after < meeting
        if not (is_clear or is_deep):
            span *= 0.5
            continue
        _normal_in_b(work, far)
        if is_clear and now >= 0:
            spans.time[now, 1] = frame + t
            for c in range(3):
                spans.normal[now, 1, c] = near[c]
            spans.open_span[i] = -1
        if is_deep:
            if now < 0:
                cut = frame == 0 and t == 0.0
                count = _open(spans, i, count, frame + t, near, cut)
                now = spans.open_span[i]
            if now >= 0:
                spans.time[now, 1] = frame + target
                if before < spans.deepest[now]:
                    spans.deepest[now], spans.deepest_time[now] = before, frame + t
                if after < spans.deepest[now]:
                    spans.deepest[now], spans.deepest_time[now] = after, frame + target
                if bound < meeting:
                    spans.meets[now] = 1
                for c in range(3):
                    spans.normal[now, 1, c] = far[c]
        t, before = target, after
        for c in range(3):
            near[c], normal[c] = far[c], room.out[c]
        span *= 2.0
    return count


@kernel
def deep_spans(
    tree: Tree,
    shapes: Shapes,
    bodies: Bodies,
    pairs: Pairs,
    clip: Clip,
    spans: Spans,
    near: Floats,
    far: Floats,
    work: GateRoom,
) -> int:
    """Find the spans with -g above half the smaller radius for the candidates; near, far: (3,).

    Returns how many there are; more than the rows of `spans` means that some were lost.
    """
    count = 0
    last = clip.q.shape[0] - 1
    rows = clip.euler.shape[0] - 1
    for frame in range(max(last, 1)):
        following = min(frame + 1, last)
        begin(
            tree,
            clip.q[frame],
            clip.q[following],
            clip.order,
            clip.euler[min(frame, rows)],
            clip.euler[min(following, rows)],
            work.moves,
        )
        bound_bodies(tree, bodies, work.moves)
        for i in range(spans.body_pair.shape[0]):
            count = _walk(tree, shapes, pairs, i, frame, spans, count, work, near, far)
    for i in range(spans.open_span.shape[0]):
        if spans.open_span[i] >= 0:
            spans.cut[spans.open_span[i], 1] = 1
    return count

"""Upper and lower bounds of the smallest clearance of every pair over a clip, between frames too.

m(t) = g(t) + allowance is the clearance of a pair. Upper bounds are evaluated ("witnessed") values.
Lower bounds come from `step_motion` on subintervals of each frame interval, halved until every
subinterval is decided. `sweep_open` sweeps the intervals that `interval_bounds` leaves open,
`sweep_clip` all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.collision.sampled_gaps import shared_gap_at_fraction
from writhe.kernels.collision.shape_gaps import (
    SEGMENT,
    Bodies,
    Pairs,
    Shapes,
    bounding_ball_gap,
    bounding_capsule_gap,
    gap,
    place_shapes,
    segment_core_gap,
)
from writhe.kernels.collision.step_gate import GateWorkspace
from writhe.kernels.collision.step_motion import (
    MovingPair,
    bound_body_motion,
    chord_lower_bound,
    distance_curvature,
    fill_step_motion,
    gap_lower_bound,
    moving_pair,
    separation_along,
)
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import Tree, forward

TOLERANCE_M = 9e-5  # gap between the bounds below which a pair is decided
DIP_M = 1e-4  # a pair that starts in violation may get deeper by this
FINEST = 1e-7  # fraction of an interval below which a pair is left undecided
MAX_EVALUATIONS = 100_000  # of one pair in one frame interval


class SweptClip(NamedTuple):
    """The motion that is swept, and the results for each of the k shape pairs."""

    q: Floats  # (frames, nq)
    order: Ints  # (n, 3) Euler axes per joint, -1 for slerp
    euler: Floats  # (frames, n, 3) radians; (1, n, 3) when no joint has Euler channels
    clearance: Floats  # (k,) smallest m witnessed
    frame: Floats  # (k,) time of that value, in frames
    proven: Floats  # (k,) lower bound of m
    required: Floats  # (k,) least m allowed: -slack, or less for pairs that start in violation
    failed: Ints  # (k,) 1: witnessed below `required`
    undecided: Ints  # (k,) number of intervals left undecided
    lower_bound: Floats  # (1,) lower bound of m over all pairs


class OpenIntervals(NamedTuple):
    """Shape pairs and intervals (c at most) to be examined further, in order of their rows."""

    row: Ints  # (c,) the interval from this row to the next
    pair: Ints  # (c,) shape pair
    bound: Floats  # (c,) lower bound of m in the interval
    required: Floats  # (c,) least m allowed there, see `SweptClip.required`
    state: Ints  # (2,) the next row to process, and the number of entries
    lowest: Floats  # (2,) smallest m witnessed, and the lower bound of m of all pairs not stored


@kernel(inline=True)
def euler_row(clip: SweptClip, frame: int) -> int:
    return min(frame, clip.euler.shape[0] - 1)


@kernel
def begin_interval(
    tree: Tree, bodies: Bodies, clip: SweptClip, row: int, following: int, work: GateWorkspace
) -> None:
    """Fill work.motion with the motion between two rows of a clip, and its bounds."""
    fill_step_motion(
        tree,
        clip.q[row],
        clip.q[following],
        clip.order,
        clip.euler[euler_row(clip, row)],
        clip.euler[euler_row(clip, following)],
        work.motion,
    )
    work.samples.step[0] += 1
    bound_body_motion(tree, bodies, work.motion)


@kernel(inline=True)
def witness(clip: SweptClip, k: int, clearance: float, frame: float) -> None:
    if clearance < clip.clearance[k]:
        clip.clearance[k] = clearance
        clip.frame[k] = frame


@kernel(inline=True)
def is_decided(clip: SweptClip, k: int, bound: float, smallest: float) -> bool:
    """Whether a lower bound of m on a subinterval is tight enough for all results."""
    if bound < smallest - TOLERANCE_M:
        return False
    if bound >= clip.required[k]:
        return True
    return clip.failed[k] == 1 and bound >= clip.clearance[k] - TOLERANCE_M


@kernel(inline=True)
def _sweep_pair(
    tree: Tree,
    shapes: Shapes,
    clip: SweptClip,
    pair: MovingPair,
    k: int,
    allowance: float,
    frame: int,
    span: float,
    smallest: float,
    work: GateWorkspace,
) -> float:
    """Bound shape pair k over one frame interval; returns the smallest clearance witnessed so far.

    `span` is the length of the first subinterval.
    """
    a, b, speed, acceleration = pair.a, pair.b, pair.speed, pair.acceleration
    motion, workspace, normal = work.motion, work.pair_workspace, work.pair_workspace.normal
    t, size = 0.0, shapes.radius[a] + shapes.radius[b]
    before = shared_gap_at_fraction(tree, shapes, motion, work.samples, pair, 0.0, workspace)
    for c in range(3):
        normal[c] = workspace.out[c]
    for _ in range(MAX_EVALUATIONS):
        target = min(t + span, 1.0)
        after = shared_gap_at_fraction(tree, shapes, motion, work.samples, pair, target, workspace)
        end_separation = separation_along(shapes, a, b, normal, workspace)
        witness(clip, k, after + allowance, frame + target)
        smallest = min(smallest, after + allowance)
        if after + allowance < clip.required[k]:
            clip.failed[k] = 1
        span = target - t
        bound = (
            gap_lower_bound(before, after, end_separation, span, speed, acceleration) + allowance
        )
        if not is_decided(clip, k, bound, smallest):
            bend = distance_curvature(before, after, size, span, speed, acceleration)
            if bend < np.inf:
                curved = chord_lower_bound(before, after, bend * span * span)
                bound = max(bound, curved + allowance)
        if is_decided(clip, k, bound, smallest) or span < FINEST:
            if span < FINEST and not is_decided(clip, k, bound, smallest):
                clip.undecided[k] += 1
            clip.proven[k] = min(clip.proven[k], bound)
            t, before = target, after
            for c in range(3):
                normal[c] = workspace.out[c]
            if t >= 1.0:
                return smallest
            span *= 2.0
        else:
            span *= 0.5
    clip.undecided[k] += 1
    clip.proven[k] = min(clip.proven[k], before - speed * (1.0 - t) + allowance)
    return smallest


@kernel(inline=True)
def reset_required(clip: SweptClip, first: int, last: int, slack: float) -> None:
    """Apply the normal tolerance to pairs that are no longer in violation."""
    for k in range(first, last):
        clip.required[k] = -slack


@kernel
def sweep_clip(
    tree: Tree,
    shapes: Shapes,
    bodies: Bodies,
    pairs: Pairs,
    clip: SweptClip,
    slack: float,
    smallest: float,
    work: GateWorkspace,
) -> float:
    """Bound the clearances between the frames; returns the smallest witnessed over all pairs.

    `smallest` is a clearance that was witnessed before.
    """
    placed, speeds, accelerations = work.before, work.motion.speed, work.motion.acceleration
    centre, ball_radius = placed.centre, bodies.ball_radius
    axis_ends, capsule_radius = placed.axis_ends, bodies.capsule_radius
    core, point_start, radius = shapes.core, shapes.point_start, shapes.radius
    points, shape_start = placed.points, bodies.shape_start
    pair_a, pair_b, pair_first = pairs.a, pairs.b, pairs.first
    out, count, allowances = (
        work.pair_workspace.out,
        work.pair_workspace.evaluations,
        pairs.allowance,
    )
    ancestors, lower_bound = pairs.ancestor, np.inf
    for frame in range(clip.q.shape[0] - 1):
        forward(tree, clip.q[frame], work.positions_before, work.rotations_before)
        place_shapes(shapes, bodies, work.positions_before, work.rotations_before, placed)
        begin_interval(tree, bodies, clip, frame, frame + 1, work)
        for p in range(pair_a.shape[0]):
            body_a, body_b, ancestor = pair_a[p], pair_b[p], ancestors[p]
            column = ancestor + 1
            speed = speeds[body_a, column] + speeds[body_b, column]
            first, last = pair_first[p], pair_first[p + 1]
            threshold = max(smallest - TOLERANCE_M, -slack)
            bound = bounding_ball_gap(centre, ball_radius, body_a, body_b) - speed
            if bound < threshold:
                bound = bounding_capsule_gap(axis_ends, capsule_radius, body_a, body_b) - speed
            if bound >= threshold:
                lower_bound = min(lower_bound, bound)
                reset_required(clip, first, last, slack)
                continue
            acceleration = accelerations[body_a, column] + accelerations[body_b, column]
            k = first - 1
            for a in range(shape_start[body_a], shape_start[body_a + 1]):
                for b in range(shape_start[body_b], shape_start[body_b + 1]):
                    k += 1
                    allowance = allowances[k]
                    if core[a] == SEGMENT and core[b] == SEGMENT:
                        before = segment_core_gap(points, point_start, radius, a, b)
                    else:
                        before = gap(shapes, placed, a, b, out)
                    before += allowance
                    count[0] += 1
                    if clip.required[k] < -slack:
                        clip.required[k] = max(clip.required[k], before - DIP_M)
                        if before >= -slack:
                            clip.required[k] = -slack
                    if before < clip.required[k]:
                        clip.failed[k] = 1
                    if before - speed >= max(smallest - TOLERANCE_M, clip.required[k]):
                        clip.proven[k] = min(clip.proven[k], before - speed)
                        continue
                    pair = MovingPair(a, b, ancestor, speed, acceleration)
                    smallest = _sweep_pair(
                        tree, shapes, clip, pair, k, allowance, frame, 1.0, smallest, work
                    )
    for k in range(clip.proven.shape[0]):
        lower_bound = min(lower_bound, clip.proven[k])
    clip.lower_bound[0] = min(lower_bound, smallest)
    return smallest


@kernel
def sweep_open(
    tree: Tree,
    shapes: Shapes,
    bodies: Bodies,
    pairs: Pairs,
    shape_pairs: Ints,
    clip: SweptClip,
    opened: OpenIntervals,
    work: GateWorkspace,
) -> float:
    """Decide the open intervals of a clip; returns the smallest clearance witnessed.

    shape_pairs (k, 3): body pair and shapes of each shape pair.
    """
    smallest, filled = opened.lowest[0], -1
    for i in range(opened.state[1]):
        frame, k, bound = opened.row[i], opened.pair[i], opened.bound[i]
        clip.required[k] = opened.required[i]
        if is_decided(clip, k, bound, smallest):
            clip.proven[k] = min(clip.proven[k], bound)
            continue
        if filled != frame:
            begin_interval(tree, bodies, clip, frame, frame + 1, work)
            filled = frame
        p, a, b = shape_pairs[k, 0], shape_pairs[k, 1], shape_pairs[k, 2]
        pair = moving_pair(pairs, p, a, b, work.motion)
        smallest = _sweep_pair(
            tree, shapes, clip, pair, k, pairs.allowance[k], frame, 0.5, smallest, work
        )
    lower_bound = min(opened.lowest[1], smallest)
    for k in range(clip.proven.shape[0]):
        lower_bound = min(lower_bound, clip.proven[k])
    clip.lower_bound[0] = lower_bound
    return smallest

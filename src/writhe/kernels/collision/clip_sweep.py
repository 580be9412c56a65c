"""Upper and lower bounds of the smallest clearance of every pair over a clip, between frames too.

m(t) = g(t) + allowance is the clearance of a pair. Upper bounds are evaluated ("witnessed") values.
Lower bounds come from `step_motion.gap_lower_bound` on subintervals of each frame interval, halved
until every subinterval is decided.
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
    bound_body_motion,
    fill_step_motion,
    gap_lower_bound,
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


@kernel(inline=True)
def _euler_row(clip: SweptClip, frame: int) -> int:
    return min(frame, clip.euler.shape[0] - 1)


@kernel(inline=True)
def _witness(clip: SweptClip, k: int, clearance: float, frame: float) -> None:
    if clearance < clip.clearance[k]:
        clip.clearance[k] = clearance
        clip.frame[k] = frame


@kernel
def witness_frames(
    tree: Tree,
    shapes: Shapes,
    bodies: Bodies,
    pairs: Pairs,
    clip: SweptClip,
    slack: float,
    work: GateWorkspace,
) -> float:
    """Evaluate the clearances at the frames; returns the smallest over all pairs.

    Pairs that cannot lower that result are skipped, except at the first frame.
    """
    smallest = np.inf
    count, allowances = work.pair_workspace.evaluations, pairs.allowance
    out, placed = work.pair_workspace.out, work.before
    centre, ball_radius = placed.centre, bodies.ball_radius
    axis_ends, capsule_radius = placed.axis_ends, bodies.capsule_radius
    core, point_start, radius = shapes.core, shapes.point_start, shapes.radius
    points, shape_start = placed.points, bodies.shape_start
    pair_a, pair_b, pair_first = pairs.a, pairs.b, pairs.first
    for frame in range(clip.q.shape[0]):
        forward(tree, clip.q[frame], work.positions_before, work.rotations_before)
        place_shapes(shapes, bodies, work.positions_before, work.rotations_before, placed)
        for p in range(pair_a.shape[0]):
            body_a, body_b = pair_a[p], pair_b[p]
            threshold = max(smallest, -slack)
            if frame > 0 and bounding_ball_gap(centre, ball_radius, body_a, body_b) >= threshold:
                continue
            if (
                frame > 0
                and bounding_capsule_gap(axis_ends, capsule_radius, body_a, body_b) >= threshold
            ):
                continue
            k = pair_first[p] - 1
            for a in range(shape_start[body_a], shape_start[body_a + 1]):
                for b in range(shape_start[body_b], shape_start[body_b + 1]):
                    k += 1
                    if core[a] == SEGMENT and core[b] == SEGMENT:
                        clearance = segment_core_gap(points, point_start, radius, a, b)
                    else:
                        clearance = gap(shapes, placed, a, b, out)
                    clearance += allowances[k]
                    count[0] += 1
                    _witness(clip, k, clearance, float(frame))
                    smallest = min(smallest, clearance)
                    if frame == 0:
                        clip.required[k] = -slack if clearance >= -slack else clearance - DIP_M
    return smallest


@kernel(inline=True)
def _is_decided(clip: SweptClip, k: int, bound: float, smallest: float) -> bool:
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
    a: int,
    b: int,
    k: int,
    allowance: float,
    ancestor: int,
    speed: float,
    acceleration: float,
    frame: int,
    smallest: float,
    work: GateWorkspace,
) -> float:
    """Bound one pair over one frame interval; returns the smallest clearance witnessed so far."""
    motion, workspace, normal = work.motion, work.pair_workspace, work.normal
    t, span = 0.0, 1.0
    before = shared_gap_at_fraction(
        tree, shapes, motion, work.samples, a, b, ancestor, 0.0, workspace
    )
    for c in range(3):
        normal[c] = workspace.out[c]
    for _ in range(MAX_EVALUATIONS):
        target = min(t + span, 1.0)
        after = shared_gap_at_fraction(
            tree, shapes, motion, work.samples, a, b, ancestor, target, workspace
        )
        end_separation = separation_along(shapes, a, b, normal, workspace)
        _witness(clip, k, after + allowance, frame + target)
        smallest = min(smallest, after + allowance)
        if after + allowance < clip.required[k]:
            clip.failed[k] = 1
        span = target - t
        bound = (
            gap_lower_bound(before, after, end_separation, span, speed, acceleration) + allowance
        )
        if _is_decided(clip, k, bound, smallest) or span < FINEST:
            if span < FINEST and not _is_decided(clip, k, bound, smallest):
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
def _reset_required(clip: SweptClip, first: int, last: int, slack: float) -> None:
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

    `smallest` is the result of `witness_frames`.
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
        row, next_row = _euler_row(clip, frame), _euler_row(clip, frame + 1)
        fill_step_motion(
            tree,
            clip.q[frame],
            clip.q[frame + 1],
            clip.order,
            clip.euler[row],
            clip.euler[next_row],
            work.motion,
        )
        work.samples.step[0] += 1
        bound_body_motion(tree, bodies, work.motion)
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
                _reset_required(clip, first, last, slack)
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
                    smallest = _sweep_pair(
                        tree,
                        shapes,
                        clip,
                        a,
                        b,
                        k,
                        allowance,
                        ancestor,
                        speed,
                        acceleration,
                        frame,
                        smallest,
                        work,
                    )
    for k in range(clip.proven.shape[0]):
        lower_bound = min(lower_bound, clip.proven[k])
    clip.lower_bound[0] = min(lower_bound, smallest)
    return smallest

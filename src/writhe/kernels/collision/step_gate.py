"""The step gate (a step limiter): the certified fraction of a step between configurations.

Conservative advancement with bounds of first and second order, see docs/certificate.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.collision.shape_gaps import (
    SEGMENT,
    Bodies,
    Pairs,
    PlacedShapes,
    Shapes,
    bounding_ball_gap,
    gap,
    place_shapes,
    segment_gap,
    segment_separation,
    separation,
)
from writhe.kernels.collision.step_motion import (
    MovingPair,
    PairWorkspace,
    StepMotion,
    bound_body_motion,
    chord_lower_bound,
    distance_curvature,
    fill_step_motion,
    gap_at_fraction,
    gap_lower_bound,
    moving_pair,
    separation_along,
)
from writhe.kernels.collision.step_samples import (
    SAMPLES,
    RequiredGap,
    StepSamples,
    advance_in_samples,
    carry_direction,
    promising_span,
)
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import Tree, forward

# A pair *in violation* overlaps by more than its allowance and the slack when a step starts.
DIP_M = 1e-4  # largest increase of its depth within the step
ROUNDING_M = 1e-9  # largest increase of its depth at the end of the step
RESOLUTION_M = 1e-4  # a step is not subdivided below this displacement
VIOLATION_ROUNDS = 6  # maximum rounds of shortening for such pairs; then the step is refused
# maximum evaluations of a pair in a step; then the proven fraction is returned
MAX_EVALUATIONS = 2000


class GateWorkspace(NamedTuple):
    """Preallocated arrays of one gate; `before` and `after` hold the shapes at the step's ends."""

    motion: StepMotion
    pair_workspace: PairWorkspace
    before: PlacedShapes
    after: PlacedShapes
    positions_before: Floats  # (n, 3)
    rotations_before: Floats  # (n, 3, 3)
    positions_after: Floats
    rotations_after: Floats
    order: Ints  # (n, 3) all -1: steps are interpolated by slerp
    euler: Floats  # (n, 3) passed to `fill_step_motion`, which does not read it for slerp
    samples: StepSamples
    last_normals: Floats  # (k, 3) last normal of each shape pair, see `near_pairs`
    violating: Ints  # (k, 3) body pair and shapes of the pairs that start in violation
    # (5,) of the last step: blocking shape pair (-1: none), its shapes a and b, number of pairs
    # that start in violation, body pair that blocked last (in this step or an earlier one)
    outcome: Ints


@kernel
def _advance(
    tree: Tree,
    shapes: Shapes,
    pair: MovingPair,
    before: float,
    slope: float,
    required: RequiredGap,
    work: GateWorkspace,
) -> float:
    """The largest fraction up to which a pair provably keeps its required gap.

    `before` and the normal of the workspace are the gap and its normal at the start of the step,
    `slope` an estimate of the change of the gap over the step. Tests the SAMPLES fractions that all
    pairs share first (`step_samples`), then finer ones if needed. Two bodies without relative
    motion (speed 0) keep their gap.
    """
    a, b, speed, acceleration = pair.a, pair.b, pair.speed, pair.acceleration
    min_gap, min_end_gap, limit = required.min_gap, required.min_end_gap, required.limit
    if speed <= 0.0:
        return limit
    motion, workspace, normal = work.motion, work.pair_workspace, work.pair_workspace.normal
    advance_in_samples(tree, shapes, motion, work.samples, pair, before, slope, required, workspace)
    t, safe = workspace.fractions[0], workspace.fractions[1]
    if t >= limit:
        return safe
    before = gap_at_fraction(tree, shapes, motion, pair, t, workspace)
    for c in range(3):
        normal[c] = workspace.out[c]
    span, finest = 0.5 / SAMPLES, RESOLUTION_M / speed
    size = shapes.radius[a] + shapes.radius[b]
    for _ in range(MAX_EVALUATIONS):
        target = min(t + span, limit)
        after = gap_at_fraction(tree, shapes, motion, pair, target, workspace)
        end_separation = separation_along(shapes, a, b, normal, workspace)
        span = target - t
        bound = gap_lower_bound(before, after, end_separation, span, speed, acceleration)
        curvature = distance_curvature(before, after, size, span, speed, acceleration)
        if bound < min_gap and curvature < np.inf:
            bound = chord_lower_bound(before, after, curvature * span * span)
        if bound >= min_gap:
            t, before, slope = target, after, (after - before) / span
            for c in range(3):
                normal[c] = workspace.out[c]
            if after >= min_end_gap:
                safe = t
            if t >= limit:
                return safe
            span *= 2.0
        else:
            slope = (after - before) / span
            span *= 0.5
        curvature = min(curvature, speed / span)  # beyond, the bound of first order is better
        span = promising_span(span, before, slope, min_gap, curvature, 0.5 * finest)
        if span < finest:
            return safe
    return safe


@kernel
def _keep_violating_pairs(
    tree: Tree,
    shapes: Shapes,
    pairs: Pairs,
    fraction: float,
    violating_count: int,
    work: GateWorkspace,
) -> float:
    """Shorten a step further until no pair that started in violation ends deeper than it was.

    Does nothing if `gate_step` did not shorten the step, since it has checked the end of the step.
    """
    for _ in range(VIOLATION_ROUNDS):
        if fraction <= 0.0 or fraction >= 1.0:
            return fraction
        whole = fraction
        for i in range(violating_count):
            p, a, b = work.violating[i, 0], work.violating[i, 1], work.violating[i, 2]
            before = gap(shapes, work.before, a, b, work.pair_workspace.out)
            for c in range(3):
                work.pair_workspace.normal[c] = work.pair_workspace.out[c]
            pair = moving_pair(pairs, p, a, b, work.motion)
            required = RequiredGap(before - DIP_M, before - ROUNDING_M, fraction)
            reached = _advance(tree, shapes, pair, before, 0.0, required, work)
            fraction = min(fraction, reached)
        if fraction == whole:
            return fraction
    return 0.0


@kernel
def gate_step(
    tree: Tree,
    shapes: Shapes,
    bodies: Bodies,
    pairs: Pairs,
    q_from: Floats,
    q_to: Floats,
    slack: float,
    work: GateWorkspace,
) -> float:
    """The certified fraction in [0, 1] of the step q_from -> q_to (rotations by slerp).

    Up to that fraction g >= -allowance - slack for every pair. A pair that starts below this
    gets deeper by at most DIP_M within the step and not at all (ROUNDING_M) at its end.
    """
    forward(tree, q_from, work.positions_before, work.rotations_before)
    forward(tree, q_to, work.positions_after, work.rotations_after)
    place_shapes(shapes, bodies, work.positions_before, work.rotations_before, work.before)
    place_shapes(shapes, bodies, work.positions_after, work.rotations_after, work.after)
    fill_step_motion(tree, q_from, q_to, work.order, work.euler, work.euler, work.motion)
    work.samples.step[0] += 1
    bound_body_motion(tree, bodies, work.motion)
    fraction = 1.0
    violating_count = 0
    work.outcome[0] = -1
    work.outcome[3] = 0
    out, normal = work.pair_workspace.out, work.pair_workspace.normal
    carried_normal = work.pair_workspace.carried_normal
    speeds, accelerations = work.motion.speed, work.motion.acceleration
    ancestors, allowances = pairs.ancestor, pairs.allowance
    centre, ball_radius = work.before.centre, bodies.ball_radius
    axis_ends, capsule_radius = work.before.axis_ends, bodies.capsule_radius
    core, point_start, radius = shapes.core, shapes.point_start, shapes.radius
    points, shape_start = work.before.points, bodies.shape_start
    pair_a, pair_b, pair_first = pairs.a, pairs.b, pairs.first
    last_normals = work.last_normals
    points_after, axis_ends_after = work.after.points, work.after.axis_ends
    rotations_before, rotations_after = work.rotations_before, work.rotations_after
    # start with the pair that blocked last: it often blocks again, and then all others need to be
    # checked over a shorter step only
    first = work.outcome[4]
    for i in range(pair_a.shape[0]):
        if fraction <= 0.0:
            break
        p = first if i == 0 else (i - 1 if i <= first else i)
        body_a, body_b, ancestor = pair_a[p], pair_b[p], ancestors[p]
        speed = speeds[body_a, ancestor + 1] + speeds[body_b, ancestor + 1]
        travel = fraction * speed
        if bounding_ball_gap(centre, ball_radius, body_a, body_b) >= travel:
            continue
        size = capsule_radius[body_a] + capsule_radius[body_b]
        apart = segment_gap(axis_ends, 2 * body_a, 2 * body_b, out) - size
        if apart >= travel:
            continue
        acceleration = accelerations[body_a, ancestor + 1] + accelerations[body_b, ancestor + 1]
        if apart > 0.0:
            carry_direction(rotations_before, rotations_after, ancestor, out, carried_normal)
            x, y, z = carried_normal[0], carried_normal[1], carried_normal[2]
            end_separation = (
                segment_separation(axis_ends_after, 2 * body_a, 2 * body_b, x, y, z) - size
            )
            if chord_lower_bound(apart, end_separation, acceleration) >= 0.0:
                continue
        k = pair_first[p] - 1
        for a in range(shape_start[body_a], shape_start[body_a + 1]):
            for b in range(shape_start[body_b], shape_start[body_b + 1]):
                k += 1
                min_gap = -allowances[k] - slack
                round_pair = core[a] == SEGMENT and core[b] == SEGMENT
                row_a, row_b, size = point_start[a], point_start[b], radius[a] + radius[b]
                if round_pair:
                    before = segment_gap(points, row_a, row_b, out) - size
                else:
                    for c in range(3):
                        out[c] = last_normals[k, c]
                    x, y, z = out[0], out[1], out[2]
                    before = separation(points, point_start, radius, core, a, b, x, y, z)
                if before - travel >= min_gap:
                    continue
                # pairs in violation are checked at the end too, see _keep_violating_pairs
                proven, end_separation = False, 0.0
                for attempt in range(1 if round_pair else 2):
                    if attempt == 1:
                        before = gap(shapes, work.before, a, b, out)
                        for c in range(3):
                            last_normals[k, c] = out[c]
                    carry_direction(
                        rotations_before, rotations_after, ancestor, out, carried_normal
                    )
                    x, y, z = carried_normal[0], carried_normal[1], carried_normal[2]
                    if round_pair:
                        end_separation = (
                            segment_separation(points_after, row_a, row_b, x, y, z) - size
                        )
                    else:
                        end_separation = separation(
                            points_after, point_start, radius, core, a, b, x, y, z
                        )
                    proven = (
                        max(
                            before - travel, chord_lower_bound(before, end_separation, acceleration)
                        )
                        >= min_gap
                    )
                    if proven:
                        break
                if proven:
                    continue
                min_end_gap = min_gap
                if before < min_gap:
                    work.violating[violating_count, 0] = p
                    work.violating[violating_count, 1] = a
                    work.violating[violating_count, 2] = b
                    violating_count += 1
                    min_end_gap = before - ROUNDING_M
                    min_gap = before - DIP_M
                    if (
                        end_separation >= min_end_gap
                        and chord_lower_bound(before, end_separation, acceleration) >= min_gap
                    ):
                        continue
                for c in range(3):
                    normal[c] = out[c]
                pair = MovingPair(a, b, ancestor, speed, acceleration)
                required = RequiredGap(min_gap, min_end_gap, fraction)
                slope = end_separation - before
                reached = _advance(tree, shapes, pair, before, slope, required, work)
                if reached < fraction:
                    fraction = reached
                    work.outcome[0], work.outcome[1], work.outcome[2] = k, a, b
                    work.outcome[4] = p
    work.outcome[3] = violating_count
    return _keep_violating_pairs(tree, shapes, pairs, fraction, violating_count, work)

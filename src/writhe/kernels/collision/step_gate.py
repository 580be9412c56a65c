"""The gate of one step: how much of the way from one configuration to the next is safe."""

from __future__ import annotations

from typing import NamedTuple

from writhe.arrays import Floats, Ints
from writhe.kernels.collision.shape_gaps import (
    SEGMENT,
    Bodies,
    Pairs,
    Placed,
    Shapes,
    ball_gap,
    gap,
    place_all,
    segment_gap,
    segment_separation,
    separation,
)
from writhe.kernels.collision.step_motion import (
    Moves,
    Room,
    begin,
    bound_bodies,
    gap_between,
    least_between,
    least_gap,
    separation_after,
)
from writhe.kernels.collision.step_samples import (
    MOMENTS,
    Moments,
    carried,
    follow_moments,
    promising,
)
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import Tree, forward

DIP_M = 1e-4  # a pair that starts in violation may dip by this within a step, not at its end
SAME_M = 1e-9
RESOLUTION_M = 1e-4  # a stretch in which nothing moves farther than this is not cut any finer
SETTLE_ROUNDS = 6
EVALUATIONS = 2000  # for one pair in one step; then the step ends where the proof ends


class GateRoom(NamedTuple):
    """Everything that one gate needs, allocated once."""

    moves: Moves
    room: Room
    before: Placed
    after: Placed
    positions_before: Floats  # (n, 3)
    rotations_before: Floats  # (n, 3, 3)
    positions_after: Floats
    rotations_after: Floats
    order: Ints  # (n, 3) all -1: a step is interpolated by slerp
    euler: Floats  # (n, 3) unused
    normal: Floats  # (3,)
    turned: Floats  # (3,)
    ends: Floats  # (2,)
    moments: Moments
    apart_along: Floats  # (k, 3) the normal that each shape pair had last, see `near_pairs`
    violating: Ints  # (k, 3) body pair and shapes of the pairs that start in violation
    # (5,) blocking shape pair, shape a, shape b, number starting in violation; body pair that
    # blocked last, in this step or before
    found: Ints


@kernel
def _advance(
    tree: Tree,
    shapes: Shapes,
    a: int,
    b: int,
    ancestor: int,
    speed: float,
    acceleration: float,
    before: float,
    slope: float,
    least: float,
    end_least: float,
    limit: float,
    work: GateRoom,
) -> float:
    """The largest fraction up to `limit` so that the gap is proven to stay at `least` or more.

    At the fraction returned the gap is `end_least` or more too. `before` and work.normal are those
    at the start, `slope` a guess at how the gap changes. First in the step's common moments; where
    these do not suffice, the pair is followed by itself.
    """
    moves, room, normal = work.moves, work.room, work.normal
    follow_moments(
        tree,
        shapes,
        moves,
        work.moments,
        a,
        b,
        ancestor,
        speed,
        acceleration,
        before,
        slope,
        least,
        end_least,
        limit,
        room,
        normal,
        work.turned,
        work.ends,
    )
    t, safe = work.ends[0], work.ends[1]
    if t >= limit:
        return safe
    before = gap_between(tree, shapes, moves, a, b, ancestor, t, room)
    for c in range(3):
        normal[c] = room.out[c]
    span, finest = 0.5 / MOMENTS, RESOLUTION_M / speed
    for _ in range(EVALUATIONS):
        target = min(t + span, limit)
        after = gap_between(tree, shapes, moves, a, b, ancestor, target, room)
        across = separation_after(shapes, a, b, normal, room)
        span = target - t
        bound = least_gap(before, after, across, span, speed, acceleration)
        if bound >= least:
            t, before, slope = target, after, (after - before) / span
            for c in range(3):
                normal[c] = room.out[c]
            if after >= end_least:
                safe = t
            if t >= limit:
                return safe
            span *= 2.0
        else:
            slope = (across - before) / span
            span *= 0.5
        span = promising(span, before, slope, least, acceleration, 0.5 * finest)
        if span < finest:
            return safe
    return safe


@kernel
def _settle(
    tree: Tree, shapes: Shapes, pairs: Pairs, fraction: float, started: int, work: GateRoom
) -> float:
    """Shorten a shortened step until every pair that started in violation ends no deeper."""
    moves = work.moves
    for _ in range(SETTLE_ROUNDS):
        if fraction <= 0.0 or fraction >= 1.0:
            return fraction
        whole = fraction
        for i in range(started):
            p, a, b = work.violating[i, 0], work.violating[i, 1], work.violating[i, 2]
            ancestor = pairs.ancestor[p]
            column = ancestor + 1
            before = gap(shapes, work.before, a, b, work.room.out)
            for c in range(3):
                work.normal[c] = work.room.out[c]
            reached = _advance(
                tree,
                shapes,
                a,
                b,
                ancestor,
                moves.speed[pairs.a[p], column] + moves.speed[pairs.b[p], column],
                moves.acceleration[pairs.a[p], column] + moves.acceleration[pairs.b[p], column],
                before,
                0.0,
                before - DIP_M,
                before - SAME_M,
                fraction,
                work,
            )
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
    work: GateRoom,
) -> float:
    """The fraction in [0, 1] of the step q_from -> q_to (slerp, straight lines) that is certified.

    Throughout that fraction g >= -allowance - slack for every pair; a pair that starts below that
    never gets deeper than it was (by more than DIP_M on the way, by nothing at the end).
    """
    forward(tree, q_from, work.positions_before, work.rotations_before)
    forward(tree, q_to, work.positions_after, work.rotations_after)
    place_all(shapes, bodies, work.positions_before, work.rotations_before, work.before)
    place_all(shapes, bodies, work.positions_after, work.rotations_after, work.after)
    begin(tree, q_from, q_to, work.order, work.euler, work.euler, work.moves)
    work.moments.step[0] += 1
    bound_bodies(tree, bodies, work.moves)
    fraction = 1.0
    started = 0
    work.found[0] = -1
    work.found[3] = 0
    out, normal, turned = work.room.out, work.normal, work.turned
    speeds, accelerations = work.moves.speed, work.moves.acceleration
    ancestors, allowances = pairs.ancestor, pairs.allowance
    centre, ball_radius = work.before.centre, bodies.ball_radius
    axis_ends, capsule_radius = work.before.axis_ends, bodies.capsule_radius
    core, point_start, radius = shapes.core, shapes.point_start, shapes.radius
    points, shape_start = work.before.points, bodies.shape_start
    pair_a, pair_b, pair_first = pairs.a, pairs.b, pairs.first
    apart_along = work.apart_along
    points_after, axis_ends_after = work.after.points, work.after.axis_ends
    rotations_before, rotations_after = work.rotations_before, work.rotations_after
    # what stopped the last step comes first: it may stop this one too, and the others need not be
    # followed any farther then
    first = work.found[4]
    for i in range(pair_a.shape[0]):
        if fraction <= 0.0:
            break
        p = first if i == 0 else (i - 1 if i <= first else i)
        body_a, body_b, ancestor = pair_a[p], pair_b[p], ancestors[p]
        speed = speeds[body_a, ancestor + 1] + speeds[body_b, ancestor + 1]
        way = fraction * speed
        if ball_gap(centre, ball_radius, body_a, body_b) >= way:
            continue
        size = capsule_radius[body_a] + capsule_radius[body_b]
        apart = segment_gap(axis_ends, 2 * body_a, 2 * body_b, out) - size
        if apart >= way:
            continue
        acceleration = accelerations[body_a, ancestor + 1] + accelerations[body_b, ancestor + 1]
        if apart > 0.0:
            carried(rotations_before, rotations_after, ancestor, out, turned)
            x, y, z = turned[0], turned[1], turned[2]
            across = segment_separation(axis_ends_after, 2 * body_a, 2 * body_b, x, y, z) - size
            if least_between(apart, across, acceleration) >= 0.0:
                continue
        k = pair_first[p] - 1
        for a in range(shape_start[body_a], shape_start[body_a + 1]):
            for b in range(shape_start[body_b], shape_start[body_b + 1]):
                k += 1
                least = -allowances[k] - slack
                round_pair = core[a] == SEGMENT and core[b] == SEGMENT
                at_a, at_b, size = point_start[a], point_start[b], radius[a] + radius[b]
                if round_pair:
                    before = segment_gap(points, at_a, at_b, out) - size
                else:
                    for c in range(3):
                        out[c] = apart_along[k, c]
                    x, y, z = out[0], out[1], out[2]
                    before = separation(points, point_start, radius, core, a, b, x, y, z)
                if before - way >= least:
                    continue
                # a pair in violation has to end well, and after a shortened step too: see _settle
                shown, across = False, 0.0
                for attempt in range(1 if round_pair else 2):
                    if attempt == 1:
                        before = gap(shapes, work.before, a, b, out)
                        for c in range(3):
                            apart_along[k, c] = out[c]
                    carried(rotations_before, rotations_after, ancestor, out, turned)
                    x, y, z = turned[0], turned[1], turned[2]
                    if round_pair:
                        across = segment_separation(points_after, at_a, at_b, x, y, z) - size
                    else:
                        across = separation(points_after, point_start, radius, core, a, b, x, y, z)
                    shown = max(before - way, least_between(before, across, acceleration)) >= least
                    if shown:
                        break
                if shown:
                    continue
                end_least = least
                if before < least:
                    work.violating[started, 0] = p
                    work.violating[started, 1] = a
                    work.violating[started, 2] = b
                    started += 1
                    end_least = before - SAME_M
                    least = before - DIP_M
                    if across >= end_least and least_between(before, across, acceleration) >= least:
                        continue
                for c in range(3):
                    normal[c] = out[c]
                reached = _advance(
                    tree,
                    shapes,
                    a,
                    b,
                    ancestor,
                    speed,
                    acceleration,
                    before,
                    across - before,
                    least,
                    end_least,
                    fraction,
                    work,
                )
                if reached < fraction:
                    fraction = reached
                    work.found[0], work.found[1], work.found[2] = k, a, b
                    work.found[4] = p
    work.found[3] = started
    return _settle(tree, shapes, pairs, fraction, started, work)

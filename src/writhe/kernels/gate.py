"""The gate of one step: how much of the way from one configuration to the next is safe."""

from __future__ import annotations

from typing import NamedTuple

from writhe.arrays import Floats, Ints
from writhe.kernels.gaps import (
    SEGMENT,
    Bodies,
    Pairs,
    Placed,
    Shapes,
    ball_gap,
    capsule_gap,
    gap,
    place_all,
    rounded_gap,
    separation,
)
from writhe.kernels.jit import kernel
from writhe.kernels.kinematics import Tree, forward
from writhe.kernels.moments import MOMENTS, Moments, begin_moments, carried, follow_moments
from writhe.kernels.moves import (
    Moves,
    Room,
    begin,
    bound_bodies,
    gap_between,
    least_gap,
    separation_after,
)

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
    found: Ints  # (4,) last blocking shape pair, shape a, shape b, number starting in violation


@kernel
def _advance(
    tree: Tree,
    shapes: Shapes,
    a: int,
    b: int,
    ancestor: int,
    speed: float,
    acceleration: float,
    least: float,
    end_least: float,
    limit: float,
    work: GateRoom,
) -> float:
    """The largest fraction up to `limit` so that the gap is proven to stay at `least` or more.

    At the fraction returned the gap is `end_least` or more too. First in the step's common moments;
    where these do not suffice, the pair is followed by itself.
    """
    moves, room, normal = work.moves, work.room, work.normal
    follow_moments(
        tree,
        shapes,
        work.moments,
        a,
        b,
        ancestor,
        speed,
        acceleration,
        least,
        end_least,
        limit,
        room.placed,
        normal,
        work.turned,
        room.out,
        work.ends,
    )
    t, safe = work.ends[0], work.ends[1]
    if t >= limit:
        return safe
    before = gap_between(tree, shapes, moves, a, b, ancestor, t, room)
    for c in range(3):
        normal[c] = room.out[c]
    span = 0.5 / MOMENTS
    for _ in range(EVALUATIONS):
        target = min(t + span, limit)
        after = gap_between(tree, shapes, moves, a, b, ancestor, target, room)
        across = separation_after(shapes, a, b, normal, room)
        bound = least_gap(before, after, across, target - t, speed, acceleration)
        if bound >= least:
            t, before = target, after
            for c in range(3):
                normal[c] = room.out[c]
            if after >= end_least:
                safe = t
            if t >= limit:
                return safe
            span *= 2.0
        else:
            span = 0.5 * (target - t)
            if span * speed < RESOLUTION_M:
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
            reached = _advance(
                tree,
                shapes,
                a,
                b,
                ancestor,
                moves.speed[pairs.a[p], column] + moves.speed[pairs.b[p], column],
                moves.acceleration[pairs.a[p], column] + moves.acceleration[pairs.b[p], column],
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
    begin_moments(q_from, q_to, work.moments)
    bound_bodies(tree, bodies, work.moves)
    fraction = 1.0
    started = 0
    work.found[0] = -1
    work.found[3] = 0
    out, normal = work.room.out, work.normal
    speeds, accelerations = work.moves.speed, work.moves.acceleration
    ancestors, allowances = pairs.ancestor, pairs.allowance
    centre, ball_radius = work.before.centre, bodies.ball_radius
    axis_ends, capsule_radius = work.before.axis_ends, bodies.capsule_radius
    core, point_start, radius = shapes.core, shapes.point_start, shapes.radius
    points, shape_start = work.before.points, bodies.shape_start
    pair_a, pair_b, pair_first = pairs.a, pairs.b, pairs.first
    apart_along = work.apart_along
    for p in range(pair_a.shape[0]):
        body_a, body_b, ancestor = pair_a[p], pair_b[p], ancestors[p]
        speed = speeds[body_a, ancestor + 1] + speeds[body_b, ancestor + 1]
        if ball_gap(centre, ball_radius, body_a, body_b) >= speed:
            continue
        if capsule_gap(axis_ends, capsule_radius, body_a, body_b) >= speed:
            continue
        acceleration = accelerations[body_a, ancestor + 1] + accelerations[body_b, ancestor + 1]
        bend = 0.125 * acceleration
        k = pair_first[p] - 1
        for a in range(shape_start[body_a], shape_start[body_a + 1]):
            for b in range(shape_start[body_b], shape_start[body_b + 1]):
                k += 1
                least = -allowances[k] - slack
                if core[a] == SEGMENT and core[b] == SEGMENT:
                    if rounded_gap(points, point_start, radius, a, b) - speed >= least:
                        continue
                    before = gap(shapes, work.before, a, b, out)
                else:
                    x, y, z = apart_along[k, 0], apart_along[k, 1], apart_along[k, 2]
                    if separation(shapes, work.before, a, b, x, y, z) - speed >= least:
                        continue
                    before = gap(shapes, work.before, a, b, out)
                    for c in range(3):
                        apart_along[k, c] = out[c]
                if before - speed >= least:
                    continue
                end_least = least
                if before < least:
                    work.violating[started, 0] = p
                    work.violating[started, 1] = a
                    work.violating[started, 2] = b
                    started += 1
                    end_least = before - SAME_M
                    least = before - DIP_M
                if before - bend >= least:
                    if ancestor >= 0:
                        carried(
                            work.rotations_before[ancestor],
                            work.rotations_after[ancestor],
                            out,
                            normal,
                        )
                    else:
                        for c in range(3):
                            normal[c] = out[c]
                    across = separation(shapes, work.after, a, b, normal[0], normal[1], normal[2])
                    # a shortened step still has to end well for a pair in violation, below
                    if across >= end_least and across - bend >= least:
                        continue
                reached = _advance(
                    tree,
                    shapes,
                    a,
                    b,
                    ancestor,
                    speed,
                    acceleration,
                    least,
                    end_least,
                    fraction,
                    work,
                )
                if reached < fraction:
                    fraction = reached
                    work.found[0], work.found[1], work.found[2] = k, a, b
                if fraction <= 0.0:
                    work.found[3] = started
                    return 0.0
    work.found[3] = started
    return _settle(tree, shapes, pairs, fraction, started, work)

"""A whole clip: the smallest clearance of every pair between frames, proven from both sides.

m(t) = g(t) + allowance is the clearance of a pair. Each pair walks through each interval in
stretches that are halved until `moves.least_gap` shows what is needed of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.collision.shape_gaps import (
    SEGMENT,
    Bodies,
    Pairs,
    Shapes,
    ball_gap,
    capsule_gap,
    gap,
    place_all,
    rounded_gap,
)
from writhe.kernels.collision.step_gate import GateRoom
from writhe.kernels.collision.step_motion import (
    begin,
    bound_bodies,
    gap_between,
    least_gap,
    separation_after,
)
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import Tree, forward

TOLERANCE_M = 9e-5  # witnessed and proven values lie this close together
DIP_M = 1e-4  # a pair that starts in violation: what counts as getting deeper
FINEST = 1e-7  # fraction of an interval below which a pair is left undecided
EVALUATIONS = 100_000  # for one pair in one interval


class Clip(NamedTuple):
    """A motion as the sweep reads it, and what it finds for each of the k shape pairs."""

    q: Floats  # (frames, nq)
    order: Ints  # (n, 3) Euler axes per joint, -1 for slerp
    euler: Floats  # (frames, n, 3) radians; (1, n, 3) when no joint has Euler channels
    clearance: Floats  # (k,) smallest m witnessed
    frame: Floats  # (k,) where, in frames
    proven: Floats  # (k,) lower bound of m
    level: Floats  # (k,) what m must keep: -slack, or less for pairs that start in violation
    failed: Ints  # (k,) 1: witnessed below the level
    undecided: Ints  # (k,) intervals left undecided
    floor: Floats  # (1,) lower bound of m over all pairs


@kernel
def _euler_row(clip: Clip, frame: int) -> int:
    return min(frame, clip.euler.shape[0] - 1)


@kernel
def _witness(clip: Clip, k: int, clearance: float, frame: float) -> None:
    if clearance < clip.clearance[k]:
        clip.clearance[k] = clearance
        clip.frame[k] = frame


@kernel
def witness_frames(
    tree: Tree,
    shapes: Shapes,
    bodies: Bodies,
    pairs: Pairs,
    clip: Clip,
    slack: float,
    work: GateRoom,
) -> float:
    """Clearances at the frames themselves; returns the smallest over all pairs."""
    best = np.inf
    count, allowances = work.room.evaluations, pairs.allowance
    out, placed = work.room.out, work.before
    centre, ball_radius = placed.centre, bodies.ball_radius
    axis_ends, capsule_radius = placed.axis_ends, bodies.capsule_radius
    core, point_start, radius = shapes.core, shapes.point_start, shapes.radius
    points, shape_start = placed.points, bodies.shape_start
    pair_a, pair_b, pair_first = pairs.a, pairs.b, pairs.first
    for frame in range(clip.q.shape[0]):
        forward(tree, clip.q[frame], work.positions_before, work.rotations_before)
        place_all(shapes, bodies, work.positions_before, work.rotations_before, placed)
        for p in range(pair_a.shape[0]):
            body_a, body_b = pair_a[p], pair_b[p]
            wanted = max(best, -slack)
            if frame > 0 and ball_gap(centre, ball_radius, body_a, body_b) >= wanted:
                continue
            if frame > 0 and capsule_gap(axis_ends, capsule_radius, body_a, body_b) >= wanted:
                continue
            k = pair_first[p] - 1
            for a in range(shape_start[body_a], shape_start[body_a + 1]):
                for b in range(shape_start[body_b], shape_start[body_b + 1]):
                    k += 1
                    if core[a] == SEGMENT and core[b] == SEGMENT:
                        clearance = rounded_gap(points, point_start, radius, a, b)
                    else:
                        clearance = gap(shapes, placed, a, b, out)
                    clearance += allowances[k]
                    count[0] += 1
                    _witness(clip, k, clearance, float(frame))
                    best = min(best, clearance)
                    if frame == 0:
                        clip.level[k] = -slack if clearance >= -slack else clearance - DIP_M
    return best


@kernel
def _enough(clip: Clip, k: int, bound: float, best: float) -> bool:
    """Whether a lower bound of m over a stretch decides all that is asked about it."""
    if bound < best - TOLERANCE_M:
        return False
    if bound >= clip.level[k]:
        return True
    return clip.failed[k] == 1 and bound >= clip.clearance[k] - TOLERANCE_M


@kernel
def _walk(
    tree: Tree,
    shapes: Shapes,
    clip: Clip,
    a: int,
    b: int,
    k: int,
    allowance: float,
    ancestor: int,
    speed: float,
    acceleration: float,
    frame: int,
    best: float,
    work: GateRoom,
) -> float:
    """Walk one pair through one interval; returns the smallest clearance witnessed so far."""
    moves, room, normal = work.moves, work.room, work.normal
    t, span = 0.0, 1.0
    before = gap_between(tree, shapes, moves, a, b, ancestor, 0.0, room)
    for c in range(3):
        normal[c] = room.out[c]
    for _ in range(EVALUATIONS):
        target = min(t + span, 1.0)
        after = gap_between(tree, shapes, moves, a, b, ancestor, target, room)
        across = separation_after(shapes, a, b, normal, room)
        _witness(clip, k, after + allowance, frame + target)
        best = min(best, after + allowance)
        if after + allowance < clip.level[k]:
            clip.failed[k] = 1
        span = target - t
        bound = least_gap(before, after, across, span, speed, acceleration) + allowance
        if _enough(clip, k, bound, best) or span < FINEST:
            if span < FINEST and not _enough(clip, k, bound, best):
                clip.undecided[k] += 1
            clip.proven[k] = min(clip.proven[k], bound)
            t, before = target, after
            for c in range(3):
                normal[c] = room.out[c]
            if t >= 1.0:
                return best
            span *= 2.0
        else:
            span *= 0.5
    clip.undecided[k] += 1
    clip.proven[k] = min(clip.proven[k], before - speed * (1.0 - t) + allowance)
    return best


@kernel
def _rest_level(clip: Clip, first: int, last: int, slack: float) -> None:
    """Pairs that have come clear are held to the common level from here on."""
    for k in range(first, last):
        clip.level[k] = -slack


@kernel
def sweep(
    tree: Tree,
    shapes: Shapes,
    bodies: Bodies,
    pairs: Pairs,
    clip: Clip,
    slack: float,
    best: float,
    work: GateRoom,
) -> float:
    """Prove the clearances between the frames; returns the smallest witnessed over all pairs.

    `best` is what `witness_frames` returned.
    """
    placed, speeds, accelerations = work.before, work.moves.speed, work.moves.acceleration
    centre, ball_radius = placed.centre, bodies.ball_radius
    axis_ends, capsule_radius = placed.axis_ends, bodies.capsule_radius
    core, point_start, radius = shapes.core, shapes.point_start, shapes.radius
    points, shape_start = placed.points, bodies.shape_start
    pair_a, pair_b, pair_first = pairs.a, pairs.b, pairs.first
    out, count, allowances = work.room.out, work.room.evaluations, pairs.allowance
    ancestors, floor = pairs.ancestor, np.inf
    for frame in range(clip.q.shape[0] - 1):
        forward(tree, clip.q[frame], work.positions_before, work.rotations_before)
        place_all(shapes, bodies, work.positions_before, work.rotations_before, placed)
        row, next_row = _euler_row(clip, frame), _euler_row(clip, frame + 1)
        begin(
            tree,
            clip.q[frame],
            clip.q[frame + 1],
            clip.order,
            clip.euler[row],
            clip.euler[next_row],
            work.moves,
        )
        bound_bodies(tree, bodies, work.moves)
        for p in range(pair_a.shape[0]):
            body_a, body_b, ancestor = pair_a[p], pair_b[p], ancestors[p]
            column = ancestor + 1
            speed = speeds[body_a, column] + speeds[body_b, column]
            first, last = pair_first[p], pair_first[p + 1]
            wanted = max(best - TOLERANCE_M, -slack)
            bound = ball_gap(centre, ball_radius, body_a, body_b) - speed
            if bound < wanted:
                bound = capsule_gap(axis_ends, capsule_radius, body_a, body_b) - speed
            if bound >= wanted:
                floor = min(floor, bound)
                _rest_level(clip, first, last, slack)
                continue
            acceleration = accelerations[body_a, column] + accelerations[body_b, column]
            k = first - 1
            for a in range(shape_start[body_a], shape_start[body_a + 1]):
                for b in range(shape_start[body_b], shape_start[body_b + 1]):
                    k += 1
                    allowance = allowances[k]
                    if core[a] == SEGMENT and core[b] == SEGMENT:
                        before = rounded_gap(points, point_start, radius, a, b)
                    else:
                        before = gap(shapes, placed, a, b, out)
                    before += allowance
                    count[0] += 1
                    if clip.level[k] < -slack:
                        clip.level[k] = max(clip.level[k], before - DIP_M)
                        if before >= -slack:
                            clip.level[k] = -slack
                    if before < clip.level[k]:
                        clip.failed[k] = 1
                    if before - speed >= max(best - TOLERANCE_M, clip.level[k]):
                        clip.proven[k] = min(clip.proven[k], before - speed)
                        continue
                    best = _walk(
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
                        best,
                        work,
                    )
    for k in range(clip.proven.shape[0]):
        floor = min(floor, clip.proven[k])
    clip.floor[0] = min(floor, best)
    return best

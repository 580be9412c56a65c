"""A few moments of a step at which joints' frames are known, for all pairs alike.

Following one pair between two frames chains the turns of its joints, again for every pair and
moment. Most pairs are decided at a few common moments k / MOMENTS: a joint's frame there is
computed when it is first asked for; only what stops a step is followed more finely.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from writhe.arrays import Floats, Ints
from writhe.kernels.gaps import (
    SEGMENT,
    Shapes,
    gap,
    place_points,
    place_shape,
    segment_separation,
    separation,
)
from writhe.kernels.jit import kernel
from writhe.kernels.kinematics import Tree
from writhe.kernels.moves import Moves, Room, least_between, local_rotation

MOMENTS = 64


class Moments(NamedTuple):
    """Frames of n joints at fractions k / MOMENTS of a step."""

    step: Ints  # (1,) which step this is
    known: Ints  # (MOMENTS + 1, n) the step for which a frame was filled
    chain: Ints  # (n,) room
    positions: Floats  # (MOMENTS + 1, n, 3)
    rotations: Floats  # (MOMENTS + 1, n, 3, 3)


@kernel(inline=True)
def _know(tree: Tree, moves: Moves, moments: Moments, k: int, joint: int, room: Room) -> None:
    """Fill the frame of a joint at moment k, and those of its ancestors."""
    parents, known, chain, step = tree.parent, moments.known[k], moments.chain, moments.step[0]
    positions, rotations, local = moments.positions[k], moments.rotations[k], room.local
    count, j = 0, joint
    while j >= 0 and known[j] != step:
        chain[count] = j
        count += 1
        j = parents[j]
    t = k / MOMENTS
    for i in range(count - 1, -1, -1):
        j = chain[i]
        known[j] = step
        local_rotation(moves, j, t, room.turn, local)
        x = moves.shift[j, 0] + t * moves.drift[j, 0]
        y = moves.shift[j, 1] + t * moves.drift[j, 1]
        z = moves.shift[j, 2] + t * moves.drift[j, 2]
        parent = parents[j]
        if parent < 0:
            positions[j, 0], positions[j, 1], positions[j, 2] = x, y, z
            for r in range(3):
                for c in range(3):
                    rotations[j, r, c] = local[r, c]
            continue
        for r in range(3):
            u, v, w = rotations[parent, r, 0], rotations[parent, r, 1], rotations[parent, r, 2]
            positions[j, r] = positions[parent, r] + u * x + v * y + w * z
            for c in range(3):
                rotations[j, r, c] = u * local[0, c] + v * local[1, c] + w * local[2, c]


@kernel(inline=True)
def _gap_at(
    tree: Tree, shapes: Shapes, moves: Moves, moments: Moments, k: int, a: int, b: int, room: Room
) -> float:
    """The gap of shapes a and b at moment k; normal and witnesses in room.out."""
    for shape in (a, b):
        j = shapes.joint[shape]
        _know(tree, moves, moments, k, j, room)
        position, rotation = moments.positions[k, j], moments.rotations[k, j]
        place_shape(shapes, shape, position, rotation, room.placed)
    return gap(shapes, room.placed, a, b, room.out)


@kernel(inline=True)
def _separation_at(
    tree: Tree,
    shapes: Shapes,
    moves: Moves,
    moments: Moments,
    k: int,
    a: int,
    b: int,
    ancestor: int,
    kept_at: int,
    normal: Floats,
    turned: Floats,
    room: Room,
) -> float:
    """Their separation at moment k along a normal (3) of moment kept_at; turned (3) is room."""
    for shape in (a, b):
        j = shapes.joint[shape]
        _know(tree, moves, moments, k, j, room)
        position, rotation = moments.positions[k, j], moments.rotations[k, j]
        place_points(shapes, shape, position, rotation, room.placed)
    _know(tree, moves, moments, kept_at, ancestor, room)
    carried(moments.rotations[kept_at], moments.rotations[k], ancestor, normal, turned)
    x, y, z = turned[0], turned[1], turned[2]
    if shapes.core[a] == SEGMENT and shapes.core[b] == SEGMENT:
        at_a, at_b = shapes.point_start[a], shapes.point_start[b]
        size = shapes.radius[a] + shapes.radius[b]
        return segment_separation(room.placed.points, at_a, at_b, x, y, z) - size
    return separation(shapes, room.placed, a, b, x, y, z)


@kernel(inline=True)
def carried(
    rotations_from: Floats, rotations_to: Floats, joint: int, n: Floats, out: Floats
) -> None:
    """out = R_to R_from^T n: a direction carried along with a joint's frame (-1: the world's)."""
    if joint < 0:
        out[0], out[1], out[2] = n[0], n[1], n[2]
        return
    turn, to = rotations_from[joint], rotations_to[joint]
    x = turn[0, 0] * n[0] + turn[1, 0] * n[1] + turn[2, 0] * n[2]
    y = turn[0, 1] * n[0] + turn[1, 1] * n[1] + turn[2, 1] * n[2]
    z = turn[0, 2] * n[0] + turn[1, 2] * n[1] + turn[2, 2] * n[2]
    for r in range(3):
        out[r] = to[r, 0] * x + to[r, 1] * y + to[r, 2] * z


@kernel(inline=True)
def promising(
    span: float, before: float, slope: float, least: float, acceleration: float, finest: float
) -> float:
    """The longest of span, span / 2, span / 4, ... whose bound would hold if the way were straight.

    `slope` is the change of the separation over a whole step; not below `finest`.
    """
    while span > finest:
        if least_between(before, before + slope * span, acceleration * span * span) >= least:
            break
        span *= 0.5
    return max(span, finest)


@kernel
def follow_moments(
    tree: Tree,
    shapes: Shapes,
    moves: Moves,
    moments: Moments,
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
    room: Room,
    normal: Floats,
    turned: Floats,
    ends: Floats,
) -> None:
    """How far up to `limit` the gap is proven to stay at `least` or more, in whole moments.

    `before` and normal (3) are those at the step's start, `slope` a guess at the change of the
    separation over the step. Fills ends (2): the fraction followed, and the last one on the way at
    which the gap is also `end_least` or more. The proof is that of `moves.least_gap`, with the
    separation along a direction fixed in the ancestor's frame for the gap; the direction is the
    normal where the stretch began, or an earlier one while that serves, which spares most distance
    queries. turned (3) is room.
    """
    last = int(limit * MOMENTS) if end_least > least else ceil(limit * MOMENTS)
    t, safe, fresh_at, span = 0, 0, 0, last
    while t < last and span > 0:
        reach = float(min(span, last - t)) / MOMENTS
        reach = promising(reach, before, slope, least, acceleration, 1.0 / MOMENTS)
        target = t + max(1, int(reach * MOMENTS))
        share = (target - t) / MOMENTS
        proven, across = False, 0.0
        for attempt in range(2):
            if attempt == 1:
                if fresh_at == t:
                    break  # the normal here was tried already
                before = _gap_at(tree, shapes, moves, moments, t, a, b, room)
                for c in range(3):
                    normal[c] = room.out[c]
                fresh_at = t
            across = _separation_at(
                tree, shapes, moves, moments, target, a, b, ancestor, fresh_at, normal, turned, room
            )
            first = 0.5 * (before + across - speed * share)
            second = least_between(before, across, acceleration * share * share)
            proven = max(first, second) >= least
            if proven:
                break
        slope = (across - before) / share
        if not proven:
            span = (target - t) // 2
            continue
        t, before = target, across
        if before < end_least:
            before = _gap_at(tree, shapes, moves, moments, t, a, b, room)
            for c in range(3):
                normal[c] = room.out[c]
            fresh_at = t
        if before >= end_least:
            safe = t
        span = 4 * span
    ends[0], ends[1] = min(t / MOMENTS, limit), min(safe / MOMENTS, limit)

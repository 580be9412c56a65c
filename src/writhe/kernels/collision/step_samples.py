"""A few moments of a step at which joints' frames are known, for all pairs alike.

Following one pair between two frames chains the turns of its joints, again for every pair and
moment. Most pairs are decided at a few common moments k / MOMENTS: a joint's frame there is
computed when it is first asked for; only what stops a step is followed more finely.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from writhe.arrays import Floats, Ints
from writhe.kernels.collision.shape_gaps import Shapes, gap, place_shape, separation
from writhe.kernels.collision.step_motion import Moves, Room, least_between, local_rotation
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import Tree

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
    # bare arrays with all their indices: a view costs two atomic operations
    parents, known, chain, step = tree.parent, moments.known, moments.chain, moments.step[0]
    positions, rotations, local = moments.positions, moments.rotations, room.local
    count, j = 0, joint
    while j >= 0 and known[k, j] != step:
        chain[count] = j
        count += 1
        j = parents[j]
    t = k / MOMENTS
    for i in range(count - 1, -1, -1):
        j = chain[i]
        known[k, j] = step
        local_rotation(moves, j, t, room.turn, local)
        x = moves.shift[j, 0] + t * moves.drift[j, 0]
        y = moves.shift[j, 1] + t * moves.drift[j, 1]
        z = moves.shift[j, 2] + t * moves.drift[j, 2]
        p = parents[j]
        for r in range(3):
            u, v, w, origin = 0.0, 0.0, 0.0, 0.0
            if p >= 0:
                u, v, w = rotations[k, p, r, 0], rotations[k, p, r, 1], rotations[k, p, r, 2]
                origin = positions[k, p, r]
            elif r == 0:
                u = 1.0
            elif r == 1:
                v = 1.0
            else:
                w = 1.0
            positions[k, j, r] = origin + u * x + v * y + w * z
            for c in range(3):
                rotations[k, j, r, c] = u * local[0, c] + v * local[1, c] + w * local[2, c]


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
    points, placed, start = shapes.points, room.placed.points, shapes.point_start
    positions, rotations, joint = moments.positions, moments.rotations, shapes.joint
    for shape in (a, b):
        j = joint[shape]
        _know(tree, moves, moments, k, j, room)
        for i in range(start[shape], start[shape + 1]):
            x, y, z = points[i, 0], points[i, 1], points[i, 2]
            for r in range(3):
                u, v, w = rotations[k, j, r, 0], rotations[k, j, r, 1], rotations[k, j, r, 2]
                placed[i, r] = positions[k, j, r] + u * x + v * y + w * z
    _know(tree, moves, moments, kept_at, ancestor, room)
    x, y, z = normal[0], normal[1], normal[2]
    if ancestor >= 0:  # carried along with the ancestor's frame
        for c in range(3):
            turned[c] = (
                rotations[kept_at, ancestor, 0, c] * x
                + rotations[kept_at, ancestor, 1, c] * y
                + rotations[kept_at, ancestor, 2, c] * z
            )
        u, v, w = turned[0], turned[1], turned[2]
        for r in range(3):
            turned[r] = (
                rotations[k, ancestor, r, 0] * u
                + rotations[k, ancestor, r, 1] * v
                + rotations[k, ancestor, r, 2] * w
            )
        x, y, z = turned[0], turned[1], turned[2]
    return separation(placed, start, shapes.radius, shapes.core, a, b, x, y, z)


@kernel(inline=True)
def carried(
    rotations_from: Floats, rotations_to: Floats, joint: int, n: Floats, out: Floats
) -> None:
    """out = R_to R_from^T n: a direction carried along with a joint's frame (-1: the world's)."""
    x, y, z, j = n[0], n[1], n[2], max(joint, 0)
    turn, to = rotations_from, rotations_to
    u = turn[j, 0, 0] * x + turn[j, 1, 0] * y + turn[j, 2, 0] * z
    v = turn[j, 0, 1] * x + turn[j, 1, 1] * y + turn[j, 2, 1] * z
    w = turn[j, 0, 2] * x + turn[j, 1, 2] * y + turn[j, 2, 2] * z
    if joint < 0:
        out[0], out[1], out[2] = x, y, z
    else:
        for r in range(3):
            out[r] = to[j, r, 0] * u + to[j, r, 1] * v + to[j, r, 2] * w


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

"""A few moments of a step at which the whole body's frames are known, for all pairs alike.

Following one pair between two frames chains the turns of its joints, again for every pair and
moment. Most pairs are decided at a few common moments k / MOMENTS, whose frames are computed when
one is first asked for; only what stops a step is followed more finely.
"""

from __future__ import annotations

from typing import NamedTuple

from writhe.arrays import Floats, Ints
from writhe.kernels.gaps import Placed, Shapes, gap, place_shape, separation
from writhe.kernels.jit import kernel
from writhe.kernels.kinematics import Tree, forward, interpolate

MOMENTS = 64


class Moments(NamedTuple):
    """Frames of a step from q_from to q_to at fractions k / MOMENTS."""

    q_from: Floats  # (nq,)
    q_to: Floats  # (nq,)
    q: Floats  # (nq,) room
    known: Ints  # (MOMENTS + 1,) 1 where the frames are filled
    positions: Floats  # (MOMENTS + 1, n, 3)
    rotations: Floats  # (MOMENTS + 1, n, 3, 3)


@kernel
def begin_moments(q_from: Floats, q_to: Floats, moments: Moments) -> None:
    """Another step: nothing of it is known yet."""
    moments.q_from[:] = q_from
    moments.q_to[:] = q_to
    moments.known[:] = 0


@kernel
def _at(
    tree: Tree, shapes: Shapes, moments: Moments, k: int, a: int, b: int, placed: Placed
) -> None:
    """Place shapes a and b where they are at moment k."""
    if moments.known[k] == 0:
        interpolate(tree, moments.q_from, moments.q_to, k / MOMENTS, moments.q)
        forward(tree, moments.q, moments.positions[k], moments.rotations[k])
        moments.known[k] = 1
    for shape in (a, b):
        j = shapes.joint[shape]
        place_shape(shapes, shape, moments.positions[k, j], moments.rotations[k, j], placed)


@kernel
def carried(rotation_from: Floats, rotation_to: Floats, n: Floats, out: Floats) -> None:
    """out = R_to R_from^T n: a direction carried along with a frame."""
    x = rotation_from[0, 0] * n[0] + rotation_from[1, 0] * n[1] + rotation_from[2, 0] * n[2]
    y = rotation_from[0, 1] * n[0] + rotation_from[1, 1] * n[1] + rotation_from[2, 1] * n[2]
    z = rotation_from[0, 2] * n[0] + rotation_from[1, 2] * n[1] + rotation_from[2, 2] * n[2]
    for r in range(3):
        out[r] = rotation_to[r, 0] * x + rotation_to[r, 1] * y + rotation_to[r, 2] * z


@kernel
def follow_moments(
    tree: Tree,
    shapes: Shapes,
    moments: Moments,
    a: int,
    b: int,
    ancestor: int,
    speed: float,
    acceleration: float,
    least: float,
    end_least: float,
    limit: float,
    placed: Placed,
    normal: Floats,
    turned: Floats,
    out: Floats,
    ends: Floats,
) -> None:
    """How far up to `limit` the gap is proven to stay at `least` or more, in whole moments.

    Fills ends (2): the fraction followed, and the last one on the way at which the gap is also
    `end_least` or more. The proof is that of `moves.least_gap`, with the separation along a
    direction fixed in the ancestor's frame for the gap; the direction is the normal where the
    stretch began, or an earlier one while that serves, which spares most distance queries. normal
    (3), turned (3), out (9) and the shapes' rows of `placed` are room.
    """
    last = int(limit * MOMENTS)
    t, safe, span, fresh_at = 0, 0, MOMENTS // 2, 0
    _at(tree, shapes, moments, 0, a, b, placed)
    before = gap(shapes, placed, a, b, out)
    for c in range(3):
        normal[c] = out[c]
    while t < last and span > 0:
        target = min(t + span, last)
        share = (target - t) / MOMENTS
        bend = 0.125 * acceleration * share * share
        proven, across = False, 0.0
        for attempt in range(2):
            if attempt == 1:
                if fresh_at == t:
                    break  # the normal here was tried already
                _at(tree, shapes, moments, t, a, b, placed)
                before = gap(shapes, placed, a, b, out)
                for c in range(3):
                    normal[c] = out[c]
                fresh_at = t
            _at(tree, shapes, moments, target, a, b, placed)
            if ancestor >= 0:
                carried(
                    moments.rotations[fresh_at, ancestor],
                    moments.rotations[target, ancestor],
                    normal,
                    turned,
                )
            else:
                for c in range(3):
                    turned[c] = normal[c]
            across = separation(shapes, placed, a, b, turned[0], turned[1], turned[2])
            first = 0.5 * (before + across - speed * share)
            proven = max(first, min(before, across) - bend) >= least
            if proven:
                break
        if not proven:
            span = (target - t) // 2
            continue
        t, before = target, across
        if before < end_least:
            before = gap(shapes, placed, a, b, out)
            for c in range(3):
                normal[c] = out[c]
            fresh_at = t
        if before >= end_least:
            safe = t
        span = min(2 * span, MOMENTS)
    ends[0], ends[1] = t / MOMENTS, safe / MOMENTS

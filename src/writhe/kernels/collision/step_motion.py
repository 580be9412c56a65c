"""What happens between two frames: joints along their arcs, and how fast bodies can move.

Between two frames the local transform of joint j at fraction t is

    shift + t drift  followed by  base exp(t angle axis)              (slerp; hinges alike)
    shift + t drift  followed by  base R0(e0 + t de0) R1(..) R2(..)   (Euler channels)

Bounds for every point of a body's cores, seen from the frame of an ancestor joint, do not depend on
the pose: with W the arc angle of a turn, rho the reach (largest distance of the joint's centre to
the point over all poses of the joints in between), and V, A the bounds found further out,

    speed         V' = V + W rho                    |d/dt (Q y)|   <= |dy/dt| + W |y|
    acceleration  A' = A + 2 W V + W^2 rho          |d2/dt2 (Q y)| <= ...

A drift adds its length to V and nothing to A. Three Euler turns about one centre are three turns.
Joints at and above the lowest common ancestor move both bodies alike and do not count.
"""

from __future__ import annotations

from math import cos, sin, sqrt
from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.collision.shape_gaps import Bodies, Placed, Shapes, gap, place_shape, separation
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import BALL, FREE, HINGE, PRISMATIC, Tree
from writhe.kernels.skeleton.rotation import (
    axis_angle_to_matrix,
    quaternion_difference,
    quaternion_to_matrix,
)


class Moves(NamedTuple):
    """Every joint's way from one frame to the next."""

    base: Floats  # (n, 3, 3)
    axis: Floats  # (n, 3) unit, in the joint's frame
    angle: Floats  # (n,)
    shift: Floats  # (n, 3) in the parent's frame
    drift: Floats  # (n, 3)
    order: Ints  # (n, 3) axes 0, 1, 2 of Euler channels, outermost first; -1: slerp
    euler: Floats  # (n, 3)
    euler_step: Floats  # (n, 3)
    speed: Floats  # (b, n + 1) bound seen from joint j in column j + 1, from the world in 0
    acceleration: Floats  # (b, n + 1)


class Room(NamedTuple):
    """Scratch space for looking at one pair between frames."""

    placed: Placed
    position: Floats  # (3,)
    rotation_a: Floats  # (3, 3)
    rotation_b: Floats  # (3, 3)
    local: Floats  # (3, 3)
    turn: Floats  # (3, 3)
    out: Floats  # (9,) of the last gap
    evaluations: Ints  # (1,) of pairs so far


@kernel
def _times(a: Floats, b: Floats, out: Floats) -> None:
    """out = a b for 3 x 3 matrices; `out` may be `b`."""
    for c in range(3):
        x, y, z = b[0, c], b[1, c], b[2, c]
        for r in range(3):
            out[r, c] = a[r, 0] * x + a[r, 1] * y + a[r, 2] * z


@kernel
def begin(
    tree: Tree, q_from: Floats, q_to: Floats, order: Ints, from_: Floats, to: Floats, moves: Moves
) -> None:
    """Fill the joints' ways between two configurations (nq).

    order (n, 3) is -1 for joints that slerp; the others read their Euler angles in radians from
    from_ (n, 3) to `to` (n, 3), each the short way round.
    """
    step, turn = np.empty(3), np.empty((3, 3))
    for j in range(tree.parent.shape[0]):
        kind, at = tree.kind[j], tree.q_start[j]
        for c in range(3):
            moves.shift[j, c] = tree.offset[j, c]
            moves.drift[j, c] = 0.0
            moves.order[j, c] = order[j, c]
        moves.angle[j] = 0.0
        if kind in (FREE, PRISMATIC):
            for r in range(3):
                if kind == FREE:
                    for c in range(3):
                        moves.shift[j, r] += tree.rest[j, r, c] * q_from[at + c]
                        moves.drift[j, r] += tree.rest[j, r, c] * (q_to[at + c] - q_from[at + c])
                else:
                    along = 0.0
                    for c in range(3):
                        along += tree.rest[j, r, c] * tree.axis[j, c]
                    moves.shift[j, r] += along * q_from[at]
                    moves.drift[j, r] += along * (q_to[at] - q_from[at])
        if order[j, 0] >= 0:
            for c in range(3):
                moves.euler[j, c] = from_[j, c]
                turned = to[j, c] - from_[j, c]
                moves.euler_step[j, c] = turned - 2.0 * np.pi * np.rint(turned / (2.0 * np.pi))
                for r in range(3):
                    moves.base[j, r, c] = tree.rest[j, r, c]
            continue
        if kind == HINGE:
            axis_angle_to_matrix(tree.axis[j], q_from[at], turn)
            moves.angle[j] = q_to[at] - q_from[at]
            for c in range(3):
                moves.axis[j, c] = tree.axis[j, c]
        elif kind >= BALL:
            if kind == FREE:
                at += 3
            quaternion_to_matrix(q_from[at : at + 4], turn)
            quaternion_difference(q_from[at : at + 4], q_to[at : at + 4], step)
            angle = sqrt(step[0] * step[0] + step[1] * step[1] + step[2] * step[2])
            moves.angle[j] = angle
            for c in range(3):
                moves.axis[j, c] = step[c] / angle if angle > 0.0 else 0.0
        else:
            for c in range(3):
                for r in range(3):
                    moves.base[j, r, c] = tree.rest[j, r, c]
            continue
        _times(tree.rest[j], turn, moves.base[j])


@kernel
def bound_bodies(tree: Tree, bodies: Bodies, moves: Moves) -> None:
    """Fill speed and acceleration of every body as seen from each of its ancestors."""
    for body in range(bodies.joint.shape[0]):
        j = bodies.joint[body]
        reach, speed, acceleration = bodies.reach[body], 0.0, 0.0
        moves.speed[body, j + 1] = 0.0
        moves.acceleration[body, j + 1] = 0.0
        while j >= 0:
            if moves.order[j, 0] >= 0:
                for c in range(2, -1, -1):
                    turn = abs(moves.euler_step[j, c])
                    acceleration += 2.0 * turn * speed + turn * turn * reach
                    speed += turn * reach
            else:
                turn = abs(moves.angle[j])
                acceleration += 2.0 * turn * speed + turn * turn * reach
                speed += turn * reach
            x, y, z = moves.shift[j, 0], moves.shift[j, 1], moves.shift[j, 2]
            u, v, w = moves.drift[j, 0], moves.drift[j, 1], moves.drift[j, 2]
            start = sqrt(x * x + y * y + z * z)
            end = sqrt((x + u) * (x + u) + (y + v) * (y + v) + (z + w) * (z + w))
            speed += sqrt(u * u + v * v + w * w)
            reach += max(start, end)
            j = tree.parent[j]
            moves.speed[body, j + 1] = speed
            moves.acceleration[body, j + 1] = acceleration


@kernel
def local_rotation(moves: Moves, j: int, t: float, turn: Floats, out: Floats) -> None:
    """out (3, 3): the turn of joint j at fraction t, as seen from its parent; turn is room."""
    for r in range(3):
        for c in range(3):
            out[r, c] = moves.base[j, r, c]
    if moves.order[j, 0] >= 0:
        for k in range(3):
            first = (moves.order[j, k] + 1) % 3
            second = (moves.order[j, k] + 2) % 3
            angle = moves.euler[j, k] + t * moves.euler_step[j, k]
            cosine, sine = cos(angle), sin(angle)
            for r in range(3):
                u, v = out[r, first], out[r, second]
                out[r, first] = cosine * u + sine * v
                out[r, second] = cosine * v - sine * u
    elif moves.angle[j] != 0.0 and t != 0.0:
        axis_angle_to_matrix(moves.axis[j], t * moves.angle[j], turn)
        for r in range(3):
            x, y, z = out[r, 0], out[r, 1], out[r, 2]
            for c in range(3):
                out[r, c] = x * turn[0, c] + y * turn[1, c] + z * turn[2, c]


@kernel
def frame_between(
    tree: Tree,
    moves: Moves,
    joint: int,
    ancestor: int,
    t: float,
    room: Room,
    position: Floats,
    rotation: Floats,
) -> None:
    """The frame of `joint` at fraction t, as seen from `ancestor` (-1: the world)."""
    for r in range(3):
        position[r] = 0.0
        for c in range(3):
            rotation[r, c] = 1.0 if r == c else 0.0
    j = joint
    while j != ancestor:
        local_rotation(moves, j, t, room.turn, room.local)
        _times(room.local, rotation, rotation)
        x, y, z = position[0], position[1], position[2]
        for r in range(3):
            position[r] = (
                room.local[r, 0] * x
                + room.local[r, 1] * y
                + room.local[r, 2] * z
                + moves.shift[j, r]
                + t * moves.drift[j, r]
            )
        j = tree.parent[j]


@kernel
def gap_between(
    tree: Tree, shapes: Shapes, moves: Moves, a: int, b: int, ancestor: int, t: float, room: Room
) -> float:
    """The gap of shapes a and b at fraction t; normal and witnesses in the ancestor's frame.

    room.out (9) holds them and room.placed the two shapes.
    """
    joint_a, joint_b = shapes.joint[a], shapes.joint[b]
    frame_between(tree, moves, joint_a, ancestor, t, room, room.position, room.rotation_a)
    place_shape(shapes, a, room.position, room.rotation_a, room.placed)
    frame_between(tree, moves, joint_b, ancestor, t, room, room.position, room.rotation_b)
    place_shape(shapes, b, room.position, room.rotation_b, room.placed)
    room.evaluations[0] += 1
    return gap(shapes, room.placed, a, b, room.out)


@kernel(inline=True)
def least_between(before: float, after: float, bend: float) -> float:
    """The least that a function can fall to between two values, if it bends by at most `bend`.

    bend = A h^2 for a stretch h with |f''| <= A: f lies above the chord less A u (h - u) / 2 at u.
    """
    rise = after - before
    if abs(rise) >= 0.5 * bend:
        return min(before, after)
    return 0.5 * (before + after) - 0.125 * bend - 0.5 * rise * rise / bend


@kernel
def least_gap(
    before: float, after: float, across: float, span: float, speed: float, acceleration: float
) -> float:
    """A lower bound of the gap over a stretch of the way, `span` long (fractions of a step).

    First order: a gap changes at `speed` at most. Second order: the separation along a fixed
    direction in the ancestor's frame is a lower bound of the gap, and for each pair of core points
    it bends by `acceleration` at most (`least_between`). `before` and `after` are the gaps at the
    ends, `across` the separation at the far end along the normal of the near one.
    """
    first = 0.5 * (before + after - speed * span)
    return max(first, least_between(before, across, acceleration * span * span))


@kernel
def separation_after(shapes: Shapes, a: int, b: int, normal: Floats, room: Room) -> float:
    """Separation of the pair in `room.placed` along a normal (3) kept from an earlier moment."""
    return separation(
        room.placed.points,
        shapes.point_start,
        shapes.radius,
        shapes.core,
        a,
        b,
        normal[0],
        normal[1],
        normal[2],
    )

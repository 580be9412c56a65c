"""Interpolated joint motion between two frames, with bounds on the speed of bodies.

Between two frames the local transform of joint j at fraction t is

    translation  start_offset + t offset_step
    rotation     start_rotation exp(t angle axis)                 (slerp; hinges too)
                 start_rotation R0(e0 + t de0) R1(...) R2(...)    (Euler channels)

The bounds hold for every core point of a body in the frame of an ancestor joint, in every pose.
With W the angle of a joint's rotation, rho its reach (largest distance from the joint's centre to
the point over all poses of the joints in between), and V, A the bounds in the joint's own frame,

    speed         V' = V + W rho                    |d/dt (Q y)|   <= |dy/dt| + W |y|
    acceleration  A' = A + 2 W V + W^2 rho          |d2/dt2 (Q y)| <= ...

A translation adds its length to V and nothing to A. Euler channels count as three rotations about
one centre. Joints at and above the lowest common ancestor move both bodies together and do not
count.
"""

from __future__ import annotations

from math import cos, sin, sqrt
from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.collision.shape_gaps import (
    Bodies,
    Pairs,
    PlacedShapes,
    Shapes,
    gap,
    place_shape,
    separation,
)
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import BALL, FREE, HINGE, PRISMATIC, Tree
from writhe.kernels.skeleton.rotation import (
    axis_angle_to_matrix,
    quaternion_difference,
    quaternion_to_matrix,
)


class StepMotion(NamedTuple):
    """Motion of n joints from one frame to the next, and bounds for b bodies."""

    start_rotation: Floats  # (n, 3, 3) from the parent's frame; without Euler angles
    axis: Floats  # (n, 3) unit, in the joint's frame
    angle: Floats  # (n,) radians over the step
    start_offset: Floats  # (n, 3) in the parent's frame
    offset_step: Floats  # (n, 3)
    order: Ints  # (n, 3) axes 0, 1, 2 of Euler channels, outermost first; -1: slerp
    euler: Floats  # (n, 3)
    euler_step: Floats  # (n, 3)
    speed: Floats  # (b, n + 1) in the frame of joint j: column j + 1; of the world: 0
    acceleration: Floats  # (b, n + 1)


class PairWorkspace(NamedTuple):
    """Preallocated arrays for evaluating one pair at a fraction of a step."""

    placed: PlacedShapes
    position: Floats  # (3,)
    rotation_a: Floats  # (3, 3)
    rotation_b: Floats  # (3, 3)
    local: Floats  # (3, 3)
    turn: Floats  # (3, 3)
    out: Floats  # (9,) normal and witness points of the last gap
    normal: Floats  # (3,) along which separations are measured
    carried_normal: Floats  # (3,) that normal, moved with the ancestor's frame
    fractions: Floats  # (2,) see `step_samples.advance_in_samples`
    evaluations: Ints  # (1,) number of pair evaluations so far


class MovingPair(NamedTuple):
    """Two shapes, the lowest common ancestor of their joints (-1: the world), and bounds of their
    relative motion in its frame over the whole step."""

    a: int
    b: int
    ancestor: int
    speed: float  # m
    acceleration: float  # m


@kernel(inline=True)
def moving_pair(pairs: Pairs, p: int, a: int, b: int, motion: StepMotion) -> MovingPair:
    """The shapes a and b of the body pair p."""
    body_a, body_b, ancestor = pairs.a[p], pairs.b[p], pairs.ancestor[p]
    speed, acceleration, column = motion.speed, motion.acceleration, ancestor + 1
    return MovingPair(
        a,
        b,
        ancestor,
        speed[body_a, column] + speed[body_b, column],
        acceleration[body_a, column] + acceleration[body_b, column],
    )


@kernel(inline=True)
def _multiply(a: Floats, b: Floats, out: Floats) -> None:
    """out = a b for 3 x 3 matrices; `out` may be `b`."""
    for c in range(3):
        x, y, z = b[0, c], b[1, c], b[2, c]
        for r in range(3):
            out[r, c] = a[r, 0] * x + a[r, 1] * y + a[r, 2] * z


@kernel
def fill_step_motion(
    tree: Tree,
    q_from: Floats,
    q_to: Floats,
    order: Ints,
    from_: Floats,
    to: Floats,
    motion: StepMotion,
) -> None:
    """Fill the joint motion between two configurations (nq).

    order (n, 3) is -1 for joints that slerp. The others interpolate their Euler angles from from_
    (n, 3) to `to` (n, 3) in radians, each by the shorter way round.
    """
    step, turn = np.empty(3), np.empty((3, 3))
    for j in range(tree.parent.shape[0]):
        kind, at = tree.kind[j], tree.q_start[j]
        for c in range(3):
            motion.start_offset[j, c] = tree.offset[j, c]
            motion.offset_step[j, c] = 0.0
            motion.order[j, c] = order[j, c]
        motion.angle[j] = 0.0
        if kind in (FREE, PRISMATIC):
            for r in range(3):
                if kind == FREE:
                    for c in range(3):
                        motion.start_offset[j, r] += tree.rest[j, r, c] * q_from[at + c]
                        motion.offset_step[j, r] += tree.rest[j, r, c] * (
                            q_to[at + c] - q_from[at + c]
                        )
                else:
                    along = 0.0
                    for c in range(3):
                        along += tree.rest[j, r, c] * tree.axis[j, c]
                    motion.start_offset[j, r] += along * q_from[at]
                    motion.offset_step[j, r] += along * (q_to[at] - q_from[at])
        if order[j, 0] >= 0:
            for c in range(3):
                motion.euler[j, c] = from_[j, c]
                change = to[j, c] - from_[j, c]
                motion.euler_step[j, c] = change - 2.0 * np.pi * np.rint(change / (2.0 * np.pi))
                for r in range(3):
                    motion.start_rotation[j, r, c] = tree.rest[j, r, c]
            continue
        if kind == HINGE:
            axis_angle_to_matrix(tree.axis[j], q_from[at], turn)
            motion.angle[j] = q_to[at] - q_from[at]
            for c in range(3):
                motion.axis[j, c] = tree.axis[j, c]
        elif kind >= BALL:
            if kind == FREE:
                at += 3
            quaternion_to_matrix(q_from[at : at + 4], turn)
            quaternion_difference(q_from[at : at + 4], q_to[at : at + 4], step)
            angle = sqrt(step[0] * step[0] + step[1] * step[1] + step[2] * step[2])
            motion.angle[j] = angle
            for c in range(3):
                motion.axis[j, c] = step[c] / angle if angle > 0.0 else 0.0
        else:
            for c in range(3):
                for r in range(3):
                    motion.start_rotation[j, r, c] = tree.rest[j, r, c]
            continue
        _multiply(tree.rest[j], turn, motion.start_rotation[j])


@kernel
def bound_body_motion(tree: Tree, bodies: Bodies, motion: StepMotion) -> None:
    """Fill the bounds on speed and acceleration of every body in the frame of each ancestor."""
    for body in range(bodies.joint.shape[0]):
        j = bodies.joint[body]
        reach, speed, acceleration = bodies.reach[body], 0.0, 0.0
        motion.speed[body, j + 1] = 0.0
        motion.acceleration[body, j + 1] = 0.0
        while j >= 0:
            if motion.order[j, 0] >= 0:
                for c in range(2, -1, -1):
                    turn = abs(motion.euler_step[j, c])
                    acceleration += 2.0 * turn * speed + turn * turn * reach
                    speed += turn * reach
            else:
                turn = abs(motion.angle[j])
                acceleration += 2.0 * turn * speed + turn * turn * reach
                speed += turn * reach
            x, y, z = (
                motion.start_offset[j, 0],
                motion.start_offset[j, 1],
                motion.start_offset[j, 2],
            )
            u, v, w = motion.offset_step[j, 0], motion.offset_step[j, 1], motion.offset_step[j, 2]
            start = sqrt(x * x + y * y + z * z)
            end = sqrt((x + u) * (x + u) + (y + v) * (y + v) + (z + w) * (z + w))
            speed += sqrt(u * u + v * v + w * w)
            reach += max(start, end)
            j = tree.parent[j]
            motion.speed[body, j + 1] = speed
            motion.acceleration[body, j + 1] = acceleration


@kernel(inline=True)
def local_rotation(motion: StepMotion, j: int, t: float, turn: Floats, out: Floats) -> None:
    """out (3, 3): rotation of joint j relative to its parent at fraction t; turn is scratch."""
    for r in range(3):
        for c in range(3):
            out[r, c] = motion.start_rotation[j, r, c]
    if motion.order[j, 0] >= 0:
        for k in range(3):
            first = (motion.order[j, k] + 1) % 3
            second = (motion.order[j, k] + 2) % 3
            angle = motion.euler[j, k] + t * motion.euler_step[j, k]
            cosine, sine = cos(angle), sin(angle)
            for r in range(3):
                u, v = out[r, first], out[r, second]
                out[r, first] = cosine * u + sine * v
                out[r, second] = cosine * v - sine * u
    elif motion.angle[j] != 0.0 and t != 0.0:
        axis_angle_to_matrix(motion.axis[j], t * motion.angle[j], turn)
        for r in range(3):
            x, y, z = out[r, 0], out[r, 1], out[r, 2]
            for c in range(3):
                out[r, c] = x * turn[0, c] + y * turn[1, c] + z * turn[2, c]


@kernel(inline=True)
def frame_at_fraction(
    tree: Tree,
    motion: StepMotion,
    joint: int,
    ancestor: int,
    t: float,
    workspace: PairWorkspace,
    position: Floats,
    rotation: Floats,
) -> None:
    """The frame of `joint` at fraction t, relative to `ancestor` (-1: the world)."""
    for r in range(3):
        position[r] = 0.0
        for c in range(3):
            rotation[r, c] = 1.0 if r == c else 0.0
    j = joint
    while j != ancestor:
        local_rotation(motion, j, t, workspace.turn, workspace.local)
        _multiply(workspace.local, rotation, rotation)
        x, y, z = position[0], position[1], position[2]
        for r in range(3):
            position[r] = (
                workspace.local[r, 0] * x
                + workspace.local[r, 1] * y
                + workspace.local[r, 2] * z
                + motion.start_offset[j, r]
                + t * motion.offset_step[j, r]
            )
        j = tree.parent[j]


@kernel
def gap_at_fraction(
    tree: Tree,
    shapes: Shapes,
    motion: StepMotion,
    pair: MovingPair,
    t: float,
    workspace: PairWorkspace,
) -> float:
    """The gap of a pair of shapes at fraction t of the step.

    Fills workspace.out (9: normal and witness points) and workspace.placed (the two shapes), both
    in the ancestor's frame.
    """
    a, b, ancestor = pair.a, pair.b, pair.ancestor
    joint_a, joint_b = shapes.joint[a], shapes.joint[b]
    frame_at_fraction(
        tree, motion, joint_a, ancestor, t, workspace, workspace.position, workspace.rotation_a
    )
    place_shape(shapes, a, workspace.position, workspace.rotation_a, workspace.placed)
    frame_at_fraction(
        tree, motion, joint_b, ancestor, t, workspace, workspace.position, workspace.rotation_b
    )
    place_shape(shapes, b, workspace.position, workspace.rotation_b, workspace.placed)
    workspace.evaluations[0] += 1
    return gap(shapes, workspace.placed, a, b, workspace.out)


@kernel(inline=True)
def chord_lower_bound(before: float, after: float, bend: float) -> float:
    """Lower bound of a function on an interval of length h, given its values at both ends.

    bend = A h^2 with |f''| <= A: at u in [0, h], f lies above the chord minus A u (h - u) / 2.
    """
    rise = after - before
    if abs(rise) >= 0.5 * bend:
        return min(before, after)
    return 0.5 * (before + after) - 0.125 * bend - 0.5 * rise * rise / bend


@kernel
def gap_lower_bound(
    before: float,
    after: float,
    end_separation: float,
    span: float,
    speed: float,
    acceleration: float,
) -> float:
    """Lower bound of the gap over an interval of length `span` (a fraction of a step).

    First order: the rate of change of a gap is at most `speed`. Second order: the separation along
    a direction fixed in the ancestor's frame is a lower bound of the gap, and its second derivative
    for each pair of core points is at most `acceleration` (`chord_lower_bound`). `before` and
    `after` are the gaps at the ends, end_separation the separation at the end along the normal at
    the start.
    """
    first = 0.5 * (before + after - speed * span)
    return max(first, chord_lower_bound(before, end_separation, acceleration * span * span))


@kernel
def distance_curvature(
    before: float, after: float, size: float, span: float, speed: float, acceleration: float
) -> float:
    """Upper bound of d'' of the distances d of all pairs of core points over an interval.

    For points with relative velocity w and relative acceleration z, d'' <= |w|^2 / d + |z|, so
    d'' <= speed^2 / c + acceleration, with c a lower bound of the distance of the cores over the
    interval. Infinite if the cores may meet. `before` and `after` are the gaps at the ends of the
    interval of length `span`, `size` is the sum of the radii.
    """
    core = 0.5 * (before + after - speed * span) + size
    if core <= 0.0:
        return np.inf
    return acceleration + speed * speed / core


@kernel
def separation_along(
    shapes: Shapes, a: int, b: int, normal: Floats, workspace: PairWorkspace
) -> float:
    """Separation of the shapes in workspace.placed along a normal (3) of an earlier fraction."""
    return separation(
        workspace.placed.points,
        shapes.point_start,
        shapes.radius,
        shapes.core,
        a,
        b,
        normal[0],
        normal[1],
        normal[2],
    )

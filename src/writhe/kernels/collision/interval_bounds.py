"""Lower bounds of the clearances over whole intervals between rows, before any is halved.

m(t) = g(t) + allowance is the clearance of a pair. Most pairs of most intervals are decided by the
gaps at the rows and bounds of speed and acceleration (`bound_intervals`). Those bounds may hold for
several interpolations of the same rows at once. The others are stored as open, and halved for each
interpolation (`clip_sweep.sweep_open`).
"""

from __future__ import annotations

from math import atan2, sqrt

import numpy as np

from writhe.arrays import Bytes, Floats, Ints
from writhe.kernels.collision.clip_sweep import (
    DIP_M,
    TOLERANCE_M,
    OpenIntervals,
    SweptClip,
    euler_row,
    is_decided,
    reset_required,
    witness,
)
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
    segment_gap,
    separation,
)
from writhe.kernels.collision.step_gate import GateWorkspace
from writhe.kernels.collision.step_motion import chord_lower_bound, distance_curvature
from writhe.kernels.collision.step_samples import carry_direction
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import BALL, FREE, HINGE, PRISMATIC, Tree, forward

# what follows a row: motion to the next one; nothing that is known; motion that is proven clear
MOVES, STILL, CLEAR = 0, 1, 2
DEEP_MARGIN_M = 1e-5  # pairs this close to the depth of a deep overlap stay open


@kernel(inline=True)
def _turn(tree: Tree, j: int, q_from: Floats, q_to: Floats) -> float:
    """The angle of joint j's rotation along the shortest arc (a hinge: as its coordinate turns)."""
    kind, at = tree.kind[j], tree.q_start[j]
    if kind == HINGE:
        return abs(q_to[at] - q_from[at])
    if kind < BALL:
        return 0.0
    if kind == FREE:
        at += 3
    aw, ax, ay, az = q_from[at], q_from[at + 1], q_from[at + 2], q_from[at + 3]
    bw, bx, by, bz = q_to[at], q_to[at + 1], q_to[at + 2], q_to[at + 3]
    w = aw * bw + ax * bx + ay * by + az * bz
    x = aw * bx - ax * bw - ay * bz + az * by
    y = aw * by + ax * bz - ay * bw - az * bx
    z = aw * bz - ax * by + ay * bx - az * bw
    return 2.0 * atan2(sqrt(x * x + y * y + z * z), abs(w))


@kernel
def _joint_bounds(
    tree: Tree,
    q_from: Floats,
    q_to: Floats,
    order: Ints,
    from_: Floats,
    to: Floats,
    slerps: bool,
    turn: Floats,
    shift: Floats,
    length: Floats,
) -> None:
    """Fill rotation angle, length of the translation and largest distance from the parent (n,).

    As `step_motion.fill_step_motion`; `slerps`: joints with Euler channels may slerp instead.
    """
    for j in range(tree.parent.shape[0]):
        kind, at = tree.kind[j], tree.q_start[j]
        start, end, moved = 0.0, 0.0, 0.0
        for r in range(3):
            here, step = tree.offset[j, r], 0.0
            if kind == FREE:
                for c in range(3):
                    here += tree.rest[j, r, c] * q_from[at + c]
                    step += tree.rest[j, r, c] * (q_to[at + c] - q_from[at + c])
            elif kind == PRISMATIC:
                for c in range(3):
                    along = tree.rest[j, r, c] * tree.axis[j, c]
                    here += along * q_from[at]
                    step += along * (q_to[at] - q_from[at])
            start += here * here
            end += (here + step) * (here + step)
            moved += step * step
        length[j], shift[j] = sqrt(max(start, end)), sqrt(moved)
        turn[j] = 0.0
        if order[j, 0] >= 0:
            for c in range(3):
                change = to[j, c] - from_[j, c]
                turn[j] += abs(change - 2.0 * np.pi * np.rint(change / (2.0 * np.pi)))
        if order[j, 0] < 0 or slerps:
            turn[j] = max(turn[j], _turn(tree, j, q_from, q_to))


@kernel
def _body_bounds(
    tree: Tree,
    bodies: Bodies,
    turn: Floats,
    shift: Floats,
    length: Floats,
    speeds: Floats,
    accelerations: Floats,
) -> None:
    """The bounds of `step_motion.bound_body_motion`; three rotations about one centre add up."""
    for body in range(bodies.joint.shape[0]):
        j = bodies.joint[body]
        reach, speed, acceleration = bodies.reach[body], 0.0, 0.0
        speeds[body, j + 1] = 0.0
        accelerations[body, j + 1] = 0.0
        while j >= 0:
            acceleration += 2.0 * turn[j] * speed + turn[j] * turn[j] * reach
            speed += turn[j] * reach + shift[j]
            reach += length[j]
            j = tree.parent[j]
            speeds[body, j + 1] = speed
            accelerations[body, j + 1] = acceleration


@kernel(inline=True)
def _is_never_deep(deep: Floats, first: int, last: int, bound: float) -> bool:
    """Whether shape pairs with gaps of at least `bound` do not overlap deeply."""
    never = True
    if bound < 0.0:
        for k in range(first, last):
            never = never and bound >= DEEP_MARGIN_M - deep[k]
    return never


@kernel
def clearances_at(
    tree: Tree,
    shapes: Shapes,
    bodies: Bodies,
    pairs: Pairs,
    q: Floats,
    work: GateWorkspace,
    out: Floats,
) -> None:
    """out (k,): the clearance of every shape pair at one configuration (nq)."""
    forward(tree, q, work.positions_before, work.rotations_before)
    place_shapes(shapes, bodies, work.positions_before, work.rotations_before, work.before)
    k = 0
    for p in range(pairs.a.shape[0]):
        body_a, body_b = pairs.a[p], pairs.b[p]
        for a in range(bodies.shape_start[body_a], bodies.shape_start[body_a + 1]):
            for b in range(bodies.shape_start[body_b], bodies.shape_start[body_b + 1]):
                out[k] = gap(shapes, work.before, a, b, work.pair_workspace.out)
                out[k] += pairs.allowance[k]
                k += 1
    work.pair_workspace.evaluations[0] += k


@kernel
def bound_intervals(
    tree: Tree,
    shapes: Shapes,
    bodies: Bodies,
    pairs: Pairs,
    clip: SweptClip,
    slerps: bool,
    follows: Bytes,
    slack: float,
    work: GateWorkspace,
    opened: OpenIntervals,
) -> None:
    """Bound every shape pair in every interval of a clip, and store those that stay open.

    follows (rows,): MOVES, STILL or CLEAR after each row. Clearances are witnessed at the rows,
    where `clip.failed` is set too. Stops when `opened` might not have room for another row, and
    goes on from there when it is called again.
    """
    n = tree.parent.shape[0]
    turn, shift, length = np.zeros(n), np.zeros(n), np.zeros(n)
    speeds, accelerations = work.motion.speed, work.motion.acceleration
    ball_radius, capsule_radius = bodies.ball_radius, bodies.capsule_radius
    core, point_start, radius = shapes.core, shapes.point_start, shapes.radius
    shape_start, ancestors = bodies.shape_start, pairs.ancestor
    pair_a, pair_b, pair_first = pairs.a, pairs.b, pairs.first
    allowances, deep, required = pairs.allowance, pairs.deep, clip.required
    out, carried, evaluations = (
        work.pair_workspace.out,
        work.pair_workspace.carried_normal,
        work.pair_workspace.evaluations,
    )
    before, after = work.before, work.after
    positions, rotations = work.positions_before, work.rotations_before
    next_positions, next_rotations = work.positions_after, work.rotations_after
    rows, room = clip.q.shape[0], opened.row.shape[0] - allowances.shape[0]
    row, count = opened.state[0], opened.state[1]
    smallest, lower_bound = opened.lowest[0], opened.lowest[1]
    placed = -1  # the row whose shapes are in `before`
    while row < rows and count <= room:
        if follows[row] == CLEAR and row > 0 and follows[row - 1] == CLEAR:
            row += 1
            continue
        if placed != row:
            forward(tree, clip.q[row], positions, rotations)
            place_shapes(shapes, bodies, positions, rotations, before)
        moves = follows[row] == MOVES
        if moves:
            forward(tree, clip.q[row + 1], next_positions, next_rotations)
            place_shapes(shapes, bodies, next_positions, next_rotations, after)
            here, there = euler_row(clip, row), euler_row(clip, row + 1)
            _joint_bounds(
                tree,
                clip.q[row],
                clip.q[row + 1],
                clip.order,
                clip.euler[here],
                clip.euler[there],
                slerps,
                turn,
                shift,
                length,
            )
            _body_bounds(tree, bodies, turn, shift, length, speeds, accelerations)
        centre, axis_ends = before.centre, before.axis_ends
        points, next_points = before.points, after.points
        for p in range(pair_a.shape[0]):
            body_a, body_b, ancestor = pair_a[p], pair_b[p], ancestors[p]
            speed, acceleration = 0.0, 0.0
            if moves:
                speed = speeds[body_a, ancestor + 1] + speeds[body_b, ancestor + 1]
            first, last = pair_first[p], pair_first[p + 1]
            threshold = max(smallest - TOLERANCE_M, -slack)
            bound = bounding_ball_gap(centre, ball_radius, body_a, body_b) - speed
            if bound < threshold:
                bound = bounding_capsule_gap(axis_ends, capsule_radius, body_a, body_b) - speed
            if bound >= threshold and _is_never_deep(deep, first, last, bound):
                lower_bound = min(lower_bound, bound)
                reset_required(clip, first, last, slack)
                continue
            if moves:
                acceleration = (
                    accelerations[body_a, ancestor + 1] + accelerations[body_b, ancestor + 1]
                )
            k = first - 1
            for a in range(shape_start[body_a], shape_start[body_a + 1]):
                for b in range(shape_start[body_b], shape_start[body_b + 1]):
                    k += 1
                    allowance, size = allowances[k], radius[a] + radius[b]
                    round_pair = core[a] == SEGMENT and core[b] == SEGMENT
                    if round_pair:
                        start = segment_gap(points, point_start[a], point_start[b], out) - size
                    else:
                        start = gap(shapes, before, a, b, out)
                    evaluations[0] += 1
                    clearance = start + allowance
                    witness(clip, k, clearance, float(row))
                    smallest = min(smallest, clearance)
                    if required[k] < -slack:
                        required[k] = max(required[k], clearance - DIP_M)
                        if clearance >= -slack:
                            required[k] = -slack
                    if clearance < required[k]:
                        clip.failed[k] = 1
                    bound, not_deep = start - speed, DEEP_MARGIN_M - deep[k]
                    open_ = bound < not_deep or not is_decided(clip, k, bound + allowance, smallest)
                    if open_ and speed > 0.0:
                        carry_direction(rotations, next_rotations, ancestor, out, carried)
                        x, y, z = carried[0], carried[1], carried[2]
                        along = separation(next_points, point_start, radius, core, a, b, x, y, z)
                        bound = max(bound, chord_lower_bound(start, along, acceleration))
                        open_ = bound < not_deep or not is_decided(
                            clip, k, bound + allowance, smallest
                        )
                    if open_ and speed > 0.0 and round_pair:
                        end = segment_core_gap(next_points, point_start, radius, a, b)
                        evaluations[0] += 1
                        bound = max(bound, 0.5 * (start + end - speed))
                        bend = distance_curvature(start, end, size, 1.0, speed, acceleration)
                        if bend < np.inf:
                            bound = max(bound, chord_lower_bound(start, end, bend))
                        open_ = bound < not_deep or not is_decided(
                            clip, k, bound + allowance, smallest
                        )
                    if open_:
                        opened.row[count], opened.pair[count] = row, k
                        opened.bound[count] = bound + allowance
                        opened.required[count] = required[k]
                        count += 1
                    else:
                        clip.proven[k] = min(clip.proven[k], bound + allowance)
        if follows[row] == CLEAR:  # no pair is in violation any more
            reset_required(clip, 0, required.shape[0], slack)
        if moves:
            before, after = after, before
            positions, next_positions = next_positions, positions
            rotations, next_rotations = next_rotations, rotations
            placed = row + 1
        row += 1
    opened.state[0], opened.state[1] = row, count
    opened.lowest[0], opened.lowest[1] = smallest, lower_bound

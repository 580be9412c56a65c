"""One frame of an in-between: the posture nearest to the blend that keeps its constraints.

With x the tangent step from the blend to the posture, M metres per radian and v the step sought,
every iteration solves

    min   1/2 ||M (x + v)||^2
    s.t.  pins:      e + J v = 0          position (3 rows), orientation (3 rows more)
          limits:    lower <= c + dc v <= upper
          contacts:  g + n . (J_a - J_b) v >= least
          balance:   d . (c + J_c v) <= support      soft

in the dual (`kernels.qp.dual_active_set`), where every row is a little compliant: contradictory
rows get a compromise, in which limits and contacts outweigh pins. The solution depends smoothly on
the blend as long as the same rows are active, so that frames can be solved one by one.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from writhe.arrays import Floats, Ints
from writhe.kernels.animation.balance_rows import BodyMass, MassWorkspace, balance_rows
from writhe.kernels.collision.near_pairs import NearPairRows, near_pairs
from writhe.kernels.collision.shape_gaps import Bodies, Pairs, PlacedShapes, Shapes
from writhe.kernels.jit import kernel
from writhe.kernels.qp.dual_active_set import (
    EQUAL,
    FREE,
    ConstraintRows,
    DualWorkspace,
    solve_qp,
)
from writhe.kernels.skeleton.kinematics import (
    Tree,
    difference,
    forward,
    integrate,
    motion_axes,
    point_jacobian,
    turn_jacobian,
)
from writhe.kernels.terms.contact_rows import gap_gradient
from writhe.kernels.terms.limit_rows import LimitRows, limit_gradient, limit_values

PIN_COMPLIANCE, HARD_COMPLIANCE = 1e-6, 1e-8
LIMIT_REACH = 0.4  # rad: limits farther away than this get no row
MAX_STEP = 0.35  # largest entry of a step
MAX_PIN_STEP = 0.1  # m: a pin is approached by at most this much, a goal out of reach not at once
STILL = 1e-5  # a step below this ends the iteration
TOLERANCE = 1e-6  # violation of a row that counts as satisfied


class FrameModel(NamedTuple):
    """What all frames share. P pins, m limits."""

    tree: Tree
    shapes: Shapes
    bodies: Bodies
    pairs: Pairs
    limits: LimitRows
    inverse_metric: Floats  # (nv,) 1 / M^2; 0: the coordinate stays at the blend
    pin_joint: Ints  # (P,)
    pin_point: Floats  # (P, 3) in the joint's frame
    pin_base: Ints  # (P,) joint in whose frame the pin is fixed; -1: the world
    pin_turns: Ints  # (P,) 1: the orientation is pinned too
    still: Ints  # (n,) 1: no coordinate that may change moves the joint
    mass: BodyMass


class FrameTargets(NamedTuple):
    """What differs from frame to frame. F frames, S spans between keys, K shape pairs."""

    active: Ints  # (F, P) 1: the pin holds
    position: Floats  # (F, P, 3) in the frame of the pin's base
    rotation: Floats  # (F, P, 3, 3)
    span: Ints  # (F,)
    min_clearance: Floats  # (S, K) clearance that a shape pair keeps
    raised: Floats  # (F,) m, added to it, but not between parts that pins hold still
    lower: Floats  # (F, m) bounds of the joint limits
    upper: Floats  # (F, m)
    support: Floats  # (F, D) m, bounds of the centre of mass; see `BodyMass`


class InBetweenWorkspace(NamedTuple):
    """Arrays of the solve."""

    placed: PlacedShapes
    out: Floats  # (9,)
    last_normals: Floats  # (K, 3)
    near: NearPairRows
    positions: Floats  # (n, 3)
    rotations: Floats  # (n, 3, 3)
    axes: Floats  # (nv, 3)
    jacobian: Floats  # (2, 3, nv)
    point: Floats  # (3,)
    goal: Floats  # (3,)
    turn: Floats  # (3, 3)
    coordinates: Floats  # (m, 3)
    values: Floats  # (m,)
    gradient: Floats  # (3,)
    rows: ConstraintRows
    dual: DualWorkspace
    x: Floats  # (nv,)
    v: Floats  # (nv,)
    mass: MassWorkspace


@kernel
def _pin_rows(model: FrameModel, targets: FrameTargets, f: int, work: InBetweenWorkspace) -> int:
    """Write the rows of the pins that hold in frame f; returns how many there are."""
    tree, rows, count = model.tree, work.rows, 0
    for p in range(model.pin_joint.shape[0]):
        if targets.active[f, p] == 0:
            continue
        joint, base = model.pin_joint[p], model.pin_base[p]
        point, goal = work.point, work.goal
        for r in range(3):
            point[r] = work.positions[joint, r]
            goal[r] = targets.position[f, p, r]
            for c in range(3):
                point[r] += work.rotations[joint, r, c] * model.pin_point[p, c]
        if base >= 0:
            for r in range(3):
                total = work.positions[base, r]
                for c in range(3):
                    total += work.rotations[base, r, c] * targets.position[f, p, c]
                goal[r] = total
        point_jacobian(tree, work.positions, work.axes, joint, point, work.jacobian[0])
        if base >= 0:
            point_jacobian(tree, work.positions, work.axes, base, goal, work.jacobian[1])
            work.jacobian[0] -= work.jacobian[1]
        far = 0.0
        for r in range(3):
            far += (goal[r] - point[r]) ** 2
        share = min(1.0, MAX_PIN_STEP / max(sqrt(far), 1e-12))
        for r in range(3):
            rows.matrix[count] = work.jacobian[0, r]
            rows.low[count] = rows.high[count] = share * (goal[r] - point[r])
            rows.compliance[count] = PIN_COMPLIANCE
            rows.state[count] = EQUAL
            count += 1
        if model.pin_turns[p] == 0:
            continue
        # E = goal R^T; its skew part is the rotation left, up to third order
        turn = work.turn
        for r in range(3):
            for c in range(3):
                total = 0.0
                for k in range(3):
                    wanted = targets.rotation[f, p, r, k]
                    if base >= 0:
                        wanted = 0.0
                        for i in range(3):
                            wanted += work.rotations[base, r, i] * targets.rotation[f, p, i, k]
                    total += wanted * work.rotations[joint, c, k]
                turn[r, c] = total
        turn_jacobian(tree, work.axes, joint, work.jacobian[0])
        if base >= 0:
            turn_jacobian(tree, work.axes, base, work.jacobian[1])
            work.jacobian[0] -= work.jacobian[1]
        for r in range(3):
            a, b = (r + 1) % 3, (r + 2) % 3
            rows.matrix[count] = work.jacobian[0, r]
            rows.low[count] = rows.high[count] = 0.5 * (turn[b, a] - turn[a, b])
            rows.compliance[count] = PIN_COMPLIANCE
            rows.state[count] = EQUAL
            count += 1
    return count


@kernel
def _limit_rows(
    model: FrameModel,
    targets: FrameTargets,
    f: int,
    q: Floats,
    count: int,
    work: InBetweenWorkspace,
) -> int:
    """Append the limits within reach in frame f; returns the number of rows."""
    limits, rows = model.limits, work.rows
    lower, upper = targets.lower[f], targets.upper[f]
    limit_values(limits, q, work.coordinates, work.gradient, work.values)
    for i in range(limits.kind.shape[0]):
        below, above = work.values[i] - lower[i], upper[i] - work.values[i]
        if min(below, above) > LIMIT_REACH or count == rows.low.shape[0]:
            continue
        size = limit_gradient(limits, i, work.coordinates, work.gradient)
        rows.matrix[count] = 0.0
        for c in range(size):
            rows.matrix[count, limits.v_at[i] + c] = work.gradient[c]
        rows.low[count], rows.high[count] = -below, above
        rows.compliance[count] = HARD_COMPLIANCE
        rows.state[count] = FREE
        count += 1
    return count


@kernel
def _held(model: FrameModel, targets: FrameTargets, f: int, joint: int) -> bool:
    """Whether a joint stays where it is in frame f: it cannot move, or it is at or below a pin."""
    if joint < 0 or model.still[joint] == 1:
        return True
    for p in range(model.pin_joint.shape[0]):
        pinned = model.pin_joint[p]
        if (
            targets.active[f, p] == 1
            and model.pin_turns[p] == 1
            and pinned <= joint < model.tree.subtree_end[pinned]
        ):
            return True
    return False


@kernel
def _contact_rows(
    model: FrameModel,
    targets: FrameTargets,
    f: int,
    near_m: float,
    count: int,
    work: InBetweenWorkspace,
) -> int:
    """Append the pairs nearer than near_m; returns the number of rows."""
    near, rows = work.near, work.rows
    found = near_pairs(
        model.shapes,
        model.bodies,
        model.pairs,
        work.positions,
        work.rotations,
        near_m,
        work.placed,
        work.out,
        work.last_normals,
        near,
    )
    least = targets.min_clearance[targets.span[f]]
    for i in range(min(found, near.gap.shape[0])):
        wanted = least[near.shape_pair[i]]
        if targets.raised[f] > 0.0 and not (
            _held(model, targets, f, near.joints[i, 0])
            and _held(model, targets, f, near.joints[i, 1])
        ):
            wanted += targets.raised[f]
        low = wanted - near.gap[i] - near.allowance[i]
        if low < -near_m:
            continue
        if count == rows.low.shape[0]:
            break
        gap_gradient(model.tree, work.positions, work.axes, near, i, rows.matrix[count])
        rows.low[count], rows.high[count] = low, 1e9
        rows.compliance[count] = HARD_COMPLIANCE
        rows.state[count] = FREE
        count += 1
    return count


@kernel
def forward_rows(tree: Tree, q: Floats, positions: Floats, rotations: Floats) -> None:
    """`forward` for each row of q (F, nq) in one thread: few rows, within milliseconds."""
    for f in range(q.shape[0]):
        forward(tree, q[f], positions[f], rotations[f])


@kernel
def solve_frame(
    model: FrameModel,
    targets: FrameTargets,
    f: int,
    blend: Floats,
    near_m: float,
    iterations: int,
    work: InBetweenWorkspace,
    q: Floats,
) -> int:
    """Solve frame f from q (nq), in place; blend (nq). Returns the iterations used.

    near_m: pairs nearer than this become rows; negative: contacts are left out.
    """
    tree = model.tree
    for number in range(iterations):
        forward(tree, q, work.positions, work.rotations)
        motion_axes(tree, work.positions, work.rotations, work.axes)
        count = _pin_rows(model, targets, f, work)
        count = _limit_rows(model, targets, f, q, count, work)
        if near_m > 0.0:
            count = _contact_rows(model, targets, f, near_m, count, work)
        count = balance_rows(
            tree,
            model.mass,
            targets.support[f],
            work.positions,
            work.rotations,
            work.axes,
            work.mass,
            count,
            work.rows,
        )
        difference(tree, blend, q, work.x)
        for k in range(work.x.shape[0]):
            work.x[k] = -work.x[k]
        solve_qp(work.rows, count, model.inverse_metric, work.x, TOLERANCE, work.dual, work.v)
        largest = 0.0
        for k in range(work.v.shape[0]):
            largest = max(largest, abs(work.v[k]))
        if largest > MAX_STEP:
            for k in range(work.v.shape[0]):
                work.v[k] *= MAX_STEP / largest
        integrate(tree, q, work.v, q)
        if largest < STILL:
            return number + 1
    return iterations


@kernel
def solve_frames(
    model: FrameModel,
    targets: FrameTargets,
    blend: Floats,
    first: int,
    last: int,
    carry: int,
    near_m: float,
    iterations: int,
    work: InBetweenWorkspace,
    q: Floats,
) -> int:
    """Solve the frames first .. last - 1 of q (F, nq) in place; returns the iterations used.

    carry: 1: a frame starts at its blend moved by the correction of the frame before it; -1: by
    that of the frame after it, and the last frame is solved first; 0: it starts where it is.
    """
    tree, total = model.tree, 0
    for i in range(last - first):
        f = first + i if carry >= 0 else last - 1 - i
        if carry != 0 and i > 0 and targets.span[f] == targets.span[f - carry]:
            difference(tree, blend[f - carry], q[f - carry], work.x)
            integrate(tree, blend[f], work.x, q[f])
        total += solve_frame(model, targets, f, blend[f], near_m, iterations, work, q[f])
    return total

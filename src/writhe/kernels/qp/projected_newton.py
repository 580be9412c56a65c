"""Projected Gauss-Newton for soft rows with intervals, and its objective with gradient.

    f(q) = 1/2 sum_i (w_i r_i)^2 + 1/2 sum_k d_k (y_k - y*_k)^2,    y = q (-) q_start,

with r_i the distance of row i outside [lower_i, upper_i], and y within its box (hinge limits). Each
step solves the quadratic model with the rows and bounds that bind *at its solution*, found by block
pivoting; columns that no binding row touches cost nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.linear import solve_positive
from writhe.kernels.skeleton.kinematics import (
    BALL,
    Tree,
    difference,
    forward,
    integrate,
    motion_axes,
)
from writhe.kernels.skeleton.rotation import right_jacobian
from writhe.kernels.terms.quantity_rows import Program, evaluate_rows

PIVOTS = 10
HALVINGS = 8
RISE = 1e-9


class Problem(NamedTuple):
    """What is minimised: R rows of a program over nv coordinates."""

    tree: Tree
    mass: Floats
    centre: Floats
    program: Program
    lower: Floats  # (R,)
    upper: Floats  # (R,)
    weight: Floats  # (R,) finite
    free: Bools  # (nv,) the coordinates that may change
    inertia: Floats  # (nv,) d
    least: Floats  # (nv,) box of hinge and slide coordinates of q, infinite for the others
    most: Floats  # (nv,)
    start: Floats  # (nq,)
    wanted: Floats  # (nv,) y*


class NewtonRoom(NamedTuple):
    """Working space, allocated once; row arrays may be longer than R."""

    positions: Floats
    rotations: Floats
    axes: Floats
    values: Floats
    jacobian: Floats
    tried: Floats  # (nq,)
    y: Floats  # (nv,)
    step: Floats  # (nv,)
    hessian: Floats  # (nv, nv)
    solution: Floats  # (nv,)
    used: Ints  # (nv,) coordinate of each compressed column
    place: Ints  # (nv,) compressed column of each coordinate, -1
    bound: Ints  # (nv,) -1, 0, 1: held at its lower bound, free, at its upper bound
    active: Ints  # (R,) -1, 0, 1: pushed up to `lower`, idle, pushed down to `upper`; 2: equality


@kernel
def evaluate(problem: Problem, q: Floats, room: NewtonRoom) -> float:
    """f at q; fills frames, values, jacobian and y of the room."""
    tree = problem.tree
    rows = problem.lower.shape[0]
    forward(tree, q, room.positions, room.rotations)
    motion_axes(tree, room.positions, room.rotations, room.axes)
    evaluate_rows(
        tree,
        problem.mass,
        problem.centre,
        problem.program,
        q,
        room.positions,
        room.rotations,
        room.axes,
        room.values[:rows],
        room.jacobian[:rows],
    )
    difference(tree, problem.start, q, room.y)
    cost = 0.0
    for k in range(room.y.shape[0]):
        if problem.free[k]:
            lack = room.y[k] - problem.wanted[k]
            cost += 0.5 * problem.inertia[k] * lack * lack
    for i in range(rows):
        value = room.values[i]
        outside = max(value - problem.upper[i], 0.0) - max(problem.lower[i] - value, 0.0)
        cost += 0.5 * (problem.weight[i] * outside) ** 2
    return cost


@kernel
def value_and_gradient(
    problem: Problem, y: Floats, q: Floats, room: NewtonRoom, gradient: Floats
) -> float:
    """f and df/dy (nv) at q = start (+) y, which is written to q."""
    integrate(problem.tree, problem.start, y, q)
    cost = evaluate(problem, q, room)
    gradient[:] = 0.0
    for i in range(problem.lower.shape[0]):
        value = room.values[i]
        outside = max(value - problem.upper[i], 0.0) - max(problem.lower[i] - value, 0.0)
        if outside != 0.0:
            scale = problem.weight[i] * problem.weight[i] * outside
            for k in range(gradient.shape[0]):
                gradient[k] += scale * room.jacobian[i, k]
    # rows are differentiated by the tangent step at q; a change of y is J_r(y) of one
    tree = problem.tree
    block = np.empty((3, 3))
    for j in range(tree.parent.shape[0]):
        if tree.kind[j] < BALL:
            continue
        at = tree.v_start[j + 1] - 3
        right_jacobian(y[at], y[at + 1], y[at + 2], block)
        gx, gy, gz = gradient[at], gradient[at + 1], gradient[at + 2]
        for c in range(3):
            gradient[at + c] = block[0, c] * gx + block[1, c] * gy + block[2, c] * gz
    for k in range(gradient.shape[0]):
        if problem.free[k]:
            gradient[k] += problem.inertia[k] * (y[k] - problem.wanted[k])
        else:
            gradient[k] = 0.0
    return cost


@kernel
def _coordinate(tree: Tree, q: Floats, k: int) -> float:
    """The number of q that tangent coordinate k of a hinge or slide moves."""
    return q[tree.q_start[tree.dof_joint[k]]]


@kernel
def _model_step(problem: Problem, q: Floats, room: NewtonRoom) -> bool:
    """room.step: the minimiser of the quadratic model at q under its binding rows and bounds."""
    nv, rows = room.y.shape[0], problem.lower.shape[0]
    active, bound, step = room.active, room.bound, room.step
    for i in range(rows):
        if problem.lower[i] == problem.upper[i]:
            active[i] = 2
        elif room.values[i] < problem.lower[i]:
            active[i] = -1
        else:
            active[i] = 1 if room.values[i] > problem.upper[i] else 0
    bound[:] = 0
    for pivot in range(PIVOTS):
        # columns that a binding row touches
        for k in range(nv):
            room.place[k] = -1
        size = 0
        for i in range(rows):
            if active[i] == 0:
                continue
            for k in range(nv):
                if room.jacobian[i, k] != 0.0 and problem.free[k] and room.place[k] < 0:
                    room.place[k] = size
                    room.used[size] = k
                    size += 1
        hessian, x = room.hessian, room.solution
        for c in range(size):
            k = room.used[c]
            for s in range(c + 1):
                hessian[c, s] = 0.0
            hessian[c, c] = problem.inertia[k]
            x[c] = problem.inertia[k] * (problem.wanted[k] - room.y[k])
        for i in range(rows):
            if active[i] == 0:
                continue
            square = problem.weight[i] * problem.weight[i]
            wanted = problem.upper[i] if active[i] == 1 else problem.lower[i]
            lack = wanted - room.values[i]
            for c in range(size):
                slope = square * room.jacobian[i, room.used[c]]
                if slope == 0.0:
                    continue
                x[c] += slope * lack
                for s in range(c + 1):
                    hessian[c, s] += slope * room.jacobian[i, room.used[s]]
        # coordinates held at a bound: the others see them where they are held
        for c in range(size):
            k = room.used[c]
            if bound[k] == 0:
                continue
            at = problem.least[k] if bound[k] < 0 else problem.most[k]
            held = at - _coordinate(problem.tree, q, k)
            for s in range(size):
                if s < c:
                    x[s] -= hessian[c, s] * held
                    hessian[c, s] = 0.0
                elif s > c:
                    x[s] -= hessian[s, c] * held
                    hessian[s, c] = 0.0
        for c in range(size):
            k = room.used[c]
            if bound[k] != 0:
                at = problem.least[k] if bound[k] < 0 else problem.most[k]
                hessian[c, c] = 1.0
                x[c] = at - _coordinate(problem.tree, q, k)
        if not solve_positive(hessian, size, x):
            return False
        for k in range(nv):
            step[k] = 0.0
            if problem.free[k]:
                step[k] = (
                    x[room.place[k]] if room.place[k] >= 0 else (problem.wanted[k] - room.y[k])
                )
        changed = _pivot(problem, q, room, pivot >= PIVOTS // 2)
        if not changed:
            break
    return True


@kernel
def _pivot(problem: Problem, q: Floats, room: NewtonRoom, only_add: bool) -> bool:
    """Which rows and bounds bind at the step found; whether that changed."""
    nv, rows = room.y.shape[0], problem.lower.shape[0]
    changed = False
    for k in range(nv):
        if not problem.free[k] or problem.most[k] >= 1e29:
            continue
        if room.bound[k] == 0:
            value = _coordinate(problem.tree, q, k) + room.step[k]
            if value < problem.least[k] - 1e-12:
                room.bound[k] = -1
                changed = True
            elif value > problem.most[k] + 1e-12:
                room.bound[k] = 1
                changed = True
            if room.bound[k] != 0 and room.place[k] < 0:
                at = problem.least[k] if room.bound[k] < 0 else problem.most[k]
                room.step[k] = at - _coordinate(problem.tree, q, k)
        elif not only_add:
            slope = problem.inertia[k] * (room.y[k] + room.step[k] - problem.wanted[k])
            for i in range(rows):
                if room.active[i] == 0 or room.jacobian[i, k] == 0.0:
                    continue
                value = room.values[i]
                for m in range(nv):
                    value += room.jacobian[i, m] * room.step[m]
                wanted = problem.upper[i] if room.active[i] == 1 else problem.lower[i]
                square = problem.weight[i] * problem.weight[i]
                slope += square * room.jacobian[i, k] * (value - wanted)
            # a bound that the objective pulls away from is let go
            if slope * room.bound[k] > 1e-9:
                room.bound[k] = 0
                changed = True
    for i in range(rows):
        if room.active[i] == 2:
            continue
        value = room.values[i]
        for k in range(nv):
            value += room.jacobian[i, k] * room.step[k]
        state = 0
        if value < problem.lower[i]:
            state = -1
        elif value > problem.upper[i]:
            state = 1
        if only_add and state == 0:
            state = room.active[i]
        if state != room.active[i]:
            room.active[i] = state
            changed = True
    return changed


@kernel
def projected_newton(
    problem: Problem,
    q: Floats,
    iterations: int,
    max_step: float,
    tolerance: float,
    room: NewtonRoom,
) -> int:
    """Minimise f from q (in place); returns how many steps were taken.

    Ends when no coordinate moves by more than `tolerance` or f no longer falls.
    """
    cost = evaluate(problem, q, room)
    taken = 0
    tree = problem.tree
    for _ in range(iterations):
        if not _model_step(problem, q, room):
            break
        longest = 0.0
        for k in range(room.step.shape[0]):
            longest = max(longest, abs(room.step[k]))
        if longest < tolerance:
            break
        scale = min(1.0, max_step / longest)
        for k in range(room.step.shape[0]):
            room.step[k] *= scale
        accepted, tried = False, cost
        for _ in range(HALVINGS):
            integrate(tree, q, room.step, room.tried)
            for k in range(room.step.shape[0]):
                # rounding must not leave a hinge outside its box
                if problem.free[k] and problem.most[k] < 1e29:
                    at = tree.q_start[tree.dof_joint[k]]
                    if q[at] >= problem.least[k] and q[at] <= problem.most[k]:
                        room.tried[at] = min(max(room.tried[at], problem.least[k]), problem.most[k])
            tried = evaluate(problem, room.tried, room)
            if tried <= cost * (1.0 - RISE):
                accepted = True
                break
            for k in range(room.step.shape[0]):
                room.step[k] *= 0.5
        if not accepted:
            evaluate(problem, q, room)
            break
        fell = cost - tried
        q[:] = room.tried
        cost = tried
        taken += 1
        if fell < 1e-4 * cost:
            break
    return taken

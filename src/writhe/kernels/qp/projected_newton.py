"""Projected Gauss-Newton for soft rows with intervals, and its objective with gradient.

    f(q) = 1/2 sum_i (w_i r_i)^2 + 1/2 sum_k d_k (y_k - y*_k)^2,    y = q (-) q_start,

with r_i the violation of lower_i <= row i <= upper_i, and y within its box (hinge limits). A step
minimises the quadratic model with the rows and bounds that are active *at its solution*, found by
block pivoting; columns without entries in active rows cost nothing.
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

PIVOTS = 10  # changes of the active set per step
HALVINGS = 8  # of the line search
MIN_DECREASE = 1e-9  # relative decrease of f that a step must reach


class LeastSquaresProblem(NamedTuple):
    """The objective f: R rows of a program over nv coordinates."""

    tree: Tree
    mass: Floats  # (n,)
    centre: Floats  # (n, 3)
    program: Program
    lower: Floats  # (R,)
    upper: Floats  # (R,)
    weight: Floats  # (R,) finite
    free: Bools  # (nv,) the variable coordinates
    inertia: Floats  # (nv,) d
    box_lower: Floats  # (nv,) box of hinge and slide coordinates of q, infinite for the others
    box_upper: Floats  # (nv,)
    start: Floats  # (nq,) q_start
    target: Floats  # (nv,) y*


class NewtonWorkspace(NamedTuple):
    """Preallocated arrays; row arrays may be longer than R."""

    positions: Floats  # (n, 3)
    rotations: Floats  # (n, 3, 3)
    axes: Floats  # (nv, 3)
    values: Floats  # (R,)
    jacobian: Floats  # (R, nv)
    tried: Floats  # (nq,)
    y: Floats  # (nv,)
    step: Floats  # (nv,)
    hessian: Floats  # (nv, nv)
    solution: Floats  # (nv,)
    used: Ints  # (nv,) coordinate of each compressed column
    column: Ints  # (nv,) compressed column of each coordinate, or -1
    bound: Ints  # (nv,) -1, 0, 1: held at its lower bound, free, at its upper bound
    active: Ints  # (R,) -1: below `lower`, 0: inactive, 1: above `upper`, 2: equality


@kernel
def evaluate(problem: LeastSquaresProblem, q: Floats, workspace: NewtonWorkspace) -> float:
    """f at q; fills frames, values, jacobian and y of the workspace."""
    tree = problem.tree
    rows = problem.lower.shape[0]
    forward(tree, q, workspace.positions, workspace.rotations)
    motion_axes(tree, workspace.positions, workspace.rotations, workspace.axes)
    evaluate_rows(
        tree,
        problem.mass,
        problem.centre,
        problem.program,
        q,
        workspace.positions,
        workspace.rotations,
        workspace.axes,
        workspace.values[:rows],
        workspace.jacobian[:rows],
    )
    difference(tree, problem.start, q, workspace.y)
    cost = 0.0
    for k in range(workspace.y.shape[0]):
        if problem.free[k]:
            residual = workspace.y[k] - problem.target[k]
            cost += 0.5 * problem.inertia[k] * residual * residual
    for i in range(rows):
        value = workspace.values[i]
        violation = max(value - problem.upper[i], 0.0) - max(problem.lower[i] - value, 0.0)
        cost += 0.5 * (problem.weight[i] * violation) ** 2
    return cost


@kernel
def value_and_gradient(
    problem: LeastSquaresProblem, y: Floats, q: Floats, workspace: NewtonWorkspace, gradient: Floats
) -> float:
    """f and df/dy (nv) at q = start (+) y, which is written to q."""
    integrate(problem.tree, problem.start, y, q)
    cost = evaluate(problem, q, workspace)
    gradient[:] = 0.0
    for i in range(problem.lower.shape[0]):
        value = workspace.values[i]
        violation = max(value - problem.upper[i], 0.0) - max(problem.lower[i] - value, 0.0)
        if violation != 0.0:
            scale = problem.weight[i] * problem.weight[i] * violation
            for k in range(gradient.shape[0]):
                gradient[k] += scale * workspace.jacobian[i, k]
    # rows are differentiated by the tangent step at q, which is J_r(y) dy
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
            gradient[k] += problem.inertia[k] * (y[k] - problem.target[k])
        else:
            gradient[k] = 0.0
    return cost


@kernel
def _coordinate(tree: Tree, q: Floats, k: int) -> float:
    """The entry of q that belongs to tangent coordinate k of a hinge or slide."""
    return q[tree.q_start[tree.dof_joint[k]]]


@kernel
def _model_step(problem: LeastSquaresProblem, q: Floats, workspace: NewtonWorkspace) -> bool:
    """Store in workspace.step the minimiser of the quadratic model at q. False: it is singular."""
    nv, rows = workspace.y.shape[0], problem.lower.shape[0]
    active, bound, step = workspace.active, workspace.bound, workspace.step
    for i in range(rows):
        if problem.lower[i] == problem.upper[i]:
            active[i] = 2
        elif workspace.values[i] < problem.lower[i]:
            active[i] = -1
        else:
            active[i] = 1 if workspace.values[i] > problem.upper[i] else 0
    bound[:] = 0
    for pivot in range(PIVOTS):
        # columns with an entry in an active row
        for k in range(nv):
            workspace.column[k] = -1
        size = 0
        for i in range(rows):
            if active[i] == 0:
                continue
            for k in range(nv):
                if workspace.jacobian[i, k] != 0.0 and problem.free[k] and workspace.column[k] < 0:
                    workspace.column[k] = size
                    workspace.used[size] = k
                    size += 1
        hessian, x = workspace.hessian, workspace.solution
        for c in range(size):
            k = workspace.used[c]
            for s in range(c + 1):
                hessian[c, s] = 0.0
            hessian[c, c] = problem.inertia[k]
            x[c] = problem.inertia[k] * (problem.target[k] - workspace.y[k])
        for i in range(rows):
            if active[i] == 0:
                continue
            square = problem.weight[i] * problem.weight[i]
            target = problem.upper[i] if active[i] == 1 else problem.lower[i]
            residual = target - workspace.values[i]
            for c in range(size):
                slope = square * workspace.jacobian[i, workspace.used[c]]
                if slope == 0.0:
                    continue
                x[c] += slope * residual
                for s in range(c + 1):
                    hessian[c, s] += slope * workspace.jacobian[i, workspace.used[s]]
        # coordinates at a bound are eliminated
        for c in range(size):
            k = workspace.used[c]
            if bound[k] == 0:
                continue
            at = problem.box_lower[k] if bound[k] < 0 else problem.box_upper[k]
            held_step = at - _coordinate(problem.tree, q, k)
            for s in range(size):
                if s < c:
                    x[s] -= hessian[c, s] * held_step
                    hessian[c, s] = 0.0
                elif s > c:
                    x[s] -= hessian[s, c] * held_step
                    hessian[s, c] = 0.0
        for c in range(size):
            k = workspace.used[c]
            if bound[k] != 0:
                at = problem.box_lower[k] if bound[k] < 0 else problem.box_upper[k]
                hessian[c, c] = 1.0
                x[c] = at - _coordinate(problem.tree, q, k)
        if not solve_positive(hessian, size, x):
            return False
        for k in range(nv):
            step[k] = 0.0
            if problem.free[k]:
                step[k] = (
                    x[workspace.column[k]]
                    if workspace.column[k] >= 0
                    else (problem.target[k] - workspace.y[k])
                )
        changed = _pivot(problem, q, workspace, pivot >= PIVOTS // 2)
        if not changed:
            break
    return True


@kernel
def _pivot(
    problem: LeastSquaresProblem, q: Floats, workspace: NewtonWorkspace, only_add: bool
) -> bool:
    """Update which rows and bounds are active at the step; whether any changed."""
    nv, rows = workspace.y.shape[0], problem.lower.shape[0]
    changed = False
    for k in range(nv):
        if not problem.free[k] or problem.box_upper[k] >= 1e29:
            continue
        if workspace.bound[k] == 0:
            value = _coordinate(problem.tree, q, k) + workspace.step[k]
            if value < problem.box_lower[k] - 1e-12:
                workspace.bound[k] = -1
                changed = True
            elif value > problem.box_upper[k] + 1e-12:
                workspace.bound[k] = 1
                changed = True
            if workspace.bound[k] != 0 and workspace.column[k] < 0:
                at = problem.box_lower[k] if workspace.bound[k] < 0 else problem.box_upper[k]
                workspace.step[k] = at - _coordinate(problem.tree, q, k)
        elif not only_add:
            slope = problem.inertia[k] * (workspace.y[k] + workspace.step[k] - problem.target[k])
            for i in range(rows):
                if workspace.active[i] == 0 or workspace.jacobian[i, k] == 0.0:
                    continue
                value = workspace.values[i]
                for m in range(nv):
                    value += workspace.jacobian[i, m] * workspace.step[m]
                target = problem.upper[i] if workspace.active[i] == 1 else problem.lower[i]
                square = problem.weight[i] * problem.weight[i]
                slope += square * workspace.jacobian[i, k] * (value - target)
            # a bound is released if the objective decreases away from it
            if slope * workspace.bound[k] > 1e-9:
                workspace.bound[k] = 0
                changed = True
    for i in range(rows):
        if workspace.active[i] == 2:
            continue
        value = workspace.values[i]
        for k in range(nv):
            value += workspace.jacobian[i, k] * workspace.step[k]
        state = 0
        if value < problem.lower[i]:
            state = -1
        elif value > problem.upper[i]:
            state = 1
        if only_add and state == 0:
            state = workspace.active[i]
        if state != workspace.active[i]:
            workspace.active[i] = state
            changed = True
    return changed


@kernel
def projected_newton(
    problem: LeastSquaresProblem,
    q: Floats,
    iterations: int,
    max_step: float,
    tolerance: float,
    workspace: NewtonWorkspace,
) -> int:
    """Minimise f from q (in place); returns the number of steps taken.

    Stops when no coordinate moves by more than `tolerance`, or f no longer decreases.
    """
    cost = evaluate(problem, q, workspace)
    taken = 0
    tree = problem.tree
    for _ in range(iterations):
        if not _model_step(problem, q, workspace):
            break
        longest = 0.0
        for k in range(workspace.step.shape[0]):
            longest = max(longest, abs(workspace.step[k]))
        if longest < tolerance:
            break
        scale = min(1.0, max_step / longest)
        for k in range(workspace.step.shape[0]):
            workspace.step[k] *= scale
        accepted, tried = False, cost
        for _ in range(HALVINGS):
            integrate(tree, q, workspace.step, workspace.tried)
            for k in range(workspace.step.shape[0]):
                # rounding must not leave a hinge outside its box
                if problem.free[k] and problem.box_upper[k] < 1e29:
                    at = tree.q_start[tree.dof_joint[k]]
                    if q[at] >= problem.box_lower[k] and q[at] <= problem.box_upper[k]:
                        workspace.tried[at] = min(
                            max(workspace.tried[at], problem.box_lower[k]), problem.box_upper[k]
                        )
            tried = evaluate(problem, workspace.tried, workspace)
            if tried <= cost * (1.0 - MIN_DECREASE):
                accepted = True
                break
            for k in range(workspace.step.shape[0]):
                workspace.step[k] *= 0.5
        if not accepted:
            evaluate(problem, q, workspace)
            break
        fell = cost - tried
        q[:] = workspace.tried
        cost = tried
        taken += 1
        if fell < 1e-4 * cost:
            break
    return taken

"""One step of the default poser as a quadratic program (QP).

    min   1/2 ||M (x + v)||^2 - p . v + 1/2 ||W (r + J v)||^2
    s.t.  near pairs keep their clearance,  joint limits,  |v| <= max_step,
          the centre of mass leaves the support polygon by at most TIPPING_M, if balance is on

v is the tangent step. The soft rows of `TermRows` have residual r, Jacobian J and weights W. x is
the tangent step since the frame began; M weighs the motion x + v of the frame (`inertia` holds its
square). The linear term p (`pull`) prefers some steps. The variables are those of the actor's
degrees of freedom that may change: columns `free_dofs` (m,) of the Jacobians.
"""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.linear import factorise, solve_factored
from writhe.kernels.posing.body_state import (
    BALANCE,
    FIRST_HARD,
    TARGETS,
    BodyState,
    Environment,
    TermRows,
    update_near_pairs,
)
from writhe.kernels.posing.step_workspace import (
    BOX,
    BOX_ROUNDS,
    CONTRADICTION,
    CUT,
    FIRM_COMPLIANCE,
    LIMIT_RECOVERY,
    MAX_CUTS,
    PAIR,
    SOFT_COMPLIANCE,
    StepSettings,
    StepWorkspace,
)
from writhe.kernels.qp.dual_active_set import (
    FREE,
    fill_rows,
    solve_qp,
)
from writhe.kernels.qp.normal_equations import assemble
from writhe.kernels.skeleton.kinematics import difference, forward, integrate, motion_axes
from writhe.kernels.terms.contact_rows import contact_rows, cut_rows

TIPPING_M = 0.006  # the centre of mass may leave the support polygon by this
NEAR_EDGE_M = 0.15  # edges of the polygon farther away than this are not constrained


@kernel
def _limit_target_distance(state: BodyState, terms: TermRows, reach_m: float) -> None:
    """Set the bounds of each target to at most `reach_m` from its current point.

    bound = value + min(1, reach_m / |target - value|) (target - value).
    """
    for i in range(terms.layout[TARGETS]):
        square = 0.0
        for c in range(3 * i, 3 * i + 3):
            square += (terms.target[c] - state.values[c]) ** 2
        share = min(1.0, reach_m / max(square**0.5, 1e-9))
        for c in range(3 * i, 3 * i + 3):
            bound = state.values[c] + share * (terms.target[c] - state.values[c])
            terms.lower[c] = terms.upper[c] = bound


@kernel
def _add_contact_rows(
    workspace: StepWorkspace, contact_count: int, free_dofs: Ints, pair_of_row: Ints
) -> None:
    """Append the contact rows whose entries for the variables are not all zero.

    The variables are the columns `free_dofs`. pair_of_row (k) is the shape pair of each of the
    first k rows; the others get the source CUT.
    """
    rows, variables = workspace.rows, workspace.solution.shape[0]
    count = workspace.row_count[0]
    for i in range(contact_count):
        if count == rows.low.shape[0]:
            break
        movable = False
        for k in range(variables):
            rows.matrix[count, k] = workspace.contact_jacobian[i, free_dofs[k]]
            movable = movable or workspace.contact_jacobian[i, free_dofs[k]] != 0.0
        if not movable:
            continue
        rows.low[count], rows.high[count] = workspace.contact_low[i], np.inf
        rows.source[count], rows.state[count] = CUT, FREE
        if i < pair_of_row.shape[0]:
            rows.source[count] = PAIR - pair_of_row[i]
            rows.state[count] = workspace.pair_state[pair_of_row[i]]
        count += 1
    workspace.row_count[0] = count


@kernel
def _add_support_rows(
    state: BodyState, terms: TermRows, workspace: StepWorkspace, free_dofs: Ints
) -> None:
    """Append n . dc >= -(s + TIPPING_M) for each near edge of the support polygon.

    n is the inward normal of the edge, s the distance of the centre of mass c from it (negative
    outside). So the centre of mass moves freely inside the polygon and leaves it by at most
    TIPPING_M; if it is farther outside already, it moves no farther outwards.
    """
    row, support, rows = terms.layout[BALANCE], terms.support, workspace.rows
    if row < 0 or support.shape[0] < 3:
        return
    count, last = workspace.row_count[0], support.shape[0] - 1
    for i in range(support.shape[0]):
        px, pz = support[last, 0], support[last, 1]
        ex, ez = support[i, 0] - px, support[i, 1] - pz
        last = i
        length = (ex * ex + ez * ez) ** 0.5
        if length < 1e-6 or count == rows.low.shape[0]:
            continue
        nx, nz = -ez / length, ex / length
        inside = nx * (state.values[row] - px) + nz * (state.values[row + 2] - pz)
        if inside > NEAR_EDGE_M:
            continue
        for k in range(workspace.solution.shape[0]):
            column = free_dofs[k]
            rows.matrix[count, k] = (
                nx * state.jacobian[row, column] + nz * state.jacobian[row + 2, column]
            )
        rows.low[count], rows.high[count] = -max(inside + TIPPING_M, 0.0), np.inf
        rows.source[count], rows.state[count] = CUT, FREE
        count += 1
    workspace.row_count[0] = count


@kernel
def _add_boxes(workspace: StepWorkspace, max_step: float) -> bool:
    """Append |v_k| <= max_step for each k that exceeds it; returns True if a row was appended."""
    rows, count = workspace.rows, workspace.row_count[0]
    before = count
    for k in range(workspace.solution.shape[0]):
        if (
            abs(workspace.solution[k]) <= max_step + 1e-9
            or workspace.boxed[k]
            or count == rows.low.shape[0]
        ):
            continue
        workspace.boxed[k] = 1
        for c in range(workspace.solution.shape[0]):
            rows.matrix[count, c] = 0.0
        rows.matrix[count, k] = 1.0
        rows.low[count], rows.high[count] = -max_step, max_step
        rows.compliance[count] = FIRM_COMPLIANCE
        rows.source[count], rows.state[count] = BOX, FREE
        count += 1
    workspace.row_count[0] = count
    return count > before


@kernel
def _solve_boxed(workspace: StepWorkspace, max_step: float) -> None:
    """Solve the QP, adding |v_k| <= max_step lazily for the coordinates that exceed it."""
    for _ in range(BOX_ROUNDS):
        solve_qp(
            workspace.rows,
            workspace.row_count[0],
            workspace.factor,
            workspace.unconstrained,
            1e-7,
            workspace.work,
            workspace.solution,
        )
        if not _add_boxes(workspace, max_step):
            break
    for k in range(workspace.solution.shape[0]):
        workspace.solution[k] = min(max(workspace.solution[k], -max_step), max_step)


@kernel
def _soften_rows(workspace: StepWorkspace) -> None:
    """Raise the compliance of all rows but boxes: they contradict each other.

    compliance_i = max(SOFT_COMPLIANCE a_i H^-1 a_i^T, FIRM_COMPLIANCE), for row a_i and Hessian H.
    """
    rows, moved = workspace.rows, workspace.work.scaled[0]
    for i in range(workspace.row_count[0]):
        if rows.source[i] == BOX:
            continue
        solve_factored(workspace.factor, len(workspace.factor), rows.matrix[i], moved)
        total = 0.0
        for k in range(moved.shape[0]):
            total += rows.matrix[i, k] * moved[k]
        rows.compliance[i] = max(SOFT_COMPLIANCE * total, FIRM_COMPLIANCE)


@kernel
def _solve(workspace: StepWorkspace, max_step: float, free_dofs: Ints) -> bool:
    """Solve the QP into workspace.step; returns True if contradicting rows were softened."""
    rows = workspace.rows
    for i in range(workspace.row_count[0]):
        rows.compliance[i] = FIRM_COMPLIANCE
    workspace.boxed[:] = 0
    _solve_boxed(workspace, max_step)
    softened = False
    for i in range(workspace.row_count[0]):
        if FIRM_COMPLIANCE * abs(rows.multiplier[i]) > CONTRADICTION:
            softened = True
    if softened:
        _soften_rows(workspace)
        _solve_boxed(workspace, max_step)
    for k in range(workspace.solution.shape[0]):
        workspace.step[free_dofs[k]] = workspace.solution[k]
    return softened


@kernel
def _save_active_set(workspace: StepWorkspace) -> None:
    """Store which limits and pairs are active; the next QP starts from them."""
    rows = workspace.rows
    workspace.limit_state[:] = FREE
    workspace.pair_state[:] = FREE
    for i in range(workspace.row_count[0]):
        source = rows.source[i]
        if source >= 0:
            workspace.limit_state[source] = rows.state[i]
        elif source <= PAIR:
            workspace.pair_state[PAIR - source] = rows.state[i]


@kernel
def _fill_constraints(
    environment: Environment,
    state: BodyState,
    terms: TermRows,
    settings: StepSettings,
    approach: float,
    workspace: StepWorkspace,
) -> None:
    """Fill the constraint rows of a QP at a state: joint limits, balance and contacts.

    If `approach` is 1 (a recovery), only pairs that penetrate have to gain clearance.
    """
    bounds = settings.bounds
    last_soft = terms.layout[FIRST_HARD]
    workspace.row_count[0] = fill_rows(
        state.values[last_soft:],
        state.jacobian[last_soft:],
        terms.lower[last_soft:],
        terms.upper[last_soft:],
        workspace.compliance[last_soft:],
        bounds.max_step,
        LIMIT_RECOVERY,
        workspace.limit_state,
        settings.free_dofs,
        workspace.rows,
    )
    _add_support_rows(state, terms, workspace, settings.free_dofs)
    contact_count = contact_rows(
        environment.tree,
        state.positions,
        state.axes,
        state.near,
        state.near_count[0],
        bounds.margin_m,
        approach,
        bounds.recovery_m,
        workspace.contact_jacobian,
        workspace.contact_low,
    )
    if approach >= 1.0:
        for i in range(contact_count):
            if state.near.gap[i] + state.near.allowance[i] >= 0.0:
                workspace.contact_low[i] = min(workspace.contact_low[i], 0.0)
    _add_contact_rows(workspace, contact_count, settings.free_dofs, state.near.shape_pair)


@kernel
def propose_step(
    environment: Environment,
    state: BodyState,
    terms: TermRows,
    settings: StepSettings,
    start: Floats,
    moved: Floats,
    reach_m: float,
    workspace: StepWorkspace,
) -> bool:
    """Solve one QP at a state and store its step in workspace.step (nv).

    Returns True if contradicting rows were softened. start (nq) is the configuration at the
    frame's start; targets are bounded to `reach_m` from the current points. moved (nv) is
    workspace.
    """
    free_dofs = settings.free_dofs
    difference(environment.tree, start, state.q, moved)
    _limit_target_distance(state, terms, reach_m)
    variables, last_soft = workspace.solution.shape[0], terms.layout[FIRST_HARD]
    hessian, gradient = workspace.hessian, workspace.gradient
    hessian[:] = 0.0
    for k in range(gradient.shape[0]):
        hessian[k, k] = settings.inertia[k]
        gradient[k] = settings.inertia[k] * moved[k] - settings.pull[k]
    assemble(
        state.values[:last_soft],
        state.jacobian[:last_soft],
        terms.lower[:last_soft],
        terms.upper[:last_soft],
        terms.weight[:last_soft],
        workspace.hard[:last_soft],
        hessian,
        gradient,
        workspace.columns,
    )
    for i in range(variables):
        for k in range(i + 1):
            workspace.factor[i, k] = hessian[free_dofs[i], free_dofs[k]]
    factorise(workspace.factor, variables, workspace.factor)
    for k in range(variables):
        workspace.unconstrained[k] = -gradient[free_dofs[k]]
    solve_factored(workspace.factor, variables, workspace.unconstrained, workspace.unconstrained)
    _fill_constraints(environment, state, terms, settings, settings.bounds.approach, workspace)
    softened = _solve(workspace, settings.bounds.max_step, free_dofs)
    _save_active_set(workspace)
    return softened


@kernel
def propose_recovery(
    environment: Environment,
    state: BodyState,
    terms: TermRows,
    settings: StepSettings,
    workspace: StepWorkspace,
) -> None:
    """Solve for the smallest step that restores the margin of the penetrating pairs.

    min 1/2 v^T H v  with the Hessian H of the last `propose_step`, so that handles move as little
    as possible, subject to the limits and  dc >= min(-c, recovery_m)  for the pairs that penetrate;
    no other pair becomes nearer than the margin. The result is workspace.step.
    """
    workspace.unconstrained[:] = 0.0
    _fill_constraints(environment, state, terms, settings, 1.0, workspace)
    _solve(workspace, settings.bounds.max_step, settings.free_dofs)


@kernel
def propose_cut_step(
    environment: Environment,
    settings: StepSettings,
    start: Floats,
    share: float,
    q_ahead: Floats,
    state: BodyState,
    workspace: StepWorkspace,
    ahead: Floats,
) -> None:
    """Solve the last QP again, with constraints for the pairs that collide at start + share * step.

    For shapes in flat contact the witness point jumps, which rows linearised at start (nq) cannot
    predict. The colliding pairs are linearised at start + v instead, v being
    `share` of the last step: c(v) + n . (J_a - J_b) (v' - v) >= 0 for the new step v', with c the
    clearance less half the margin, n the contact normal and J_a, J_b the Jacobians of the witness
    points (`cut_rows`). The result is workspace.step; ahead (nv), q_ahead (nq) and the state are
    workspace.
    """
    tree = environment.tree
    for k in range(ahead.shape[0]):
        ahead[k] = share * workspace.step[k]
    integrate(tree, start, ahead, q_ahead)
    forward(tree, q_ahead, state.positions, state.rotations)
    motion_axes(tree, state.positions, state.rotations, state.axes)
    update_near_pairs(environment, 0.0, state)
    contact_count = cut_rows(
        tree,
        state.positions,
        state.axes,
        state.near,
        state.near_count[0],
        0.5 * settings.bounds.margin_m,
        ahead,
        workspace.contact_jacobian[:MAX_CUTS],
        workspace.contact_low,
    )
    _add_contact_rows(workspace, contact_count, settings.free_dofs, state.near.shape_pair[:0])
    _solve(workspace, settings.bounds.max_step, settings.free_dofs)

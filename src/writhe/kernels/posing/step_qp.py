"""One step of the default poser as a quadratic program (QP).

    min   1/2 ||M (x + v)||^2 - p . v + 1/2 ||W (r + J v)||^2
    s.t.  near pairs keep their clearance,  joint limits,  |v| <= max_step

v is the tangent step. The soft rows of `TermRows` have residual r, Jacobian J and weights W. x is
the tangent step since the frame began; M weighs the motion x + v of the frame (`inertia` holds its
square). The linear term p (`pull`) prefers some steps. The variables are those of the actor's
degrees of freedom that may change: columns `own` (m,) of the Jacobians.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.linear import factorise, solve_factored
from writhe.kernels.posing.body_state import (
    FIRST_HARD,
    TARGETS,
    BodyState,
    Environment,
    TermRows,
    update_near_pairs,
)
from writhe.kernels.qp.dual_active_set import (
    FREE,
    ConstraintRows,
    DualWorkspace,
    fill_rows,
    make_constraint_rows,
    make_dual_workspace,
    solve_qp,
)
from writhe.kernels.qp.normal_equations import assemble
from writhe.kernels.skeleton.kinematics import difference, forward, integrate, motion_axes
from writhe.kernels.terms.contact_rows import contact_rows, cut_rows

# A hard row may be violated by its compliance times its multiplier (see `dual_active_set`).
FIRM_COMPLIANCE = 1e-10  # usual multipliers are below 10^4, so usual violations are below 10^-6
SOFT_COMPLIANCE = 1e-6  # of contradicting rows, relative to a H^-1 a^T (see `_soften_rows`)
CONTRADICTION = 1e-5  # a hard row violated by more than this contradicts other rows
LIMIT_RECOVERY = 0.3  # fraction of a joint limit violation that one step removes
BOX_ROUNDS = 8  # QP solves, each adding rows for |v| <= max_step
MAX_CUTS = 40  # rows that `propose_cut_step` may add
# source of a constraint row: i >= 0 for the i-th hard term row, BOX for |v_k| <= max_step,
# CUT for a row of `propose_cut_step`, PAIR - p for the contact of shape pair p
BOX, CUT, PAIR = -1, -2, -3


class StepBounds(NamedTuple):
    """Limits of one QP step. Metres and radians."""

    max_step: float  # per coordinate
    reach_m: float  # a target farther away is replaced by a point at this distance towards it
    near_m: float  # pairs with a smaller gap get a contact row
    margin_m: float  # see `contact_rows`
    approach: float  # see `contact_rows`
    recovery_m: float  # see `contact_rows`


class StepWorkspace(NamedTuple):
    """Preallocated arrays of a QP with nv degrees of freedom, m of them variables."""

    hessian: Floats  # (nv, nv)
    gradient: Floats  # (nv,)
    hard: Bools  # (R,) all False: `assemble` skips hard rows and gets soft ones only
    columns: Ints  # (nv,)
    contact_jacobian: Floats  # (contacts, nv) contact rows in all columns
    contact_low: Floats  # (contacts,)
    factor: Floats  # (m, m)
    unconstrained: Floats  # (m,)
    solution: Floats  # (m,)
    step: Floats  # (nv,)
    rows: ConstraintRows  # constraint rows: limits, contacts, cuts, boxes
    row_count: Ints  # (1,)
    work: DualWorkspace
    compliance: Floats  # (R,) for the limits
    limit_state: Ints  # (R,) active set of the last QP, see `ConstraintRows.state`
    pair_state: Ints  # (shape pairs,) the same for contact rows
    boxed: Ints  # (m,) 1: the coordinate has a box row


def make_workspace(rows: int, nv: int, variables: int, contacts: int, pairs: int) -> StepWorkspace:
    """Allocate for `rows` term rows, up to `contacts` near pairs, `pairs` shape pairs in all."""
    most = contacts + rows + variables
    return StepWorkspace(
        hessian=np.zeros((nv, nv)),
        gradient=np.zeros(nv),
        hard=np.zeros(rows, dtype=np.bool_),
        columns=np.zeros(nv, dtype=np.int64),
        contact_jacobian=np.zeros((contacts, nv)),
        contact_low=np.zeros(contacts),
        factor=np.zeros((variables, variables)),
        unconstrained=np.zeros(variables),
        solution=np.zeros(variables),
        step=np.zeros(nv),
        rows=make_constraint_rows(most, variables),
        row_count=np.zeros(1, dtype=np.int64),
        work=make_dual_workspace(2 * variables, variables),
        compliance=np.full(rows, FIRM_COMPLIANCE),
        limit_state=np.zeros(rows, dtype=np.int64),
        pair_state=np.zeros(max(1, pairs), dtype=np.int64),
        boxed=np.zeros(variables, dtype=np.int64),
    )


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
    workspace: StepWorkspace, contact_count: int, own: Ints, pair_of_row: Ints
) -> None:
    """Append the contact rows whose entries for the variables are not all zero.

    The variables are the columns `own`. pair_of_row (k) is the shape pair of each of the first k
    rows; the others get the source CUT.
    """
    rows, variables = workspace.rows, workspace.solution.shape[0]
    count = workspace.row_count[0]
    for i in range(contact_count):
        if count == rows.low.shape[0]:
            break
        movable = False
        for k in range(variables):
            rows.matrix[count, k] = workspace.contact_jacobian[i, own[k]]
            movable = movable or workspace.contact_jacobian[i, own[k]] != 0.0
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
def _solve(workspace: StepWorkspace, max_step: float, own: Ints) -> bool:
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
        workspace.step[own[k]] = workspace.solution[k]
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
    bounds: StepBounds,
    approach: float,
    own: Ints,
    workspace: StepWorkspace,
) -> None:
    """Fill the constraint rows of a QP at a state: joint limits and contacts (`contact_rows`).

    With an approach of 1 (a recovery), only penetrating pairs have to gain clearance.
    """
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
        own,
        workspace.rows,
    )
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
    _add_contact_rows(workspace, contact_count, own, state.near.shape_pair)


@kernel
def propose_step(
    environment: Environment,
    state: BodyState,
    terms: TermRows,
    inertia: Floats,
    start: Floats,
    moved: Floats,
    pull: Floats,
    bounds: StepBounds,
    reach_m: float,
    own: Ints,
    workspace: StepWorkspace,
) -> bool:
    """Solve one QP at a state and store its step in workspace.step (nv).

    Returns True if contradicting rows were softened. inertia (nv) holds squared weights, start (nq)
    the configuration at the frame's start, pull (nv) the linear term p. Targets are bounded to
    `reach_m` from the current points. The variables are the columns `own` (m,). moved (nv) is
    workspace.
    """
    difference(environment.tree, start, state.q, moved)
    _limit_target_distance(state, terms, reach_m)
    variables, last_soft = workspace.solution.shape[0], terms.layout[FIRST_HARD]
    hessian, gradient = workspace.hessian, workspace.gradient
    hessian[:] = 0.0
    for k in range(gradient.shape[0]):
        hessian[k, k] = inertia[k]
        gradient[k] = inertia[k] * moved[k] - pull[k]
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
            workspace.factor[i, k] = hessian[own[i], own[k]]
    factorise(workspace.factor, variables, workspace.factor)
    for k in range(variables):
        workspace.unconstrained[k] = -gradient[own[k]]
    solve_factored(workspace.factor, variables, workspace.unconstrained, workspace.unconstrained)
    _fill_constraints(environment, state, terms, bounds, bounds.approach, own, workspace)
    softened = _solve(workspace, bounds.max_step, own)
    _save_active_set(workspace)
    return softened


@kernel
def propose_recovery(
    environment: Environment,
    state: BodyState,
    terms: TermRows,
    bounds: StepBounds,
    own: Ints,
    workspace: StepWorkspace,
) -> None:
    """Solve for the smallest step that restores the margin of the penetrating pairs.

    min 1/2 v^T H v  with the Hessian H of the last `propose_step`, so that handles move as little
    as possible, subject to the limits and  dc >= min(-c, recovery_m)  for the pairs that penetrate;
    no other pair becomes nearer than the margin. The result is workspace.step.
    """
    workspace.unconstrained[:] = 0.0
    _fill_constraints(environment, state, terms, bounds, 1.0, own, workspace)
    _solve(workspace, bounds.max_step, own)


@kernel
def propose_cut_step(
    environment: Environment,
    start: Floats,
    share: float,
    q_ahead: Floats,
    state: BodyState,
    bounds: StepBounds,
    own: Ints,
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
        0.5 * bounds.margin_m,
        ahead,
        workspace.contact_jacobian[:MAX_CUTS],
        workspace.contact_low,
    )
    _add_contact_rows(workspace, contact_count, own, state.near.shape_pair[:0])
    _solve(workspace, bounds.max_step, own)

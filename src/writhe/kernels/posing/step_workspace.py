"""The data of a posing step's QP (`step_qp`): constants, inputs and preallocated arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.kernels.qp.dual_active_set import (
    ConstraintRows,
    DualWorkspace,
    make_constraint_rows,
    make_dual_workspace,
)

# A hard row may be violated by its compliance times its multiplier (see `dual_active_set`).
FIRM_COMPLIANCE = 1e-10  # usual multipliers are below 10^4, so usual violations are below 10^-6
SOFT_COMPLIANCE = 1e-6  # of contradicting rows, relative to a H^-1 a^T (see `step_qp`)
CONTRADICTION = 1e-5  # a hard row violated by more than this contradicts other rows
LIMIT_RECOVERY = 0.3  # fraction of a joint limit violation that one step removes
BOX_ROUNDS = 8  # QP solves, each adding rows for |v| <= max_step
MAX_CUTS = 40  # rows that `propose_cut_step` may add
MAX_SUPPORT_EDGES = 16  # edges of the support polygon near the centre of mass
# source of a constraint row: i >= 0 for the i-th hard term row, BOX for |v_k| <= max_step,
# CUT for an edge of the support polygon or a row of `propose_cut_step`, PAIR - p for the contact of
# shape pair p
BOX, CUT, PAIR = -1, -2, -3


class StepBounds(NamedTuple):
    """Limits of one QP step. Metres and radians."""

    max_step: float  # per coordinate
    reach_m: float  # a target farther away is replaced by a point at this distance towards it
    near_m: float  # pairs with a smaller gap get a contact row
    margin_m: float  # see `contact_rows`
    approach: float  # see `contact_rows`
    recovery_m: float  # see `contact_rows`


class StepSettings(NamedTuple):
    """What a step depends on besides the body, its environment and its terms.

    Environment, terms and workspaces are arguments of their own: Numba counts the references of
    all arrays of a tuple whenever the tuple is taken out of another one.
    """

    inertia: Floats  # (nv,) squared weights M^2
    pull: Floats  # (nv,) linear term p, the preferred step
    free_dofs: Ints  # (m,) the variables: degrees of freedom that may change
    bounds: StepBounds
    slack_m: float  # of the gate; infinite switches it off


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


def make_step_workspace(
    rows: int, nv: int, variables: int, contacts: int, pairs: int
) -> StepWorkspace:
    """Allocate for `rows` term rows, up to `contacts` near pairs, `pairs` shape pairs in all."""
    most = contacts + rows + variables + MAX_SUPPORT_EDGES
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

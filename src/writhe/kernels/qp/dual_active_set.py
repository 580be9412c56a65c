"""A quadratic program (QP) of one step, solved in the multipliers of its few active rows.

    min   1/2 (v - v0)^T D (v - v0) + 1/2 sum s_i^2 / e_i
    s.t.  low_i <= a_i . v + s_i <= high_i

Every row has a slack s_i whose cost is set by its compliance e_i: 1 / weight^2 for a soft term, a
tiny number for a hard one. Contradictory rows are thus satisfied in a least-squares sense, and the
QP is always feasible. With the active rows A the solution is

    v = v0 + D^-1 A^T u,   (A D^-1 A^T + E) u = b - A v0,

u >= 0 for rows at their lower bound, u <= 0 at the upper one. D is either diagonal or dense. With a
diagonal D nothing of the size of v is factored: the cost depends on the number of active rows only;
D^-1 = 0 fixes a coordinate at v0. A dense D is given by its Cholesky factor, for objectives with
more rows than degrees of freedom.

The active set grows by the most violated row and shrinks by rows whose multiplier changes sign
(Lawson and Hanson's non-negative least squares, in the dual); it starts from that of the previous
step.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.linear import solve_factored

FREE, AT_LOW, AT_HIGH, EQUAL = 0, -1, 1, 2


class ConstraintRows(NamedTuple):
    """Constraint rows of a QP, preallocated; `fill_rows` and `contact_rows` write them."""

    matrix: Floats  # (rows, nv)
    low: Floats  # (rows,)
    high: Floats  # (rows,)
    compliance: Floats  # (rows,)
    source: Ints  # (rows,) identifies the term row or shape pair
    state: Ints  # (rows,) FREE, AT_LOW, AT_HIGH or EQUAL; in: initial active set, out: final
    multiplier: Floats  # (rows,)


class DualWorkspace(NamedTuple):
    """Workspace of the solver for up to p active rows."""

    active: Ints  # (p,)
    factor: Floats  # (p, p) Cholesky, lower
    scaled: Floats  # (p, nv) D^-1 a of the active rows
    target: Floats  # (p,) b - A v0
    solution: Floats  # (p,) u
    before: Floats  # (p,) multipliers of the previous iterate


@kernel
def fill_rows(
    values: Floats,
    jacobian: Floats,
    lower: Floats,
    upper: Floats,
    compliance: Floats,
    max_step: float,
    recovery: float,
    previous_state: Ints,
    columns: Ints,
    out: ConstraintRows,
) -> int:
    """Fill in rows of terms: values (R), jacobian (R, nv), bounds (R); returns how many are needed.

    The QP's variables are `columns` (m,) of the jacobian. An interval that a step of |v_k| <=
    max_step cannot leave is omitted, as are a row of infinite compliance and one that no variable
    moves. A value outside its interval must recover the fraction `recovery` of its violation.
    previous_state (R): the states at the end of the previous step.
    """
    count, nv = 0, out.matrix.shape[1]
    for i in range(values.shape[0]):
        if compliance[i] == np.inf:
            continue
        equal = lower[i] == upper[i]
        if not equal:
            travel = 0.0
            for k in range(nv):
                travel += abs(jacobian[i, columns[k]])
            travel *= max_step
            if travel == 0.0 or (values[i] - travel >= lower[i] and values[i] + travel <= upper[i]):
                continue
        if count == out.low.shape[0]:
            break
        for k in range(nv):
            out.matrix[count, k] = jacobian[i, columns[k]]
        below, above = lower[i] - values[i], upper[i] - values[i]
        if equal:
            out.low[count], out.high[count] = below, above
        else:
            out.low[count] = below if below <= 0.0 else recovery * below
            out.high[count] = above if above >= 0.0 else recovery * above
        out.compliance[count] = compliance[i]
        out.source[count] = i
        out.state[count] = EQUAL if equal else previous_state[i]
        count += 1
    return count


@kernel
def _factor_row(rows: ConstraintRows, work: DualWorkspace, k: int) -> None:
    """Compute row k of the Cholesky factor of A D^-1 A^T + E."""
    nv = rows.matrix.shape[1]
    row = rows.matrix[work.active[k]]
    factor = work.factor
    for j in range(k + 1):
        scaled = work.scaled[j]
        total = 0.0
        for c in range(nv):
            total += scaled[c] * row[c]
        if j == k:
            total += rows.compliance[work.active[k]]
        for c in range(j):
            total -= factor[k, c] * factor[j, c]
        if j == k:
            factor[k, k] = sqrt(max(total, 1e-14))
        else:
            factor[k, j] = total / factor[j, j]


@kernel
def _solve(work: DualWorkspace, count: int) -> None:
    """Solve (A D^-1 A^T + E) u = b - A v0 for the first `count` active rows."""
    factor, x = work.factor, work.solution
    for k in range(count):
        total = work.target[k]
        for c in range(k):
            total -= factor[k, c] * x[c]
        x[k] = total / factor[k, k]
    for k in range(count - 1, -1, -1):
        total = x[k]
        for c in range(k + 1, count):
            total -= factor[c, k] * x[c]
        x[k] = total / factor[k, k]


@kernel
def _activate(
    rows: ConstraintRows,
    metric: Floats,
    v0: Floats,
    i: int,
    side: int,
    work: DualWorkspace,
    count: int,
) -> None:
    """Append row i to the active ones, at its lower (-1), its upper (1) or both bounds (2)."""
    work.active[count] = i
    rows.state[i] = side
    row = rows.matrix[i]
    if metric.ndim == 1:
        for c in range(row.shape[0]):
            work.scaled[count, c] = metric[c] * row[c]
    else:
        solve_factored(metric, len(metric), row, work.scaled[count])
    total = 0.0
    for c in range(row.shape[0]):
        total += row[c] * v0[c]
    work.target[count] = (rows.high[i] if side == AT_HIGH else rows.low[i]) - total
    work.before[count] = 0.0
    _factor_row(rows, work, count)


@kernel
def _deactivate(rows: ConstraintRows, work: DualWorkspace, at: int, count: int) -> None:
    """Remove the active row at index `at`; the factor is recomputed from there on."""
    rows.state[work.active[at]] = FREE
    for k in range(at, count - 1):
        work.active[k] = work.active[k + 1]
        work.target[k] = work.target[k + 1]
        work.before[k] = work.before[k + 1]
        work.scaled[k] = work.scaled[k + 1]
    for k in range(at, count - 1):
        _factor_row(rows, work, k)


@kernel
def solve_qp(
    rows: ConstraintRows,
    count: int,
    metric: Floats,
    v0: Floats,
    tolerance: float,
    work: DualWorkspace,
    v: Floats,
) -> int:
    """v (nv) of the QP with the first `count` rows; returns the number of active-set changes.

    `metric` is the inverse of a diagonal D (nv), or the lower Cholesky factor of a dense one (nv,
    nv). `tolerance` is the violation up to which a row counts as satisfied. Afterwards rows.state
    and rows.multiplier hold the active set and its multipliers u.
    """
    capacity, nv = work.active.shape[0], v.shape[0]
    active, changes = 0, 0
    for i in range(count):
        initial = rows.state[i]
        rows.multiplier[i] = 0.0
        rows.state[i] = FREE
        if initial != FREE and active < capacity:
            _activate(rows, metric, v0, i, initial, work, active)
            active += 1
    for _ in range(4 * capacity):
        # rows leave in the order in which their multipliers change sign
        while True:
            _solve(work, active)
            fraction, leaving = 1.0, -1
            for k in range(active):
                state = rows.state[work.active[k]]
                if state == EQUAL:
                    continue
                signed = -state * work.solution[k]
                if signed >= 0.0:
                    continue
                signed_before = -state * work.before[k]
                ratio = signed_before / (signed_before - signed) if signed_before > 0.0 else 0.0
                if leaving < 0 or ratio < fraction:
                    fraction, leaving = ratio, k
            if leaving < 0:
                break
            for k in range(active):
                work.before[k] += fraction * (work.solution[k] - work.before[k])
            _deactivate(rows, work, leaving, active)
            active -= 1
            changes += 1
            if changes > 8 * capacity:
                break
        for k in range(active):
            work.before[k] = work.solution[k]
        v[:] = v0
        for k in range(active):
            scaled, u = work.scaled[k], work.solution[k]
            for c in range(nv):
                v[c] += u * scaled[c]
        worst, entering, side = tolerance, -1, FREE
        for i in range(count):
            if rows.state[i] != FREE:
                continue
            row, total = rows.matrix[i], 0.0
            for c in range(nv):
                total += row[c] * v[c]
            if rows.low[i] - total > worst:
                worst, entering, side = rows.low[i] - total, i, AT_LOW
            if total - rows.high[i] > worst:
                worst, entering, side = total - rows.high[i], i, AT_HIGH
        if entering < 0 or active == capacity:
            break
        _activate(rows, metric, v0, entering, side, work, active)
        active += 1
        changes += 1
    for k in range(active):
        rows.multiplier[work.active[k]] = work.solution[k]
    return changes


def make_constraint_rows(capacity: int, nv: int) -> ConstraintRows:
    """Allocate up to `capacity` constraint rows."""
    return ConstraintRows(
        matrix=np.zeros((capacity, nv)),
        low=np.zeros(capacity),
        high=np.zeros(capacity),
        compliance=np.zeros(capacity),
        source=np.zeros(capacity, dtype=np.int64),
        state=np.zeros(capacity, dtype=np.int64),
        multiplier=np.zeros(capacity),
    )


def make_dual_workspace(capacity: int, nv: int) -> DualWorkspace:
    """Allocate the workspace for up to `capacity` active rows."""
    return DualWorkspace(
        active=np.zeros(capacity, dtype=np.int64),
        factor=np.zeros((capacity, capacity)),
        scaled=np.zeros((capacity, nv)),
        target=np.zeros(capacity),
        solution=np.zeros(capacity),
        before=np.zeros(capacity),
    )

"""A quadratic programme of one step, solved in the multipliers of its few active rows.

    min   1/2 (v - v0)^T D (v - v0) + 1/2 sum s_i^2 / e_i
    s.t.  low_i <= a_i . v + s_i <= high_i

Every row may give way by s_i at the price of its compliance e_i: 1 / weight^2 of a soft term, a
tiny number for a hard one, so that contradictory rows are compromised between, never refused.
With the active rows A the answer is

    v = v0 + D^-1 A^T u,   (A D^-1 A^T + E) u = b - A v0,

u >= 0 for rows at their lower bound, u <= 0 at the upper one. D is either diagonal, which makes it
cheap for many degrees of freedom: nothing of the size of v is ever factored, whatever the
skeleton's shape; an octopus with 294 of them costs as much as its active rows. D^-1 = 0 marks what
is driven from outside and keeps its v0 then. Or D is dense and given by its Cholesky factor, for
objectives with more rows than degrees of freedom.

The active set grows by the most violated row and shrinks by rows whose multiplier changes sign
(Lawson and Hanson's non-negative least squares, in the dual); it starts from that of the step
before.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.linear import solve_factored

FREE, AT_LOW, AT_HIGH, EQUAL = 0, -1, 1, 2


class Rows(NamedTuple):
    """Room for the rows of a programme; `fill_rows` and `contact_rows` write them."""

    matrix: Floats  # (rows, nv)
    low: Floats  # (rows,)
    high: Floats  # (rows,)
    compliance: Floats  # (rows,)
    source: Ints  # (rows,) which term row or shape pair it stands for
    state: Ints  # (rows,) in: the active set to start from; out: the one found
    multiplier: Floats  # (rows,)


class Work(NamedTuple):
    """Room for the solver, for up to `p` active rows."""

    active: Ints  # (p,)
    factor: Floats  # (p, p) Cholesky, lower
    scaled: Floats  # (p, nv) D^-1 a of the active rows
    target: Floats  # (p,)
    solution: Floats  # (p,)
    before: Floats  # (p,)


@kernel
def fill_rows(
    values: Floats,
    jacobian: Floats,
    lower: Floats,
    upper: Floats,
    compliance: Floats,
    reach: float,
    recovery: float,
    was: Ints,
    first_column: int,
    out: Rows,
) -> int:
    """Rows of terms: values (R), jacobian (R, nv), bounds (R); returns how many are needed.

    The programme's variables are the columns of the jacobian from `first_column` on.

    An interval that a step of |v_k| <= reach cannot leave is left out, as is a row of infinite
    compliance. A value outside its interval comes back by the share `recovery`. `was` (R): the
    state at the end of the step before.
    """
    count, nv = 0, out.matrix.shape[1]
    for i in range(values.shape[0]):
        if compliance[i] == np.inf:
            continue
        equal = lower[i] == upper[i]
        if not equal:
            travel = 0.0
            for k in range(nv):
                travel += abs(jacobian[i, first_column + k])
            travel *= reach
            if values[i] - travel >= lower[i] and values[i] + travel <= upper[i]:
                continue
        if count == out.low.shape[0]:
            break
        for k in range(nv):
            out.matrix[count, k] = jacobian[i, first_column + k]
        below, above = lower[i] - values[i], upper[i] - values[i]
        if equal:
            out.low[count], out.high[count] = below, above
        else:
            out.low[count] = below if below <= 0.0 else recovery * below
            out.high[count] = above if above >= 0.0 else recovery * above
        out.compliance[count] = compliance[i]
        out.source[count] = i
        out.state[count] = EQUAL if equal else was[i]
        count += 1
    return count


@kernel
def _factor_row(rows: Rows, work: Work, k: int) -> None:
    """Row k of the Cholesky factor of A D^-1 A^T + E."""
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
def _solve(work: Work, count: int) -> None:
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
    rows: Rows, metric: Floats, v0: Floats, i: int, side: int, work: Work, count: int
) -> None:
    """Append row i to the active ones, at its low (-1), its high (1) or both bounds (2)."""
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
def _drop(rows: Rows, work: Work, at: int, count: int) -> None:
    """Take the active row number `at` out; the factor is made anew from there on."""
    rows.state[work.active[at]] = FREE
    for k in range(at, count - 1):
        work.active[k] = work.active[k + 1]
        work.target[k] = work.target[k + 1]
        work.before[k] = work.before[k + 1]
        work.scaled[k] = work.scaled[k + 1]
    for k in range(at, count - 1):
        _factor_row(rows, work, k)


@kernel
def solve_programme(
    rows: Rows,
    count: int,
    metric: Floats,
    v0: Floats,
    tolerance: float,
    work: Work,
    v: Floats,
) -> int:
    """v (nv) of the programme of the first `count` rows; returns how many rows were changed.

    `metric` is the inverse of a diagonal D (nv), or the lower Cholesky factor of a dense one
    (nv, nv).
    `rows.multiplier` and `rows.state` say afterwards which rows hold the step back, and how much.
    """
    most, nv = work.active.shape[0], v.shape[0]
    active, changes = 0, 0
    for i in range(count):
        wanted = rows.state[i]
        rows.multiplier[i] = 0.0
        rows.state[i] = FREE
        if wanted != FREE and active < most:
            _activate(rows, metric, v0, i, wanted, work, active)
            active += 1
    for _ in range(4 * most):
        # multipliers of the active rows; one of the wrong sign leaves, the first to become so first
        while True:
            _solve(work, active)
            share, leaving = 1.0, -1
            for k in range(active):
                state = rows.state[work.active[k]]
                if state == EQUAL:
                    continue
                wrong = -state * work.solution[k]
                if wrong >= 0.0:
                    continue
                held = -state * work.before[k]
                part = held / (held - wrong) if held > 0.0 else 0.0
                if leaving < 0 or part < share:
                    share, leaving = part, k
            if leaving < 0:
                break
            for k in range(active):
                work.before[k] += share * (work.solution[k] - work.before[k])
            _drop(rows, work, leaving, active)
            active -= 1
            changes += 1
            if changes > 8 * most:
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
        if entering < 0 or active == most:
            break
        _activate(rows, metric, v0, entering, side, work, active)
        active += 1
        changes += 1
    for k in range(active):
        rows.multiplier[work.active[k]] = work.solution[k]
    return changes


def make_rows(most: int, nv: int) -> Rows:
    """Room for a programme of up to `most` rows."""
    return Rows(
        matrix=np.zeros((most, nv)),
        low=np.zeros(most),
        high=np.zeros(most),
        compliance=np.zeros(most),
        source=np.zeros(most, dtype=np.int64),
        state=np.zeros(most, dtype=np.int64),
        multiplier=np.zeros(most),
    )


def make_work(most: int, nv: int) -> Work:
    """Room for up to `most` active rows."""
    return Work(
        active=np.zeros(most, dtype=np.int64),
        factor=np.zeros((most, most)),
        scaled=np.zeros((most, nv)),
        target=np.zeros(most),
        solution=np.zeros(most),
        before=np.zeros(most),
    )

"""Rows with bounds and weights turned into the quadratic programme of one step."""

from __future__ import annotations

from writhe.arrays import Bools, Floats, Ints
from writhe.kernels.jit import kernel


@kernel
def assemble(
    values: Floats,
    jacobian: Floats,
    lower: Floats,
    upper: Floats,
    weight: Floats,
    hard: Bools,
    hessian: Floats,
    gradient: Floats,
    columns: Ints,
) -> float:
    """Add the soft rows to hessian (nv, nv) and gradient (nv); returns 1/2 ||W r||^2.

    The residual r of a row is how far its value lies outside [lower, upper]; rows inside add
    nothing. hessian += w^2 J^T J, gradient += w^2 J^T r. `columns` (nv) is room for the non-zero
    columns of a row.
    """
    cost = 0.0
    nv = hessian.shape[0]
    for i in range(values.shape[0]):
        if hard[i]:
            continue
        if values[i] > upper[i]:
            residual = values[i] - upper[i]
        elif values[i] < lower[i]:
            residual = values[i] - lower[i]
        else:
            continue
        square = weight[i] * weight[i]
        cost += 0.5 * square * residual * residual
        count = 0
        for k in range(nv):
            if jacobian[i, k] != 0.0:
                columns[count] = k
                count += 1
        for p in range(count):
            k = columns[p]
            scaled = square * jacobian[i, k]
            gradient[k] += scaled * residual
            for s in range(p + 1):
                hessian[k, columns[s]] += scaled * jacobian[i, columns[s]]
    return cost


@kernel
def mirror_lower(hessian: Floats) -> None:
    """Copy the lower triangle onto the upper one."""
    for i in range(hessian.shape[0]):
        for j in range(i):
            hessian[j, i] = hessian[i, j]


@kernel
def hard_rows(
    values: Floats,
    jacobian: Floats,
    lower: Floats,
    upper: Floats,
    hard: Bools,
    matrix: Floats,
    low: Floats,
    high: Floats,
) -> int:
    """Constraints low <= matrix v <= high of the hard rows; returns how many there are."""
    count = 0
    for i in range(values.shape[0]):
        if not hard[i]:
            continue
        for k in range(jacobian.shape[1]):
            matrix[count, k] = jacobian[i, k]
        low[count] = lower[i] - values[i]
        high[count] = upper[i] - values[i]
        count += 1
    return count

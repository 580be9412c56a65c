"""The soft and hard rows of one step as a quadratic program (QP)."""

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
    """Add the soft equalities to hessian (nv, nv), its lower triangle, and gradient (nv).

    hessian += w^2 J^T J, gradient += w^2 J^T r. Returns the cost 1/2 ||W r||^2 of all soft rows, r
    being the signed distance of a value outside [lower, upper]. columns (nv) is workspace.
    """
    cost = 0.0
    nv = hessian.shape[0]
    for i in range(values.shape[0]):
        if hard[i]:
            continue
        residual = max(values[i] - upper[i], 0.0) - max(lower[i] - values[i], 0.0)
        square = weight[i] * weight[i]
        cost += 0.5 * square * residual * residual
        if lower[i] != upper[i] or square == 0.0:
            continue  # an interval: see `constraint_rows`
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
def constraint_rows(
    values: Floats,
    lower: Floats,
    upper: Floats,
    weight: Floats,
    hard: Bools,
    jacobian: Floats,
    max_step: float,
    indices: Ints,
) -> int:
    """The rows that the QP needs as constraints: hard ones and soft intervals.

    An interval is omitted if its value cannot leave it in a step of |v_k| <= max_step. Fills
    `indices` with row indices and returns their number.
    """
    count = 0
    for i in range(values.shape[0]):
        if not hard[i] and (lower[i] == upper[i] or weight[i] == 0.0):
            continue
        if lower[i] != upper[i]:
            travel = 0.0
            for k in range(jacobian.shape[1]):
                travel += abs(jacobian[i, k])
            travel *= max_step
            if values[i] - travel >= lower[i] and values[i] + travel <= upper[i]:
                continue
        indices[count] = i
        count += 1
    return count


@kernel
def hard_violation(values: Floats, lower: Floats, upper: Floats, hard: Bools) -> float:
    """The sum of the distances by which hard rows lie outside their intervals."""
    total = 0.0
    for i in range(values.shape[0]):
        if hard[i]:
            total += max(values[i] - upper[i], 0.0) + max(lower[i] - values[i], 0.0)
    return total

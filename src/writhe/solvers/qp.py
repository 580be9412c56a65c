"""QPs of the offline solvers: normal equations, and DAQP with soft constraints.

The QP of a drag is built in `kernels/posing/step_qp.py` and solved by `kernels/qp/`, which does not
leave compiled code.

DAQP: Arnström, Bemporad, Axehill, A dual active-set solver for embedded quadratic programming using
recursive LDL^T updates, 2022.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias, cast

import daqp
import numpy as np

from writhe.arrays import Bools, Floats
from writhe.kernels.qp.normal_equations import assemble, mirror_lower
from writhe.terms import CompiledTerms

UNBOUNDED = 1e30  # a bound that DAQP ignores
_SOFT = 8  # DAQP's flag of a constraint that may be violated
_OPTIMAL = 1  # DAQP's exit flag
_Answer: TypeAlias = tuple[Floats, float, int, dict[str, object]]  # x, cost, exit flag, details


class QPStep(NamedTuple):
    """The solution of a QP."""

    v: Floats  # (n,); zero if no solution was found
    softened: bool  # whether contradictory rows had to be violated


class NormalEquations:
    """Hessian (nv, nv) and gradient (nv) of the soft equalities among compiled terms."""

    def __init__(self, dof_count: int) -> None:
        self.hessian, self.gradient = np.empty((dof_count, dof_count)), np.empty(dof_count)
        self._columns = np.empty(dof_count, dtype=np.int64)

    def assemble(self, terms: CompiledTerms, stop: int | None = None) -> float:
        """Fill both from the rows before `stop` (default: all); returns the cost of soft rows."""
        rows = slice(0, stop)
        self.hessian[:], self.gradient[:] = 0.0, 0.0
        cost = assemble(
            terms.values[rows],
            terms.jacobian[rows],
            terms.lower[rows],
            terms.upper[rows],
            terms.weight[rows],
            terms.hard[rows],
            self.hessian,
            self.gradient,
            self._columns,
        )
        mirror_lower(self.hessian)
        return float(cost)


def solve_qp(
    hessian: Floats,
    gradient: Floats,
    matrix: Floats,
    lower: Floats,
    upper: Floats,
    may_soften: Bools | None = None,
) -> QPStep:
    """Minimise 1/2 v^T H v + g^T v within bounds; contradictory rows are softened.

    matrix (m, n). lower, upper (n + m) bound v first, then the rows of the matrix. If the QP is
    infeasible, the rows marked by `may_soften` (m; default: all) become soft constraints.
    """
    n = len(gradient)
    sense = np.zeros(n + len(matrix), dtype=np.int32)
    answer = cast("_Answer", daqp.solve(hessian, gradient, matrix, upper, lower, sense))
    if answer[2] == _OPTIMAL:
        return QPStep(np.asarray(answer[0], dtype=np.float64), False)
    sense[:] = 0  # DAQP may have marked its active set
    sense[n:] = _SOFT if may_soften is None else np.where(may_soften, _SOFT, 0)
    answer = cast("_Answer", daqp.solve(hessian, gradient, matrix, upper, lower, sense))
    v = np.asarray(answer[0], dtype=np.float64)
    return QPStep(v if np.isfinite(v).all() else np.zeros(n), True)

"""A small least-squares step solver: terms in, the next configuration out.

Each iteration solves the quadratic programme of the linearised terms,
min 1/2 ||W (r + J v)||^2 + 1/2 ||d v||^2  subject to  lower <= value + J v <= upper (hard terms)
and |v| <= max_step, with the dual active-set solver DAQP. Contradictory hard terms are softened,
and the result says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import daqp
import numpy as np

from writhe.arrays import Floats
from writhe.kernels import kinematics
from writhe.kernels.normal_equations import assemble, hard_rows, mirror_lower
from writhe.solvers.chart import Chart
from writhe.solvers.result import Status, StepResult
from writhe.terms import CompiledTerms

_SOFT = 8  # DAQP: a constraint that may be violated if need be
_OPTIMAL = 1


@dataclass(frozen=True, slots=True)
class StepOptions:
    """How a step is taken."""

    iterations: int = 1
    damping: float = 1e-2  # weight of the step itself, per radian or metre
    max_step: float = 0.3  # radians or metres per coordinate and iteration
    tolerance: float = 1e-4  # residual under which a term counts as met


class StepSolver:
    """Steps a configuration towards its terms; keeps its arrays between steps."""

    def __init__(self, terms: CompiledTerms, options: StepOptions | None = None) -> None:
        self.terms = terms
        self.options = options or StepOptions()
        nv, hard = terms.skeleton.dof_count, int(terms.hard.sum())
        self._hessian, self._gradient = np.empty((nv, nv)), np.empty(nv)
        self._matrix = np.empty((hard, nv))
        self._low, self._high = np.empty(nv + hard), np.empty(nv + hard)
        self._sense = np.zeros(nv + hard, dtype=np.int32)
        self._columns = np.empty(nv, dtype=np.int64)

    def step(self, q: Floats, chart: Chart | None = None) -> StepResult:
        """Move q towards the terms by `iterations` programmes.

        With a chart (`q` then is where the chart's y = 0 lies), steps stay in its coordinates.
        """
        terms, options = self.terms, self.options
        softened = False
        cost_before = float("inf")
        y = np.zeros(0 if chart is None else chart.size)
        q = chart.configuration(y) if chart is not None else q.copy()
        for iteration in range(options.iterations):
            terms.update(q)
            cost = self._assemble()
            if iteration == 0:
                cost_before = cost
            if chart is None:
                v, soft = self._solve(self._hessian, self._gradient, self._matrix)
                kinematics.integrate(terms.skeleton.tree, q, v, q)
            else:
                basis = chart.basis(y)
                dy, soft = self._solve(
                    basis.T @ self._hessian @ basis,
                    basis.T @ self._gradient,
                    np.ascontiguousarray(self._matrix @ basis),
                )
                y = y + dy
                q = chart.configuration(y)
            softened = softened or soft
        terms.update(q)
        cost = self._assemble()
        return self._result(q, cost_before, cost, softened)

    def _assemble(self) -> float:
        terms = self.terms
        nv = terms.skeleton.dof_count
        self._hessian[:] = 0.0
        self._gradient[:] = 0.0
        np.fill_diagonal(self._hessian, self.options.damping**2)
        cost = assemble(
            terms.values,
            terms.jacobian,
            terms.lower,
            terms.upper,
            terms.weight,
            terms.hard,
            self._hessian,
            self._gradient,
            self._columns,
        )
        mirror_lower(self._hessian)
        hard_rows(
            terms.values,
            terms.jacobian,
            terms.lower,
            terms.upper,
            terms.hard,
            self._matrix,
            self._low[nv:],
            self._high[nv:],
        )
        return float(cost)

    def _solve(self, hessian: Floats, gradient: Floats, matrix: Floats) -> tuple[Floats, bool]:
        """The minimiser, and whether hard terms had to be softened."""
        size = len(gradient)
        nv, hard = self.terms.skeleton.dof_count, len(matrix)
        low, high = self._low[nv - size :], self._high[nv - size :]
        low[:size], high[:size] = -self.options.max_step, self.options.max_step
        # a start outside its bounds comes back at the pace of the largest step
        sense = self._sense[: size + hard]
        sense[:] = 0
        answer: Any = daqp.solve(hessian, gradient, matrix, high, low, sense)
        if answer[2] == _OPTIMAL:
            return np.asarray(answer[0]), False
        sense[:] = 0
        sense[size:] = _SOFT
        answer = daqp.solve(hessian, gradient, matrix, high, low, sense)
        v = np.asarray(answer[0], dtype=np.float64)
        return (v if np.isfinite(v).all() else np.zeros(size)), True

    def _result(self, q: Floats, before: float, after: float, softened: bool) -> StepResult:
        residuals = self.terms.residuals()
        worst = max((float(np.abs(r).max()) for r in residuals.values()), default=0.0)
        if worst <= self.options.tolerance:
            status = Status.REACHED
        elif softened:
            status = Status.REGULARISED
        elif after < before * (1.0 - 1e-3):
            status = Status.APPROACHING
        else:
            status = Status.SETTLED
        return StepResult(q, status, after, self.options.iterations, residuals)

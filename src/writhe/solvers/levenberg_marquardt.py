"""`StepSolver`: Levenberg-Marquardt steps towards compiled terms, without collision tests.

Steps are shortened before a penetration elsewhere: `collision/gate.py`.

Each iteration solves the QP of the linearised terms,

    min  1/2 ||W (r + J v)||^2 + 1/2 ||W_s s||^2 + 1/2 ||d v||^2
    s.t. lower <= value + J v <= upper      (hard terms)
         lower <= value + J v + s <= upper  (soft intervals, each with its slack s)
         |v| <= max_step,

with the dual active-set solver DAQP, and accepts the step if the merit decreases; otherwise the
damping d grows (Levenberg-Marquardt). Contradictory hard terms are softened and the status is
REGULARISED.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.qp.normal_equations import constraint_rows, hard_violation
from writhe.kernels.skeleton import kinematics
from writhe.solvers.chart import Chart
from writhe.solvers.qp import UNBOUNDED, NormalEquations, solve_qp
from writhe.solvers.result import Status, StepResult
from writhe.terms import CompiledTerms

_RETRIES = 6


@dataclass(frozen=True, slots=True)
class StepOptions:
    """Options of a step."""

    iterations: int = 1
    damping: float = 1e-2  # weight of the step itself, per radian or metre
    max_step: float = 0.3  # radians or metres per coordinate and iteration
    tolerance: float = 1e-4  # residual under which a term counts as met


class StepSolver:
    """Steps a configuration towards its terms; keeps its arrays between steps."""

    def __init__(self, terms: CompiledTerms, options: StepOptions | None = None) -> None:
        self.terms = terms
        self.options = options or StepOptions()
        self._equations = NormalEquations(terms.skeleton.dof_count)
        self._picked = np.empty(terms.rows, dtype=np.int64)

    def step(self, q: Floats, chart: Chart | None = None) -> StepResult:
        """Move q towards the terms by up to `iterations` QPs.

        With a chart, steps start at its y = 0 and stay in its coordinates.
        """
        options = self.options
        y = np.zeros(0 if chart is None else chart.size)
        q = q.copy() if chart is None else chart.configuration(y)
        damping, softened, done = options.damping, False, 0
        cost, violation = self._evaluate(q)
        last_cost, last_violation = cost, violation
        for _ in range(options.iterations):
            penalty = 10.0 * (1.0 + cost)
            for _ in range(_RETRIES):
                basis = None if chart is None else chart.basis(y)
                step, soft = self._solve(damping, basis)
                if chart is None:
                    tried_y, tried = y, np.empty_like(q)
                    kinematics.integrate(self.terms.skeleton.tree, q, step, tried)
                else:
                    tried_y = y + step
                    tried = chart.configuration(tried_y)
                tried_cost, tried_violation = self._evaluate(tried)
                if tried_cost + penalty * tried_violation <= cost + penalty * violation:
                    damping = max(0.5 * damping, options.damping)
                    break
                damping *= 4.0
                self._evaluate(q)  # restore the linearisation at q for the next QP
            else:
                last_cost, last_violation = cost, violation
                break
            last_cost, last_violation = cost, violation
            y, q, cost, violation = tried_y, tried, tried_cost, tried_violation
            softened, done = soft, done + 1
        fell = cost < last_cost * (1.0 - 1e-3) or violation < last_violation - 1e-9
        return self._result(q, fell, softened, cost, done)

    def _evaluate(self, q: Floats) -> tuple[float, float]:
        """Cost and hard violation at q; fills the undamped Hessian and gradient."""
        terms = self.terms
        terms.update(q)
        cost = self._equations.assemble(terms)
        violation = hard_violation(terms.values, terms.lower, terms.upper, terms.hard)
        return cost, float(violation)

    def _solve(self, damping: float, basis: Floats | None) -> tuple[Floats, bool]:
        """The QP's step, and whether hard terms had to be softened."""
        terms, options = self.terms, self.options
        count = constraint_rows(
            terms.values,
            terms.lower,
            terms.upper,
            terms.weight,
            terms.hard,
            terms.jacobian,
            options.max_step,
            self._picked,
        )
        rows = self._picked[:count]
        jacobian, equations = terms.jacobian[rows], self._equations
        hessian, gradient = equations.hessian, equations.gradient
        if basis is not None:
            jacobian, gradient = jacobian @ basis, basis.T @ gradient
            hessian = basis.T @ hessian @ basis
        size = len(gradient)
        slack = np.flatnonzero(~terms.hard[rows])
        total = size + len(slack)
        h, f = np.zeros((total, total)), np.zeros(total)
        h[:size, :size] = hessian
        h[np.arange(size), np.arange(size)] += damping**2
        f[:size] = gradient
        h[np.arange(size, total), np.arange(size, total)] = terms.weight[rows[slack]] ** 2
        a = np.zeros((count, total))
        a[:, :size] = jacobian
        a[slack, size + np.arange(len(slack))] = 1.0
        low, high = np.full(total + count, -UNBOUNDED), np.full(total + count, UNBOUNDED)
        low[:size], high[:size] = -options.max_step, options.max_step
        low[total:] = np.maximum(terms.lower[rows] - terms.values[rows], -UNBOUNDED)
        high[total:] = np.minimum(terms.upper[rows] - terms.values[rows], UNBOUNDED)
        found = solve_qp(h, f, a, low, high, may_soften=terms.hard[rows])
        return found.v[:size], found.softened

    def _result(self, q: Floats, fell: bool, softened: bool, cost: float, done: int) -> StepResult:
        self.terms.update(q)
        residuals = self.terms.residuals()
        worst = max((float(np.abs(r).max()) for r in residuals.values()), default=0.0)
        if worst <= self.options.tolerance:
            status = Status.REACHED
        elif softened:
            status = Status.REGULARISED
        elif fell:
            status = Status.APPROACHING
        else:
            status = Status.SETTLED
        return StepResult(q, status, cost, done, residuals)

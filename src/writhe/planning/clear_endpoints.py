"""Moves a slightly penetrating start or goal to a nearby posture with clearance."""

from __future__ import annotations

from typing import Any

import daqp
import numpy as np

from writhe.arrays import Floats
from writhe.collision import NearPairs
from writhe.kernels.skeleton.kinematics import integrate
from writhe.kernels.terms.contact_rows import contact_rows, interval_rows
from writhe.planning.problem import PlanProblem
from writhe.skeleton.kinematics import difference
from writhe.terms import CompiledTerms

_SOFT, _OPTIMAL, _UNBOUNDED = 8, 1, 1e30
NEAR_M, MARGIN_M, RECOVERY_M, MOST_STEP = 0.05, 0.002, 0.03, 0.2
ITERATIONS, PULL = 40, 0.02


def push_clear(problem: PlanProblem, q: Floats) -> Floats:
    """A posture near q with MARGIN_M of clearance and planted parts in place.

    Each iteration takes the smallest step, with a weak pull back to q, that restores the clearance
    of near pairs. This may fail: check the result for penetration.
    """
    skeleton, nv = problem.skeleton, problem.skeleton.dof_count
    near, terms = (
        NearPairs(problem.table),
        CompiledTerms(skeleton, [*problem.planted_terms, *problem.limit_terms]),
    )
    planted = int(terms.program.row_start[len(problem.planted_terms)])
    variable = np.ones(nv) if problem.variable is None else problem.variable.astype(np.float64)
    workspace = 300 + planted
    matrix = np.empty((workspace, nv))
    low, high = np.empty(nv + workspace), np.empty(nv + workspace)
    out, hessian = q.copy(), np.eye(nv)
    for _ in range(ITERATIONS):
        terms.update(out)
        near.find(terms.positions, terms.rotations, NEAR_M)
        count = contact_rows(
            skeleton.tree,
            terms.positions,
            terms.axes,
            near.rows,
            min(near.count, 240),
            MARGIN_M,
            0.8,
            RECOVERY_M,
            matrix,
            low[nv:],
        )
        enough = (near.rows.gap + near.rows.allowance)[: near.count].min(initial=1.0)
        if enough > 0.5 * MARGIN_M:
            break
        high[nv : nv + count] = _UNBOUNDED
        count += interval_rows(
            terms.values,
            terms.jacobian,
            terms.lower,
            terms.upper,
            planted,
            MOST_STEP,
            0.5,
            matrix[count : workspace - planted],
            low[nv + count :],
            high[nv + count :],
        )
        matrix[count : count + planted] = terms.jacobian[:planted]
        held = slice(nv + count, nv + count + planted)
        low[held] = high[held] = (terms.lower - terms.values)[:planted]
        count += planted
        low[:nv], high[:nv] = -MOST_STEP * variable, MOST_STEP * variable
        gradient = PULL * difference(skeleton, q, out) * variable
        out = _solve_step(problem, out, hessian, gradient, matrix[:count], low, high)
    return out


def _solve_step(
    problem: PlanProblem,
    q: Floats,
    hessian: Floats,
    gradient: Floats,
    matrix: Floats,
    low: Floats,
    high: Floats,
) -> Floats:
    nv, rows = len(gradient), len(matrix)
    sense = np.zeros(nv + rows, dtype=np.int32)
    for kind in (0, _SOFT):
        sense[nv:] = kind
        answer: Any = daqp.solve(
            hessian, gradient, matrix, high[: nv + rows], low[: nv + rows], sense
        )
        v = np.asarray(answer[0], dtype=np.float64)
        if answer[2] == _OPTIMAL or (kind and np.isfinite(v).all()):
            out = np.empty_like(q)
            integrate(problem.skeleton.tree, q, v, out)
            return out
    return q

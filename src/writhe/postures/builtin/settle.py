"""Settle a posture: reach its goals within joint limits and without penetration.

Each iteration solves the QP

    min  1/2 ||W (r + J v)||^2 + 1/2 d^2 ||v||^2
    s.t. near pairs keep or recover their clearance,  joint limits,  |v| <= max_step,

whose residuals r are the goals and a weak pull to the authored posture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import daqp
import numpy as np

from writhe.arrays import Floats
from writhe.collision import NearPairs
from writhe.kernels.qp.normal_equations import assemble, mirror_lower
from writhe.kernels.skeleton import kinematics
from writhe.kernels.terms.contact_rows import contact_rows, interval_rows
from writhe.postures.builtin.pose_setting import PoseSetting
from writhe.terms import CompiledTerms, Term, joint_limits

_SOFT = 8  # DAQP: a constraint that may be violated
_OPTIMAL = 1
_UNBOUNDED = 1e30
LIMIT_RAD = 2e-3  # tolerated excess beyond a joint limit


@dataclass(frozen=True, slots=True)
class SettleOptions:
    """Lengths in metres, angles in radians."""

    iterations: int = 60
    damping: float = 0.05
    max_step: float = 0.20
    near_m: float = 0.05
    margin_m: float = 0.003  # more than a contact oscillates between steps
    recovery_m: float = 0.02
    min_step: float = 2e-4  # largest step below which the iteration ends
    goal_weight_late: float = (
        0.1  # factor of the goal weights in the second half, so that constraints win
    )


class Settler:
    """Settles postures in one setting; reuses its arrays between calls."""

    def __init__(self, setting: PoseSetting, options: SettleOptions | None = None) -> None:
        self.setting = setting
        self.options = options or SettleOptions()
        self.limits = joint_limits(setting.skeleton)
        nv, workspace = setting.skeleton.dof_count, 240
        self._near = NearPairs(setting.table)
        self._hessian, self._gradient = np.empty((nv, nv)), np.empty(nv)
        self._columns = np.empty(nv, dtype=np.int64)
        self._matrix = np.empty((workspace, nv))
        self._low, self._high = np.empty(nv + workspace), np.empty(nv + workspace)

    def settle(self, q: Floats, goals: Sequence[Term], iterations: int | None = None) -> Floats:
        """(nq,) the posture settled from q."""
        options, tree = self.options, self.setting.skeleton.tree
        terms = CompiledTerms(self.setting.skeleton, [*goals, *self.limits])
        first_limit = int(terms.program.row_start[len(goals)])
        q = np.array(q, dtype=np.float64)
        after = np.empty_like(q)
        max_iterations = iterations or options.iterations
        for i in range(max_iterations):
            if i == max_iterations // 2:
                if self.setting.clear(q)[0] and self._within(terms, first_limit):
                    break
                terms.weight[:first_limit] *= options.goal_weight_late
            terms.update(q)
            step = self._step(terms, first_limit)
            kinematics.integrate(tree, q, step, after)
            q, after = after, q
            if i > max_iterations // 2 and float(np.abs(step).max()) < options.min_step:
                break
        return q

    def _within(self, terms: CompiledTerms, first_limit: int) -> bool:
        return float(np.abs(terms.violation()[first_limit:]).max()) < LIMIT_RAD

    def _step(self, terms: CompiledTerms, first_limit: int) -> Floats:
        options, tree = self.options, self.setting.skeleton.tree
        nv = len(self._gradient)
        hessian, gradient = self._hessian, self._gradient
        hessian[:], gradient[:] = 0.0, 0.0
        rows = slice(0, first_limit)
        assemble(
            terms.values[rows],
            terms.jacobian[rows],
            terms.lower[rows],
            terms.upper[rows],
            terms.weight[rows],
            terms.hard[rows],
            hessian,
            gradient,
            self._columns,
        )
        mirror_lower(hessian)
        hessian.flat[:: nv + 1] += options.damping**2
        self._near.find(terms.positions, terms.rotations, options.near_m)
        low, high = self._low, self._high
        low[:nv], high[:nv] = -options.max_step, options.max_step
        contacts = contact_rows(
            tree,
            terms.positions,
            terms.axes,
            self._near.rows,
            self._near.count,
            options.margin_m,
            0.6,
            options.recovery_m,
            self._matrix,
            low[nv:],
        )
        high[nv : nv + contacts] = _UNBOUNDED
        limits = interval_rows(
            terms.values,
            terms.jacobian,
            terms.lower,
            terms.upper,
            first_limit,
            options.max_step,
            0.5,
            self._matrix[contacts:],
            low[nv + contacts :],
            high[nv + contacts :],
        )
        return self._qp(nv, contacts + limits)

    def _qp(self, nv: int, count: int) -> Floats:
        matrix, high, low = self._matrix[:count], self._high[: nv + count], self._low[: nv + count]
        sense = np.zeros(nv + count, dtype=np.int32)
        answer: Any = daqp.solve(self._hessian, self._gradient, matrix, high, low, sense)
        if answer[2] == _OPTIMAL:
            return np.asarray(answer[0], dtype=np.float64)
        sense[:] = 0
        sense[nv:] = _SOFT
        answer = daqp.solve(self._hessian, self._gradient, matrix, high, low, sense)
        v = np.asarray(answer[0], dtype=np.float64)
        return v if np.isfinite(v).all() else np.zeros(nv)

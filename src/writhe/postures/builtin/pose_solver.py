"""Solve for a posture: reach its goals within joint limits and without penetration.

Each iteration solves the QP

    min  1/2 ||W (r + J v)||^2 + 1/2 d^2 ||v||^2
    s.t. near pairs keep or recover their clearance,  joint limits,  |v| <= max_step,

where the residuals r are those of the goals and, weakly, the difference from the authored posture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.skeleton import kinematics
from writhe.postures.builtin.pose_setting import PoseSetting
from writhe.solvers.contact_step import ContactOptions, ContactStep
from writhe.solvers.qp import NormalEquations
from writhe.terms import CompiledTerms, Term, joint_limits

LIMIT_RAD = 2e-3  # tolerated excess beyond a joint limit


@dataclass(frozen=True, slots=True)
class PoseSolverOptions:
    """Lengths in metres, angles in radians."""

    iterations: int = 60
    damping: float = 0.05
    max_step: float = 0.20
    near_m: float = 0.05
    margin_m: float = 0.003  # greater than the oscillation of contacts between steps
    recovery_m: float = 0.02
    approach: float = 0.6
    min_step: float = 2e-4  # the iteration ends when the largest entry of v is below this
    goal_weight_late: float = (
        0.1  # factor of the goal weights in the second half, so that constraints win
    )


class PoseSolver:
    """Solves for postures in one setting; reuses its arrays between calls."""

    def __init__(self, setting: PoseSetting, options: PoseSolverOptions | None = None) -> None:
        self.setting = setting
        self.options = options or PoseSolverOptions()
        self.limits = joint_limits(setting.skeleton)
        self._equations = NormalEquations(setting.skeleton.dof_count)
        o = self.options
        limits = ContactOptions(o.max_step, o.near_m, o.margin_m, o.recovery_m, o.approach)
        self._contact_step = ContactStep(setting.table, limits)

    def solve(self, q: Floats, goals: Sequence[Term], iterations: int | None = None) -> Floats:
        """(nq,) the posture solved for, from q."""
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
        equations = self._equations
        equations.assemble(terms, first_limit)
        equations.hessian.flat[:: len(equations.gradient) + 1] += self.options.damping**2
        return self._contact_step.solve(
            terms, equations.hessian, equations.gradient, intervals_from=first_limit
        )

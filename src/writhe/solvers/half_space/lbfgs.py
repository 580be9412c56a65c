"""The objective of `objective`, minimised by L-BFGS-B (SciPy's; the paper uses NLopt's)."""

from __future__ import annotations

from typing import Protocol, cast

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.qp.projected_newton import (
    LeastSquaresProblem,
    NewtonWorkspace,
    value_and_gradient,
)
from writhe.kernels.skeleton.kinematics import integrate
from writhe.solvers.blas_threads import one_blas_thread


class _Minimum(Protocol):
    """What is used of SciPy's OptimizeResult, which states no types."""

    x: Floats
    nit: int


def solve_lbfgs(
    problem: LeastSquaresProblem, workspace: NewtonWorkspace, iterations: int, tolerance: float
) -> tuple[Floats, int]:
    """The minimiser near the problem's start, and how many iterations it took."""
    from scipy import optimize

    free = np.flatnonzero(problem.free)
    nv = len(problem.free)
    q, y, gradient = problem.start.copy(), np.zeros(nv), np.zeros(nv)

    def objective(x: Floats) -> tuple[float, Floats]:
        y[free] = x
        return value_and_gradient(problem, y, q, workspace, gradient), gradient[free]

    angle = np.array([_angle(problem, int(k)) for k in free])
    boxed = problem.box_upper[free] < 1e29
    low = np.where(boxed, problem.box_lower[free] - angle, -np.pi)
    high = np.where(boxed, problem.box_upper[free] - angle, np.pi)
    start = np.clip(problem.target[free], low, high)
    with one_blas_thread():
        found = cast(
            "_Minimum",
            optimize.minimize(
                objective,
                start,
                jac=True,
                method="L-BFGS-B",
                bounds=np.stack([low, high], axis=1),
                options={"maxiter": iterations, "ftol": 1e-12, "gtol": tolerance, "maxcor": 10},
            ),
        )
    y[:] = 0.0
    y[free] = found.x
    integrate(problem.tree, problem.start, y, q)
    return q, found.nit


def _angle(problem: LeastSquaresProblem, k: int) -> float:
    tree = problem.tree
    return float(problem.start[tree.q_start[tree.dof_joint[k]]])

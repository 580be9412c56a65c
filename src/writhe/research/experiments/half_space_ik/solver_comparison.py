"""L-BFGS with bounds and projected Gauss-Newton on the same objectives, in one run."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.qp.projected_newton import evaluate
from writhe.kernels.terms.half_space_rows import HalfSpaces
from writhe.research.experiments.half_space_ik.scenarios import (
    back_push,
    cylinder_push,
    four_obstacles,
)
from writhe.solvers.half_space import CollisionResponse, ResponseOptions
from writhe.solvers.half_space.lbfgs import solve_lbfgs
from writhe.solvers.half_space.objective import Objective

MIN_SPACES = 10
_L_BFGS_ITERATIONS = 200


def compare_solvers(max_problems: int = 150) -> dict[str, Any]:
    """Both solvers on problems of three scenarios with at least ten half-spaces."""
    times: dict[str, list[float]] = {"gauss-newton": [], "l-bfgs": []}
    steps: dict[str, list[int]] = {"gauss-newton": [], "l-bfgs": []}
    costs: dict[str, list[float]] = {"gauss-newton": [], "l-bfgs": []}
    binding: list[int] = []
    for scenario in (four_obstacles(), cylinder_push(), back_push()):
        response = CollisionResponse(scenario.scene, ResponseOptions())
        q = scenario.start
        for k in range(scenario.frames):
            before = response.objective.spaces.used[0]
            q = response.step(q, scenario.targets(k), (), scenario.objects(k)).q
            objective = response.objective
            if before < MIN_SPACES or k % 3 or len(binding) >= max_problems:
                continue
            start = _nudged(response, q, k)
            for name in times:
                clock = time.perf_counter()
                if name == "gauss-newton":
                    found, taken = objective.solve(start)
                else:
                    problem = objective.problem(start)
                    found, taken = solve_lbfgs(
                        problem, objective.workspace, _L_BFGS_ITERATIONS, 1e-5
                    )
                times[name].append(1e3 * (time.perf_counter() - clock))
                steps[name].append(taken)
                costs[name].append(evaluate(objective.problem(start), found, objective.workspace))
            binding.append(_binding(objective))
    out: dict[str, Any] = {"compared": list(times), "problems": len(binding)}
    out["binding_median"] = int(np.median(binding))
    for name in times:
        out[name] = {
            "solve_ms_median": round(float(np.median(times[name])), 4),
            "solve_ms_p95": round(float(np.percentile(times[name], 95)), 4),
            "iterations_median": int(np.median(steps[name])),
            "cost_median": float(np.median(costs[name])),
        }
    return out


def _nudged(response: CollisionResponse, q: Floats, seed: int) -> Floats:
    """q with every joint slightly perturbed, as a start for the solvers."""
    from writhe.kernels.skeleton import kinematics

    step = np.random.default_rng(seed).normal(0.0, 0.02, response.skeleton.dof_count)
    out = np.empty_like(q)
    kinematics.integrate(response.skeleton.tree, q, step * response.free, out)
    return out


def _binding(objective: Objective) -> int:
    """Number of binding half-spaces at the last evaluation."""
    spaces: HalfSpaces = objective.spaces
    rows, count = objective.terms.rows, int(spaces.used[0])
    values = objective.workspace.values[rows : rows + count]
    return int((values < spaces.lower_bound[:count] + 1e-4).sum())

"""The objective of half-space IK: its gradient, bounds and two minimisers."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
from threadpoolctl import threadpool_info, threadpool_limits

from writhe import terms
from writhe.kernels.qp.projected_newton import evaluate, value_and_gradient
from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import integrate
from writhe.solvers.half_space.lbfgs import solve_lbfgs
from writhe.solvers.half_space.objective import Objective
from writhe.solvers.half_space.options import ResponseOptions

HUMAN = figure("human").skeleton
HAND = figure("hand").skeleton


def objective_on(skeleton, rng, goal_terms, *, root_free=False) -> Objective:
    free = np.ones(skeleton.dof_count, dtype=np.bool_)
    free[:6] = root_free
    objective = Objective(skeleton, free, ResponseOptions())
    objective.use_terms(goal_terms)
    objective.predicted_step[:] = rng.normal(0, 0.05, skeleton.dof_count) * free
    return objective


def human_goals(q):
    at = forward(HUMAN, q)
    wrist, knee = at.position("left_wrist"), at.position("right_knee")
    return [
        terms.reach("left_wrist", wrist + np.array([0.05, 0.1, 0.1]), weight=10.0),
        terms.half_space(
            "right_elbow", [0.1, 0, 0], [0, 1.1, 0], [0, 0, 1], clearance_m=0.2, weight=20.0
        ),
        terms.half_space("head", [0, 0.1, 0], [0.1, 1.6, 0], [1, 0, 0.5], weight=50.0),
        terms.half_space_as_published(
            "right_knee", [0, 0, 0], knee + np.array([0, 0, 0.05]), [0, 0, 1]
        ),
        terms.keep_distance("left_wrist", "right_wrist", 0.6, weight=20.0),
        *terms.joint_limits(HUMAN, weight=30.0),
    ]


def test_gradient_matches_finite_differences(rng):
    q0 = integrate(HUMAN, HUMAN.rest_configuration, rng.normal(0, 0.1, HUMAN.dof_count))
    objective = objective_on(HUMAN, rng, human_goals(q0), root_free=True)
    problem = objective.problem(q0)
    nv = HUMAN.dof_count
    q, gradient, none = np.empty_like(q0), np.empty(nv), np.empty(nv)
    y = rng.normal(0, 0.3, nv)
    value_and_gradient(problem, y, q, objective.workspace, gradient)
    numeric = np.empty(nv)
    for k in range(nv):
        step = np.zeros(nv)
        step[k] = 1e-6
        up = value_and_gradient(problem, y + step, q, objective.workspace, none)
        down = value_and_gradient(problem, y - step, q, objective.workspace, none)
        numeric[k] = (up - down) / 2e-6
    np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_both_solvers_find_the_same_minimum(seed):
    rng = np.random.default_rng(seed)
    step = rng.normal(0, 0.1, HUMAN.dof_count)
    q0 = integrate(HUMAN, HUMAN.rest_configuration, step)
    for hinge in ("left_elbow", "right_elbow", "left_knee", "right_knee", "left_toe", "right_toe"):
        limits = HUMAN.joints[HUMAN.index(hinge)].limits
        assert limits is not None
        low = limits.lower[0]
        q0[HUMAN.q_slice(hinge)] = max(q0[HUMAN.q_slice(hinge)][0], low)
    objective = objective_on(HUMAN, rng, human_goals(q0))
    problem = objective.problem(q0)
    first = evaluate(problem, q0, objective.workspace)
    reference, _ = solve_lbfgs(problem, objective.workspace, 2000, 1e-8)
    best = evaluate(problem, reference, objective.workspace)
    found = q0.copy()
    for _ in range(10):  # as over some frames, but from the same start
        from writhe.kernels.qp.projected_newton import projected_newton

        projected_newton(problem, found, 6, 0.3, 1e-7, objective.workspace)
    reached = evaluate(problem, found, objective.workspace)
    assert reached < best + 0.01 * (first - best)


def test_lbfgs_runs_blas_on_one_thread(rng, monkeypatch):
    """Spinning BLAS threads make it over a hundred times slower on a busy machine."""
    pools: list[int] = []
    minimize = scipy.optimize.minimize

    def recorded(*args, **options):
        pools.extend(p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas")
        return minimize(*args, **options)

    monkeypatch.setattr(scipy.optimize, "minimize", recorded)
    q = HUMAN.rest_configuration
    objective = objective_on(HUMAN, rng, human_goals(q))
    with threadpool_limits(2, "blas"):
        solve_lbfgs(objective.problem(q), objective.workspace, 2, 1e-3)
    assert pools and set(pools) == {1}


def test_hinges_stay_within_their_box(rng):
    """Eq. 7: fingers pulled far beyond what they can bend."""
    q0 = HAND.rest_configuration.copy()
    far = [terms.reach(f"{f}_3", [0.0, 0.4, -0.3], weight=10.0) for f in ("index", "ring")]
    objective = objective_on(HAND, rng, far)
    found = q0
    for _ in range(10):
        found, _ = objective.solve(found)
    for joint in HAND.joints:
        if joint.limits is not None and joint.kind.tangent_size == 1:
            angle = found[HAND.q_slice(joint.name)][0]
            assert joint.limits.lower[0] - 1e-9 <= angle <= joint.limits.upper[0] + 1e-9
    np.testing.assert_array_equal(found[:7], q0[:7])  # and the root where it was

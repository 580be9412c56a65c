"""Chains: kinematics equal to the skeleton's, and damped steps that solve Eq. 6."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.errors import UnknownNameError, WritheError
from writhe.kernels.jit import kernel
from writhe.kernels.trajectory.chain_kinematics import (
    chain_forward,
    chain_jacobian,
    chain_workspace,
    damped_step,
)
from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.skeleton.limits import random_configurations
from writhe.solvers.trajectory import CHAINS, Chain


@kernel
def _one_step(chain, theta, residual, give, jacobian, step):
    workspace = chain_workspace(chain)
    chain_forward(chain, theta, workspace)
    chain_jacobian(chain, workspace)
    jacobian[:] = workspace.jacobian
    workspace.residual[:] = residual
    damped_step(workspace, give)
    step[:] = workspace.step


@pytest.mark.parametrize("name", CHAINS)
def test_effectors_are_where_the_skeleton_has_them(name: str, rng: np.random.Generator) -> None:
    human = figure("human")
    chain = Chain.named(human, name)
    q = random_configurations(human.skeleton, 50, rng)
    frames = forward(human.skeleton, q)
    world = np.stack([frames.position(e) for e in chain.effectors], axis=1)
    found = chain.effector_points(chain.coordinates(q))
    assert np.abs(found - chain.targets_in_root(world, q)).max() < 1e-12
    back = chain.configurations(chain.coordinates(q), q)
    assert np.abs(forward(human.skeleton, back).positions - frames.positions).max() < 1e-12


@pytest.mark.parametrize("name", ["right_arm", "body"])
def test_jacobian_is_the_derivative(name: str, rng: np.random.Generator) -> None:
    human = figure("human")
    chain = Chain.named(human, name)
    theta = chain.coordinates(random_configurations(human.skeleton, 5, rng))
    theta[0] = 0.0  # the middle of the chart, where angles vanish
    exact, h = chain.jacobians(theta), 1e-6
    for d in range(len(chain)):
        change = np.zeros(len(chain))
        change[d] = h
        ahead, behind = (chain.effector_points(theta + s * change) for s in (1, -1))
        numeric = ((ahead - behind) / (2 * h)).reshape(len(theta), -1)
        assert np.abs(numeric - exact[:, :, d]).max() < 1e-8


@pytest.mark.parametrize("name", ["right_arm", "body"])
def test_step_solves_the_normal_equations(name: str, rng: np.random.Generator) -> None:
    chain = Chain.named(figure("human"), name)
    n, rows = len(chain), 3 * len(chain.effectors)
    damping = rng.uniform(1e-4, 1.0, n)
    residual = rng.normal(0.0, 0.1, rows)
    jacobian, step = np.empty((rows, n)), np.empty(n)
    _one_step(chain.tree, rng.normal(0.0, 0.5, n), residual, 1.0 / damping, jacobian, step)
    expected = np.linalg.solve(jacobian.T @ jacobian + np.diag(damping), jacobian.T @ residual)
    assert np.abs(step - expected).max() < 1e-9 * max(1.0, np.abs(expected).max())


def test_invalid_chains_raise() -> None:
    human = figure("human")
    with pytest.raises(UnknownNameError, match="right_arm"):
        Chain.named(human, "tail")
    with pytest.raises(WritheError, match="is not below"):
        Chain(human, "right_elbow", ["left_wrist"])
    with pytest.raises(WritheError, match="at least one effector"):
        Chain(human, "hips", [])

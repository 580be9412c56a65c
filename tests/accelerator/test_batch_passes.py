"""Batches: JAX agrees with Numba, and the GPU kernels can be lowered."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from writhe.errors import WritheError
from writhe.skeleton.figures import figure
from writhe.solvers.trajectory import Chain, Forest, PassOptions, learn_style, solve_trajectory

jax = pytest.importorskip("jax", reason="the extra `jax` is not installed")


@pytest.fixture(scope="module")
def solved(arm: Chain, forest: Forest, movements):
    """A small problem with the Numba result: targets (T, F, 3), coordinates (T, F, n)."""
    from writhe.accelerator.trajectory_problem import batch_problem

    jax.config.update("jax_enable_x64", True)
    cells = forest.blend("throw")
    takes = [movements[s][0] for s in ("throw", "golf", "move")]
    targets = np.array([arm.effector_points(arm.coordinates(t.q))[:60, 0] for t in takes])
    theta = np.array([solve_trajectory(arm, cells, t, 30.0).theta for t in targets])
    return batch_problem(arm.tree, cells, PassOptions(), 30.0), targets, theta


@pytest.fixture(scope="module")
def double_steps(solved):
    """The passes in double precision, compiled once for all tests."""
    from writhe.accelerator.batch_passes import passes

    return passes(solved[0], np.float64)


@pytest.mark.parametrize(
    ("dtype", "nearly_all", "on_average"), [(np.float64, 1e-11, 1e-12), (np.float32, 0.02, 1e-3)]
)
def test_jax_agrees_with_numba(solved, double_steps, dtype, nearly_all, on_average) -> None:
    from writhe.accelerator.batch_passes import passes, solve

    problem, targets, theta = solved
    steps = double_steps if dtype == np.float64 else passes(problem, dtype)
    found = solve(steps, jax.numpy.asarray(np.moveaxis(targets, -1, 0).astype(dtype)))
    apart = np.abs(np.moveaxis(np.asarray(found), 0, -1) - theta)
    assert np.quantile(apart, 0.999) < nearly_all
    assert apart.mean() < on_average


def test_a_batch_cut_into_blocks_is_solved_as_a_whole_one(solved, double_steps) -> None:
    from writhe.accelerator.batch_passes import solve, solve_in_blocks

    given = jax.numpy.asarray(np.moveaxis(solved[1], -1, 0))
    blocks = solve_in_blocks(double_steps, given, 2)
    whole = solve(double_steps, given)
    np.testing.assert_allclose(np.concatenate(blocks, axis=1), whole, atol=1e-12)


def test_gpu_kernels_can_be_lowered_and_read_the_same_problem(solved) -> None:
    from writhe.accelerator.pallas_kernels import crude_kernel, retargeting_kernel

    problem, targets, theta = solved
    shape = targets.shape[:2]
    points = jax.ShapeDtypeStruct((3, *shape), np.float32)
    rows = jax.ShapeDtypeStruct((theta.shape[-1], *shape), np.float32)
    for kernel, given in (
        (crude_kernel(problem, np.float32), [points]),
        (retargeting_kernel(problem, np.float32), [rows] * 4 + [points]),
    ):
        lowered = jax.jit(kernel).trace(*given).lower(lowering_platforms=("cuda",))
        assert "triton" in lowered.as_text()


def test_batches_need_one_effector() -> None:
    from writhe.accelerator.trajectory_problem import batch_problem

    human = figure("human")
    body = Chain.named(human, "body")
    q = human.skeleton.rest_configuration[None]
    cells = Forest(body, [learn_style(body, "rest", [(q, 30.0)])]).blend()
    with pytest.raises(WritheError, match="one effector"):
        batch_problem(body.tree, cells, PassOptions(), 30.0)


def test_the_batch_modules_import_without_numba() -> None:
    """The batch modules run with only NumPy and JAX installed."""
    code = "import sys; sys.modules['numba'] = None; import writhe.accelerator.measure_trajectories"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)

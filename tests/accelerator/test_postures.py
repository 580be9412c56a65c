"""Batches of postures in JAX agree with the Numba kernels."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.collision import CollisionTable
from writhe.research.benchmarks.throughput.gpu import TARGETS, penetrations, problem_arrays
from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.skeleton.limits import limit_excess

jax = pytest.importorskip("jax", reason="needs the extra jax")


@pytest.fixture(scope="module")
def arrays():
    return problem_arrays()


def test_penetration_and_linking_equal_the_kernels(arrays):
    from writhe.accelerator.batch_postures import posture_measures
    from writhe.accelerator.body_arrays import BodyArrays
    from writhe.accelerator.problem_file import from_arrays

    measured = posture_measures(from_arrays(BodyArrays, arrays))
    with jax.enable_x64(True):
        depth, linking = measured(arrays["q"].T.copy())
    assert (arrays["penetration_m"] > 0.01).mean() > 0.2  # the sample has something to find
    np.testing.assert_allclose(depth, arrays["penetration_m"], atol=1e-12)
    np.testing.assert_allclose(np.asarray(linking).T, arrays["linking"], atol=1e-12)


def test_posed_bodies_are_clear_within_limits_and_reach(arrays):
    from writhe.accelerator.batch_ik import LimitArrays, make_posing
    from writhe.accelerator.body_arrays import BodyArrays
    from writhe.accelerator.problem_file import from_arrays

    human = figure("human")
    joints = arrays["target_joints"].tolist()
    pose = make_posing(from_arrays(BodyArrays, arrays), from_arrays(LimitArrays, arrays), joints)
    few = slice(0, 64)
    found = pose(arrays["start"][few].astype(np.float32), arrays["targets"][few].astype(np.float32))
    q = np.asarray(found.q, dtype=np.float64)
    # what is called clear is clear by the certificate's own kernels
    depth = penetrations(human, CollisionTable.of_figure(human), q)
    clear = np.asarray(found.clear)
    assert (depth[clear] <= 0.001).all()
    assert clear.mean() > 0.9
    reached = forward(human.skeleton, q).positions[:, [human.skeleton.index(n) for n in TARGETS]]
    error = np.linalg.norm(reached - arrays["targets"][few], axis=2).max(axis=1)
    np.testing.assert_allclose(error, np.asarray(found.target_error_m).max(axis=1), atol=1e-5)
    assert np.median(error) < 0.005
    assert max(max(limit_excess(human.skeleton, x).values(), default=0.0) for x in q) < 1e-5

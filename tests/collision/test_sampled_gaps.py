"""Gaps at shared fractions are those along each pair's own chain, for slerp and Euler angles."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.collision.bodies import padded_human

from writhe.collision import CollisionTable
from writhe.collision.gate import gate_workspace
from writhe.kernels.collision.sampled_gaps import shared_gap_at_fraction
from writhe.kernels.collision.step_motion import MovingPair, fill_step_motion, gap_at_fraction
from writhe.kernels.jit import kernel
from writhe.skeleton.kinematics import integrate

TABLE = CollisionTable.of_figure(padded_human())


@kernel
def both_gaps(tree, shapes, motion, samples, pair, t, workspace, out):
    """Both gaps, and the normals in the ancestor's frame, in out (8,)."""
    out[0] = shared_gap_at_fraction(tree, shapes, motion, samples, pair, t, workspace)
    out[1:4] = workspace.out[:3]
    out[4] = gap_at_fraction(tree, shapes, motion, pair, t, workspace)
    out[5:8] = workspace.out[:3]


@pytest.mark.parametrize("euler", [False, True])
def test_both_ways_give_the_same_gaps(rng: np.random.Generator, euler: bool) -> None:
    skeleton, work = TABLE.skeleton, gate_workspace(TABLE)
    n, pairs = len(skeleton), TABLE.pairs
    order = np.full((n, 3), -1, dtype=np.int64)
    if euler:
        order[skeleton.tree.kind >= 3] = [2, 1, 0]
    for _ in range(4):
        start = integrate(
            skeleton, skeleton.rest_configuration, rng.normal(0, 0.6, skeleton.dof_count)
        )
        end = integrate(skeleton, start, rng.normal(0, 0.3, skeleton.dof_count))
        angles = rng.normal(0, 0.5, (2, n, 3))
        fill_step_motion(skeleton.tree, start, end, order, angles[0], angles[1], work.motion)
        work.samples.step[0] += 1
        for p in rng.choice(len(pairs.a), 40, replace=False):
            a = int(TABLE.bodies.shape_start[pairs.a[p]])
            b = int(TABLE.bodies.shape_start[pairs.b[p]])
            for t in (0.0, 1.0, 0.5, 3 / 64, 0.3):
                out = np.zeros(8)
                pair = MovingPair(a, b, int(pairs.ancestor[p]), 0.0, 0.0)
                both_gaps(
                    skeleton.tree, TABLE.shapes, work.motion, work.samples, pair, t,
                    work.pair_workspace, out,
                )  # fmt: skip
                assert_allclose(out[:4], out[4:], atol=1e-9)

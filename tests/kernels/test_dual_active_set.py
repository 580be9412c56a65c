"""The dual active-set QP against DAQP, and its compromise between contradictory rows."""

from __future__ import annotations

import daqp
import numpy as np
import pytest

from writhe.kernels.linear import factorise
from writhe.kernels.qp.dual_active_set import (
    EQUAL,
    make_constraint_rows,
    make_dual_workspace,
    solve_qp,
)


def random_problem(rng: np.random.Generator, nv: int, equal: int, unequal: int):
    count = equal + unequal
    rows = make_constraint_rows(count, nv)
    rows.matrix[:] = rng.normal(size=(count, nv)) * (rng.random((count, nv)) < 0.3)
    rows.low[:] = -np.abs(rng.normal(size=count)) * 0.3 - 0.01
    rows.high[:] = 1e30
    rows.low[:equal] = rows.high[:equal] = rng.normal(size=equal)
    rows.high[equal : equal + unequal // 2] = 0.1
    rows.compliance[:equal], rows.compliance[equal:] = 1e-3, 1e-8
    rows.state[:equal] = EQUAL
    return rows, rng.uniform(0.5, 2.0, nv), rng.normal(0, 0.3, nv)


@pytest.mark.parametrize("size", [(8, 1, 6), (60, 4, 40), (120, 30, 80)])
def test_agrees_with_daqp(size: tuple[int, int, int], rng: np.random.Generator):
    for _ in range(10):
        rows, metric, v0 = random_problem(rng, *size)
        nv, count = size[0], size[1] + size[2]
        v = np.empty(nv)
        solve_qp(rows, count, 1 / metric, v0, 1e-9, make_dual_workspace(count, nv), v)
        hessian = np.diag(np.concatenate([metric, 1 / rows.compliance]))
        linear = np.concatenate([-metric * v0, np.zeros(count)])
        low = np.concatenate([np.full(nv + count, -1e30), rows.low])
        high = np.concatenate([np.full(nv + count, 1e30), rows.high])
        matrix = np.hstack([rows.matrix, np.eye(count)])
        sense = np.zeros(len(low), dtype=np.int32)
        found = daqp.solve(hessian, linear, matrix, high, low, sense)
        assert found[2] == 1
        np.testing.assert_allclose(v, found[0][:nv], atol=1e-7)


def test_a_dense_metric_agrees_with_daqp(rng: np.random.Generator):
    nv, count = 40, 50
    for _ in range(10):
        rows, _, v0 = random_problem(rng, nv, 0, count)
        rows.compliance[:] = 1e-10
        half = rng.normal(size=(nv, 3 * nv))
        metric = half @ half.T + np.eye(nv)
        factor, v = np.zeros((nv, nv)), np.empty(nv)
        assert factorise(metric, len(metric), factor)
        solve_qp(rows, count, factor, v0, 1e-9, make_dual_workspace(2 * nv, nv), v)
        low = np.concatenate([np.full(nv, -1e30), rows.low])
        high = np.concatenate([np.full(nv, 1e30), rows.high])
        sense = np.zeros(len(low), dtype=np.int32)
        found = daqp.solve(metric, -metric @ v0, rows.matrix, high, low, sense)
        assert found[2] == 1
        np.testing.assert_allclose(v, found[0], atol=1e-6)


def test_a_warm_start_changes_nothing_but_the_work(rng: np.random.Generator):
    rows, metric, v0 = random_problem(rng, 30, 3, 30)
    work, cold, warm = make_dual_workspace(33, 30), np.empty(30), np.empty(30)
    changes = solve_qp(rows, 33, 1 / metric, v0, 1e-9, work, cold)
    again = solve_qp(rows, 33, 1 / metric, v0, 1e-9, work, warm)
    np.testing.assert_allclose(warm, cold, atol=1e-10)
    assert again == 0 < changes


def test_contradictory_rows_get_a_compromise():
    rows, v = make_constraint_rows(2, 1), np.empty(1)
    rows.matrix[:] = 1.0
    rows.low[:] = rows.high[:] = (1.0, -1.0)
    rows.compliance[:] = 1e-9
    rows.state[:] = EQUAL
    solve_qp(rows, 2, np.ones(1), np.zeros(1), 1e-9, make_dual_workspace(2, 1), v)
    assert v[0] == pytest.approx(0.0, abs=1e-6)


def test_a_fixed_coordinate_keeps_its_step():
    rows, v = make_constraint_rows(1, 2), np.empty(2)
    rows.matrix[0] = (1.0, -1.0)  # v[0] >= v[1]
    rows.low[0], rows.high[0], rows.compliance[0] = 0.0, 1e30, 1e-9
    solve_qp(
        rows, 1, np.array([1.0, 0.0]), np.array([0.0, 0.3]), 1e-9, make_dual_workspace(1, 2), v
    )
    np.testing.assert_allclose(v, [0.3, 0.3], atol=1e-6)

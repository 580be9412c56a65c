"""All contenders of the kernel benchmark compute the same values."""

from __future__ import annotations

import json

import numpy as np
import pytest

from writhe.cli.app import run as run_command
from writhe.errors import UnknownNameError
from writhe.kernels.topology.gauss_linking import make_scratch
from writhe.research.benchmarks import run
from writhe.research.benchmarks.reference_linking import in_c as c_linking
from writhe.research.benchmarks.reference_linking.in_numpy import (
    linking_matrix,
    linking_matrix_gradients,
)
from writhe.research.evaluation import interleaved_timing as timing
from writhe.topology import writhe_matrix, writhe_matrix_gradients


@pytest.fixture
def polylines(rng):
    return rng.normal(size=(41, 3)), rng.normal(size=(70, 3))


def test_numpy_agrees_with_the_kernels_by_another_derivation(polylines):
    values, gradients = linking_matrix_gradients(*polylines)
    mine, my_gradients = writhe_matrix_gradients(*polylines)
    np.testing.assert_allclose(mine, values, atol=1e-14)
    np.testing.assert_allclose(mine, linking_matrix(*polylines), atol=1e-14)
    np.testing.assert_allclose(my_gradients, gradients, rtol=1e-8, atol=1e-9)


def test_c_agrees_with_the_kernels(polylines):
    if c_linking.find_compiler() is None:
        pytest.skip("there is no C compiler here")
    out, gradients = np.empty((40, 69)), np.empty((4, 3, 40, 69))
    one, other = polylines
    c_linking.CLinking().linking_matrix(one, other, make_scratch(), out, gradients)
    np.testing.assert_allclose(out, writhe_matrix(*polylines), atol=1e-15)
    np.testing.assert_allclose(
        gradients, writhe_matrix_gradients(*polylines)[1], rtol=1e-10, atol=1e-12
    )


def test_without_a_compiler_the_c_figures_are_null_and_say_why(monkeypatch, capsys):
    monkeypatch.setattr(c_linking, "find_compiler", lambda: None)
    monkeypatch.setattr(timing, "REPEATS", 1)
    monkeypatch.setattr(timing, "SLICE_S", 1e-4)
    with pytest.raises(SystemExit) as ended:
        run_command(["bench", "kernels", "--json"])
    assert ended.value.code == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert {"gli_ns", "gli_grad_ns", "kinematics_us", "certify_step_us", "bvh_mb_per_s"} <= set(
        result
    )
    for key in ("gli_ns", "gli_grad_ns"):
        assert result[key]["c"] is None
        assert result[key]["numba"] > 0
        assert result[key]["numpy"] > 0
    assert "no C compiler" in result["c_compiler"]


def test_an_unknown_benchmark_lists_those_there_are():
    with pytest.raises(UnknownNameError, match="kernels"):
        run("nothing")

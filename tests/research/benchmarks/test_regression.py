"""The regression check of the kernels' speed."""

from __future__ import annotations

from writhe.research.regression import ratios, slower

FIGURES = {
    "gli_ns": {"numba": 5.0, "c": 6.0, "numpy": 100.0},
    "gli_grad_ns": {"numba": 13.0, "c": 15.0, "numpy": 600.0},
    "kinematics_us": 4.0,
    "near_pairs_us": 11.0,
    "certify_step_us": 22.0,
}


def test_a_machine_twice_as_slow_changes_nothing():
    twice = {
        key: {k: 2 * v for k, v in value.items()} if isinstance(value, dict) else 2 * value
        for key, value in FIGURES.items()
    }
    assert slower(ratios(twice), ratios(FIGURES)) == {}


def test_a_kernel_twice_as_slow_is_named():
    now = ratios({**FIGURES, "kinematics_us": 8.0})
    assert list(slower(now, ratios(FIGURES))) == ["kinematics"]

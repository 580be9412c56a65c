"""Smoothness metrics on motions with known values."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.research.evaluation.smoothness import mean_squared_jerk, spectral_arc_length


def test_jerk_of_a_cubic_is_its_third_derivative():
    times = np.arange(60) / 60.0
    path = np.zeros((60, 1, 3))
    path[:, 0, 1] = 2.0 * times**3
    assert mean_squared_jerk(path, 60.0) == pytest.approx(144.0, rel=1e-6)


def test_a_movement_in_one_go_is_smoother_than_one_in_three():
    times = np.linspace(0.0, 1.0, 120)
    whole = np.sin(np.pi * times) ** 2
    pieces = np.sin(3 * np.pi * times) ** 2
    shaken = whole + 0.1 * np.sin(40 * times) ** 2
    assert spectral_arc_length(whole, 120.0) > spectral_arc_length(shaken, 120.0)
    assert spectral_arc_length(shaken, 120.0) > spectral_arc_length(pieces, 120.0)

"""Filters over the frames of a motion."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.time_filters import envelope, gaussian, within


@pytest.mark.parametrize("half", [1, 4, 9])
def test_an_envelope_is_nowhere_below_its_values_and_smoother(
    rng: np.random.Generator, half: int
) -> None:
    values = np.where(rng.random(200) < 0.05, rng.random(200), 0.0)
    found = envelope(values, half)
    assert (found >= values - 1e-12).all()
    assert np.abs(np.diff(found)).max() < np.abs(np.diff(values)).max()


def test_constant_motion_stays_constant_up_to_its_ends() -> None:
    assert np.allclose(gaussian(np.full((20, 3), 2.5), 4.0), 2.5)


def test_frames_within_a_distance_of_chosen_ones() -> None:
    chosen = np.zeros(10, dtype=np.bool_)
    chosen[[0, 6]] = True
    assert np.flatnonzero(within(chosen, 1)).tolist() == [0, 1, 5, 6, 7]
    assert (within(chosen, 0) == chosen).all()

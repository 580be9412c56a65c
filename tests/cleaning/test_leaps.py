"""Leaps: how far joints move in a frame, compared with the source."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.cleaning.leaps import excess_motion, leaps


def test_excess_motion_is_measured_beyond_the_source():
    source, positions = np.zeros((3, 2, 3)), np.zeros((3, 2, 3))
    source[1, 0, 0] = source[2, 0, 0] = 0.3  # the source jumps, the body does not: no excess
    positions[2, 1, 2] = 0.25  # the body jumps where the source is at rest
    np.testing.assert_allclose(excess_motion(positions, source), [0.0, 0.25])
    np.testing.assert_allclose(excess_motion(source, source), [0.0, 0.0])


def test_a_leap_is_measured_against_the_largest_step_of_the_same_joint():
    source = np.zeros((4, 2, 3))
    source[:, 0, 0] = [0.0, 0.1, 0.2, 0.2]  # the first joint moves by 10 cm a frame, then rests
    cleaned = source.copy()
    cleaned[3, 0, 0] += 0.11  # the first leaps by 11 cm: 1 cm beyond its own largest
    cleaned[1:, 1, 1] += 0.03  # the second, which never moved, by 3 cm
    found = leaps(cleaned, source)
    assert found.beyond_largest_m == pytest.approx(0.03)
    assert found.beyond_source_m == pytest.approx(0.11)
    assert found.correction_m == pytest.approx(0.11)
    assert found.frames == 1


def test_one_frame_has_no_leaps():
    assert leaps(np.zeros((1, 2, 3)), np.zeros((1, 2, 3))).correction_m == 0.0

"""Leaps: how far joints move in a frame, compared with the source, and leaps spread over frames."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.cleaning.leaps import excess_motion, leap_frames, leaps, spread_leaps
from writhe.skeleton import forward
from writhe.skeleton.figures import figure


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


def leaping_arm() -> tuple[np.ndarray, np.ndarray]:
    """(frames, nq) an arm that leaps by 0.4 rad while the hips drift, and joints of the source."""
    skeleton = figure("human").skeleton
    q = np.tile(skeleton.rest_configuration, (40, 1))
    q[20:, skeleton.q_slice("left_shoulder")] = [np.cos(0.2), 0.0, 0.0, np.sin(0.2)]
    q[:, 0] = np.linspace(0.0, 0.4, 40)
    source = q.copy()
    source[:, skeleton.q_slice("left_shoulder")] = [1.0, 0.0, 0.0, 0.0]
    return q, forward(skeleton, source).positions


def test_a_leap_is_spread_over_the_frames_beside_it():
    skeleton = figure("human").skeleton
    q, source = leaping_arm()
    everything = np.ones(skeleton.dof_count, dtype=np.bool_)
    given = q.copy()
    found = spread_leaps(skeleton, q, source, 0.015, everything, lambda *_: True)
    np.testing.assert_array_equal(q, given)
    assert len(leap_frames(forward(skeleton, q).positions, source)) == 1
    positions = forward(skeleton, found).positions
    assert leaps(positions, source).beyond_largest_m < 0.0151
    moved = np.flatnonzero(np.any(found != q, axis=1))
    assert moved[0] > 0 and moved[-1] < len(q) - 1  # what is far from the leap stays
    # the same way, passed at another speed
    assert (np.diff(found[:, 0]) > 0.0).all()
    assert (np.diff(found[:, skeleton.q_slice("left_shoulder")][:, 3]) >= 0.0).all()
    np.testing.assert_array_equal(
        spread_leaps(skeleton, q, source, 0.015, everything, lambda *_: False), q
    )


def test_what_may_not_change_keeps_its_time_where_a_leap_is_spread():
    skeleton = figure("human").skeleton
    q, source = leaping_arm()
    arm = skeleton.tree.dof_joint == skeleton.index("left_shoulder")
    found = spread_leaps(skeleton, q, source, 0.015, arm, lambda *_: True)
    assert not len(leap_frames(forward(skeleton, found).positions, source))
    np.testing.assert_allclose(found[:, 0], q[:, 0], atol=1e-12)

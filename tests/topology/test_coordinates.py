"""Topology coordinates: known values, derivatives, and target matrices."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.errors import WritheError
from writhe.topology import (
    TopologyCoordinates,
    density_difference,
    matrix_coordinates,
    published_target_matrix,
    round_trip_error,
    target_matrix,
    topology_coordinates,
)
from writhe.topology.loop_crossing import crossings, net_crossings


def helix(turns: float, count: int, radius: float, phase: float = 0.0) -> np.ndarray:
    angle = phase + 2 * np.pi * turns * np.linspace(0, 1, count)
    return np.column_stack(
        [radius * np.cos(angle), radius * np.sin(angle), np.linspace(0, 1, count)]
    )


def test_a_strand_around_a_straight_one_has_density_a_quarter_pi():
    straight = np.column_stack([np.zeros((11, 2)), np.linspace(-0.2, 1.2, 11)])
    coil = helix(1.0, 13, 0.1)
    coil[:, 2] = 0.5 + 0.02 * np.linspace(-1, 1, 13)  # wound at one place of the straight one
    around = topology_coordinates(coil, straight)
    assert abs(around.writhe) == pytest.approx(1.0, abs=0.15)
    assert around.density == pytest.approx(np.pi / 4, abs=0.1)
    assert topology_coordinates(straight, coil).density == pytest.approx(-np.pi / 4, abs=0.1)


def test_two_strands_wound_alike_have_no_density_and_a_centre_in_the_middle():
    both = topology_coordinates(helix(1, 11, 0.1), helix(1, 11, 0.1, np.pi))
    assert abs(density_difference(both.density, 0.0)) < 0.05
    np.testing.assert_allclose(both.centre, 0.0, atol=0.05)


def test_the_centre_follows_the_twist_along_the_strand():
    line = np.column_stack([np.zeros((21, 2)), np.linspace(0, 1, 21)])
    low, high = helix(1, 9, 0.05), helix(1, 9, 0.05)
    low[:, 2], high[:, 2] = 0.15 + 0.1 * low[:, 2], 0.75 + 0.1 * high[:, 2]
    assert topology_coordinates(low, line).centre[1] < -0.4
    assert topology_coordinates(high, line).centre[1] > 0.4


def test_writhe_changes_sign_in_a_mirror_and_the_rest_does_not(rng: np.random.Generator):
    a, b = rng.normal(size=(6, 3)), rng.normal(size=(5, 3))
    mirror = np.array([1.0, 1.0, -1.0])
    one, other = topology_coordinates(a, b), topology_coordinates(a * mirror, b * mirror)
    assert other.writhe == pytest.approx(-one.writhe)
    assert other.centre == pytest.approx(one.centre)
    assert density_difference(other.density, one.density) == pytest.approx(0.0, abs=1e-9)


def test_target_matrices_have_the_target_coordinates(rng: np.random.Generator):
    worst = 0.0
    for _ in range(1000):
        rows, columns = (int(n) for n in rng.integers(4, 13, 2))
        x, y = rng.uniform(-0.6, 0.6, 2)
        target = TopologyCoordinates(rng.uniform(-2, 2), (x, y), rng.uniform(-np.pi, np.pi) / 2)
        worst = max(worst, round_trip_error(target, target_matrix(target, rows, columns)))
    assert worst < 1e-6


def test_the_published_matrix_has_the_writhe_and_approximates_the_rest():
    target = TopologyCoordinates(-0.7, (0.2, -0.1), 0.4)
    found = matrix_coordinates(published_target_matrix(target, 10, 8))
    assert found.writhe == pytest.approx(-0.7)
    np.testing.assert_allclose(found.centre, target.centre, atol=2e-3)
    assert abs(density_difference(found.density, target.density)) < 0.15


def test_impossible_targets_raise():
    target = TopologyCoordinates(1.0, (0.999, 0.0), np.pi / 4)
    with pytest.raises(WritheError, match="move the centre"):
        target_matrix(target, 5, 5)


def test_near_zero_writhe_everything_is_defined():
    nothing = matrix_coordinates(np.zeros((4, 3)))
    assert (nothing.writhe, nothing.centre, nothing.density) == (0.0, (0.0, 0.0), 0.0)
    even = matrix_coordinates(np.full((4, 4), 0.1))
    assert even.centre == pytest.approx((0.0, 0.0)) and even.density == 0.0 == even.clearness
    mixed = matrix_coordinates(np.array([[0.0, 0.0, 0.4], [0.0, 0.0, -0.4]]))
    assert mixed.writhe == 0.0 and mixed.centre[1] == pytest.approx(2 / 3)


def test_subdividing_segments_keeps_the_coordinates(rng: np.random.Generator):
    a, b = rng.normal(size=(5, 3)), rng.normal(size=(4, 3))
    fine = [np.repeat(line, 4, axis=0)[:-3].copy() for line in (a, b)]
    for line, cut in zip((a, b), fine, strict=True):
        for k in range(len(line) - 1):
            for piece in range(4):
                cut[4 * k + piece] = line[k] + (line[k + 1] - line[k]) * piece / 4
    coarse, cut = topology_coordinates(a, b), topology_coordinates(*fine)
    assert cut.writhe == pytest.approx(coarse.writhe)
    np.testing.assert_allclose(cut.centre, coarse.centre, atol=0.2)


def test_crossings_of_a_loop():
    angle = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    loop = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(12)])
    up = np.array([[0.3, 0, -1.0], [0.3, 0, 2.0]])
    (found,) = crossings(up, loop)
    assert found.sign == 1 and found.beyond_m == pytest.approx(2.0)
    assert found.clearance_m == pytest.approx(0.7, abs=0.05)
    assert net_crossings(up[::-1].copy(), loop) == -1
    assert net_crossings(up + np.array([1.0, 0, 0]), loop) == 0
    there_and_back = np.array([[0, 0, -1.0], [0, 0, 1.0], [0.2, 0, 1.0], [0.2, 0, -1.0]])
    assert net_crossings(there_and_back, loop) == 0 and len(crossings(there_and_back, loop)) == 2
    with pytest.raises(WritheError, match="3 points"):
        crossings(up, loop[:2])

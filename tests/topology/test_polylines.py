"""Linking of polylines: known links, additivity, the gradient of the sum."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.errors import WritheError
from writhe.topology import (
    linking,
    linking_gradient,
    segment_linking,
    writhe_matrix,
    writhe_matrix_gradients,
)


def circle(sides, centre=(0, 0, 0), axes=((1, 0, 0), (0, 1, 0)), turns=1):
    angle = turns * np.linspace(0, 2 * np.pi, sides + 1)
    points = np.array(centre) + np.outer(np.cos(angle), axes[0]) + np.outer(np.sin(angle), axes[1])
    points[-1] = points[0]
    return points


@pytest.mark.parametrize("sides", [(3, 3), (4, 7), (50, 80), (300, 33)])
def test_linked_closed_polygons_have_linking_one(sides):
    flat = circle(sides[0])
    upright = circle(sides[1], (1, 0, 0), ((0.9, 0, 0.1), (0, 0.1, 0.9)))
    assert abs(linking(flat, upright)) == pytest.approx(1.0, abs=1e-12)
    assert linking(flat, upright[::-1]) == pytest.approx(-linking(flat, upright), abs=1e-12)
    assert linking(upright, flat) == pytest.approx(linking(flat, upright), abs=1e-12)


def test_unlinked_closed_polygons_have_linking_zero():
    upright = circle(20, (2.5, 0, 0), ((0.9, 0, 0.1), (0, 0.1, 0.9)))
    assert linking(circle(30), upright) == pytest.approx(0.0, abs=1e-12)


def test_a_coil_around_an_axis_counts_its_turns():
    turns = 5
    angle = np.linspace(0, 2 * np.pi * turns, 400)
    coil = np.column_stack([np.cos(angle), np.sin(angle), np.linspace(-1, 1, 400)])
    # closed by a wide loop outside, the axis closed far away on the other side
    coil = np.vstack([coil, [[1, 0, 50], [60, 0, 50], [60, 0, -50], [1, 0, -50], coil[0]]])
    axis = np.array([[0, 0, -40], [0, 0, 40], [-70, 3, 40], [-70, 3, -40], [0, 0, -40.0]])
    assert abs(linking(coil, axis)) == pytest.approx(turns, abs=1e-10)


def test_cutting_a_segment_does_not_change_the_sum(rng):
    first, second = rng.normal(size=(2, 3)), rng.normal(size=(6, 3))
    cut = first[0] + np.outer(np.linspace(0, 1, 8), first[1] - first[0])
    assert linking(cut, second) == pytest.approx(linking(first, second), abs=1e-13)


@pytest.mark.parametrize("sizes", [(1, 1), (2, 5), (31, 40), (100, 3), (3, 100), (70, 65)])
def test_matrix_entries_are_segment_pairs_at_every_size(sizes, rng):
    first, second = rng.normal(size=(sizes[0] + 1, 3)), rng.normal(size=(sizes[1] + 1, 3))
    matrix = writhe_matrix(first, second)
    assert matrix.shape == sizes
    for _ in range(60):
        i, j = rng.integers(sizes[0]), rng.integers(sizes[1])
        alone = segment_linking(first[i], first[i + 1], second[j], second[j + 1])
        assert matrix[i, j] == pytest.approx(alone, abs=1e-15)
    assert linking(first, second) == pytest.approx(matrix.sum(), abs=1e-12)


def scattered(first, second):
    """The gradient of the sum, gathered from the slopes of all segment pairs."""
    _, slopes = writhe_matrix_gradients(first, second)
    one, two = np.zeros_like(first), np.zeros_like(second)
    one[:-1] += slopes[0].sum(axis=2).T
    one[1:] += slopes[1].sum(axis=2).T
    two[:-1] += slopes[2].sum(axis=1).T
    two[1:] += slopes[3].sum(axis=1).T
    return one, two


@pytest.mark.parametrize("sizes", [(1, 1), (1, 6), (5, 3), (40, 50)])
def test_the_rim_alone_gives_the_gradient_of_the_sum(sizes, rng):
    first, second = rng.normal(size=(sizes[0] + 1, 3)), rng.normal(size=(sizes[1] + 1, 3))
    for fast, plain in zip(linking_gradient(first, second), scattered(first, second), strict=True):
        np.testing.assert_allclose(fast, plain, atol=1e-10)


def test_gradient_of_the_sum_matches_finite_differences(rng):
    first, second = rng.normal(size=(6, 3)), rng.normal(size=(5, 3))
    one, two = linking_gradient(first, second)
    h = 1e-6
    for points, gradient in ((first, one), (second, two)):
        for at in np.ndindex(points.shape):
            kept = points[at]
            points[at] = kept + h
            above = linking(first, second)
            points[at] = kept - h
            below = linking(first, second)
            points[at] = kept
            assert gradient[at] == pytest.approx((above - below) / (2 * h), abs=1e-7)


def test_polylines_that_share_a_vertex_leave_the_touching_segments_out(rng):
    # an arm that starts on the torso: the common vertex moves with both
    first, second = rng.normal(size=(5, 3)), rng.normal(size=(4, 3))
    second[0] = first[2]
    for fast, plain in zip(linking_gradient(first, second), scattered(first, second), strict=True):
        np.testing.assert_allclose(fast, plain, atol=1e-10)
    h = 1e-6
    common = linking_gradient(first, second)
    for axis in range(3):
        ends = []
        for sign in (1, -1):
            one, two = first.copy(), second.copy()
            one[2, axis] += sign * h
            two[0] = one[2]
            ends.append(linking(one, two))
        slope = common[0][2, axis] + common[1][0, axis]
        assert slope == pytest.approx((ends[0] - ends[1]) / (2 * h), abs=1e-7)


def test_closed_polylines_have_no_gradient(rng):
    flat = circle(12) + rng.normal(0, 0.02, (13, 3))
    flat[-1] = flat[0]
    upright = circle(9, (1, 0, 0), ((0.9, 0, 0.1), (0, 0.1, 0.9)))
    one, two = linking_gradient(flat, upright)
    one[0] += one[-1]
    two[0] += two[-1]
    np.testing.assert_allclose(one[:-1], 0, atol=1e-13)
    np.testing.assert_allclose(two[:-1], 0, atol=1e-13)


def test_misuse_is_explained():
    with pytest.raises(WritheError, match="two points"):
        linking([[0, 0, 0]], np.eye(3))
    with pytest.raises(WritheError, match="finite"):
        linking([[0, 0, np.nan], [0, 0, 1]], np.eye(3))
    with pytest.raises(WritheError, match="shape"):
        linking([[0, 0], [0, 1]], np.eye(3))

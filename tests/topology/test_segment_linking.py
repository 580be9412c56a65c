"""The linking integral of two segments: against quadrature, its symmetries, degenerate inputs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.integrate import dblquad
from scipy.spatial.transform import Rotation

from writhe.kernels.collision.segment_distance import segment_parameters
from writhe.topology import segment_linking, writhe_matrix, writhe_matrix_gradients

coordinates = arrays(np.float64, (4, 3), elements=st.floats(-2, 2, width=32))


def quadrature(a, b, c, d):
    """The double integral as it is written down."""
    u, w = b - a, d - c
    volume = np.dot(np.cross(u, w), a - c)  # (x - y) . (dx X dy) is the same everywhere

    def integrand(t, s):
        return volume / np.linalg.norm(a + s * u - c - t * w) ** 3

    return dblquad(integrand, 0, 1, 0, 1, epsabs=1e-13, epsrel=1e-13)[0] / (4 * np.pi)


def extended(points):
    """The closed formula in extended precision."""
    a, b, c, d = np.asarray(points, dtype=np.longdouble)
    r1, r2, r3, r4 = c - a, d - a, d - b, c - b
    l1, l2, l3, l4 = (np.sqrt(r @ r) for r in (r1, r2, r3, r4))
    volume = np.cross(b - a, d - c) @ (a - c)
    d1 = l1 * l2 * l3 + (r1 @ r2) * l3 + (r1 @ r3) * l2 + (r2 @ r3) * l1
    d2 = l1 * l3 * l4 + (r1 @ r3) * l4 + (r1 @ r4) * l3 + (r3 @ r4) * l1
    angle = abs(np.arctan2(abs(volume) * (d1 + d2), d1 * d2 - volume * volume))
    return float(np.copysign(angle, volume) / (2 * np.longdouble(np.pi)))


def test_equals_the_double_integral(rng):
    for points in rng.normal(size=(12, 4, 3)):
        points[2:] += [0, 0, 1.5]
        assert segment_linking(*points) == pytest.approx(quadrature(*points), abs=1e-12)


def test_has_full_double_accuracy(rng):
    for points in rng.normal(size=(3000, 4, 3)):
        assert segment_linking(*points) == pytest.approx(extended(points), rel=1e-12, abs=2e-15)


def test_small_values_keep_their_relative_accuracy(rng):
    # far apart and nearly coplanar: the value is tiny
    for exponent in range(1, 9):
        points = rng.normal(size=(4, 3))
        points[2:] += [10.0, 0, 0]
        points[:, 2] = np.array([0, 1, 0, -1]) * 2.0**-exponent
        assert segment_linking(*points) == pytest.approx(extended(points), rel=1e-12)


@given(coordinates, st.floats(0.1, 50), arrays(np.float64, 3, elements=st.floats(-3, 3)))
def test_ignores_position_orientation_and_size(points, scale, vector):
    value = segment_linking(*points)
    if abs(abs(value) - 0.5) < 1e-3 or nearly_degenerate(points):
        return  # contact: the value jumps there
    moved = scale * Rotation.from_rotvec(vector).apply(points) + vector
    assert segment_linking(*moved) == pytest.approx(value, abs=1e-9)


def nearly_degenerate(points):
    a, b, c, d = points
    lengths = [np.linalg.norm(x - y) for x in (a, b) for y in (c, d)]
    # a segment without length has no direction; one of a rounding error's length has any
    own = min(np.linalg.norm(b - a), np.linalg.norm(d - c))
    # segments that touch or lie along each other: a rounding error decides on which side
    s, t = segment_parameters(np.ascontiguousarray(points), 0, 2)
    apart = np.linalg.norm(a + s * (b - a) - c - t * (d - c))
    return min(lengths) < 1e-5 or own < 1e-9 or apart < 1e-7


@given(coordinates)
def test_reversal_and_mirror_change_the_sign_and_a_swap_does_not(points):
    a, b, c, d = points
    value = segment_linking(a, b, c, d)
    assert -0.5 <= value <= 0.5
    if nearly_degenerate(points) or abs(value) > 0.499:
        return
    assert segment_linking(b, a, c, d) == pytest.approx(-value, abs=1e-12)
    assert segment_linking(a, b, d, c) == pytest.approx(-value, abs=1e-12)
    assert segment_linking(c, d, a, b) == pytest.approx(value, abs=1e-12)
    assert segment_linking(*(points * [1, 1, -1])) == pytest.approx(-value, abs=1e-12)


ORIGIN, X, Y, Z = np.zeros(3), *np.eye(3)


@pytest.mark.parametrize(
    "points",
    [
        (ORIGIN, X, ORIGIN, Y),
        (ORIGIN, X, X, X + Y + Z),
        (ORIGIN, X, X + 1e-12 * Z, X + Y + Z),
        (ORIGIN, X, ORIGIN, X),
        (ORIGIN, X, X, ORIGIN),
        (ORIGIN, X, 0.25 * X, 3 * X),
        (ORIGIN, X, 2 * X, 3 * X),
        (ORIGIN, X, Y, X + Y),
        (ORIGIN, X, Y, -X + Y),
        (ORIGIN, ORIGIN, Y, Z),
        (ORIGIN, ORIGIN, ORIGIN, ORIGIN),
        (ORIGIN, ORIGIN, ORIGIN, Z),
        (ORIGIN, X, Y, Y),
        (-X, X, -Y, Y),
    ],
    ids=[
        "one start",
        "end to start",
        "end almost at start",
        "the same",
        "the same reversed",
        "collinear overlapping",
        "collinear apart",
        "parallel",
        "antiparallel",
        "first a point",
        "all one point",
        "point at an end",
        "second a point",
        "crossing in a plane",
    ],
)
def test_degenerate_segments_give_zero_and_finite_slopes(points):
    assert segment_linking(*points) == 0.0
    value, slopes = writhe_matrix_gradients(points[:2], points[2:])
    assert value == 0.0
    assert np.isfinite(slopes).all()


def test_a_segment_shrinking_to_a_point_goes_to_zero_smoothly():
    c, d = np.array([0.3, -1, 1]), np.array([0.2, 1, 1])
    values = [segment_linking(ORIGIN, 10.0**-k * X, c, d) for k in range(14)]
    assert all(abs(later) < 0.2 * abs(now) for now, later in pairwise(values))


@pytest.mark.parametrize("height", [1e-2, 1e-5, 1e-8, 1e-12, 1e-15])
def test_passing_through_jumps_by_one(height):
    start, end = np.array([0.3, -1, 0]), np.array([-0.1, 0.6, 0])
    above = segment_linking(-X, X, start + height * Z, end + height * Z)
    below = segment_linking(-X, X, start - height * Z, end - height * Z)
    assert above == pytest.approx(-below, abs=1e-15)
    assert abs(above - below) == pytest.approx(1.0, abs=2 * height + 1e-14)
    # (x - y) . (dx X dy): with the second above, x - y points down and dx X dy up
    assert above < 0


@pytest.mark.parametrize("height", [1e-2, 1e-5, 1e-8, 1e-12])
def test_segments_that_bisect_each_other_keep_sign_and_stated_accuracy(height):
    """Both diagonals r1 r3 and r2 r4 turn antiparallel: the error grows as epsilon / height."""
    above = segment_linking(-X, X, -Y + height * Z, Y + height * Z)
    below = segment_linking(-X, X, -Y - height * Z, Y - height * Z)
    assert above < 0 < below
    assert below - above == pytest.approx(1.0, abs=2 * height + np.finfo(float).eps / height)


def test_passing_beside_an_end_does_not_jump():
    step = 1e-3 * Z
    start, end = -Y + 1.5 * X, Y + 1.5 * X
    before = segment_linking(-X, X, start - step, end - step)
    after = segment_linking(-X, X, start + step, end + step)
    assert abs(after - before) < 0.01


def test_slopes_match_finite_differences(rng):
    first, second = rng.normal(size=(40, 3)), rng.normal(size=(37, 3))
    value, slopes = writhe_matrix_gradients(first, second)
    np.testing.assert_array_equal(value, writhe_matrix(first, second))
    h = 1e-6
    for strand, other, near, far in ((first, second, 0, 1), (second, first, 2, 3)):
        for k in (0, 7, 31, len(strand) - 1):
            for axis in range(3):
                ends = []
                for sign in (1, -1):
                    moved = strand.copy()
                    moved[k, axis] += sign * h
                    pair = (moved, other) if strand is first else (other, moved)
                    ends.append(writhe_matrix(*pair))
                slope = (ends[0] - ends[1]) / (2 * h)
                expected = np.zeros_like(slope)
                along = expected if strand is first else expected.T
                at = slopes[near, axis] if strand is first else slopes[near, axis].T
                to = slopes[far, axis] if strand is first else slopes[far, axis].T
                if k < len(strand) - 1:
                    along[k] += at[k]
                if k > 0:
                    along[k - 1] += to[k - 1]
                np.testing.assert_allclose(slope, expected, atol=2e-7, rtol=1e-5)


def test_slopes_are_capped_where_an_end_touches():
    for gap in (1e-3, 1e-6, 1e-9, 1e-13, 0.0):
        _, slopes = writhe_matrix_gradients([gap * Z, Z], [-X, X + 0.1 * Y])
        assert np.isfinite(slopes).all()
        assert np.abs(slopes).max() < 2e3

"""Boxes, cylinders and hulls in motion: certified against dense sampling."""

from __future__ import annotations

import numpy as np
import pytest
from bodies import free, free_sticks, rod
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from writhe.collision import CollisionTable, Gate, Shape, box, certify, cylinder, hull
from writhe.kernels.collision.shape_gaps import gap, place_shapes
from writhe.skeleton import forward
from writhe.skeleton import kinematics as kin


def sampled_gaps(table: CollisionTable, start: np.ndarray, end: np.ndarray, count: int):
    """Gaps of the only pair at `count` fractions of a step."""
    placed, out = table.empty_placed_shapes(), np.zeros(9)
    found = np.empty(count)
    for i, t in enumerate(np.linspace(0, 1, count)):
        frames = forward(table.skeleton, kin.interpolate(table.skeleton, start, end, t))
        place_shapes(table.shapes, table.bodies, frames.positions, frames.rotations, placed)
        found[i] = gap(table.shapes, placed, 0, 1, out)
    return found


SOLIDS: list[Shape] = [
    box((0, 0, 0), (0.5, 0.2, 0.3)),
    cylinder((0, -0.2, 0), (0, 0.2, 0), 0.15),
    hull(np.random.default_rng(1).normal(0, 0.15, (12, 3)), 0.02),
]
number = st.floats(-1, 1)


@settings(max_examples=60)
@given(
    st.sampled_from(range(3)),
    st.sampled_from(range(4)),
    st.lists(number, min_size=12, max_size=12),
)
def test_moving_solids_agree_with_dense_sampling(first, second, values):
    table = free_sticks(SOLIDS[first], [*SOLIDS, rod(0.05, 0.2)][second])
    start, end = free((-0.4, 0, 0), (0.4, 0.1, 0)), free((0.3, 0, 0), (-0.3, 0, 0))
    v = np.array(values)
    start[0:3] += 0.2 * v[:3]
    end[7:10] += 0.5 * v[3:6]
    turns = np.roll(Rotation.from_rotvec([2.5 * v[6:9], 2.5 * v[9:12]]).as_quat(), 1, axis=1)
    end[3:7], end[10:14] = turns
    found = certify(table, np.array([start, end]), fps=30.0)
    gaps = sampled_gaps(table, start, end, 300)
    assert found.undecided == 0
    assert found.min_clearance_m <= gaps.min() + 1e-9
    assert found.min_clearance_m >= gaps.min() - 0.02
    assert found.penetration_upper_bound_m - found.penetration_witnessed_m <= 1e-4
    if gaps[0] > 0:
        assert found.certified or gaps.min() < 0.02
        assert not (found.certified and gaps.min() < -1e-3)
        fraction = Gate(table).check(start, end).fraction
        safe = np.linspace(0, 1, 300) <= fraction
        assert (gaps[safe] >= -1e-3).all()


@pytest.mark.parametrize("solid", SOLIDS, ids=["box", "cylinder", "hull"])
def test_a_rod_through_a_solid_is_a_pass_through_and_a_touch_is_not(solid):
    table = free_sticks(rod(0.03, 0.4), solid)
    through = np.array([free((0, y, 0), (0, 0, 0)) for y in (1.0, -1.0)])
    found = certify(table, through, fps=30.0)
    assert len(found.pass_throughs) == 1
    assert found.pass_throughs[0].cores_meet
    touch = np.array([free((0, y, 0), (0, 0, 0)) for y in (1.0, 0.6, 1.0)])
    assert certify(table, touch, fps=30.0).certified

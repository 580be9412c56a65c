"""The step gate and near pairs."""

from __future__ import annotations

import numpy as np
import pytest
from bodies import free, free_sticks, padded_human, rod

from writhe.arrays import vector3
from writhe.collision import CollisionTable, Gate, NearPairs, box
from writhe.errors import WritheError
from writhe.kernels.skeleton import kinematics as kernels
from writhe.skeleton import forward
from writhe.skeleton import kinematics as kin


def crossed_rods() -> CollisionTable:
    return free_sticks(rod(axis=0), rod(axis=2), fixed=(0,))


def test_a_step_is_shortened_to_its_certified_fraction():
    gate = Gate(crossed_rods())
    result = gate.check(free((0.0, 0.5, 0.0)), free((0.0, -0.5, 0.0)))
    # free down to a gap of -1 mm: 0.5 -> 0.099
    assert result.fraction == pytest.approx(0.401, abs=1e-3)
    assert result.fraction <= 0.401
    assert result.blocked_by == ("s0", "s1")
    assert (gate.checked, gate.shortened, gate.refused) == (1, 1, 0)
    stopped = gate.limit(free((0.0, 0.5, 0.0)), free((0.0, -0.5, 0.0)))
    assert stopped[1] == pytest.approx(0.099, abs=1e-3)
    # from there a deeper step is refused and a step away is certified
    assert gate.check(stopped, free((0.0, -0.5, 0.0))).fraction < 1e-3
    assert gate.check(stopped, free((0.3, 0.5, 0.2))).certified


def test_a_step_through_an_obstacle_is_shortened():
    for solid in (rod(axis=2), box((0, 0, 0), (0.1, 0.1, 0.1))):
        gate = Gate(free_sticks(rod(axis=0), solid, fixed=(0,)))
        assert gate.check(free((0.0, 0.5, 0.0)), free((0.0, -0.5, 0.0))).fraction < 0.41


def test_sliding_in_contact_is_certified_quickly():
    gate = Gate(crossed_rods())
    result = gate.check(free((-0.2, 0.1, 0.0)), free((0.2, 0.1, 0.1)))
    assert result.certified
    assert gate.evaluations <= 4


def test_resting_overlap_does_not_stop_another_pair():
    # two boxes overlap and do not move; a third one is stopped by a fixed rod
    gate = Gate(
        free_sticks(
            box((0, 0, 0), (0.2, 0.2, 0.2)),
            box((0.1, 0, 0), (0.2, 0.2, 0.2)),
            rod(axis=0),
            rod(axis=2),
            fixed=(3,),
        )
    )
    still = [*free((5.0, 0.0, 0.0)), *free((5.0, 0.0, 0.0))]
    start = np.array([*still, *free((0.0, 0.5, 0.0))])
    end = np.array([*still, *free((0.0, -0.5, 0.0))])
    result = gate.check(start, end)
    assert result.pairs_starting_in_violation == 1
    assert result.fraction == pytest.approx(0.401, abs=1e-3)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300, 2e4])
def test_no_configuration_raises(bad):
    gate, start = Gate(crossed_rods()), free((0.0, 0.5, 0.0))
    for call in (gate.fraction, gate.check, gate.limit):
        with pytest.raises(WritheError, match=r"finite|10000 m"):
            call(start, free((bad, 0.0, 0.0)))
        with pytest.raises(WritheError, match="unit quaternions"):
            call(start, np.zeros(7))


def test_a_step_far_from_the_origin_is_certified_as_near_it():
    table = free_sticks(rod(axis=0), box((0, 0, 0), (0.1, 0.1, 0.1)))
    gate = Gate(table)
    for shift in (np.zeros(3), np.array([9000.0, -3000.0, 9000.0])):
        other = free(vector3(shift))
        above, below = (shift + np.array([0.01, y, 0.0]) for y in (0.5, -0.5))
        start, end = (np.array([*free(tuple(p)), *other]) for p in (above, below))
        fraction = gate.check(start, end).fraction
        assert fraction == pytest.approx(0.401, abs=1e-3)


def test_steps_out_of_penetration_pass_and_deeper_ones_are_refused():
    gate = Gate(crossed_rods())
    inside = free((0.0, 0.08, 0.0))
    out = gate.check(inside, free((0.0, 0.2, 0.0)))
    assert out.fraction == 1.0 and not out.certified  # it starts in violation
    assert out.pairs_starting_in_violation == 1
    assert gate.check(inside, free((0.0, 0.07, 0.0))).fraction == 0.0
    # sideways neither deeper nor shallower
    along = gate.check(inside, free((0.1, 0.08, 0.0)))
    assert along.fraction == 1.0 and not along.certified  # passes, but it overlaps throughout
    # many small steps do not add up to a deeper penetration
    q = inside
    for _ in range(50):
        q = gate.limit(q, free((0.0, q[1] - 5e-5, 0.0)))
    assert q[1] >= 0.08 - 1e-7


def test_a_shortened_step_leaves_no_violating_pair_deeper():
    # s1 starts inside s0 and leaves it; s2 meets s3 halfway
    table = free_sticks(rod(axis=0), rod(axis=2), rod(axis=0), rod(axis=2), fixed=(0,))
    far = 5.0
    start = free((0, 0.08, 0), (far, 0, 0), (far, 0.3, 0))
    end = free((0, 0.2, 0), (far, 0, 0), (far, -0.3, 0))
    gate = Gate(table)
    stopped = gate.limit(start, end)
    assert stopped[1] >= 0.08
    assert 0 < gate.check(start, end).fraction < 0.4


def test_near_pairs_give_the_gap_and_its_derivative(rng):
    figure = padded_human()
    table = CollisionTable.of_figure(figure)
    skeleton = figure.skeleton
    near = NearPairs(table)
    q = kin.integrate(skeleton, skeleton.rest_configuration, rng.normal(0, 0.4, skeleton.dof_count))
    frames = forward(skeleton, q)
    count = near.find(frames.positions, frames.rotations, 0.06)
    assert 5 < count == near.count
    step = rng.normal(0, 1e-6, skeleton.dof_count)
    rows = near.rows
    gaps = {int(k): rows.gap[i] for i, k in enumerate(rows.shape_pair[:count])}
    slopes = {}
    for i in range(count):
        slope = 0.0
        for side, points, sign in ((0, rows.surface_a, 1.0), (1, rows.surface_b, -1.0)):
            name = skeleton.names[rows.joints[i, side]]
            jacobian = kin.point_jacobian(frames, name, points[i])
            slope += sign * rows.normal[i] @ jacobian @ step
        slopes[int(rows.shape_pair[i])] = slope
        offset = rows.surface_a[i] - rows.surface_b[i]
        np.testing.assert_allclose(offset, rows.gap[i] * rows.normal[i], atol=1e-9)
    moved = np.empty_like(q)
    kernels.integrate(skeleton.tree, q, step, moved)
    after = forward(skeleton, moved)
    near.find(after.positions, after.rotations, 0.07)
    changed = {int(k): rows.gap[i] for i, k in enumerate(rows.shape_pair[: near.count])}
    checked = [k for k in gaps if gaps[k] > -0.03]
    assert len(checked) > 5
    for k in checked:
        assert changed[k] - gaps[k] == pytest.approx(slopes[k], abs=1e-9)


def test_near_pairs_beyond_the_capacity_are_counted():
    figure = padded_human()
    table = CollisionTable.of_figure(figure)
    frames = forward(figure.skeleton, figure.skeleton.rest_configuration)
    near = NearPairs(table, max_pairs=3)
    assert near.find(frames.positions, frames.rotations, 1.0) > 3
    assert near.count == 3


def test_gated_random_steps_stay_clear(rng):
    from dense_sampling import gaps_between

    figure = padded_human()
    table = CollisionTable.of_figure(figure)
    skeleton = figure.skeleton
    gate = Gate(table)
    q = skeleton.rest_configuration.copy()
    start = gaps_between(table, q, q, np.zeros(1))[:, 0]
    floor = np.minimum(start, -table.pairs.allowance - 1e-3) - 1e-4
    t = np.linspace(0, 1, 25)
    moved = 0.0
    for _ in range(25):
        target = kin.integrate(skeleton, q, rng.normal(0, 0.15, skeleton.dof_count))
        reached = gate.limit(q, target)
        assert (gaps_between(table, q, reached, t).min(axis=1) >= floor - 1e-9).all()
        moved += np.abs(kin.difference(skeleton, q, reached)).sum()
        q = reached
    assert moved > 1.0


def test_a_gated_motion_is_certified(rng):
    from writhe.collision import ContactPolicy, certify

    figure = padded_human()
    table = CollisionTable.of_figure(figure, ContactPolicy(skip_joint_zones=True))
    skeleton = figure.skeleton
    gate = Gate(table)
    path = [skeleton.rest_configuration.copy()]
    for _ in range(60):
        target = kin.integrate(skeleton, path[-1], rng.normal(0, 0.1, skeleton.dof_count))
        path.append(gate.limit(path[-1], target))
    assert gate.shortened > 5
    found = certify(table, np.array(path), fps=30.0)
    assert found.certified
    assert found.undecided == 0

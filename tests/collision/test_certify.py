"""The certificate against constructed motions with known answers and dense sampling."""

from __future__ import annotations

import numpy as np
import pytest
from bodies import free, free_sticks, padded_human, rod, sticks
from dense_sampling import clearance, gaps_between
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from writhe.collision import CollisionTable, ContactPolicy, Gate, certify, half_space
from writhe.collision.interpolated_motion import EulerChannels
from writhe.errors import WritheError
from writhe.skeleton import Joint, JointKind
from writhe.skeleton import kinematics as kin

MM = 1e-3


def test_a_limb_that_passes_through_another_between_two_frames_is_found():
    table = free_sticks(rod(axis=0), rod(axis=2), fixed=(0,))
    q = np.array([free((0.0, 0.5, 0.0)), free((0.0, -0.5, 0.0))])
    found = certify(table, q, fps=30.0)
    assert not found.certified
    assert len(found.pass_throughs) == 1
    event = found.pass_throughs[0]
    assert {event.a, event.b} == {"s0", "s1"}
    assert event.cores_meet
    assert event.time_s * 30 == pytest.approx(0.5, abs=1e-3)
    # deep where the axes are nearer than 0.1 - 0.025
    assert event.interval_s[0] * 30 == pytest.approx(0.425, abs=1e-3)
    assert event.interval_s[1] * 30 == pytest.approx(0.575, abs=1e-3)
    assert found.penetration_witnessed_m == pytest.approx(0.1, abs=1e-4)


def test_kilometres_of_nearly_parallel_rods_are_not_certified_by_their_middle():
    """At an angle of 9e-7 rad, rods that just touch in the middle are 3.6 mm deep at their ends."""
    table = free_sticks(rod(half=4000.0), rod(half=4000.0), fixed=(0,))
    tilted = np.array([[0.0, 0.1, 0.0, 1.0, 0.0, 0.0, 4.5e-7]])
    assert not certify(table, tilted, fps=30.0).certified


@pytest.mark.parametrize("frames", [1, 2, 10])
@pytest.mark.parametrize(
    ("apart_m", "verdict"), [(0.0, "passes through"), (0.01, "penetrating"), (0.08, "penetrating")]
)
def test_a_still_overlap_passes_through_if_its_cores_meet(apart_m, verdict, frames):
    """Two rods on one line, or beside each other (deep at 1 cm, not deep at 8 cm)."""
    table = free_sticks(rod(axis=0), rod(axis=0), fixed=(0,))
    q = np.tile(free((0.3, apart_m, 0.0)), (frames, 1))
    found = certify(table, q, fps=30.0)
    assert found.verdict == verdict
    assert [event.cores_meet for event in found.pass_throughs] == [True] * (apart_m == 0.0)


@pytest.mark.parametrize("frames", [2, 3, 17])
@pytest.mark.parametrize(
    ("clear_m", "certified"), [(0.5 * MM, True), (0.0, True), (-0.5 * MM, True), (-2 * MM, False)]
)
def test_grazing_passes_are_decided(clear_m, certified, frames):
    table = free_sticks(rod(axis=0), rod(axis=2), fixed=(0,))
    xs = np.linspace(-0.8, 0.9, frames)
    q = np.array([free((x, 0.1 + clear_m, 0.02)) for x in xs])
    found = certify(table, q, fps=30.0)
    assert found.certified is certified
    assert found.undecided == 0
    assert not found.deep_overlaps
    assert found.min_clearance_m == pytest.approx(clear_m, abs=1e-4)
    assert found.min_clearance_m <= clear_m + 1e-9
    assert found.penetration_witnessed_m <= max(0.0, -clear_m) + 1e-9
    assert found.penetration_upper_bound_m >= max(0.0, -clear_m) - 1e-9
    assert found.penetration_upper_bound_m - found.penetration_witnessed_m <= 1e-4


def test_a_deep_overlap_of_thin_shapes_is_found_beside_a_deeper_pair_of_thick_ones():
    # 0.7 mm is deep for wires of 1 mm, 0.95 mm is within the tolerance of the rods
    table = free_sticks(rod(), rod(), rod(0.001), rod(0.001, axis=2), fixed=(0,))
    apart = np.concatenate([np.linspace(5.0, 1.3, 20), np.linspace(1.3, 5.0, 21)]) * MM
    rods, wire = (0.0, 0.1 - 0.95 * MM, 0.0), (2.0, 0.0, 0.0)
    q = np.array([free(rods, wire, (2.0, y, 0.0)) for y in apart])
    found = certify(table, q, fps=30.0)
    assert [(e.a, e.b) for e in found.deep_overlaps] == [("s2", "s3")]
    assert found.deep_overlaps[0].depth_m == pytest.approx(0.7 * MM)
    assert not found.certified


def arm(length: float = 0.5):
    """A rod turning about the y axis at the origin, and a post beside it."""
    joints = (
        Joint("arm", None, JointKind.BALL),
        Joint("post", None, JointKind.FIXED, np.array([0.0, 0.0, length])),
    )
    end = np.array([length, 0, 0])
    from writhe.collision import capsule

    return sticks(
        *joints,
        shapes=[("arm", capsule(np.zeros(3), end, 0.03)), ("post", rod(0.03, 0.2, axis=1))],
    )


def about_y(angle: float) -> np.ndarray:
    return np.array([np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0])


def test_nearly_half_a_turn_follows_the_arc_and_not_the_chord():
    # the arc from +x over -z to -x is far from the post at +z; the opposite arc passes through it
    table = arm()
    away = certify(table, np.array([about_y(0.0), about_y(3.1)]), fps=30.0)
    through = certify(table, np.array([about_y(0.0), about_y(-3.1)]), fps=30.0)
    assert away.certified
    assert not through.certified
    assert len(through.pass_throughs) == 1


def test_common_root_motion_costs_nothing():
    figure = padded_human()
    table = CollisionTable.of_figure(figure)
    still = np.tile(figure.skeleton.rest_configuration, (30, 1))
    moving = still.copy()
    turn = Rotation.from_rotvec(np.outer(np.linspace(0, 40, 30), [0.3, 0.9, 0.1]))
    moving[:, :3] = np.outer(np.arange(30), [0.5, -0.3, 2.0])
    moving[:, 3:7] = np.roll(turn.as_quat(), 1, axis=1)
    here, there = certify(table, still, fps=30.0), certify(table, moving, fps=30.0)
    assert there.certified == here.certified
    assert there.evaluations <= 1.05 * here.evaluations
    assert there.min_clearance_m == pytest.approx(here.min_clearance_m, abs=1e-4)


def test_a_moving_object_through_a_standing_figure_is_found():
    figure = padded_human()
    skeleton = figure.skeleton
    from writhe.collision import ball
    from writhe.collision.shapes import from_capsule
    from writhe.skeleton import Skeleton

    forest = Skeleton([*skeleton.joints, Joint("ball", None, JointKind.FREE)], skeleton.tips)
    shapes = [from_capsule(c) for c in figure.capsules]
    table = CollisionTable(forest, [*shapes, ball(np.zeros(3), 0.05).on("ball", "ball")])
    body = skeleton.rest_configuration
    past = np.array([np.concatenate([body, free((1.2, 1.0, z))]) for z in (-1.0, 1.0)])
    hit = np.array([np.concatenate([body, free((0.05, 1.0, z))]) for z in (-1.0, 1.0)])
    ours = ("left_clavicle", "right_clavicle")
    assert not any("ball" in (e.a, e.b) for e in certify(table, past, fps=30.0).deep_overlaps)
    found = [e for e in certify(table, hit, fps=30.0).pass_throughs if (e.a, e.b) != ours]
    assert found and all("ball" in (e.a, e.b) for e in found)


def test_touching_contact_held_for_long_is_decided_quickly():
    table = free_sticks(rod(axis=0), rod(axis=2), fixed=(0,))
    rng = np.random.default_rng(3)
    q = np.array([free((0.1 * np.sin(i / 7), 0.1, 0.05 * np.cos(i / 5))) for i in range(1000)])
    turn = Rotation.from_rotvec(np.outer(np.cumsum(rng.normal(0, 0.05, 1000)), [0, 1, 0]))
    q[:, 3:] = np.roll(turn.as_quat(), 1, axis=1)
    found = certify(table, q, fps=30.0)
    assert found.certified
    assert found.undecided == 0
    assert found.evaluations < 20_000


def test_pressing_deep_and_withdrawing_is_no_pass_through():
    table = free_sticks(rod(axis=0), rod(axis=2), fixed=(0,))
    q = np.array([free((0.0, y, 0.0)) for y in (0.3, 0.04, 0.3)])
    found = certify(table, q, fps=30.0)
    assert len(found.deep_overlaps) == 1
    assert not found.pass_throughs
    assert not found.certified
    assert found.deep_overlaps[0].depth_m == pytest.approx(0.06, abs=1e-3)


def test_passing_around_the_core_to_the_other_side_is_a_pass_through():
    # the end of one rod moves around the other's core inside its radius: the cores never meet
    table = free_sticks(rod(0.05, 0.3, axis=0), rod(0.05, 0.05, axis=2), fixed=(0,))
    angles = np.linspace(0.0, np.pi, 9)
    path = [(0.0, 0.3, 0.0)]
    path += [(0.0, 0.04 * np.cos(a), 0.05 + 0.04 * np.sin(a)) for a in angles]
    path += [(0.0, -0.3, 0.0)]
    found = certify(table, np.array([free(p) for p in path]), fps=30.0)
    assert len(found.pass_throughs) == 1


def test_a_clip_that_starts_or_ends_deep_is_reported_as_cut():
    table = free_sticks(rod(axis=0), rod(axis=2), fixed=(0,))
    out = certify(table, np.array([free((0, 0.05, 0)), free((0, 0.3, 0))]), fps=30.0)
    assert [e.cut for e in out.deep_overlaps] == [(True, False)]
    assert not out.pass_throughs
    into = certify(table, np.array([free((0, 0.3, 0)), free((0, 0.05, 0))]), fps=30.0)
    assert [e.cut for e in into.deep_overlaps] == [(False, True)]
    one = certify(table, np.array([free((0, 0.05, 0))]), fps=30.0)
    assert [e.cut for e in one.deep_overlaps] == [(True, True)]
    assert one.deep_overlaps[0].interval_s == (0.0, 0.0)
    assert not one.certified


def test_an_allowance_shifts_the_limit_by_its_value():
    table = free_sticks(rod(axis=0), rod(axis=2), fixed=(0,))
    q = np.array([free((x, 0.093, 0.0)) for x in (-0.8, 0.8)])
    assert not certify(table, q, fps=30.0).certified
    allowed = table.with_policy(ContactPolicy().allow("s0", "s1", 0.0065))
    found = certify(allowed, q, fps=30.0)
    assert found.certified
    assert found.penetration_witnessed_m == pytest.approx(0.0005, abs=1e-6)


def test_the_floor_counts_root_motion():
    from writhe.skeleton import Skeleton

    joints = [Joint("rod", None, JointKind.FREE), Joint("floor", None, JointKind.FIXED)]
    table = CollisionTable(
        Skeleton(joints),
        [rod(0.05).on("rod", "rod"), half_space((0, 0, 0), (0, 1, 0)).on("floor", "floor")],
    )
    above = certify(table, np.array([free((0, 0.051, 0)), free((3, 0.051, 0))]), fps=30.0)
    assert above.certified and above.min_clearance_m == pytest.approx(0.001, abs=1e-4)
    dip = np.array([free((0, 0.4, 0)), free((0, -0.02, 0)), free((0, 0.4, 0))])
    found = certify(table, dip, fps=30.0)
    assert found.penetration_witnessed_m == pytest.approx(0.07, abs=1e-4)
    assert len(found.pass_throughs) == 1


angles = st.floats(-1.2, 1.2)


@given(st.lists(angles, min_size=14, max_size=14), st.floats(0.02, 0.09))
def test_random_chain_motions_agree_with_dense_sampling(values, radius):
    """Never certified against a sampled violation, and clear motions are certified."""
    tilt = np.array([0.9, 0.2, -0.3, 0.1]) / np.linalg.norm([0.9, 0.2, -0.3, 0.1])
    joints = (
        Joint("a", None, JointKind.FREE),
        Joint("b", "a", JointKind.BALL, np.array([0.3, 0, 0]), tilt),
        Joint("c", "b", JointKind.HINGE, np.array([0.3, 0, 0]), axis=np.array([0, 0, 1.0])),
        Joint("d", "c", JointKind.PRISMATIC, np.array([0.3, 0, 0]), axis=np.array([0, 1.0, 0])),
        Joint("e", "d", JointKind.BALL, np.array([0.1, 0.1, 0])),
    )
    bone = np.array([0.28, 0, 0])
    from writhe.collision import capsule

    table = sticks(*joints, shapes=[(j.name, capsule(0.1 * bone, bone, radius)) for j in joints])
    skeleton = table.skeleton
    start = kin.integrate(
        skeleton, skeleton.rest_configuration, np.resize(values, skeleton.dof_count)
    )
    end = kin.integrate(skeleton, start, 2.0 * np.resize(values[::-1], skeleton.dof_count))
    q = np.array([start, end])
    found = certify(table, q, fps=30.0)
    sampled = clearance(table, q, 600)
    assert found.undecided == 0
    assert found.min_clearance_m is not None and found.min_clearance_m <= sampled + 1e-9
    # the error of sampling is at most 2.5 mm: 600 samples of motions below 3 m per step
    assert found.min_clearance_m >= sampled - 2.5 * MM
    assert found.penetration_upper_bound_m - found.penetration_witnessed_m <= 1e-4
    gaps = gaps_between(table, start, end, np.linspace(0, 1, 600))
    slack = gaps + table.pairs.allowance[:, None]
    first = slack[:, 0]
    if (slack[first >= -MM] < -MM).any():
        assert not found.certified
    if slack.min() > 3 * MM:
        assert found.certified
    gate = Gate(table).check(start, end)
    safe = np.linspace(0, 1, 600) <= gate.fraction
    clear_at_start = first >= -MM
    assert (slack[clear_at_start][:, safe] >= -MM - 1e-9).all()
    assert (slack[~clear_at_start][:, safe] >= first[~clear_at_start, None] - 1.1e-4).all()
    if slack.min() > 3 * MM:
        assert gate.certified


@given(st.lists(st.floats(-3.1, 3.1), min_size=12, max_size=12))
def test_euler_channels_are_followed_between_frames(values):
    joints = (
        Joint("a", None, JointKind.BALL),
        Joint("b", "a", JointKind.BALL, np.array([0.3, 0, 0])),
        Joint("c", "b", JointKind.BALL, np.array([0.3, 0, 0])),
    )
    bone = np.array([0.28, 0, 0])
    from writhe.collision import capsule

    table = sticks(*joints, shapes=[(j.name, capsule(0.1 * bone, bone, 0.03)) for j in joints])
    names, order = ["", "zyx", "yxz"], np.array([[-1] * 3, [2, 1, 0], [1, 0, 2]])
    angles = np.zeros((2, 3, 3))
    angles[:, 1:] = np.array(values).reshape(2, 2, 3)
    q = np.zeros((2, 12))
    q[:, 0] = 1
    for f in range(2):
        for j in (1, 2):
            turn = Rotation.from_euler(names[j].upper(), angles[f, j])
            q[f, 4 * j : 4 * j + 4] = np.roll(turn.as_quat(), 1)
    channels = EulerChannels(order, angles)
    found = certify(table, q, fps=30.0, interpolation="euler", euler=channels)
    t = np.linspace(0, 1, 5000)
    sampled = min(  # by the shorter way round and as stored
        float((gaps + table.pairs.allowance[:, None]).min())
        for gaps in (
            gaps_between(table, q[0], q[1], t, (names, angles[0], angles[1]), unwrap)
            for unwrap in (True, False)
        )
    )
    assert found.min_clearance_m is not None and found.min_clearance_m <= sampled + 1e-9
    assert found.min_clearance_m >= sampled - 2 * MM
    both = certify(table, q, fps=30.0, interpolation="both", euler=channels)
    slerp = certify(table, q, fps=30.0)
    assert slerp.min_clearance_m is not None
    assert both.min_clearance_m == min(found.min_clearance_m, slerp.min_clearance_m)
    assert both.certified == (found.certified and slerp.certified)


def test_each_pair_of_parts_is_reported_under_the_interpolation_in_which_it_is_deepest():
    # by Euler angles the arm dips on its way, along the shortest arc it does not
    table = sticks(
        Joint("arm", None, JointKind.BALL),
        Joint("floor", None, JointKind.FIXED),
        shapes=[("arm", rod(0.02)), ("floor", half_space((0.0, -0.4, 0.0), (0.0, 1.0, 0.0)))],
    )
    angles = np.radians([[[0.0, 0.0, 0.0]] * 2, [[0.0, 170.0, 40.0]] * 2])
    channels = EulerChannels(np.array([[2, 1, 0], [-1, -1, -1]]), angles)
    q = channels.quaternions()[:, 0]
    both, slerp, euler = (
        certify(table, q, 30.0, how, channels).worst_pairs[0].clearance_m
        for how in ("both", "slerp", "euler")
    )
    assert abs(slerp - euler) > MM
    assert both == pytest.approx(min(slerp, euler))


def test_channels_that_differ_from_the_motion_raise():
    table = arm()
    q = np.array([about_y(0.0), about_y(0.4)])
    angles = np.zeros((2, 2, 3))
    with pytest.raises(WritheError, match="differ at frame 1"):
        certify(
            table,
            q,
            fps=30.0,
            interpolation="euler",
            euler=EulerChannels(np.array([[2, 1, 0], [-1, -1, -1]]), angles),
        )
    with pytest.raises(WritheError, match="needs Euler channels"):
        certify(table, q, fps=30.0, interpolation="both")


def test_quaternions_that_are_not_unit_raise():
    table = arm()
    with pytest.raises(WritheError, match="unit quaternions"):
        certify(table, np.array([2.0 * about_y(0.0), about_y(0.4)]), fps=30.0)

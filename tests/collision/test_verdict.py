"""Verdicts: `certified` only if nothing is deeper than a millimetre at any time."""

from __future__ import annotations

import numpy as np
import pytest
from bodies import free, free_sticks, rod, sticks

from writhe.collision import CollisionTable, Verdict, ball, capsule, certify
from writhe.collision.certify import certify_interpolations
from writhe.collision.interpolated_motion import EulerChannels, InterpolatedMotion
from writhe.collision.verdict import worst_verdict
from writhe.errors import WritheError
from writhe.skeleton import Joint, JointKind


def crossed(*heights: float):
    """Crossed rods whose axes are this far apart; they touch at 0.1 m."""
    table = free_sticks(rod(axis=0), rod(axis=2), fixed=(0,))
    return certify(table, np.array([free((0.0, h, 0.0)) for h in heights]), fps=30.0)


@pytest.mark.parametrize("frames", [1, 2, 9])
@pytest.mark.parametrize(
    ("height", "verdict"),
    [
        (0.2, Verdict.CERTIFIED),
        (0.0995, Verdict.CERTIFIED),
        (0.09, Verdict.PENETRATING),
        (0.05, Verdict.PENETRATING),
        (0.0, Verdict.PASSES_THROUGH),
    ],
)
def test_a_still_pose_has_the_verdict_of_its_depth(height, verdict, frames):
    found = crossed(*[height] * frames)
    assert found.verdict is verdict
    assert found.certified is (verdict is Verdict.CERTIFIED)
    assert found.start_depth_m == pytest.approx(max(0.0, 0.1 - height), abs=1e-9)
    assert found.end_depth_m == found.start_depth_m


def test_an_overlap_that_only_gets_shallower_improves():
    found = crossed(0.090, 0.094, 0.12)
    assert found.verdict is Verdict.IMPROVING and not found.certified
    assert (found.start_depth_m, found.end_depth_m) == pytest.approx((0.010, 0.0))
    part_way = crossed(0.090, 0.094)
    assert part_way.verdict is Verdict.IMPROVING
    assert part_way.end_depth_m == pytest.approx(0.006)
    # also from a deep overlap, as long as it is no pass-through
    assert crossed(0.04, 0.06, 0.12).verdict is Verdict.IMPROVING


@pytest.mark.parametrize(
    "heights",
    [(0.090, 0.086, 0.12), (0.090, 0.097, 0.094, 0.12), (0.090, 0.12, 0.097), (0.12, 0.09)],
)
def test_an_overlap_that_gets_deeper_at_any_time_penetrates(heights):
    assert crossed(*heights).verdict is Verdict.PENETRATING


def test_a_pass_through_comes_before_everything_else():
    assert crossed(0.090, 0.12, -0.12).verdict is Verdict.PASSES_THROUGH


def test_the_worst_verdict_counts():
    order = [*Verdict]
    assert [worst_verdict(order[: i + 1]) for i in range(5)] == order
    assert worst_verdict([]) is Verdict.UNDECIDED


def arm(side: float, kind: JointKind = JointKind.BALL) -> CollisionTable:
    """A rod along x that turns at the origin, and a ball half a turn away at height `side`."""
    joints = (
        Joint("arm", None, kind, axis=np.array([0, 1.0, 0])),
        Joint("post", None, JointKind.FIXED, np.array([0.0, 0.0, side])),
    )
    shapes = [("arm", capsule((0, 0, 0), (0.5, 0, 0), 0.03)), ("post", ball((0, 0, 0), 0.05))]
    return sticks(*joints, shapes=shapes)


def about_y(angle: float) -> np.ndarray:
    return np.array([np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0])


@pytest.mark.parametrize("side", [0.4, -0.4])
@pytest.mark.parametrize("angle", [np.pi, np.pi - 1e-8, -np.pi + 1e-8])
def test_half_a_turn_is_undecided_whatever_its_sign(side, angle):
    found = certify(arm(side), np.array([about_y(0.0), about_y(angle)]), fps=30.0)
    assert found.verdict is Verdict.UNDECIDED
    assert found.undecided == 1


def test_a_little_less_than_half_a_turn_is_decided_by_the_shorter_way():
    less = np.pi - 1e-4
    assert certify(arm(0.4), np.array([about_y(0.0), about_y(less)]), fps=30.0).certified
    found = certify(arm(-0.4), np.array([about_y(0.0), about_y(less)]), fps=30.0)
    assert found.verdict is Verdict.PASSES_THROUGH


def test_penetration_at_the_frames_of_a_half_turn_is_still_found():
    q = np.array([about_y(0.0), about_y(np.pi), about_y(np.pi / 2)])
    assert certify(arm(0.4), q, fps=30.0).verdict is Verdict.UNDECIDED
    into = np.array([about_y(0.0), about_y(np.pi), about_y(np.pi / 2)])
    assert certify(arm(-0.4), into, fps=30.0).verdict is Verdict.PASSES_THROUGH  # the last frame


def test_a_half_turn_that_moves_no_tested_pair_does_not_matter():
    joints = (
        Joint("root", None, JointKind.BALL),
        Joint("a", "root", JointKind.BALL, np.array([0.5, 0, 0])),
        Joint("b", "root", JointKind.BALL, np.array([-0.5, 0, 0])),
    )
    table = sticks(*joints, shapes=[("a", ball((0, 0, 0), 0.05)), ("b", ball((0, 0, 0), 0.05))])
    q = np.tile([1.0, 0, 0, 0], (2, 3))
    q[1, :4] = about_y(np.pi)
    assert certify(table, q, fps=30.0).certified


def test_a_hinge_in_the_library_turns_as_its_angle_says():
    for side, sign in ((0.4, 1), (-0.4, -1)):
        found = certify(arm(side, JointKind.HINGE), np.array([[0.0], [sign * np.pi]]), fps=30.0)
        assert found.certified


def test_euler_angles_that_jump_are_followed_both_ways():
    """150 to -150 degrees is a turn by 60 to some readers and by -300 to others."""
    order = np.array([[1, 0, 2], [-1, -1, -1]])
    for side, angles in ((0.4, (-150, 150)), (-0.4, (-150, 150)), (0.4, (-20, 20))):
        radians = np.radians(angles)
        euler = np.zeros((2, 2, 3))
        euler[:, 0, 0] = radians
        q = np.array([about_y(a) for a in radians])
        found = certify(
            arm(side), q, fps=30.0, interpolation="both", euler=EulerChannels(order, euler)
        )
        if angles == (-20, 20):
            assert found.certified
        else:
            assert found.verdict is Verdict.PASSES_THROUGH
            assert certify(arm(side), q, fps=30.0).certified
    # half a turn has no shorter way; as stored it is clear, but not all readers read it so
    euler[:, 0, 0] = 0.0, np.pi
    q = np.array([about_y(0.0), about_y(np.pi)])
    found = certify(arm(0.4), q, fps=30.0, interpolation="euler", euler=EulerChannels(order, euler))
    assert found.verdict is Verdict.UNDECIDED


@pytest.mark.parametrize(("turns", "says"), [(1e5, "turns from frame 0 to 1"), (1e9, "within 1e")])
def test_angles_that_turn_too_often_to_be_followed_are_refused(turns, says):
    angle = 2 * np.pi * turns
    q = np.array([about_y(0.0), about_y(angle)])
    euler = np.zeros((2, 2, 3))
    euler[1, 0, 0] = angle
    order = np.array([[1, 0, 2], [-1, -1, -1]])
    with pytest.raises(WritheError, match=says):
        certify(arm(0.4), q, fps=30.0, interpolation="both", euler=EulerChannels(order, euler))


def test_a_jump_is_no_motion_but_both_of_its_poses_count():
    table = free_sticks(rod(axis=0), rod(axis=2), fixed=(0,))

    def jumped(*heights: float):
        q = np.array([free((0.0, h, 0.0)) for h in heights])
        jumps = np.ones(len(q) - 1, dtype=np.bool_)
        return certify_interpolations(
            table, [InterpolatedMotion("slerp", q, np.arange(len(q)) / 30, jumps)]
        )

    through = jumped(0.2, -0.2)
    assert through.certified and through.jumps == 1
    assert jumped(0.2, 0.09, -0.2).verdict is Verdict.PENETRATING
    assert jumped(0.2, -0.2, 0.09).verdict is Verdict.PENETRATING
    assert jumped(0.2, 0.01).deep_overlaps[0].time_s == pytest.approx(1 / 30)
    assert jumped(0.09, 0.095, 0.2).verdict is Verdict.IMPROVING
    assert jumped(0.09, 0.095, 0.093).verdict is Verdict.PENETRATING


def test_the_error_of_a_reading_is_subtracted_from_what_is_proven():
    table = free_sticks(rod(axis=0), rod(axis=2), fixed=(0,))
    for clear_m, error_m, verdict in (
        (0.0, 2e-4, Verdict.CERTIFIED),
        (-0.0009, 0.0, Verdict.CERTIFIED),
        (-0.0009, 2e-4, Verdict.UNDECIDED),
        (-0.0009, 0.1, Verdict.UNDECIDED),
        (-0.01, 2e-4, Verdict.PENETRATING),
    ):
        q = np.array([free((x, 0.1 + clear_m, 0.0)) for x in (-0.8, 0.8)])
        interpolated = InterpolatedMotion(
            "slerp",
            q,
            np.arange(2.0),
            np.zeros(1, dtype=np.bool_),
            rotation_error_rad=np.zeros(2),
            translation_error_m=np.array([0.0, error_m]),
        )
        found = certify_interpolations(table, [interpolated])
        assert found.verdict is verdict
        assert found.min_clearance_m is not None
        assert found.min_clearance_m <= clear_m - error_m + 1e-9

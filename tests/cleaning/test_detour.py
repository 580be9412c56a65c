"""Detours: certified, within the speed bound, arms before legs, and above the ground."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from writhe.cleaning.clear_segments import MAX_SPEED_M_S
from writhe.cleaning.detour import Detours, Tracks
from writhe.cleaning.leaps import excess_motion
from writhe.cleaning.limb_evasions import EvadingLimbs
from writhe.collision import CollisionTable, certify
from writhe.kernels.cleaning.detour_candidates import TrackCrossing
from writhe.postures.builtin import builtin_database
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import interpolate
from writhe.skeleton.mirror import mirrored
from writhe.solvers.posture_tracking import PostureTracker

HUMAN = figure("human")
SKELETON = HUMAN.skeleton
TABLE = CollisionTable.of_figure(HUMAN)
MAX_STEP_M = MAX_SPEED_M_S / 30.0


def tracks(before: np.ndarray, after: np.ndarray, switch_frame: int = 15) -> Tracks:
    """A track of one posture and a track of another, for a second each."""
    rows = np.array([before] * 31), np.array([after] * 31)
    source = np.concatenate([rows[0][:switch_frame], rows[1][switch_frame:]])
    return Tracks(*rows, forward(SKELETON, source).positions, switch_frame)


def detours() -> Detours:
    return Detours(PostureTracker(HUMAN, TABLE), 30.0)


def hand_to_the_front() -> tuple[np.ndarray, np.ndarray]:
    """An arm at the side, and in front of the body."""
    side = standing(HUMAN)
    front = side.copy()
    turn = np.array([0.66, -0.52, 0.52, -0.14])
    front[SKELETON.q_slice("left_shoulder")] = turn / np.linalg.norm(turn)
    return side, front


def squatting() -> np.ndarray:
    """A squat of the built-in library."""
    library = builtin_database("basic")
    return library.q[next(i for i, name in enumerate(library.clip) if "squat" in name)]


def test_a_detour_is_certified_and_joins_the_tracks():
    side, front = hand_to_the_front()
    found = detours().find(tracks(side, front))
    assert found is not None
    start, rows = found
    assert 0 <= start <= 15 <= start + len(rows) - 1 <= 30  # around the requested switch frame
    np.testing.assert_allclose(rows[[0, -1]], [side, front], atol=1e-9)
    assert certify(TABLE, rows, 30.0).certified


def test_a_detour_is_within_the_speed_bound():
    side, front = hand_to_the_front()
    given = tracks(side, front)
    found = detours().find(given)
    assert found is not None
    start, rows = found
    positions = forward(SKELETON, rows).positions
    leaps = excess_motion(positions, given.source[start : start + len(rows)])
    assert 0.3 * MAX_STEP_M < leaps.max() <= MAX_STEP_M


def test_detours_above_the_cost_bound_are_rejected():
    side, front = hand_to_the_front()
    assert detours().find(tracks(side, front), max_cost_metre_seconds=0.0001) is None


def test_limbs_do_not_evade_without_an_obstacle():
    q = squatting()
    moved = q.copy()
    moved[SKELETON.q_slice("left_knee")] -= 0.3
    found = detours().find(tracks(q, moved))
    assert found is not None
    positions, ends = forward(SKELETON, found[1]), forward(SKELETON, np.array([q, moved]))
    for joint in SKELETON.names:
        path, (a, b) = positions.position(joint), ends.position(joint)
        assert np.linalg.norm(path - a, axis=1).max() < np.linalg.norm(b - a) + 1e-9


def test_detours_stay_above_the_ground():
    """From one squat to its mirror image: the shortest path of the legs is underground."""
    library = builtin_database("basic")
    q = library.q[list(library.clip).index("reach 120 -34 0.42 + squat hand down")]
    given = tracks(q, mirrored(SKELETON, q))
    legs = tuple(role for role in HUMAN.roles if role[0].endswith(("hip", "knee", "ankle")))
    tracker = PostureTracker(replace(HUMAN, roles=legs), TABLE)
    found = Detours(tracker, 30.0).find(given)
    assert found is not None
    lowest = forward(SKELETON, found[1]).positions[:, :, 1].min()
    assert lowest > given.source[:, :, 1].min() - 0.0201


@pytest.mark.parametrize("apart", [0.0, 0.2])
def test_screened_postures_are_those_that_are_clear(apart: float):
    """The kernel that tests many evasions agrees with testing each posture separately."""
    side, front = hand_to_the_front()
    crossing = TrackCrossing(side, interpolate(SKELETON, side, front, 0.5), 0.5, 0.8)
    tracker = PostureTracker(HUMAN, TABLE)
    for groups in EvadingLimbs(HUMAN, TABLE).evasion_groups(np.full(len(SKELETON), apart), 0.06):
        for evasions in groups:
            positions = evasions.positions(crossing)
            indices = np.arange(0, len(positions), 7)
            clear = evasions.clear(crossing, indices, 1e-3)
            for rows, is_clear in zip(indices, clear, strict=True):
                posture = evasions.posture(crossing, int(rows))
                assert (tracker.clearance(posture) >= -1e-3) == is_clear
                np.testing.assert_allclose(forward(SKELETON, posture).positions, positions[rows])
                others = np.setdiff1d(np.arange(len(posture)), evasions.limb.q_indices)
                middle = interpolate(SKELETON, crossing.before, crossing.after, 0.5)
                np.testing.assert_allclose(posture[others], middle[others], atol=1e-12)


def test_legs_evade_only_where_necessary():
    limbs = EvadingLimbs(HUMAN, TABLE)
    still = [
        evasions
        for groups in limbs.evasion_groups(np.zeros(len(SKELETON)), 0.06)
        for evasions in groups
    ]
    assert still and not any(evasions.limb.is_leg for evasions in still)
    moved = np.zeros(len(SKELETON))
    moved[SKELETON.index("right_ankle")] = 0.1
    some = [evasions for groups in limbs.evasion_groups(moved, 0.06) for evasions in groups]
    # the right one, its foot, and the right one with both arms
    assert sum(evasions.limb.is_leg for evasions in some) == 3
    left = SKELETON.index("left_hip")
    assert not any(left in evasions.limb.joints for evasions in some)


def test_legs_evade_first_where_no_arm_collides():
    limbs, moved = EvadingLimbs(HUMAN, TABLE), np.full(len(SKELETON), 0.1)
    for between, is_leg in (
        (("left_toe", "right_knee"), True),
        (("left_wrist", "left_knee"), False),
    ):
        first = next(iter(limbs.evasion_groups(moved, 0.06, between)))
        assert all(evasions.limb.is_leg is is_leg for evasions in first)

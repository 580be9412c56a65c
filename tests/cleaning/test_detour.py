"""Ways round: certified, no faster than a body, arms before legs, and not into the ground."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from writhe.cleaning.clear_segments import leaps_beyond
from writhe.cleaning.detour import Detours, Tracks
from writhe.cleaning.limb_evasions import Limbs
from writhe.collision import CollisionTable, certify
from writhe.kernels.planning.detour_candidates import Crossing
from writhe.postures.builtin import builtin_database
from writhe.research.evaluation.drags import standing
from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import interpolate
from writhe.skeleton.mirror import mirrored
from writhe.solvers.tracking import PostureTracker

HUMAN = figure("human")
SKELETON = HUMAN.skeleton
TABLE = CollisionTable.of_figure(HUMAN)
QUICK_M = 5.0 / 30.0


def tracks(before: np.ndarray, after: np.ndarray, moment: int = 15) -> Tracks:
    """A body that is on one side for a second, and the same on the other."""
    rows = np.array([before] * 31), np.array([after] * 31)
    source = np.concatenate([rows[0][:moment], rows[1][moment:]])
    return Tracks(*rows, forward(SKELETON, source).positions, moment)


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


def test_a_way_round_is_certified_and_joins_the_tracks():
    side, front = hand_to_the_front()
    found = detours().find(tracks(side, front))
    assert found is not None
    start, way = found
    assert 0 <= start <= 15 <= start + len(way) - 1 <= 30  # round the moment asked for
    np.testing.assert_allclose(way[[0, -1]], [side, front], atol=1e-9)
    assert certify(TABLE, way, 30.0).certified


def test_a_way_round_takes_the_time_that_a_body_needs():
    side, front = hand_to_the_front()
    asked = tracks(side, front)
    found = detours().find(asked)
    assert found is not None
    start, way = found
    places = forward(SKELETON, way).positions
    leaps = leaps_beyond(places, asked.source[start : start + len(way)])
    assert 0.3 * QUICK_M < leaps.max() <= QUICK_M


def test_ways_dearer_than_they_are_worth_are_not_taken():
    side, front = hand_to_the_front()
    assert detours().find(tracks(side, front), worth_ms=0.0001) is None


def test_nothing_makes_way_where_nothing_is_in_the_way():
    q = squatting()
    moved = q.copy()
    moved[SKELETON.q_slice("left_knee")] -= 0.3
    found = detours().find(tracks(q, moved))
    assert found is not None
    places, ends = forward(SKELETON, found[1]), forward(SKELETON, np.array([q, moved]))
    for joint in SKELETON.names:
        path, (a, b) = places.position(joint), ends.position(joint)
        assert np.linalg.norm(path - a, axis=1).max() < np.linalg.norm(b - a) + 1e-9


def test_ways_round_do_not_lead_into_the_ground():
    """From one squat to its mirror image: the shortest way for the legs is underground."""
    library = builtin_database("basic")
    q = library.q[list(library.clip).index("reach 120 -34 0.42 + squat hand down")]
    asked = tracks(q, mirrored(SKELETON, q))
    legs = tuple(role for role in HUMAN.roles if role[0].endswith(("hip", "knee", "ankle")))
    tracker = PostureTracker(replace(HUMAN, roles=legs), TABLE)
    found = Detours(tracker, 30.0).find(asked)
    assert found is not None
    lowest = forward(SKELETON, found[1]).positions[:, :, 1].min()
    assert lowest > asked.source[:, :, 1].min() - 0.0201


@pytest.mark.parametrize("apart", [0.0, 0.2])
def test_screened_postures_are_those_that_are_clear(apart: float):
    """The kernel that looks at many ways agrees with looking at each posture by itself."""
    side, front = hand_to_the_front()
    crossing = Crossing(side, interpolate(SKELETON, side, front, 0.5), 0.5, 0.8)
    tracker = PostureTracker(HUMAN, TABLE)
    for groups in Limbs(HUMAN, TABLE).making_way(np.full(len(SKELETON), apart), 0.06):
        for asides in groups:
            places = asides.places(crossing)
            ways = np.arange(0, len(places), 7)
            clear = asides.clear(crossing, ways, 1e-3)
            for way, is_clear in zip(ways, clear, strict=True):
                posture = asides.posture(crossing, int(way))
                assert (tracker.clearance(posture) >= -1e-3) == is_clear
                np.testing.assert_allclose(forward(SKELETON, posture).positions, places[way])
                others = np.setdiff1d(np.arange(len(posture)), asides.limb.numbers)
                middle = interpolate(SKELETON, crossing.before, crossing.after, 0.5)
                np.testing.assert_allclose(posture[others], middle[others], atol=1e-12)


def test_legs_make_way_only_where_they_must():
    limbs = Limbs(HUMAN, TABLE)
    still = [
        asides for groups in limbs.making_way(np.zeros(len(SKELETON)), 0.06) for asides in groups
    ]
    assert still and not any(asides.limb.leg for asides in still)
    moved = np.zeros(len(SKELETON))
    moved[SKELETON.index("right_ankle")] = 0.1
    some = [asides for groups in limbs.making_way(moved, 0.06) for asides in groups]
    # the right one, its foot, and the right one with both arms
    assert sum(asides.limb.leg for asides in some) == 3
    left = SKELETON.index("left_hip")
    assert not any(left in asides.limb.joints for asides in some)


def test_legs_make_way_first_where_no_arm_is_in_the_way():
    limbs, moved = Limbs(HUMAN, TABLE), np.full(len(SKELETON), 0.1)
    for between, leg in ((("left_toe", "right_knee"), True), (("left_wrist", "left_knee"), False)):
        first = next(iter(limbs.making_way(moved, 0.06, between)))
        assert all(asides.limb.leg is leg for asides in first)

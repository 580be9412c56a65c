"""Stretches: certified as they stand, cut where the source passes through, tails that wait."""

from __future__ import annotations

import numpy as np

from writhe.cleaning.clear_segments import Course, leaps_beyond
from writhe.cleaning.push_out import corrected
from writhe.collision import CollisionTable, Gate, certify
from writhe.postures.builtin import builtin_database
from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import interpolate
from writhe.skeleton.mirror import mirrored
from writhe.solvers.tracking import PostureTracker

HUMAN = figure("human")
SKELETON = HUMAN.skeleton
TABLE = CollisionTable.of_figure(HUMAN)
QUICK_M = 5.0 / 30.0


def course(shares: np.ndarray) -> Course:
    """Folded arms that change which is on top by passing through each other."""
    library = builtin_database("basic")
    folded = library.q[list(library.clip).index("arms folded")]
    other = mirrored(SKELETON, folded)
    q = np.array([interpolate(SKELETON, folded, other, float(share)) for share in shares])
    tracker = PostureTracker(HUMAN, TABLE)
    return Course(tracker, q, corrected(tracker, q, 12, lambda done: None), 30.0)


def test_a_leap_is_what_a_joint_moves_beyond_the_source():
    source, places = np.zeros((3, 2, 3)), np.zeros((3, 2, 3))
    source[1, 0, 0] = source[2, 0, 0] = 0.3  # the source jumps, the body does not: no leap
    places[2, 1, 2] = 0.25  # the body jumps where the source rests
    np.testing.assert_allclose(leaps_beyond(places, source), [0.0, 0.25])
    np.testing.assert_allclose(leaps_beyond(source, source), [0.0, 0.0])


def test_stretches_are_certified_and_cut_where_the_arms_pass_through():
    found = course(np.concatenate([np.zeros(8), np.linspace(0.0, 1.0, 20), np.ones(8)]))
    assert len(found.stretches) > 1
    assert found.stretches[0].first == 0 and found.stretches[-1].last == 35
    gate = Gate(TABLE)
    for stretch in found.stretches:
        rows = found.wanted[stretch.first : stretch.last + 1]
        assert certify(TABLE, rows, 30.0).certified
        for beside in (stretch.first - 1, stretch.last):
            if 0 <= beside < 35:
                assert gate.fraction(found.wanted[beside], found.wanted[beside + 1]) < 1.0


def test_a_clear_clip_is_one_stretch():
    found = course(np.zeros(5))
    assert [(s.first, s.last) for s in found.stretches] == [(0, 4)]


def test_a_leap_of_the_corrections_cuts_too():
    library = builtin_database("basic")
    q = np.tile(library.q[list(library.clip).index("arms folded")], (10, 1))
    wanted = q.copy()
    wanted[5:, 0] += 0.5  # the corrections take the whole body half a metre aside at once
    found = Course(PostureTracker(HUMAN, TABLE), q, wanted, 30.0)
    assert [(s.first, s.last) for s in found.stretches] == [(0, 4), (5, 9)]
    tail = found.tail(0, 1, endless=True)  # and the body gets there as quickly as it can
    assert tail.met == 1 and 3 <= len(tail.rows) - 1 <= 5
    steps = np.diff(np.array(tail.places), axis=0)
    assert np.linalg.norm(steps, axis=2).max() <= QUICK_M + 1e-6


def test_tails_wait_on_their_side_both_ways_in_time():
    there = np.linspace(0.0, 1.0, 4)
    found = course(np.concatenate([np.zeros(10), there, there[::-1], np.zeros(10)]))
    last = len(found.stretches) - 1
    onward, back = found.tail(0, 1, endless=True), found.tail(last, -1, endless=True)
    assert onward.met == last and back.met == 0
    for tail in (onward, back):
        assert certify(TABLE, np.array(tail.rows), 30.0).certified
        assert all(b >= a - 1e-9 for a, b in zip(tail.dearer, tail.dearer[1:], strict=False)) or (
            tail.dearer[-1] < 0.02
        )
    assert np.abs(forward(SKELETON, onward.rows[-1]).positions - onward.places[-1]).max() == 0.0

"""Segments: certified, cut where the source passes through itself, extended on their side."""

from __future__ import annotations

import numpy as np

from writhe.cleaning.clear_segments import MAX_SPEED_M_S, SegmentedClip
from writhe.cleaning.push_out import push_frames_clear
from writhe.collision import CollisionTable, Gate, certify
from writhe.postures.builtin import builtin_database
from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import interpolate
from writhe.skeleton.mirror import mirrored
from writhe.solvers.posture_tracking import PostureTracker

HUMAN = figure("human")
SKELETON = HUMAN.skeleton
TABLE = CollisionTable.of_figure(HUMAN)
MAX_STEP_M = MAX_SPEED_M_S / 30.0


def clip(shares: np.ndarray) -> SegmentedClip:
    """Folded arms that change which is on top by passing through each other."""
    library = builtin_database("basic")
    folded = library.q[list(library.clip).index("arms folded")]
    other = mirrored(SKELETON, folded)
    q = np.array([interpolate(SKELETON, folded, other, float(share)) for share in shares])
    tracker = PostureTracker(HUMAN, TABLE)
    return SegmentedClip(tracker, q, push_frames_clear(tracker, q, 12, lambda done: None), 30.0)


def test_segments_are_certified_and_cut_where_the_arms_pass_through():
    found = clip(np.concatenate([np.zeros(8), np.linspace(0.0, 1.0, 20), np.ones(8)]))
    assert len(found.segments) > 1
    assert found.segments[0].first == 0 and found.segments[-1].last == 35
    gate = Gate(TABLE)
    for segment in found.segments:
        rows = found.target[segment.first : segment.last + 1]
        assert certify(TABLE, rows, 30.0).certified
        for neighbours in (segment.first - 1, segment.last):
            if 0 <= neighbours < 35:
                assert gate.fraction(found.target[neighbours], found.target[neighbours + 1]) < 1.0


def test_a_clear_clip_is_one_segment():
    found = clip(np.zeros(5))
    assert [(s.first, s.last) for s in found.segments] == [(0, 4)]


def test_a_jump_of_the_correction_cuts_too():
    library = builtin_database("basic")
    q = np.tile(library.q[list(library.clip).index("arms folded")], (10, 1))
    target = q.copy()
    target[5:, 0] += 0.5  # the correction moves the whole body by half a metre at once
    found = SegmentedClip(PostureTracker(HUMAN, TABLE), q, target, 30.0)
    assert [(s.first, s.last) for s in found.segments] == [(0, 4), (5, 9)]
    extension = found.extension(0, 1, unlimited=True)  # and the body approaches at the speed bound
    assert extension.reached == 1 and 3 <= len(extension.rows) - 1 <= 5
    steps = np.diff(np.array(extension.positions), axis=0)
    assert np.linalg.norm(steps, axis=2).max() <= MAX_STEP_M + 1e-6


def test_extensions_stay_on_their_side_in_both_directions_of_time():
    there = np.linspace(0.0, 1.0, 4)
    found = clip(np.concatenate([np.zeros(10), there, there[::-1], np.zeros(10)]))
    last = len(found.segments) - 1
    onward, back = found.extension(0, 1, unlimited=True), found.extension(last, -1, unlimited=True)
    assert onward.reached == last and back.reached == 0
    for extension in (onward, back):
        assert certify(TABLE, np.array(extension.rows), 30.0).certified
        assert all(
            b >= a - 1e-9
            for a, b in zip(extension.extra_cost, extension.extra_cost[1:], strict=False)
        ) or (extension.extra_cost[-1] < 0.02)
    assert np.abs(forward(SKELETON, onward.rows[-1]).positions - onward.positions[-1]).max() == 0.0

"""Folded joints are bent back, so that a cleaned clip can be certified."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.cleaning.clean import clean
from writhe.cleaning.unfold import unfolded
from writhe.collision import CollisionTable
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.skeleton import Motion, forward
from writhe.skeleton.figures import figure
from writhe.skeleton.quaternions import from_rotation_vectors

HUMAN = figure("human")
SKELETON = HUMAN.skeleton
TABLE = CollisionTable.of_figure(HUMAN)
ALL = np.ones(SKELETON.dof_count, dtype=np.bool_)


def bent(joint: str, degrees: np.ndarray, axis: tuple[float, float, float] = (0, 0, 1)) -> Motion:
    """A standing person who bends one joint."""
    q, at = np.tile(standing(HUMAN), (len(degrees), 1)), SKELETON.q_slice(joint)
    angles = np.radians(degrees)[:, None]
    q[:, at] = angles if at.stop - at.start == 1 else from_rotation_vectors(angles * np.array(axis))
    return Motion(SKELETON, q, 30.0, f"bent {joint}")


@pytest.mark.parametrize("joint", ["left_wrist", "right_knee"])
def test_a_folded_joint_is_bent_back(joint: str):
    motion = bent(joint, 170.0 * np.sin(np.linspace(0.0, np.pi, 30)))
    cleaned = clean(HUMAN, motion, euler=False)
    assert [folded.joint for folded in cleaned.before.folded_joints] == [joint]
    assert cleaned.after.certified


def test_frames_in_which_a_joint_is_not_folded_stay():
    motion = bent("left_wrist", 170.0 * np.sin(np.linspace(0.0, np.pi, 30)))
    q = unfolded(TABLE, motion.q, 30.0, ALL)
    changed = np.any(q != motion.q, axis=1)
    assert 5 <= changed.sum() <= 20 and not changed[:5].any() and not changed[-5:].any()
    others = np.ones(q.shape[1], dtype=np.bool_)
    others[SKELETON.q_slice("left_wrist")] = False
    assert np.array_equal(q[:, others], motion.q[:, others])


def test_a_wrist_that_flips_through_its_forearm_goes_round():
    """Both frames are within the limits; the shortest turn between them is not."""
    flips = np.concatenate([np.full(15, 110.0), np.full(15, -110.0)])
    motion = bent("left_wrist", flips)
    q = unfolded(TABLE, motion.q, 30.0, ALL)
    cleaned = clean(HUMAN, motion)
    assert cleaned.before.folded_joints and cleaned.after.certified
    assert cleaned.written is not None and cleaned.written.certified
    assert np.array_equal(q[[0, -1]], motion.q[[0, -1]])


def test_a_planted_foot_stays_where_its_knee_is_bent_back():
    """A squat on one leg, deeper than the skin permits: the hips yield, not the foot."""
    motion = bent("left_knee", 120.0 + 50.0 * np.sin(np.linspace(0.0, np.pi, 30)))
    ankle = forward(SKELETON, motion.q).position("left_ankle")
    motion.q[:, :3] += ankle[0] - ankle
    assert np.ptp(forward(SKELETON, motion.q).position("left_ankle"), axis=0).max() < 1e-9
    cleaned = clean(HUMAN, motion, euler=False)
    assert cleaned.before.folded_joints and cleaned.after.certified
    foot = forward(SKELETON, cleaned.motion.q).position("left_ankle")
    assert np.linalg.norm(np.diff(foot, axis=0), axis=1).max() < 0.004


def test_frames_within_the_limits_are_not_copied():
    motion = bent("left_wrist", 60.0 * np.sin(np.linspace(0.0, np.pi, 20)))
    assert unfolded(TABLE, motion.q, 30.0, ALL) is motion.q


def test_joints_that_may_not_change_stay_folded():
    motion = bent("left_wrist", np.full(3, 170.0))
    fixed = ALL.copy()
    fixed[SKELETON.v_slice("left_wrist")] = False
    assert unfolded(TABLE, motion.q, 30.0, fixed) is motion.q

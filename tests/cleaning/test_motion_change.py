"""What clearing changes: measured against the source, and by what it is chosen."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.cleaning.clean import clean
from writhe.cleaning.motion_change import motion_change
from writhe.collision.shapes import half_space
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.scene import Actor, Scene, SceneObject
from writhe.skeleton import Motion, forward, quaternions
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import difference

HUMAN = figure("human")
SKELETON = HUMAN.skeleton


def still(frames: int = 20) -> np.ndarray:
    return np.tile(standing(HUMAN), (frames, 1))


def test_nothing_changed_is_acceptable_and_free():
    change = motion_change(HUMAN, still(), still(), 30.0)
    assert change.acceptable and change.cost_m < 1e-12


def test_the_joint_that_turns_most_is_named_with_its_frame():
    q = still()
    q[8, SKELETON.q_slice("left_elbow")] -= 0.4
    q[5, SKELETON.q_slice("right_elbow")] -= 0.1
    change = motion_change(HUMAN, still(), q, 30.0)
    assert (change.joint, change.at_frame) == ("left_elbow", 8)
    assert change.turn_rad == pytest.approx(0.4)
    assert change.pop_ratio > 5.0 and not change.acceptable


def test_a_broken_limit_outweighs_any_distance():
    bent, far = still(), still()
    bent[:, SKELETON.q_slice("left_knee")] -= 0.5  # a knee the wrong way
    far[:, 2] += 0.5
    broken, moved = (motion_change(HUMAN, still(), q, 30.0) for q in (bent, far))
    assert broken.beyond_limits_rad > 0.3 and broken.mean_m < moved.mean_m
    assert broken.cost_m > moved.cost_m


def test_a_swing_beyond_its_limit_is_an_angle():
    limits = SKELETON.joints[SKELETON.index("left_wrist")].limits
    assert limits is not None
    axis = quaternions.rotate(limits.frame, np.array([0.0, 1.0, 0.0]))
    half = 0.5 * (float(limits.upper[1]) + 0.2)
    q = still()
    q[4, SKELETON.q_slice("left_wrist")] = [np.cos(half), *(np.sin(half) * axis)]
    change = motion_change(HUMAN, still(), q, 30.0)
    assert change.beyond_limits_rad == pytest.approx(0.2, abs=1e-6)


def test_a_planted_foot_that_slides_is_not_acceptable():
    q = still()
    q[10:, 0] += 0.02
    change = motion_change(HUMAN, still(), q, 30.0)
    assert change.slide_m == pytest.approx(0.02, abs=1e-6) and not change.acceptable


def test_a_small_joint_that_pops_is_named_beside_a_large_one_that_swings():
    """A toe that twitches in a walk turns no faster than the knees, but it was still."""
    source = still()
    source[:, SKELETON.q_slice("left_knee")] = 0.15 * np.arange(20.0)[:, None]
    q = source.copy()
    q[9:12, SKELETON.q_slice("left_toe")] += 0.15
    change = motion_change(HUMAN, source, q, 30.0)
    assert change.pop_ratio <= 1.0 and not change.acceptable
    assert (change.popping, change.popping_at) == ("left_toe", 9)
    assert change.popping_rad == pytest.approx(0.15)


def test_a_foot_that_glides_slowly_is_not_acceptable():
    q = still(61)
    q[:, 0] += np.linspace(0.0, 0.12, 61)  # 2 mm in a frame
    change = motion_change(HUMAN, still(61), q, 30.0)
    assert change.glide_m == pytest.approx(0.12, abs=1e-6) and not change.acceptable


def test_feet_in_the_floor_lift_the_body_and_not_the_ankles():
    """The hips sink by 6 cm and take the feet into the floor: the body rises, ankles stay."""
    q = still(31)
    q[:, 1] -= 0.06 * np.sin(np.linspace(0.0, np.pi, 31))
    floor = SceneObject("floor", (half_space((0, -0.02, 0), (0, 1, 0)),))
    scene = Scene((Actor("ann", HUMAN),), (floor,))
    layout = scene.layout
    cleaned = clean(
        scene, layout.motion({"ann": Motion(SKELETON, q, 30.0)}, {}, fps=30.0), euler=False
    )
    assert cleaned.before.penetration_witnessed_m > 0.05 and cleaned.after.certified
    after = np.ascontiguousarray(cleaned.motion.q[:, layout.actor_q["ann"]])
    lifted = forward(SKELETON, after).position("hips") - forward(SKELETON, q).position("hips")
    assert lifted[15, 1] > 0.03
    for joint in ("left_ankle", "right_ankle", "left_toe", "right_toe"):
        turns = [
            difference(SKELETON, a, b)[SKELETON.v_slice(joint)]
            for a, b in zip(q, after, strict=True)
        ]
        assert np.abs(turns).max() < np.radians(8.0), joint

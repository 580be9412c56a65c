"""Walks to a place: feet stand still, the body arrives, nothing overlaps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from writhe.animation import Animation
from writhe.animation.walking import walk
from writhe.animation.walking.footsteps import GroundPose, footsteps
from writhe.animation.walking.ground_course import course_along
from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.postures.preset_poses import preset_pose
from writhe.scene import Actor, Scene, SceneObject
from writhe.scene.objects.chair import chair
from writhe.skeleton import Skeleton
from writhe.skeleton.figures import figure
from writhe.skeleton.heading import heading_of, yaw_matrix
from writhe.skeleton.limbs import ANKLES, SIDES
from writhe.skeleton.quaternions import quaternion_of

FPS = 30.0


def test_a_walk_arrives_with_feet_that_do_not_slide() -> None:
    human = figure("human")
    database, number = preset_pose("basic", "stand")
    found = walk(human, database.q[number], (0.6, 1.5), fps=FPS, facing_rad=0.5)
    assert found.certificate.certified, [one.text() for one in found.conflicts]
    frames = found.motion.frames()
    feet = np.mean([frames.position(ankle)[-1] for ankle in ANKLES], axis=0)
    np.testing.assert_allclose(feet[[0, 2]], [0.6, 1.5], atol=0.02)
    assert heading_of(human, found.motion.q[-1]) == pytest.approx(0.5, abs=0.05)
    # in every frame a foot stands, on its sole, its heel or its ball, and the body stays upright
    still = [
        np.linalg.norm(np.diff(frames.point(ankle, point), axis=0), axis=1) < 1.5e-3
        for ankle in ANKLES
        for point in _heel_and_ball(ankle)
    ]
    assert np.logical_or.reduce(still).all()
    assert frames.rotation("chest")[:, 1, 1].min() > np.cos(np.radians(10.0))


def _heel_and_ball(ankle: str) -> tuple[Floats, Floats]:
    ends = [
        end
        for capsule in figure("human").capsules
        if capsule.joint == ankle
        for end in (capsule.start_in_joint, capsule.end_in_joint)
    ]
    return min(ends, key=lambda end: end[2]), max(ends, key=lambda end: end[2])


@pytest.fixture(scope="module")
def ahead() -> Animation:
    """A straight walk of 2.2 m."""
    human = figure("human")
    database, number = preset_pose("basic", "stand")
    return walk(human, database.q[number], (0.0, 2.2), fps=FPS)


def test_knees_are_soft_when_feet_land(ahead: Animation) -> None:
    skeleton, frames = ahead.motion.skeleton, ahead.motion.frames()
    for side in SIDES:
        knee = np.degrees(ahead.motion.q[:, skeleton.q_slice(f"{side}_knee")][:, 0])
        assert knee[5:-5].min() > 7.0
        # the knee does not stop from one frame to the next
        assert np.abs(np.diff(knee, 2)).max() < 8.0
        forwards = frames.rotation(f"{side}_ankle")[:, :, 2]
        pitch = np.degrees(np.arcsin(forwards[:, 1]))
        pitch -= pitch[0]
        assert pitch.max() > 10.0, "the foot lands on its heel"
        assert pitch.min() < -20.0, "the heel leaves the floor before the toes"


def test_the_knee_of_the_standing_leg_is_nearly_straight_in_mid_step(ahead: Animation) -> None:
    skeleton, frames = ahead.motion.skeleton, ahead.motion.frames()
    hips = frames.position("hips")[:, 2]
    for side in SIDES:
        knee = np.degrees(ahead.motion.q[:, skeleton.q_slice(f"{side}_knee")][:, 0])
        ankle = frames.position(f"{side}_ankle")[:, 2]
        still = np.abs(np.gradient(ankle)) < 2e-3
        middle = still & (np.abs(ankle - hips) < 0.03) & (hips > 0.3) & (hips < 1.9)
        assert middle.any()
        assert 5.0 < knee[middle].min() < 15.0
        assert knee[middle].max() < 18.0


def test_a_walk_to_the_side_begins_with_a_curve_and_a_look_at_the_goal() -> None:
    human = figure("human")
    database, number = preset_pose("basic", "stand")
    found = walk(human, database.q[number], (1.6, 0.3), fps=FPS)
    assert found.certificate.certified
    frames = found.motion.frames()
    hips = frames.position("hips")[:, [0, 2]]
    facing = np.unwrap(np.arctan2(*frames.rotation("hips")[:, [0, 2], 2].T))
    before = int(np.argmax(facing > 0.5))  # the turn has hardly begun, and the body moves already
    assert np.linalg.norm(hips[before] - hips[0]) > 0.1
    head = np.arctan2(*frames.rotation("head")[:, [0, 2], 2].T)
    assert head[12] > 0.5 > 3.0 * facing[12]


@pytest.mark.parametrize("facing", [-np.pi / 2, 0.0, np.pi])
@pytest.mark.parametrize("place", [(1.5, 0.3), (0.1, 1.5)])
def test_feet_keep_clear_of_the_chair_until_the_body_turns_before_it(
    place: tuple[float, float], facing: float
) -> None:
    human = figure("human")
    database, number = preset_pose("basic", "stand")
    ahead = yaw_matrix(facing)[:, 2]
    turn = np.array(quaternion_of(yaw_matrix(facing)))
    shapes, strands = chair()
    middle = np.array([place[0], 0.0, place[1]])
    scene = Scene(
        (Actor("ann", human),),
        (SceneObject("chair", shapes, position_m=middle, rotation=turn, strands=strands),),
    )
    goal = np.array(place) + 0.42 * ahead[[0, 2]]
    found = walk(scene, database.q[number], goal, fps=FPS, facing_rad=facing)
    assert found.certificate.certified, [one.text() for one in found.conflicts]
    frames = found.motion.frames()
    feet = np.mean([frames.position(ankle) for ankle in ANKLES], axis=0)[:, [0, 2]]
    np.testing.assert_allclose(feet[-1], goal, atol=0.02)
    legs = np.array([(x, z) for x in (-0.22, 0.22) for z in (-0.21, 0.21)])
    corners = legs @ yaw_matrix(facing)[np.ix_([0, 2], [0, 2])].T + place
    away = np.linalg.norm(feet - goal, axis=1) > 0.25
    for toe in ("left_toe", "right_toe"):
        at = frames.position(toe)[away][:, None, [0, 2]]
        assert np.linalg.norm(at - corners, axis=2).min() > 0.1


def test_a_walk_starts_and_stops_gently(ahead: Animation) -> None:
    hips = ahead.motion.frames().position("hips")[:, 2]
    speed = np.diff(hips) * FPS
    fastest = speed[25:60].mean()
    assert speed[:3].max() < 0.4 * fastest
    assert speed[-3:].max() < 0.4 * fastest
    assert np.abs(np.diff(speed)).max() < 0.35 * fastest
    for side in SIDES:
        wrist = ahead.motion.frames().position(f"{side}_wrist")
        assert (np.linalg.norm(np.diff(wrist, axis=0), axis=1) * FPS).max() < 2.6 * fastest


def test_short_steps_are_quicker_and_no_foot_steps_in_place() -> None:
    human = figure("human")
    database, number = preset_pose("basic", "stand")
    near = walk(human, database.q[number], (0.0, 0.12), fps=FPS)
    far = walk(human, database.q[number], (0.0, 0.45), fps=FPS)
    assert near.certificate.certified
    assert near.motion.duration_s < far.motion.duration_s

    def height(found: Animation) -> float:
        frames = found.motion.frames()
        return max(float(np.ptp(frames.position(ankle)[:, 1])) for ankle in ANKLES)

    assert height(near) < height(far) - 0.01
    course = course_along(0.0, np.array([[0.0, 0.0], [0.0, 1.0]]), lambda _: True)
    steps = footsteps(GroundPose(np.zeros(2), 0.0), course, 0.3, 0.45, 0.0)
    for k in range(steps.count):
        assert not steps.leaves(k).stays(steps.prints[k + 1])


def test_the_head_leads_a_turn_and_the_hips_follow_the_chest() -> None:
    human = figure("human")
    database, number = preset_pose("basic", "stand")
    found = walk(human, database.q[number], (0.0, 0.0), fps=FPS, facing_rad=1.6)
    assert found.certificate.certified
    frames = found.motion.frames()
    when = {}
    for joint in ("head", "chest", "hips"):
        ahead = frames.rotation(joint)[:, [0, 2], 2]
        when[joint] = int(np.argmax(np.arctan2(*ahead.T) > 0.4))
    assert when["head"] < when["chest"] < when["hips"]


def test_arms_swing_both_ways_and_hips_turn_with_the_legs(ahead: Animation) -> None:
    assert ahead.certificate.certified, [one.text() for one in ahead.conflicts]
    frames = ahead.motion.frames()
    middle = slice(20, 70)
    for side, other in (("left", "right"), ("right", "left")):
        shoulder, wrist, ankle, opposite = (
            frames.position(joint)[middle, 2]
            for joint in (f"{side}_shoulder", f"{side}_wrist", f"{other}_ankle", f"{side}_ankle")
        )
        swing = wrist - shoulder
        assert swing.max() > 0.2
        assert swing.min() < 0.0
        assert np.corrcoef(swing, ankle - opposite)[0, 1] > 0.7  # with the opposite leg
    yaw = np.degrees(np.arctan2(*frames.rotation("hips")[middle][:, [0, 2], 2].T))
    assert yaw.max() > 3.0
    assert yaw.min() < -3.0


def test_a_hand_cannot_walk() -> None:
    hand = figure("hand")
    with pytest.raises(WritheError, match="two feet"):
        walk(hand, hand.skeleton.rest_configuration, (1.0, 0.0), fps=FPS)


def test_a_body_that_faces_backwards_at_rest_walks_ahead() -> None:
    """As avatars of VRM 0.x do, which face -z."""
    human = figure("human")
    root = human.skeleton.joints[0]
    turned = replace(root, rest=np.array([0.0, 0.0, 1.0, 0.0]))
    body = replace(
        human, skeleton=Skeleton([turned, *human.skeleton.joints[1:]], human.skeleton.tips)
    )
    start = body.skeleton.rest_configuration
    assert np.cos(heading_of(body, start)) == pytest.approx(-1.0)
    motion = walk(body, start, (0.0, -1.5), fps=30.0).motion
    frames = motion.frames()
    assert frames.position("hips")[-1, 2] < frames.position("hips")[0, 2] - 1.2
    across = frames.position("left_hip") - frames.position("right_hip")
    assert (across[:, 0] < 0.0).all(), "it must not turn around to walk backwards"


@pytest.mark.parametrize("goal", [(0.2, -0.6), (-0.6, -0.4)])
def test_a_walk_that_begins_with_a_turn_keeps_its_toes_above_the_floor(
    goal: tuple[float, float],
) -> None:
    human = figure("human")
    database, number = preset_pose("basic", "stand")
    found = walk(human, database.q[number], goal, fps=FPS)
    assert found.certificate.certified
    toes = found.motion.frames()
    for toe in ("left_toe", "right_toe"):
        height = toes.position(toe)[:, 1]
        assert height.min() > height[0] - 1e-3

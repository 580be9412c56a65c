"""Walks to a place: feet stand still, the body arrives, nothing overlaps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from writhe.animation.walking import STEP_S, walk
from writhe.errors import WritheError
from writhe.postures.preset_poses import preset_pose
from writhe.skeleton import Skeleton
from writhe.skeleton.figures import figure
from writhe.skeleton.heading import heading_of
from writhe.skeleton.limbs import ANKLES

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
    # one foot stands in every step, and the body stays upright
    still = [
        np.linalg.norm(np.diff(frames.position(ankle), axis=0), axis=1) < 1e-4 for ankle in ANKLES
    ]
    assert np.logical_or(*still).all()
    assert len(found.motion) > 4 * STEP_S * FPS
    assert frames.rotation("chest")[:, 1, 1].min() > np.cos(np.radians(10.0))


def test_arms_swing_both_ways_and_hips_turn_with_the_legs() -> None:
    human = figure("human")
    database, number = preset_pose("basic", "stand")
    found = walk(human, database.q[number], (0.0, 2.2), fps=FPS)
    assert found.certificate.certified, [one.text() for one in found.conflicts]
    frames = found.motion.frames()
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

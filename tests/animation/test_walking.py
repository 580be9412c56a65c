"""Walks to a place: feet stand still, the body arrives, nothing overlaps."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.animation.mirror import heading_of
from writhe.animation.walking import STEP_S, walk
from writhe.errors import WritheError
from writhe.postures.preset_poses import preset_pose
from writhe.skeleton.figures import figure
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


def test_a_hand_cannot_walk() -> None:
    hand = figure("hand")
    with pytest.raises(WritheError, match="two feet"):
        walk(hand, hand.skeleton.rest_configuration, (1.0, 0.0), fps=FPS)

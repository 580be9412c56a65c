"""Shoulders that do not shrug, and a gaze that follows the hand."""

from __future__ import annotations

import numpy as np
import pytest

from writhe import Controls, Target, builtin_database, figure, forward, make_poser, pin_here
from writhe.animation.mirror import heading_of
from writhe.postures.gaze import looking_at
from writhe.studio.editing.starting_poses import starting_pose


def clavicle_deg(goal: tuple[float, float, float], rhythm: float) -> float:
    """By how much the right clavicle is turned when the hand has been dragged to a place."""
    human = figure("human")
    q = starting_pose(human)
    start = forward(human.skeleton, q).position("right_wrist")
    controls = Controls(balance=0.4, rhythm=rhythm)
    poser = make_poser("default", human, builtin_database("basic"), controls=controls)
    pins = [pin_here(human.skeleton, q, f"{s}_ankle", orientation=True) for s in ("left", "right")]
    for k in range(90):
        at = start + min(1.0, (k + 1) / 60) * (np.array(goal) - start)
        result = poser.step(q, [Target("right_wrist", tuple(at.tolist()))], pins)
        q = result.q
    assert result.status.value == "reached"  # pyright: ignore[reportPossiblyUnbound]
    w = abs(float(q[human.skeleton.q_slice("right_clavicle")][0]))
    return float(np.degrees(2.0 * np.arccos(min(w, 1.0))))


def test_a_hand_on_the_hip_does_not_raise_the_shoulder() -> None:
    assert clavicle_deg((-0.24, 1.02, 0.02), 1.0) < 5.0 < clavicle_deg((-0.24, 1.02, 0.02), 0.0)


def test_the_girdle_rises_with_a_raised_arm() -> None:
    assert clavicle_deg((-0.3, 1.95, 0.1), 1.0) > 12.0


@pytest.mark.parametrize("aside", [0.5, -0.5])
def test_the_head_turns_part_of_the_way_to_a_point(aside: float) -> None:
    human = figure("human_with_fingers")
    q = starting_pose(human)
    head = forward(human.skeleton, q).position("head")
    turned = looking_at(human, q, head + np.array([aside, -0.3, 0.5]))
    rotation = forward(human.skeleton, turned).rotation("head")
    face = rotation @ np.array([0.0, 0.0, 1.0])
    angle = np.degrees(np.arctan2(face[0], face[2]))
    assert 20.0 < np.sign(aside) * angle < 35.0  # the point is at 45 degrees
    assert -30.0 < np.degrees(np.arcsin(face[1])) < -8.0
    assert heading_of(human, turned) == pytest.approx(heading_of(human, q))
    behind = looking_at(human, q, head + np.array([0.1, 0.0, -0.5]))
    np.testing.assert_array_equal(behind, q)

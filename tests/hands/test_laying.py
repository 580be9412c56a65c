"""A hand laid on a surface: the palm faces it, the fingers follow the forearm or point upwards."""

from __future__ import annotations

import numpy as np
import pytest

from writhe import figure
from writhe.collision import capsule
from writhe.hands import hand_of
from writhe.hands.laying import laid_hand, reach_beyond_palm
from writhe.scene import SceneObject

AHEAD = np.array([0.0, 0.0, 1.0])
UP = np.array([0.0, 1.0, 0.0])


@pytest.mark.parametrize("side", ["left", "right"])
def test_the_palm_faces_the_surface_whatever_the_forearm_does(side: str) -> None:
    hand = hand_of(figure("human_with_fingers"), side)
    random = np.random.default_rng(5)
    for _ in range(50):
        normal = random.normal(size=3)
        normal /= np.linalg.norm(normal)
        for upright in (None, random.normal(size=3)):
            turn = laid_hand(hand, random.normal(size=3), normal, AHEAD, upright)
            np.testing.assert_allclose(turn @ turn.T, np.eye(3), atol=1e-9)
            assert np.linalg.det(turn) > 0.999
            np.testing.assert_allclose(turn @ hand.axes[:, 1], -normal, atol=1e-9)


def test_fingers_follow_the_forearm_and_point_up_a_wall() -> None:
    hand = hand_of(figure("human_with_fingers"), "right")
    across = laid_hand(hand, np.array([1.0, 0.0, 0.0]), AHEAD, AHEAD)  # a hand on the chest
    assert (across @ hand.axes[:, 0])[0] > 0.85
    wall = laid_hand(hand, AHEAD, -AHEAD, AHEAD)  # a forearm at a right angle to a wall
    np.testing.assert_allclose(wall @ hand.axes[:, 0], UP, atol=1e-9)
    table = laid_hand(hand, -UP, UP, AHEAD)
    np.testing.assert_allclose(table @ hand.axes[:, 0], AHEAD, atol=1e-9)


def test_what_the_hand_holds_tends_to_be_upright() -> None:
    hand = hand_of(figure("human_with_fingers"), "right")
    normal, forearm = np.array([-1.0, 0.0, 0.0]), UP
    held = hand.axes[:, 2]  # the object's vertical is along the thumb's side
    without, turned = (laid_hand(hand, forearm, normal, AHEAD, up) for up in (None, held))
    assert (without @ held)[1] < 0.1
    assert (turned @ held)[1] > 0.6


def test_how_far_a_held_object_protrudes_from_the_palm() -> None:
    hand = hand_of(figure("human_with_fingers"), "right")
    ball = capsule((0.0, 0.0, -0.001), (0.0, 0.0, 0.001), 0.02)
    middle = hand.palm + 0.03 * hand.axes[:, 1]
    item = SceneObject("ball", (ball,), position_m=middle, attached_to="anna.right_wrist")
    assert reach_beyond_palm([item], hand) == pytest.approx(0.05, abs=0.0011)
    assert reach_beyond_palm([], hand) == 0.0

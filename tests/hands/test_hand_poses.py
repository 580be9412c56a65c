"""Hand poses: certified, within limits, on the human and on a rig of another family."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from writhe import (
    CollisionTable,
    WritheError,
    certify,
    figure,
    forward,
    hand_pose,
    load_figure,
)
from writhe.collision import ContactPolicy
from writhe.hands import HAND_POSES, hand_of, hands_of
from writhe.skeleton.limits import limit_excess

FOREIGN = Path(__file__).resolve().parents[3] / "shared" / "characters" / "mixamo.fbx"


@pytest.fixture(scope="module")
def human():
    return figure("human_with_fingers")


@pytest.fixture(scope="module")
def table(human):
    return CollisionTable.of_figure(human)


@pytest.mark.parametrize("name", sorted(HAND_POSES))
def test_every_pose_is_certified_and_within_limits(human, table, name):
    rest = human.skeleton.rest_configuration
    q = hand_pose(human, hand_pose(human, rest, "left", name, table), "right", name, table)
    assert certify(table, np.array([q, q]), fps=30.0).certified
    assert limit_excess(human.skeleton, q) == {}
    body = [j for j in human.skeleton.names if j not in hand_of(human, "left").joints]
    body = [j for j in body if j not in hand_of(human, "right").joints]
    for joint in body:
        at = human.skeleton.q_slice(joint)
        np.testing.assert_array_equal(q[at], rest[at])


def fingertips(human, q, side):
    frames = forward(human.skeleton, q)
    return {f.name: frames.tip(f"{side}_{f.name}_tip") for f in hand_of(human, side).fingers}


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_fist_brings_the_fingertips_to_the_palm(human, table, side):
    hand, rest = hand_of(human, side), human.skeleton.rest_configuration
    palm = forward(human.skeleton, rest).point(hand.wrist, hand.palm)
    flat = fingertips(human, hand_pose(human, rest, side, "flat", table), side)
    fist = fingertips(human, hand_pose(human, rest, side, "fist", table), side)
    for finger in ("index", "middle", "ring", "pinky"):
        assert np.linalg.norm(flat[finger] - palm) > 0.08
        assert np.linalg.norm(fist[finger] - palm) < 0.055


def test_pointing_keeps_the_index_straight_and_bends_the_others(human, table):
    rest = human.skeleton.rest_configuration
    flat = fingertips(human, rest, "left")
    point = fingertips(human, hand_pose(human, rest, "left", "point", table), "left")
    assert np.linalg.norm(point["index"] - flat["index"]) < 0.02
    assert all(np.linalg.norm(point[f] - flat[f]) > 0.08 for f in ("middle", "ring", "pinky"))


def test_a_pinch_brings_thumb_and_index_together(human, table):
    rest = human.skeleton.rest_configuration
    tips = fingertips(human, hand_pose(human, rest, "right", "pinch", table), "right")
    assert np.linalg.norm(tips["thumb"] - tips["index"]) < 0.025


def test_the_palms_of_both_hands_face_down_in_the_t_pose(human):
    for hand in hands_of(human).values():
        out = forward(human.skeleton, human.skeleton.rest_configuration).rotation(hand.wrist)
        assert (out @ hand.axes[:, 1])[1] < -0.98


def test_a_character_from_elsewhere_makes_a_fist():
    if not FOREIGN.exists():
        pytest.skip("the characters from elsewhere are not beside this checkout")
    body = load_figure(FOREIGN)
    shapes = CollisionTable.of_figure(body, ContactPolicy(skip_joint_zones=True))
    rest = body.skeleton.rest_configuration
    q = hand_pose(body, rest, "left", "fist", shapes)
    assert certify(shapes, np.array([q, q]), fps=30.0).certified
    hand = hand_of(body, "left")
    for name in ("index", "middle", "ring", "pinky"):
        last = hand.finger(name).joints[-1]
        before, after = forward(body.skeleton, rest), forward(body.skeleton, q)
        assert np.linalg.norm(after.position(last) - before.position(last)) > 0.05


def test_refusals_name_what_is_missing(human):
    with pytest.raises(WritheError, match="human_with_fingers"):
        hand_pose(figure("human"), figure("human").skeleton.rest_configuration, "left", "fist")
    with pytest.raises(WritheError, match="claw"):
        hand_pose(human, human.skeleton.rest_configuration, "left", "claw")
    with pytest.raises(WritheError, match="middle"):
        hand_pose(human, human.skeleton.rest_configuration, "middle", "fist")

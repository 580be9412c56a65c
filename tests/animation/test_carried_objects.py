"""Objects carried between keys: they follow the hand, lie still before and after, certified."""

from __future__ import annotations

import numpy as np
import pytest

from writhe import Actor, Carry, Key, Scene, WritheError, animate_carrying, figure, forward
from writhe.collision import ball
from writhe.scene import ObjectKind, SceneObject


def reaching():
    """A human with straight arms and a ball at the left hand; keys that turn the forearm."""
    human = figure("human")
    rest = human.skeleton.rest_configuration
    hand = forward(human.skeleton, rest).position("left_wrist")
    item = SceneObject(
        "ball", (ball((0, 0, 0), 0.03),), ObjectKind.MOVED, hand + np.array([0.24, 0.0, 0.0])
    )
    scene = Scene((Actor("anna", human),), (item,))
    bent = rest.copy()
    bent[human.skeleton.q_slice("left_elbow")] = 1.0
    return scene, rest, bent


def test_the_object_moves_while_it_is_carried_and_lies_still_otherwise():
    scene, rest, bent = reaching()
    keys = [Key(0.0, rest), Key(0.5, rest), Key(1.0, bent), Key(1.5, rest)]
    found = animate_carrying(
        scene, keys, [Carry("ball", "left_wrist", 0.5, 1.0)], fps=30.0, pins=()
    )
    assert found.certificate.certified
    assert len(found.motion) == 46
    frames = forward(scene.layout.skeleton, found.scene_motion.q)
    at, hand = frames.position("ball"), frames.position("anna.left_wrist")
    assert np.abs(at[:16] - at[0]).max() < 1e-9
    assert np.abs(at[30:] - at[30]).max() < 1e-9
    assert np.linalg.norm(at[30] - at[0]) > 0.2
    away = np.linalg.norm(at[15:31] - hand[15:31], axis=1)
    np.testing.assert_allclose(away, away[0], atol=1e-6)


def test_picking_up_needs_a_key():
    scene, rest, bent = reaching()
    keys = [Key(0.0, rest), Key(1.0, bent)]
    with pytest.raises(WritheError, match=r"no key.*nearest"):
        animate_carrying(scene, keys, [Carry("ball", "left_wrist", 0.4)], fps=30.0)
    with pytest.raises(WritheError, match="must be put down after"):
        Carry("ball", "left_wrist", 1.0, 0.5)

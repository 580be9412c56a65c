"""A handshake: palms face each other, fingers close, certified."""

from __future__ import annotations

import numpy as np
import pytest

from writhe import Actor, Scene, WritheError, clasp, figure, forward
from writhe.hands import hand_of


def two_people(apart_m):
    human = figure("human_with_fingers")
    other = Actor("ben", human, np.array([0.0, 0.0, apart_m]), np.array([0.0, 0.0, 1.0, 0.0]))
    scene = Scene((Actor("anna", human), other))
    q = scene.layout.rest()
    for name in ("anna", "ben"):
        for side, sign in (("left", -1.0), ("right", 1.0)):
            half = np.radians(sign * 66.0) / 2
            shoulder = scene.layout.skeleton.q_slice(f"{name}.{side}_shoulder")
            q[shoulder] = [np.cos(half), 0, 0, np.sin(half)]
    return scene, q


def test_two_people_shake_hands():
    scene, q = two_people(0.95)
    found = clasp(scene, "anna", "ben", q=q)
    assert found.met
    assert found.certified
    assert len(found.touches) >= 3
    frames = forward(scene.layout.skeleton, found.q)
    hand = hand_of(figure("human_with_fingers"), "right")
    facing = [frames.rotation(f"{n}.right_wrist") @ hand.axes[:, 1] for n in ("anna", "ben")]
    assert facing[0] @ facing[1] < -0.9
    for name in ("anna", "ben"):
        before = forward(scene.layout.skeleton, q).position(f"{name}.left_ankle")
        assert np.linalg.norm(frames.position(f"{name}.left_ankle") - before) < 0.005


def test_people_who_stand_too_far_apart_do_not_meet():
    scene, q = two_people(4.0)
    assert not clasp(scene, "anna", "ben", q=q).met
    with pytest.raises(WritheError, match="two different actors"):
        clasp(scene, "anna", "anna", q=q)

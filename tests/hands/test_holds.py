"""Holds on surfaces: a palm on the back of another person, and whether it lies there."""

from dataclasses import replace

import numpy as np
import pytest

import writhe
from writhe.collision import box
from writhe.errors import WritheError
from writhe.hands import hand_of
from writhe.hands.holds import hold_terms
from writhe.scene import SceneObject
from writhe.skeleton.quaternions import rotation_matrix


@pytest.fixture(scope="module")
def scene() -> writhe.Scene:
    human = writhe.figure("human_with_fingers")
    shelf = SceneObject(
        "shelf", (box((0, 0, 0), (0.4, 0.1, 0.4)),), position_m=np.array([0.3, 1.0, 0.45])
    )
    behind = writhe.Actor("ben", human, position_m=np.array([0.0, 0.0, -0.45]))
    return writhe.Scene((writhe.Actor("anna", human), behind), (shelf,))


def posed(scene: writhe.Scene, actor: str, hold: writhe.Hold) -> np.ndarray:
    poser = writhe.make_poser("default", scene, actor=actor, controls=writhe.Controls.standing())
    q, own = scene.layout.rest(), scene.layout.actor_q[actor]
    feet = [
        writhe.pin_here(scene.actor(actor).figure.skeleton, q[own], f"{side}_ankle")
        for side in ("left", "right")
    ]
    feet = [
        writhe.Pin(p.joint, tuple(np.add(p.position_in_world, scene.actor(actor).position_m)))
        for p in feet
    ]
    for _ in range(120):
        q[own] = poser.step(q[own].copy(), [], [hold, *feet]).q
    return q


def test_a_palm_lies_on_the_back_of_another_person(scene: writhe.Scene) -> None:
    start = scene.layout.rest()
    hold = writhe.hold_on(
        scene, start, "ben", "right_wrist", "anna.chest", side=(0.0, 0.0, -1.0), clear_m=0.002
    )
    before = writhe.hold_state(scene, start, "ben", hold)
    assert before.apart_m > 0.2 and not before.touching
    after = writhe.hold_state(scene, posed(scene, "ben", hold), "ben", hold)
    assert after.apart_m < 0.02  # the thumb rests on the round back first
    assert after.touching
    assert after.facing is not None and after.facing > 0.8


def test_the_place_is_on_the_surface_and_the_palm_faces_it(scene: writhe.Scene) -> None:
    q = scene.layout.rest()
    hold = writhe.hold_on(scene, q, "anna", "left_wrist", "shelf", at=(0.02, 0.3, 0.03))
    assert np.allclose(hold.position_in_other, (0.02, 0.05, 0.03), atol=1e-4)
    hand = hand_of(scene.actor("anna").figure, "left")
    assert hold.orientation_in_other is not None
    palm = rotation_matrix(hold.orientation_in_other) @ hand.axes[:, 1]
    assert np.allclose(palm, (0.0, -1.0, 0.0), atol=1e-6)


def test_what_cannot_be_held_is_refused(scene: writhe.Scene) -> None:
    q = scene.layout.rest()
    with pytest.raises(WritheError, match="neither a joint"):
        writhe.hold_on(scene, q, "anna", "left_wrist", "sofa")
    with pytest.raises(WritheError, match="not both"):
        writhe.hold_on(scene, q, "anna", "left_wrist", "shelf", at=(0, 0, 0), side=(0, 1, 0))


def test_the_terms_of_a_hold_are_met_where_it_holds(scene: writhe.Scene) -> None:
    layout, q = scene.layout.skeleton, scene.layout.rest()
    own = scene.actor("anna").figure.skeleton
    q[scene.layout.actor_q["anna"]][2] += 0.1
    here = writhe.hold_here(own, q[scene.layout.actor_q["anna"]], "left_wrist", "left_hip",
                            orientation=True)  # fmt: skip
    hold = replace(here, on="anna.left_hip")
    terms = hold_terms("anna", hold, turned=(((1, 0, 0), (0, 2, 0)),))
    apart = [np.linalg.norm(t.quantity.value(layout, q) - np.asarray(t.lower)) for t in terms]
    assert len(terms) == 5
    assert max(apart[0], *apart[2:]) < 1e-9
    assert apart[1] > 0.1  # the hand does not point along the thigh
    elsewhere = hold_terms("anna", replace(hold, position_in_other=(0.0, 0.0, 0.0)))[0]
    assert np.linalg.norm(elsewhere.quantity.value(layout, q) - np.asarray(elsewhere.lower)) > 0.05

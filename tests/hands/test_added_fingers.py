"""Fingers for motions that were made without them."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.collision import certify, cylinder
from writhe.hands.added_fingers import scene_with_fingers, set_hands, with_fingers
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.scene import Actor, Scene, SceneObject
from writhe.skeleton import forward
from writhe.skeleton.figures import figure

PALM_IN_WRIST = (0.085, -0.035, 0.0)  # a rod across the palm, below it


@pytest.fixture(scope="module")
def human():
    return figure("human")


def test_the_body_stays_where_it_is(human):
    q = standing(human)
    fingered, other = with_fingers(human, q, {"left": "fist"})
    before, after = forward(human.skeleton, q), forward(fingered.skeleton, other[0])
    for name in human.skeleton.names:
        np.testing.assert_allclose(after.position(name), before.position(name), atol=1e-12)
    tip = {side: after.position(f"{side}_middle_3") for side in ("left", "right")}
    reach = {s: np.linalg.norm(tip[s] - after.position(f"{s}_wrist")) for s in tip}
    assert reach["left"] < 0.8 * reach["right"]  # a fist beside a relaxed hand


def test_a_hand_closes_around_the_rod_in_its_palm(human):
    q = standing(human)
    at = forward(human.skeleton, q)
    along = at.rotation("left_wrist") @ np.array([0.0, 0.0, 0.06])
    palm = at.point("left_wrist", PALM_IN_WRIST)
    rod = SceneObject("rod", (cylinder(palm - along, palm + along, 0.012),))
    scene = Scene((Actor("a", human),), (rod,))
    fingered = scene_with_fingers(scene)
    full = scene.layout.rest()
    full[scene.layout.actor_q["a"]] = q
    closed = set_hands(scene, fingered, full)
    frames = forward(fingered.layout.skeleton, closed)
    # the middle finger's last joint comes back to the rod on the far side, the right hand's not
    bent = frames.rotation("a.left_wrist").T @ frames.rotation("a.left_middle_3")
    free = frames.rotation("a.right_wrist").T @ frames.rotation("a.right_middle_3")
    angles = [np.arccos(np.clip((np.trace(turn) - 1) / 2, -1, 1)) for turn in (bent, free)]
    assert angles[0] > angles[1] + 0.5
    assert (
        certify(fingered.layout.table, np.stack([closed, closed]), 30.0).penetration_witnessed_m
        < 2e-3
    )

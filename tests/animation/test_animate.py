"""Motions through keys keep their pins, the floor and the joint limits, or say what contradicts."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.animation import AnimationStatus, ConflictKind, Key, TimedPin, animate, detect_contacts
from writhe.animation.foot_contacts import foot_heights
from writhe.arrays import Floats
from writhe.collision import certify
from writhe.errors import WritheError
from writhe.postures.preset_poses import preset_pose
from writhe.skeleton import Figure, Motion, forward
from writhe.skeleton.limits import limit_excess
from writhe.solvers.posing import Pin, hold_here, pin_here

ANKLES = ["left_ankle", "right_ankle"]


def preset(name: str, library: str = "basic") -> Floats:
    database, number = preset_pose(library, name)
    return database.q[number].copy()


def drift_m(motion: Motion, joint: str, finer: int = 1) -> float:
    """How far a joint moves away from where it is in the first frame, between frames too."""
    path = motion.resample(finer * motion.fps).frames().position(joint)
    return float(np.linalg.norm(path - path[0], axis=1).max())


@pytest.mark.parametrize("pose", ["squat", "half squat", "back bend", "duck"])
def test_pinned_feet_stay_at_every_frame_and_between(human: Figure, pose: str):
    keys = [Key(0.0, preset("stand")), Key(1.0, preset(pose))]
    blend = animate(human, keys, fps=30.0, pins=())
    found = animate(human, keys, fps=30.0, pins=["left_ankle"])
    assert found.pin_error_m < 1e-4
    assert drift_m(found.motion, "left_ankle", finer=4) < 1e-3
    if pose == "squat":
        assert drift_m(blend.motion, "left_ankle") > 0.03  # the pin made the difference


def test_feet_stay_while_folded_arms_make_room_for_each_other(human: Figure):
    """Arms that need a wider margin to pass each other do not lift the pinned feet."""
    keys = [Key(0.0, preset("arms folded")), Key(1.0, preset("duck"))]
    found = animate(human, keys, fps=30.0, pins=ANKLES)
    assert found.status is AnimationStatus.DONE
    for ankle in ANKLES:
        assert drift_m(found.motion, ankle, finer=4) < 1e-3


def test_a_motion_ends_in_its_key_even_where_the_blend_is_stuck(human: Figure):
    """The arm of the blend is caught on the body, on the other side than in the second key."""
    start = human.skeleton.rest_configuration.copy()
    goal = start.copy()
    shoulder, elbow = (human.skeleton.q_slice(f"left_{j}") for j in ("shoulder", "elbow"))
    start[shoulder], goal[shoulder] = [0.38, 0.13, -0.22, 0.89], [0.88, -0.11, 0.02, -0.47]
    start[elbow], goal[elbow] = 0.88, 0.63
    for q in (start, goal):
        q[shoulder] /= np.linalg.norm(q[shoulder])
    found = animate(human, [Key(0.0, start), Key(1.5, goal)], fps=30.0, pins=(), floor=False)
    ends = forward(human.skeleton, found.motion.q[[0, -1]]).positions
    keys = forward(human.skeleton, np.array([start, goal])).positions
    assert np.abs(ends - keys).max() < 1e-3


def test_a_squat_lowers_the_hips_with_knees_forward(human: Figure):
    keys = [Key(0.0, preset("stand")), Key(1.0, preset("squat"))]
    found = animate(human, keys, fps=60.0, pins=ANKLES)
    assert found.status is AnimationStatus.DONE
    frames = found.motion.frames()
    height = frames.position("hips")[:, 1]
    assert np.all(np.diff(height) < 1e-3)  # goes down all the way
    assert height[0] - height[-1] > 0.3
    for side in ("left", "right"):
        knee, ankle = frames.position(f"{side}_knee"), frames.position(f"{side}_ankle")
        assert np.all(knee[10:, 2] > ankle[10:, 2])
    step = np.abs(np.diff(found.motion.q, n=2, axis=0)).max()
    assert step < 0.02  # no pop: second differences of a smooth second of motion are small


def test_every_frame_is_certified_and_within_the_limits_of_the_keys(human: Figure):
    keys = [Key(0.0, preset("stand")), Key(0.8, preset("arms folded")), Key(2.0, preset("squat"))]
    found = animate(human, keys, fps=30.0, pins=ANKLES)
    assert found.certificate.certified
    allowed = max(
        (e for key in keys for e in limit_excess(human.skeleton, np.array(key.q)).values()),
        default=0.0,
    )
    worst = [max(limit_excess(human.skeleton, q).values(), default=0.0) for q in found.motion.q]
    assert max(worst) <= allowed + 1e-3


def test_a_motion_that_the_blend_would_lead_through_the_body_goes_around(human: Figure):
    keys = [Key(0.0, preset("stand")), Key(1.0, preset("legs crossed"))]
    blend = animate(human, keys, fps=30.0, pins=(), floor=False)
    assert blend.certificate.certified
    assert certify(human_table(human), blend.motion.q, 30.0).certified


def human_table(human: Figure):
    from writhe.collision import CollisionTable

    return CollisionTable.of_figure(human)


def test_a_foot_is_released_and_planted_again_without_a_jump(human: Figure):
    stand = preset("stand")
    ahead = stand.copy()
    ahead[2] += 0.25  # the whole body, a quarter of a metre forward
    left, right = (pin_here(human.skeleton, stand, j, orientation=True) for j in ANKLES)
    landed = pin_here(human.skeleton, ahead, "left_ankle", orientation=True)
    pins = [
        TimedPin(left, 0.0, 0.3),
        TimedPin(landed, 0.8, 1.0),
        TimedPin(right, 0.0, 1.0),
    ]
    found = animate(human, [Key(0.0, stand), Key(1.0, ahead)], fps=60.0, pins=pins)
    path = found.motion.frames().position("left_ankle")
    assert np.linalg.norm(path[:18] - path[0], axis=1).max() < 1e-3
    assert np.linalg.norm(path[48:] - path[-1], axis=1).max() < 1e-3
    assert drift_m(found.motion, "right_ankle") < 1e-3
    speed = np.linalg.norm(np.diff(path, axis=0), axis=1) * 60.0
    assert speed.max() < 2.0
    assert foot_heights(human, "left_ankle", found.motion.q).min() > (
        foot_heights(human, "left_ankle", stand[None])[0] - 1e-3
    )


def test_a_hand_held_on_a_knee_follows_it(human: Figure):
    start, goal = preset("squat hands on knees"), preset("half squat")
    hold = hold_here(human.skeleton, start, "left_wrist", "left_knee")
    keys = [Key(0.0, start), Key(0.6, goal)]
    found = animate(human, keys, fps=30.0, pins=[TimedPin(hold, 0.0, 0.3)])
    frames = found.motion.frames()
    apart = frames.position("left_wrist") - frames.position("left_knee")
    local = np.einsum("fji,fj->fi", frames.rotation("left_knee"), apart)
    assert np.linalg.norm(local[:10] - local[0], axis=1).max() < 1e-3


def test_pins_that_cannot_all_be_kept_are_named_with_place_and_amount(human: Figure):
    stand = preset("stand")
    wrist = forward(human.skeleton, stand).position("left_wrist")
    far = Pin("left_wrist", tuple(wrist + np.array([0.0, 2.0, 0.0])))
    keys = [Key(0.0, stand), Key(1.0, stand)]
    found = animate(human, keys, fps=10.0, pins=[*ANKLES, TimedPin(far, 0.4, 0.6)])
    assert found.status is AnimationStatus.CONFLICT
    conflict = max(found.conflicts, key=lambda c: c.amount)
    assert conflict.kind is ConflictKind.PIN
    assert "left wrist" in conflict.what
    assert conflict.amount > 0.5
    assert conflict.start_s >= 0.3
    assert conflict.end_s <= 0.7
    assert any("ankle" in other for other in conflict.against)


def test_motion_that_keys_make_too_fast_is_reported(human: Figure):
    keys = [Key(0.0, preset("stand")), Key(0.05, preset("squat"))]
    found = animate(human, keys, fps=120.0, pins=())
    assert any(conflict.kind is ConflictKind.SPEED for conflict in found.conflicts)


def test_feet_that_keys_share_are_found_and_stepping_feet_are_not(human: Figure):
    stand = preset("stand")
    stepped = stand.copy()
    stepped[2] += 0.6
    keys = [Key(0.0, stand), Key(1.0, preset("arms folded")), Key(2.0, stepped)]
    pins = detect_contacts(human, keys)
    assert {(pin.joint, pin.start_s, pin.end_s) for pin in pins} == {
        ("left_ankle", 0.0, 1.0),
        ("right_ankle", 0.0, 1.0),
    }


def test_standing_feet_are_found_in_a_clip(human: Figure):
    still = np.tile(preset("stand"), (30, 1))
    moving = still.copy()
    moving[:, 2] = np.linspace(0.0, 1.5, 30)
    rows = np.concatenate([still, moving])
    pins = detect_contacts(human, Motion(human.skeleton, rows, 30.0))
    assert {pin.joint for pin in pins} == set(ANKLES)
    assert all(pin.end_s < 1.1 for pin in pins)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ([], "at least one key"),
        ([(1.0, "stand"), (0.5, "stand")], "must increase"),
    ],
)
def test_bad_keys_are_refused(human: Figure, keys: list[tuple[float, str]], message: str):
    with pytest.raises(WritheError, match=message):
        animate(human, [Key(t, preset(name)) for t, name in keys], fps=30.0)


def test_a_pin_of_an_unknown_joint_lists_the_joints(human: Figure):
    with pytest.raises(WritheError, match="left_ankel"):
        animate(human, [Key(0.0, preset("stand"))], fps=30.0, pins=["left_ankel"])

"""Controls of the default poser: staying, balance, idle limbs, holds, softness, orientation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from writhe.errors import WritheError
from writhe.kernels.posing.nearest_in_polygon import nearest_in_polygon
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.skeleton import Capsule, forward
from writhe.skeleton.figures import figure
from writhe.skeleton.limbs import ANKLES
from writhe.solvers.posing import Controls, Target, hold_here, make_poser, pin_here, step_until_rest
from writhe.solvers.posing.controls import idle_dofs
from writhe.solvers.posing.support_polygon import support_polygon
from writhe.solvers.result import Status

HUMAN = figure("human")
SKELETON = HUMAN.skeleton


def drag(poser, joint, goal, frames=40, pause=25, extra_pins=(), **target):
    body = poser.figure.skeleton
    q = standing(HUMAN) if poser.figure is HUMAN else body.rest_configuration
    pins = [pin_here(body, q, name) for name in ANKLES if name in body]
    pins += extra_pins
    start = forward(body, q).position(joint)
    for t in np.minimum(np.arange(1, frames + pause) / frames, 1.0):
        x, y, z = (float(c) for c in start + t * (np.asarray(goal) - start))
        result = poser.step(q, [Target(joint, (x, y, z), **target)], pins)
        q = result.q
    return result


def position_of(q, joint):
    return forward(SKELETON, q).position(joint)


def centre_of_mass(q):
    frames = forward(SKELETON, q)
    carried = np.einsum("nij,nj->ni", frames.rotations, SKELETON.centre_of_mass)
    mass = SKELETON.mass[:, None]
    return (mass * (frames.positions + carried)).sum(axis=0) / mass.sum()


def test_a_root_that_stays_does_not_sidestep():
    goal = [0.4, 1.1, 0.0]  # through the body
    start = position_of(standing(HUMAN), "hips")
    moved = {}
    for stay in (0.0, 0.5):
        poser = make_poser("default", HUMAN, controls=Controls(stay=stay))
        apart = position_of(drag(poser, "right_wrist", goal).q, "hips") - start
        moved[stay] = float(np.hypot(apart[0], apart[2]))
    assert moved[0.0] > 0.05
    assert moved[0.5] < 0.01


def test_balance_keeps_the_centre_of_mass_over_the_feet():
    goal = [0.3, 1.0, 0.85]
    frames = forward(SKELETON, standing(HUMAN))
    feet = support_polygon(HUMAN, frames)

    def outside(q):
        x, _, z = centre_of_mass(q)
        return float(np.hypot(*(np.array(nearest_in_polygon(feet, x, z)) - [x, z])))

    free = drag(make_poser("default", HUMAN), "left_wrist", goal)
    held = drag(make_poser("default", HUMAN, controls=Controls(balance=1.0)), "left_wrist", goal)
    assert outside(free.q) > 0.03
    assert outside(held.q) < 0.01
    assert held.off_balance_m == pytest.approx(outside(held.q), abs=1e-6)


@pytest.mark.parametrize("goal", [(1.6, 1.0, 0.2), (0.2, 1.0, 1.6)])
def test_a_standing_body_is_not_pulled_over_by_a_target_out_of_reach(goal):
    feet = support_polygon(HUMAN, forward(SKELETON, standing(HUMAN)))
    poser = make_poser("default", HUMAN, controls=Controls.standing())
    result = drag(poser, "left_wrist", goal, pause=40)
    pins = [pin_here(SKELETON, standing(HUMAN), name) for name in ANKLES]
    for _ in range(40):  # nor does it sway
        result = poser.step(result.q, [Target("left_wrist", goal)], pins)
        x, _, z = centre_of_mass(result.q)
        assert np.hypot(*(np.array(nearest_in_polygon(feet, x, z)) - [x, z])) < 0.01


def test_idle_limbs_keep_their_posture():
    """The database moves an idle arm; with idle = 1 it does not."""
    from writhe.postures.builtin import builtin_database

    database = builtin_database()
    goal, arm = [0.5, 1.3, 0.4], SKELETON.q_slice("right_shoulder")
    start = standing(HUMAN)
    moved = {}
    for idle in (0.0, 1.0):
        poser = make_poser("default", HUMAN, database, controls=Controls(idle=idle))
        q = drag(poser, "left_wrist", goal).q
        moved[idle] = 2 * np.arccos(min(1.0, abs(float(q[arm] @ start[arm]))))
    assert moved[0.0] > 0.05
    assert moved[1.0] < 0.02


def test_which_limbs_are_idle():
    busy = idle_dofs(HUMAN, frozenset({"left_wrist", "left_ankle", "right_ankle"}))
    assert busy[SKELETON.v_slice("right_elbow")].all()
    assert busy[SKELETON.v_slice("head")].all()
    for joint in ("left_elbow", "left_knee", "right_knee", "chest", "hips"):
        assert not busy[SKELETON.v_slice(joint)].any()


def test_pinned_ankles_stay_under_a_deep_drag_of_the_hips():
    poser = make_poser("default", HUMAN)
    q = standing(HUMAN)
    pins = [pin_here(SKELETON, q, foot) for foot in ANKLES]
    hips = position_of(q, "hips")
    worst = 0.0
    for t in np.minimum(np.arange(1, 35) / 15, 1.0):
        x, y, z = (float(c) for c in hips - [0.0, 0.5 * t, 0.0])
        result = poser.step(q, [Target("hips", (x, y, z))], pins)
        q = result.q
        worst = max(worst, *result.pin_error_m.values())
    assert result.reached
    assert worst < 0.002


def test_a_hand_resting_on_a_thigh_follows_it():
    contacts = {("left_wrist", "left_hip"): 0.008}
    poser = make_poser("default", HUMAN, contacts=contacts)
    rules = {frozenset((r.a, r.b)): r.allowance_m for r in poser.table.rules}
    assert rules[frozenset(("left_wrist", "left_hip"))] == 0.008
    q = standing(HUMAN)
    hold = hold_here(SKELETON, q, "left_wrist", "left_hip")
    knee = position_of(q, "left_knee")
    pins = [pin_here(SKELETON, q, "right_ankle"), hold]
    for t in np.minimum(np.arange(1, 50) / 30, 1.0):
        x, y, z = (float(c) for c in knee + t * np.array([0.0, 0.25, 0.3]))
        result = poser.step(q, [Target("left_knee", (x, y, z))], pins)
        q = result.q
    frames = forward(SKELETON, q)
    relative = frames.rotation("left_hip").T @ (
        frames.position("left_wrist") - frames.position("left_hip")
    )
    assert np.linalg.norm(relative - hold.position_in_other) < 0.005
    assert result.pin_error_m["left_wrist"] < 0.005


def test_the_softer_of_two_contradicting_targets_has_the_larger_error():
    poser = make_poser("default", HUMAN)
    q = standing(HUMAN)
    pins = [pin_here(SKELETON, q, name) for name in (*ANKLES, "chest")]
    up = Target("left_elbow", (0.5, 1.6, 0.1))
    for softness, softer in ((0.8, "left_wrist"), (0.0, None)):
        here = q
        low = Target("left_wrist", (0.3, 0.7, 0.2), softness=softness)
        for _ in range(80):
            result = poser.step(here, [up, low], pins)
            here = result.q
        errors = result.target_error_m
        if softer:
            assert errors["left_wrist"] > 5 * errors["left_elbow"]
        else:
            assert errors["left_elbow"] > 0.02  # equally firm: both have an error


def test_an_orientation_is_reached_and_followed_when_it_changes():
    poser = make_poser("default", HUMAN)
    q = standing(HUMAN)
    pins = [pin_here(SKELETON, q, foot) for foot in ANKLES]
    x, y, z = (float(c) for c in position_of(q, "head"))
    for angle in (0.3, -0.3):
        target = Target(
            "head", (x, y, z), orientation_in_world=(np.cos(angle / 2), 0, np.sin(angle / 2), 0)
        )
        for _ in range(40):
            result = poser.step(q, [target], pins)
            q = result.q
        assert result.turn_error_rad["head"] < 0.02
        rotation = forward(SKELETON, q).rotation("head")
        assert np.arctan2(rotation[0, 2], rotation[0, 0]) == pytest.approx(angle, abs=0.03)


def test_a_result_says_what_was_reached_and_what_was_not():
    result = drag(make_poser("default", HUMAN), "left_wrist", [1.6, 1.1, 0.8])
    assert result.status in (Status.SETTLED, Status.APPROACHING, Status.REGULARISED)
    assert any(
        "left_wrist is" in line and "cm from its target" in line for line in result.explain()
    )
    near = drag(make_poser("default", HUMAN), "left_wrist", [0.35, 1.1, 0.45])
    assert near.explain() == ("left_wrist reached its target",)


def test_a_body_at_rest_does_not_creep():
    from writhe.postures.builtin import builtin_database

    poser = make_poser("default", HUMAN, builtin_database())
    q = standing(HUMAN)
    pins = [pin_here(SKELETON, q, foot) for foot in ANKLES]
    x, y, z = (float(c) for c in position_of(q, "left_wrist"))
    rows = []
    for _ in range(120):
        q = poser.step(q, [Target("left_wrist", (x, y, z))], pins).q
        rows.append(q)
    late = forward(SKELETON, np.array(rows[60:])).positions
    assert np.linalg.norm(late[-1] - late[0], axis=1).max() < 1e-3


@pytest.mark.parametrize(("name", "joint"), [("hand", "index_3"), ("octopus", "leg1_10")])
def test_figures_without_data_fold_a_straight_limb(name, joint):
    """Pulled along its axis, a straight limb is singular to first order: it must bend anyway."""
    body = figure(name)
    q = body.skeleton.rest_configuration
    frames = forward(body.skeleton, q)
    root, first = body.skeleton.names[0], joint.rsplit("_", 1)[0] + "_1"
    pin = pin_here(body.skeleton, q, root, orientation=True)
    base, tip = frames.position(first), frames.position(joint)
    result = drag(make_poser("default", body), joint, base + 0.85 * (tip - base), extra_pins=[pin])
    size = float(np.ptp(body.skeleton.rest_positions, axis=0).max())
    assert result.target_error_m[joint] < 0.006 * size


def test_misuse_raises():
    with pytest.raises(WritheError, match="firm"):
        Controls(stay=2.0)
    with pytest.raises(WritheError, match="softness"):
        Target("head", (0, 0, 0), softness=-1.0)
    with pytest.raises(WritheError, match="feet"):
        make_poser("default", figure("hand"), controls=Controls(balance=0.5))
    with pytest.raises(WritheError, match="controls"):
        make_poser("plain", HUMAN, controls=Controls())


def test_polygons_and_their_nearest_points():
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    assert nearest_in_polygon(square, 0.3, 0.4) == (0.3, 0.4)
    assert nearest_in_polygon(square, 0.5, 2.0) == pytest.approx((0.5, 1.0))
    assert nearest_in_polygon(square, -1.0, -1.0) == pytest.approx((0.0, 0.0))
    frames = forward(SKELETON, standing(HUMAN))
    both = support_polygon(HUMAN, frames)
    one = support_polygon(HUMAN, frames, lifted=frozenset({"left_ankle"}))
    assert np.ptp(both[:, 0]) > 2 * np.ptp(one[:, 0])


def test_a_foot_without_a_toe_joint_supports_where_its_shapes_touch_the_ground():
    frames = forward(SKELETON, standing(HUMAN))
    roles = tuple((role, joint) for role, joint in HUMAN.roles if not role.endswith("_toe"))
    ankle = frames.position("left_ankle")
    floor = min(frames.position(f"{side}_toe")[1] for side in ("left", "right")) + 0.01
    sole = [[0.0, floor - ankle[1], -0.08], [0.0, floor - ankle[1], 0.3]]  # a clown's shoe
    shoes: list[Capsule] = []
    for ankle_joint in ANKLES:
        heel, tip = (frames.rotation(ankle_joint).T @ np.array(end) for end in sole)
        shoes.append(Capsule(ankle_joint, heel, tip, 0.02))
    clown = replace(HUMAN, roles=roles, capsules=tuple(shoes))
    polygon = support_polygon(clown, frames)
    middle = ankle[2] + 0.11
    assert polygon[:, 1].max() == pytest.approx(middle + 0.8 * 0.21, abs=0.01)
    assert polygon[:, 1].min() == pytest.approx(middle - 0.8 * 0.21, abs=0.01)


def test_the_controls_of_a_drag_depend_on_what_is_dragged():
    arm = Controls.for_drag(HUMAN, ["left_wrist"])
    trunk = Controls.for_drag(HUMAN, ["left_wrist", "chest"])
    pelvis = Controls.for_drag(HUMAN, ["hips"])
    assert arm.idle > 0.5 and trunk.idle == 0.0  # the other arm hangs while an arm is dragged
    assert arm.balance > 0.0 and trunk.balance > 0.0
    assert pelvis.balance == 0.0  # a dragged pelvis moves the weight on purpose
    assert Controls.for_drag(HUMAN, ["left_wrist"], balance=False).balance == 0.0
    assert Controls.for_drag(HUMAN, gaze=False).gaze == 0.0
    assert Controls.for_drag(figure("octopus")).balance == 0.0


def test_steps_end_at_rest():
    poser, q = make_poser("default", HUMAN), standing(HUMAN)
    pins = [pin_here(SKELETON, q, name) for name in ANKLES]
    x, y, z = (float(c) for c in position_of(q, "left_wrist"))
    targets, passed = [Target("left_wrist", (x, y + 0.1, z))], []
    result, at_rest = step_until_rest(
        poser, q, targets, pins, 200, after_step=lambda before, step: passed.append(before)
    )
    assert at_rest and result.reached and len(passed) < 200
    again = poser.step(result.q, targets, pins)
    assert np.abs(again.q - result.q).max() < 1e-3
    assert not step_until_rest(poser, q, targets, pins, 1)[1]

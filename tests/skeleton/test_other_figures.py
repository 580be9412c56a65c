"""Hand, octopus, the figures' page, and capsules fitted to skeletons without a body."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from writhe import figure_of, load
from writhe.collision import CollisionTable, NearPairs
from writhe.errors import UnknownNameError, WritheError
from writhe.skeleton import Figure, Joint, JointKind, Skeleton, Tip, forward
from writhe.skeleton.figures import figure
from writhe.skeleton.figures.figures_page import figures_page
from writhe.skeleton.limits import limit_excess, random_configurations
from writhe.skeleton.shape_fitting.fit_to_bones import bones_between, fit_to_bones, segment_distance
from writhe.skeleton.shape_fitting.guess_parts import RestGeometry
from writhe.skeleton.shape_fitting.skin_coverage import skin_coverage


def test_the_hand_has_sixteen_joints_and_five_strands():
    hand = figure("hand")
    assert len(hand.skeleton) == 16
    assert hand.skeleton.dof_count == 6 + 5 * 5
    assert [name for name, _ in hand.strands] == ["thumb", "index", "middle", "ring", "little"]


def test_fingers_bend_towards_the_palm():
    skeleton = figure("hand").skeleton
    q = skeleton.rest_configuration.copy()
    straight = forward(skeleton, q)
    for finger in ("thumb", "index", "middle", "ring", "little"):
        q[skeleton.q_slice(f"{finger}_2")] = np.radians(50)
    bent = forward(skeleton, q)
    for finger in ("index", "middle", "ring", "little"):
        assert bent.tip(f"{finger}_tip")[1] < straight.tip(f"{finger}_tip")[1] - 0.02
    assert bent.tip("thumb_tip")[0] < straight.tip("thumb_tip")[0] - 0.01


def test_the_octopus_has_eight_legs_of_twelve_segments():
    octopus = figure("octopus")
    assert len(octopus.skeleton) == 1 + 8 * 12
    assert len(octopus.strands) == 8
    assert all(len(points) == 13 for _, points in octopus.strands)


@pytest.mark.parametrize("name, mean_m, p99_m", [("hand", 0.002, 0.006), ("octopus", 0.005, 0.015)])
def test_capsules_follow_the_skin(name, mean_m, p99_m, rng):
    body = figure(name)
    q = random_configurations(body.skeleton, 40, rng)
    assert all(limit_excess(body.skeleton, row) == {} for row in q)
    cover = skin_coverage(body, q)
    assert cover.worst_outside_m < 0.0005
    assert cover.mean_gap_m < mean_m
    assert cover.gap_99_m < p99_m


def test_unknown_profiles_raise():
    for name in ("hand", "octopus"):
        with pytest.raises(UnknownNameError, match="everyday"):
            figure(name, "athletic")


def test_the_figures_page_is_up_to_date():
    page = Path(__file__).resolve().parents[2] / "docs" / "figures.md"
    assert page.read_text() == figures_page(), "run tools/write_figures_page.py"


# --- fitting


def cmu_like() -> Skeleton:
    """A body as mocap files bring it: zero-length helpers, missing hands, splayed legs."""
    rows = [
        ("Root", None, (0, 0.95, 0)),
        ("HelperL", "Root", (0, 0, 0)),
        ("HelperR", "Root", (0, 0, 0)),
        ("Low", "Root", (0, 0, 0)),
        ("Mid", "Low", (0.0, 0.12, -0.01)),
        ("High", "Mid", (0.0, 0.12, 0.0)),
        ("NeckBase", "High", (0, 0, 0)),
        ("NeckTop", "NeckBase", (0, 0.10, 0.01)),
        ("Skull", "NeckTop", (0, 0.09, 0.01)),
    ]
    tips = [("Skull", (0, 0.10, 0))]
    for side, s in (("L", 1), ("R", -1)):
        rows += [
            (f"Thigh{side}", f"Helper{side}", (0.08 * s, -0.08, 0.03)),
            (f"ThighTwist{side}", f"Thigh{side}", (0.07 * s, -0.19, 0)),
            (f"Shin{side}", f"Thigh{side}", (0.14 * s, -0.38, 0)),
            (f"Foot{side}", f"Shin{side}", (0.13 * s, -0.36, 0)),
            (f"Toe{side}", f"Foot{side}", (0.02 * s, -0.05, 0.12)),
            (f"Girdle{side}", "High", (0, 0, 0)),
            (f"Upper{side}", f"Girdle{side}", (0.19 * s, 0.09, 0)),
            (f"Fore{side}", f"Upper{side}", (0.27 * s, 0, 0)),
            (f"Hand{side}", f"Fore{side}", (0.20 * s, 0, 0)),
            (f"Knuckle{side}", f"Hand{side}", (0, 0, 0)),
        ]
        tips += [(f"Toe{side}", (0, 0, 0.06)), (f"Knuckle{side}", (0.04 * s, 0, 0))]
    joints = [
        Joint(n, p, JointKind.FREE if p is None else JointKind.BALL, np.array(o, float))
        for n, p, o in rows
    ]
    return Skeleton(joints, [Tip(f"{j}_end", j, np.array(o, float)) for j, o in tips])


def worst_overlap(skeleton, capsules) -> float:
    shape = RestGeometry(skeleton)
    frames = forward(skeleton, skeleton.rest_configuration)
    ends = [
        (frames.point(c.joint, c.start_in_joint), frames.point(c.joint, c.end_in_joint))
        for c in capsules
    ]
    index = [skeleton.index(c.joint) for c in capsules]
    return max(
        capsules[a].radius_m + capsules[b].radius_m - segment_distance(*ends[a], *ends[b])
        for a in range(len(capsules))
        for b in range(a)
        if bones_between(shape, index[a], index[b]) > 2
    )


def test_fitted_bodies_are_plausible_without_names():
    skeleton = cmu_like()
    capsules = fit_to_bones(skeleton)
    radius = {}
    for c in capsules:
        radius[c.joint] = max(radius.get(c.joint, 0.0), c.radius_m)
    stature = 1.6
    assert 0.03 * stature < radius["ThighL"] < 0.06 * stature
    assert radius["ShinL"] < radius["ThighL"]
    assert radius["ForeL"] < radius["UpperL"] < radius["ThighL"]
    assert radius["Skull"] > 0.04 * stature
    assert radius["Mid"] > 0.04 * stature
    assert not any("Twist" in c.joint for c in capsules)
    assert worst_overlap(skeleton, capsules) <= 0.003
    # hands reach on past the wrist although their bones are lost
    frames = forward(skeleton, skeleton.rest_configuration)
    hand = [c for c in capsules if c.joint == "HandL"]
    reach = max(float(frames.point(c.joint, c.end_in_joint)[0]) + c.radius_m for c in hand) - float(
        frames.position("HandL")[0]
    )
    assert 0.07 * stature < reach < 0.13 * stature


def person(arms, fingers=0, clavicle_at=(0.03, 0.14, 0.0), neck_m=0.20) -> Skeleton:
    """A T-pose as animation programs and body models write it."""
    rows = [
        ("Hips", None, (0, 1.0, 0)),
        ("Spine", "Hips", (0, 0.10, 0)),
        ("Spine1", "Spine", (0, 0.12, 0)),
        ("Spine2", "Spine1", (0, 0.13, 0)),
        ("Neck", "Spine2", (0, neck_m, 0)),
        ("Head", "Neck", (0, 0.10, 0.02)),
    ]
    tips: list[tuple[str, tuple[float, float, float]]] = [("Head", (0, 0.18, 0))]
    for side, s in (("Left", 1), ("Right", -1)):
        mirror = np.array([s, 1, 1])
        upper, fore = arms
        rows += [
            (f"{side}UpLeg", "Hips", (0.09 * s, -0.06, 0)),
            (f"{side}Leg", f"{side}UpLeg", (0, -0.42, 0)),
            (f"{side}Foot", f"{side}Leg", (0, -0.42, 0)),
            (f"{side}ToeBase", f"{side}Foot", (0, -0.08, 0.13)),
            (f"{side}Shoulder", "Spine2", tuple(mirror * clavicle_at)),
            (f"{side}Arm", f"{side}Shoulder", (0.13 * s, 0, 0)),
            (f"{side}ForeArm", f"{side}Arm", (upper * s, 0, 0)),
            (f"{side}Hand", f"{side}ForeArm", (fore * s, 0, 0)),
        ]
        for f in range(fingers):
            base = (0.09 * s, 0, 0.03 - 0.02 * f) if f else (0.03 * s, -0.01, 0.04)
            rows.append((f"{side}Finger{f}1", f"{side}Hand", base))
            rows.append((f"{side}Finger{f}2", f"{side}Finger{f}1", (0.04 * s, 0, 0)))
            tips.append((f"{side}Finger{f}2", (0.03 * s, 0, 0)))
        tips.append((f"{side}ToeBase", (0, 0, 0.06)))
    joints = [
        Joint(n, p, JointKind.FREE if p is None else JointKind.BALL, np.array(o, float))
        for n, p, o in rows
    ]
    return Skeleton(joints, [Tip(f"{j}_end", j, np.array(o, float)) for j, o in tips])


BODIES = {
    "helpers and lost bones": cmu_like(),
    "with fingers": person((0.27, 0.27), fingers=5),
    "without fingers": person((0.33, 0.25), clavicle_at=(0.035, 0.19, -0.01), neck_m=0.22),
    "high collar": person((0.26, 0.25), clavicle_at=(0.07, 0.11, -0.02), neck_m=0.21),
}


@pytest.mark.parametrize("name", BODIES)
def test_fitted_neighbours_do_not_overlap_more_than_can_be_allowed(name):
    skeleton = BODIES[name]
    table = CollisionTable.of_figure(Figure("body", skeleton, fit_to_bones(skeleton)))
    assert [rule for rule in table.rules if rule.capped] == []
    near = NearPairs(table)
    frames = forward(skeleton, skeleton.rest_configuration)
    near.find(frames.positions, frames.rotations, 0.0)
    assert (near.clearance >= 0).all()


def test_a_fitted_hand_is_one_part_with_its_fingers():
    capsules = fit_to_bones(BODIES["with fingers"])
    fingers = [c for c in capsules if c.joint.startswith("LeftFinger")]
    assert fingers
    assert {c.part_name for c in fingers} == {"LeftHand"}


def test_captured_bodies_start_clear_and_show_real_penetration(mocap):
    motion = load(mocap / "tangled" / "111_39.bvh")
    table = CollisionTable.of_figure(figure_of(motion))
    assert [rule for rule in table.rules if rule.capped] == []
    near = NearPairs(table)
    frames = forward(motion.skeleton, motion.skeleton.rest_configuration)
    count = near.find(frames.positions, frames.rotations, 0.0)
    assert (near.clearance >= 0).all()
    # a marker swap puts the left leg through the torso
    frames = forward(motion.skeleton, motion.q[375])
    count = near.find(frames.positions, frames.rotations, 0.0)
    deep = -near.rows.gap[:count] > table.pairs.deep[near.rows.shape_pair[:count]]
    pairs = {
        frozenset((table.part_of_shape(a), table.part_of_shape(b)))
        for a, b in near.rows.shapes[:count][deep]
    }
    assert frozenset(("LeftUpLeg", "Spine")) in pairs
    assert all(pair & {"LeftUpLeg", "LeftLeg"} for pair in pairs)


def test_fitted_trunks_are_wide():
    skeleton = cmu_like()
    trunk = [c for c in fit_to_bones(skeleton) if c.joint in ("Root", "Low", "Mid")]
    assert trunk
    for c in trunk:
        across = c.end_in_joint - c.start_in_joint
        assert abs(across[0]) > 2 * np.hypot(across[1], across[2])


def test_roles_decide_where_given():
    skeleton = cmu_like()
    capsules = fit_to_bones(skeleton, roles={"left_elbow": "ThighL"})
    thin = next(c.radius_m for c in capsules if c.joint == "ThighL")
    usual = next(c.radius_m for c in fit_to_bones(skeleton) if c.joint == "ThighL")
    assert thin < 0.7 * usual


def test_a_chain_gets_a_capsule_per_bone():
    joints = [Joint("j0", None, JointKind.FREE)]
    joints += [
        Joint(f"j{i}", f"j{i - 1}", JointKind.BALL, np.array([0.1, 0, 0])) for i in range(1, 6)
    ]
    capsules = fit_to_bones(Skeleton(joints, [Tip("end", "j5", np.array([0.1, 0, 0]))]))
    assert [c.joint for c in capsules] == [f"j{i}" for i in range(6)]
    assert all(c.radius_m < 0.03 for c in capsules)


def test_a_skeleton_without_extent_raises():
    with pytest.raises(WritheError, match="no extent"):
        fit_to_bones(Skeleton([Joint("only", None, JointKind.FREE)]))

"""The human's body: masses, limits, skin, capsules."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from authored_poses import POSES, Pose, configuration
from meshes import crossing_triangles, girth, handles, is_closed_manifold, volume
from scipy.spatial.transform import Rotation

from writhe.collision import CollisionTable, NearPairs
from writhe.errors import UnknownNameError
from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.skeleton.figures.human_limits import PROFILES
from writhe.skeleton.kinematics import centre_of_mass
from writhe.skeleton.limits import limit_excess, random_configurations
from writhe.skeleton.shape_fitting.skin_coverage import skin_coverage


@pytest.fixture(scope="module")
def human():
    return figure("human")


def test_masses_sum_to_the_body_and_balance_over_the_feet(human):
    assert np.isclose(human.skeleton.mass.sum(), 73.0)
    standing = configuration(human.skeleton, POSES["standing, arms at the sides"])
    centre = centre_of_mass(forward(human.skeleton, standing))
    # Winter (2009): the standing centre of mass lies at 0.53-0.57 of stature
    assert 0.53 < centre[1] / 1.75 < 0.58
    assert abs(centre[0]) < 1e-3
    assert -0.05 < centre[2] < 0.10


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("pose", POSES)
def test_everyday_poses_are_within_all_limits(pose, profile):
    skeleton = figure("human", profile).skeleton
    assert limit_excess(skeleton, configuration(skeleton, POSES[pose])) == {}


def test_impossible_poses_violate_limits(human):
    skeleton = human.skeleton
    impossible: tuple[Pose, ...] = (
        {"knee": -20},
        {"elbow": 170},
        {"shoulder": [(0, 100, 0)]},  # straight behind the back
        {"head": [(0, 90, 0)]},
        {"left_hip": [(60, 0, 0)]},  # leg far backwards
    )
    for wrong in impossible:
        assert limit_excess(skeleton, configuration(skeleton, wrong)), wrong


def test_limits_are_mirror_images(human, rng):
    skeleton = human.skeleton
    q = random_configurations(skeleton, 50, rng)
    for row in q:
        assert limit_excess(skeleton, row) == {}
        mirrored = row.copy()
        for joint in skeleton.names:
            if not joint.startswith("left_"):
                continue
            left, right = skeleton.q_slice(joint), skeleton.q_slice("right_" + joint[5:])
            flip = [1, 1, -1, -1] if left.stop - left.start == 4 else [1]
            mirrored[right] = row[left] * flip
        assert limit_excess(skeleton, mirrored) == {}


def test_profiles_widen(rng):
    names = list(PROFILES)
    for narrow, wide in pairwise(names):
        q = random_configurations(figure("human", narrow).skeleton, 30, rng)
        wider = figure("human", wide).skeleton
        assert all(limit_excess(wider, row) == {} for row in q)
    with pytest.raises(UnknownNameError, match="everyday, athletic, contortionist"):
        figure("human", "acrobat")


@pytest.mark.parametrize("name", ["human", "hand", "octopus"])
def test_skins_are_closed_smooth_surfaces(name):
    skin = figure(name).skin
    assert skin is not None
    vertices, triangles = skin.vertices, skin.triangles
    assert 4000 < len(triangles) < 14000
    assert is_closed_manifold(triangles)
    assert handles(vertices, triangles) == 0
    assert volume(vertices, triangles) > 0
    assert crossing_triangles(vertices, triangles) == 0
    assert np.allclose(skin.weights.sum(axis=1), 1.0)
    assert (skin.weights >= 0).all()


def test_volume_is_that_of_a_person(human):
    # 73 kg at the mean density of the body, 0.98-1.08 kg/l (Durnin & Womersley 1974)
    litres = 1000 * volume(human.skin.vertices, human.skin.triangles)
    assert 73 / 1.08 < litres < 73 / 0.98


# Ranges in metres: about the 2nd percentile of women to the 98th of men in ANSUR II
GIRTHS = {
    # name: axis, where, which part of the cut, least, most
    "head": (1, 1.665, lambda p: p[:, 1] > 1.5, 0.52, 0.61),
    "neck": (1, 1.515, lambda p: abs(p[:, 0]) < 0.24, 0.29, 0.45),
    "chest": (1, 1.30, lambda p: abs(p[:, 0]) < 0.24, 0.80, 1.24),
    "waist": (1, 1.09, lambda p: abs(p[:, 0]) < 0.24, 0.68, 1.17),
    "hip": (1, 0.915, lambda p: abs(p[:, 0]) < 0.24, 0.86, 1.18),
    "thigh": (1, 0.785, lambda p: p[:, 0] > 0, 0.50, 0.74),
    "calf": (1, 0.36, lambda p: p[:, 0] > 0, 0.31, 0.46),
    "ankle": (1, 0.125, lambda p: p[:, 0] > 0, 0.19, 0.26),
    "upper arm": (0, 0.335, lambda p: p[:, 1] > 1.2, 0.25, 0.42),
    "forearm": (0, 0.525, lambda p: p[:, 1] > 1.2, 0.22, 0.35),
    "wrist": (0, 0.715, lambda p: p[:, 1] > 1.2, 0.14, 0.195),
}


@pytest.mark.parametrize("name", GIRTHS)
def test_girths_are_within_published_ranges(human, name):
    axis, at, keep, minimum, maximum = GIRTHS[name]
    assert minimum < girth(human.skin.vertices, human.skin.triangles, axis, at, keep) < maximum


def test_capsules_follow_the_skin_in_any_pose(human, rng):
    cover = skin_coverage(human, random_configurations(human.skeleton, 200, rng))
    assert cover.worst_outside_m == 0.0
    assert cover.mean_gap_m <= 0.005
    assert cover.gap_99_m <= 0.015
    assert cover.zone_area_share < 0.4
    assert len(human.capsules) <= 45  # two of them at the armpits


def test_skin_in_joint_zones_stays_near_the_capsules(human):
    vertices, rest = human.skin.vertices, human.skeleton.rest_positions
    outside = np.full(len(vertices), np.inf)
    for capsule in human.capsules:
        at = rest[human.skeleton.index(capsule.joint)]
        along = capsule.end_in_joint - capsule.start_in_joint
        away = vertices - at - capsule.start_in_joint
        t = np.clip(away @ along / max(along @ along, 1e-12), 0, 1)
        distance = np.linalg.norm(away - t[:, None] * along, axis=1) - capsule.radius_m
        outside = np.minimum(outside, distance)
    assert outside.max() < 0.016  # a muscle's thickness between two capsules


def clearances(table, q):
    """The least clearance (gap and allowance) of every near pair of parts."""
    near = NearPairs(table)
    frames = forward(table.skeleton, q)
    near.find(frames.positions, frames.rotations, 0.03)
    out = {}
    for (a, b), gap, allowance in zip(
        near.rows.shapes[: near.count],
        near.rows.gap[: near.count],
        near.rows.allowance[: near.count],
        strict=True,
    ):
        pair = table.part_of_shape(a), table.part_of_shape(b)
        out[pair] = min(out.get(pair, np.inf), float(gap + allowance))
    return out


def test_no_parts_overlap_at_rest(human):
    table = CollisionTable.of_figure(human)
    assert [rule for rule in table.rules if rule.capped or (rule.allowance_m or 0.0) > 0.0] == []
    assert min(clearances(table, human.skeleton.rest_configuration).values()) > 0.005


@pytest.mark.parametrize("pose", POSES)
def test_everyday_poses_are_free_of_penetration(human, pose):
    table = CollisionTable.of_figure(human)
    found = clearances(table, configuration(human.skeleton, POSES[pose]))
    assert {pair: metres for pair, metres in found.items() if metres < 0} == {}


def test_arms_hang_as_close_as_twelve_degrees(human):
    table = CollisionTable.of_figure(human)
    for degrees in (12, 15, 20, 30):
        q = configuration(human.skeleton, {"shoulder": [(0, 0, degrees - 90)]})
        assert min(clearances(table, q).values()) > 0


def test_joint_zones_are_near_joints(human):
    skin, skeleton = human.skin, human.skeleton
    zone = skin.vertices[skin.in_joint_zone]
    away = np.linalg.norm(zone[:, None] - skeleton.rest_positions[None], axis=2).min(axis=1)
    assert away.max() < 0.19  # the flank beside a spine joint, half a torso from it
    assert np.percentile(away, 90) < 0.15


def test_skin_at_rest_is_the_skin(human):
    frames = forward(human.skeleton, human.skeleton.rest_configuration)
    deformed = human.skin.deform(human.skeleton, frames.positions, frames.rotations)
    np.testing.assert_allclose(deformed, human.skin.vertices, atol=1e-12)


def test_skin_moves_rigidly_with_the_root(human, rng):
    skeleton, skin = human.skeleton, human.skin
    q = random_configurations(skeleton, 1, rng, root_turns=False)[0]
    turn = Rotation.from_rotvec([0.3, 1.2, -0.5])
    moved = q.copy()
    moved[:3] += [0.5, -0.2, 1.0]
    moved[3:7] = np.roll(turn.as_quat(), 1)
    a, b = forward(skeleton, q), forward(skeleton, moved)
    before = skin.deform(skeleton, a.positions, a.rotations) - a.position("hips")
    after = skin.deform(skeleton, b.positions, b.rotations) - b.position("hips")
    np.testing.assert_allclose(after, turn.apply(before), atol=1e-9)


def test_batch_and_single_deform_agree(human, rng):
    skeleton, skin = human.skeleton, human.skin
    frames = forward(skeleton, random_configurations(skeleton, 3, rng))
    batch = skin.deform(skeleton, frames.positions, frames.rotations)
    for i in range(3):
        single = skin.deform(skeleton, frames.positions[i], frames.rotations[i])
        np.testing.assert_allclose(batch[i], single, atol=1e-12)


@pytest.mark.parametrize("joint, x", [("left_wrist", 0.62), ("left_shoulder", 0.30)])
def test_twisting_does_not_pinch_the_arm(human, joint, x):
    skeleton, skin = human.skeleton, human.skin
    q = skeleton.rest_configuration.copy()
    half = np.radians(40)
    q[skeleton.q_slice(joint)] = [np.cos(half), np.sin(half), 0, 0]
    frames = forward(skeleton, q)
    twisted = skin.deform(skeleton, frames.positions, frames.rotations)

    def arm(p):
        return p[:, 1] > 1.2

    before = girth(skin.vertices, skin.triangles, 0, x, arm)
    assert np.isclose(girth(twisted, skin.triangles, 0, x, arm), before, rtol=0.03)


def test_the_seat_of_a_sitting_human_is_smooth(human):
    skeleton, skin = human.skeleton, human.skin
    q = skeleton.rest_configuration.copy()
    for side in ("left", "right"):
        half = np.radians(85) / 2
        q[skeleton.q_slice(f"{side}_hip")] = [np.cos(half), -np.sin(half), 0.0, 0.0]
        q[skeleton.q_slice(f"{side}_knee")] = np.radians(85)
    frames = forward(skeleton, q)
    posed = skin.deform(skeleton, frames.positions, frames.rotations)
    edges = np.concatenate([skin.triangles[:, [0, 1]], skin.triangles[:, [1, 2]]])
    seat = (np.abs(skin.vertices[:, 0]) < 0.15) & (np.abs(skin.vertices[:, 1] - 0.82) < 0.15)
    inside = edges[seat[edges].all(axis=1)]
    before = np.linalg.norm(np.diff(skin.vertices[inside], axis=1)[:, 0], axis=1)
    after = np.linalg.norm(np.diff(posed[inside], axis=1)[:, 0], axis=1)
    assert (after - before).max() < 0.09  # a torn one stretches by 16 cm, as far as the thigh moves

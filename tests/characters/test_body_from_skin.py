"""A character from elsewhere gets shapes that follow its skin, masses and limits."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from generated_characters import SHARED
from writhe.collision import Certificate, certify
from writhe.errors import WritheError
from writhe.io.files import load_figure, save_figure
from writhe.io.shape_overrides import with_overrides
from writhe.research.evaluation.generated_characters import GeneratedCharacter
from writhe.research.evaluation.skin.depth import SkinDepth
from writhe.skeleton import Capsule, Figure, Joint, JointKind, Motion, Skeleton, Skin
from writhe.skeleton.limits import limit_excess
from writhe.skeleton.shape_fitting.fit_points import Tightness, depths
from writhe.skeleton.shape_fitting.fit_to_skin import fit_to_skin
from writhe.skeleton.shape_fitting.joint_skin import JointSkin
from writhe.skeleton.shape_fitting.rest_overlaps import without_rest_overlaps
from writhe.skeleton.shape_fitting.skin_coverage import skin_coverage, surface_coverage


def test_shapes_follow_the_skin(generated: GeneratedCharacter) -> None:
    body = generated.figure
    assert body.skin is not None
    size = float(np.ptp(body.skin.vertices, axis=0).max()) / 1.7
    cover = surface_coverage(body)
    assert cover.mean_gap_m < 0.008 * size
    assert cover.gap_99_m < 0.020 * size
    assert cover.worst_outside_m < 0.005 * size


def test_the_rest_pose_is_certified(generated: GeneratedCharacter) -> None:
    assert certify_rest(generated.figure).certified


@pytest.mark.parametrize(
    "name", ["Michelle.glb", "CesiumMan.glb", "meebit.vrm", "RiggedFigure.glb"]
)
def test_characters_from_elsewhere_are_covered_and_certified_at_rest(name: str) -> None:
    path = SHARED / name
    if not path.exists():
        pytest.skip("the characters from elsewhere are not beside this checkout")
    body = load_figure(path)
    found = certify_rest(body)
    assert found.certified, [(p.a, p.b) for p in found.worst_pairs if p.violates]
    assert body.skin is not None
    size = float(np.ptp(body.skin.vertices, axis=0).max()) / 1.7
    assert surface_coverage(body).worst_outside_m < 0.006 * size


def test_shapes_inside_each_other_are_kept_apart() -> None:
    """Two thighs in one trouser: each gives way on the inner side, the outer side stays."""
    joints = [
        Joint("hips", None, JointKind.FREE),
        Joint("left", "hips", JointKind.BALL, np.array([0.04, 0.0, 0.0])),
        Joint("right", "hips", JointKind.BALL, np.array([-0.04, 0.0, 0.0])),
    ]
    skeleton = Skeleton(joints)
    down = np.array([0.0, -0.4, 0.0])
    wide = [Capsule(name, np.zeros(3), down, 0.09) for name in ("left", "right")]
    hips = Capsule("hips", np.array([0.0, 0.1, 0.0]), np.array([0.0, 0.2, 0.0]), 0.05)
    before = Figure("trousers", skeleton, (hips, *wide))
    assert not certify_rest(before).certified
    left, right = without_rest_overlaps(skeleton, [hips, *wide], 1.0)[1:]
    assert certify_rest(Figure("trousers", skeleton, (hips, left, right))).certified
    for thigh, side in ((left, 1.0), (right, -1.0)):
        outer = side * thigh.start_in_joint[0] + thigh.radius_m
        assert outer == pytest.approx(0.09, abs=1e-6)


def test_added_shapes_give_way_to_those_that_are_kept() -> None:
    joints = [
        Joint("hips", None, JointKind.FREE),
        Joint("left", "hips", JointKind.BALL, np.array([0.04, 0.0, 0.0])),
        Joint("right", "hips", JointKind.BALL, np.array([-0.04, 0.0, 0.0])),
    ]
    down = np.array([0.0, -0.4, 0.0])
    kept, added = Capsule("left", np.zeros(3), down, 0.03), Capsule("right", np.zeros(3), down, 0.1)
    first, second = without_rest_overlaps(Skeleton(joints), [kept, added], 1.0, kept=1)
    assert first.radius_m == kept.radius_m
    np.testing.assert_array_equal(first.end_in_joint, down)
    assert second.radius_m < 0.1


def test_skin_that_shapes_leave_uncovered_gets_smaller_ones() -> None:
    """A thigh of 8 cm whose capsule had to be 6 cm thick, away from the inner side."""
    angle, height = (
        g.ravel() for g in np.meshgrid(np.arange(0, 6.28, 0.2), np.arange(0, 0.4, 0.02))
    )
    normals = np.column_stack([np.cos(angle), 0.0 * angle, np.sin(angle)])
    points = 0.08 * normals + np.column_stack([0 * height, height, 0 * height])
    order = np.random.default_rng(0).permutation(len(points))
    count = len(points)
    skin = JointSkin(
        0,
        points[order],
        normals[order],
        np.full(count, 1e-4),
        np.zeros(count, bool),
        np.empty((0, 3)),
    )
    thin = np.array([[0.02, 0.0, 0.0, 0.02, 0.4, 0.0, 0.06]])
    uncovered = -depths(points, thin).min()
    filled = np.concatenate([thin, skin.fill(thin, Tightness())])
    assert uncovered > 0.03
    assert depths(points, filled).min() > -0.005
    assert depths(points, filled).max() < 0.03


def certify_rest(body: Figure) -> Certificate:
    rest = body.skeleton.rest_configuration[None]
    return certify(body, Motion(body.skeleton, rest, 30.0))


def test_only_joints_of_the_body_carry_shapes(generated: GeneratedCharacter) -> None:
    carrying = {c.joint for c in generated.figure.capsules}
    assert carrying <= set(generated.roles.values())
    assert carrying >= {j for r, j in generated.roles.items() if not r.endswith("clavicle")}


def test_masses_come_from_volumes(generated: GeneratedCharacter) -> None:
    body = generated.figure
    assert body.skin is not None
    volume = (float(np.ptp(body.skin.vertices[:, 1])) / 1.75) ** 3
    # the capsules of neighbours overlap, so that the body is a little too heavy
    assert 60.0 * volume < body.skeleton.mass.sum() < 110.0 * volume


def test_limits_enclose_the_rest_pose_and_forbid_a_knee_bent_forwards(
    generated: GeneratedCharacter,
) -> None:
    skeleton = generated.figure.skeleton
    rest = skeleton.rest_configuration
    assert limit_excess(skeleton, rest) == {}
    for role, joint in generated.roles.items():
        assert role == "hips" or skeleton.joints[skeleton.index(joint)].limits is not None
    from writhe.skeleton import forward, quaternions
    from writhe.skeleton.quaternions import quaternion_of

    frames = forward(skeleton, rest)
    knee = generated.roles["left_knee"]
    for angle, allowed in (
        (1.2, True),
        (-1.2, False),
    ):  # about the body's left: the shank swings back
        turn = quaternions.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.array(angle))
        world = np.array(quaternion_of(frames.rotation(knee)))
        q = rest.copy()
        q[skeleton.q_slice(knee)] = quaternions.multiply(quaternions.conjugate(world), turn, world)
        assert (knee in limit_excess(skeleton, q)) is not allowed


def test_corrections_of_shapes(generated: GeneratedCharacter) -> None:
    body = generated.figure
    hand, head = generated.roles["left_wrist"], generated.roles["head"]
    changed = with_overrides(body, {"exclude": [head], "radius": {hand: 0.5}})
    assert head not in {c.joint for c in changed.capsules}
    before = [c.radius_m for c in body.capsules if c.joint == hand]
    assert [c.radius_m for c in changed.capsules if c.joint == hand] == [0.5 * r for r in before]
    with pytest.raises(WritheError, match="nose"):
        with_overrides(body, {"exclude": ["nose"]})
    with pytest.raises(WritheError, match="factor"):
        with_overrides(body, {"radius": {hand: -1.0}})


def test_a_file_with_a_full_stop_in_its_name(generated: GeneratedCharacter, tmp_path: Path) -> None:
    path, corrections = tmp_path / "hero.v2.glb", tmp_path / "shapes.json"
    save_figure(generated.figure, path)
    corrections.write_text(json.dumps({"exclude": [generated.roles["head"]]}))
    body = load_figure(path, shapes=corrections)
    assert generated.roles["head"] not in {c.joint for c in body.capsules}
    rest = body.skeleton.rest_configuration
    depth, _ = SkinDepth.of_figure(body).depths(rest)
    assert depth[0] < 0.05


def test_every_vertex_is_compared_with_a_shape(mixamo_character: Path) -> None:
    body = load_figure(mixamo_character)
    assert body.skeleton.joints[0].kind is JointKind.FIXED
    assert skin_coverage(body, body.skeleton.rest_configuration[None]).worst_outside_m < 0.1


def test_a_flank_that_follows_the_upper_arm_does_not_fill_the_armpit() -> None:
    """Coarse meshes with careless weights: the corner below the armpit follows the arm."""
    skeleton = Skeleton(
        [
            Joint("trunk", None, JointKind.FREE),
            Joint("arm", "trunk", JointKind.BALL, np.array([0.15, 0.95, 0.0])),
        ]
    )
    trunk, sides = tube((0.0, 0.0, 0.0), (0.0, 1.0, 0.0), 0.15)
    arm, _ = tube((0.15, 0.95, 0.0), (0.75, 0.95, 0.0), 0.05)
    follows_arm = np.zeros(len(trunk))
    follows_arm[(trunk[:, 1] > 0.5) & (trunk[:, 0] > 0.1)] = 0.7
    share = np.concatenate([follows_arm, np.ones(len(arm))])
    larger = (share > 0.5).astype(np.int64)
    first_two = np.eye(2, 4)
    skin = Skin(
        np.concatenate([trunk, arm]),
        np.concatenate([sides, sides + len(trunk)]),
        np.stack([larger, 1 - larger, 0 * larger, 0 * larger], axis=1),
        np.stack([np.maximum(share, 1.0 - share), np.minimum(share, 1.0 - share)], axis=1)
        @ first_two,
    )
    capsules = fit_to_skin(skeleton, skin, np.arange(2), {})
    lowest = {
        name: min(
            min(c.start_in_joint[1], c.end_in_joint[1]) - c.radius_m
            for c in capsules
            if c.joint == name
        )
        for name in ("trunk", "arm")
    }
    assert 0.95 + lowest["arm"] > 0.7  # half of the flank's height is 0.5
    assert lowest["trunk"] < 0.05


def tube(
    start: tuple[float, ...], end: tuple[float, ...], radius_m: float
) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a closed tube of eight long sides."""
    first, last = np.array(start), np.array(end)
    along = (last - first) / np.linalg.norm(last - first)
    across = np.cross(along, (0.0, 0.0, 1.0))
    angle = np.arange(8) * np.pi / 4.0
    ring = radius_m * (
        np.cos(angle)[:, None] * across + np.sin(angle)[:, None] * np.cross(along, across)
    )
    vertices = np.concatenate([first + ring, last + ring, [first, last]])
    triangles: list[list[int]] = []
    for i in range(8):
        j = (i + 1) % 8
        triangles += [[i, j, 8 + j], [i, 8 + j, 8 + i], [16, j, i], [17, 8 + i, 8 + j]]
    return vertices, np.array(triangles)

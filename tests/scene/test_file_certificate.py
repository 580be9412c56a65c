"""`certify_file` of BVH files: interpolations, scenes, and which skeletons a figure fits."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from writhe.collision import Certificate, Verdict, ball, half_space
from writhe.errors import WritheError
from writhe.io import load, save, save_figure
from writhe.io.gltf.container import Glb, write_container
from writhe.scene import Actor, KeyMotion, ObjectKind, Scene, SceneObject, certify_file
from writhe.skeleton import Capsule, Figure, Motion, Skeleton, forward
from writhe.skeleton.figures import figure

CHANNELS = ["Zrotation", "Zrotation Xrotation", "Zrotation Xrotation Yrotation"]


def arm_bvh(
    folder: Path, channels: str, *degrees: float, name: str = "arm", at_x: float = 0.0
) -> Path:
    """An arm along x that turns about z, and a post; the channels other than z are zero."""
    count = len(channels.split())
    rows = "\n".join(" ".join([str(d)] + ["0"] * (count - 1)) for d in degrees)
    path = folder / f"{name}.bvh"
    path.write_text(
        f"HIERARCHY\nROOT base\n{{\nOFFSET {at_x} 0 0\nCHANNELS 0\n"
        f"JOINT arm\n{{\nOFFSET 0 0 0\nCHANNELS {count} {channels}\n"
        "End Site\n{\nOFFSET 0.5 0 0\n}\n}\n"
        "JOINT post\n{\nOFFSET 0 0 0.0001\nCHANNELS 0\nEnd Site\n{\nOFFSET 0 0 0.1\n}\n}\n}\n"
        f"MOTION\nFrames: {len(degrees)}\nFrame Time: 0.0333333\n{rows}\n"
    )
    return path


def arm_figure(path: Path, post_degrees: float) -> Figure:
    """The figure of `arm_bvh` with a ball 0.4 m from the axis, in this direction."""
    angle = np.radians(post_degrees)
    at = 0.4 * np.array([np.cos(angle), np.sin(angle), 0.0])
    skeleton = load(path).skeleton
    arm = Capsule("arm", np.zeros(3), np.array([0.5, 0, 0]), 0.03)
    return Figure("arm", skeleton, (arm, Capsule("post", at, at, 0.05)))


def arm_certificate(path: Path, post_degrees: float, how: str | None = None) -> Certificate:
    figure = arm_figure(path, post_degrees)
    return certify_file(path, figure=figure, interpolation=how).certificate


@pytest.mark.parametrize("channels", CHANNELS)
@pytest.mark.parametrize("post", [180.0, 90.0])
def test_an_angle_that_wraps_is_followed_both_ways(tmp_path, channels, post):
    # 170 to -150 degrees: by 40 degrees past a post at 180, or by -320 degrees past one at 90
    path = arm_bvh(tmp_path, channels, 170, -150)
    assert arm_certificate(path, post).verdict is Verdict.PASSES_THROUGH
    assert arm_certificate(path, post, "slerp").certified is (post == 90.0)
    assert arm_certificate(path, 195.0 if post == 180.0 else -90.0).verdict is not Verdict.CERTIFIED


@pytest.mark.parametrize("channels", CHANNELS)
def test_angles_without_a_wrap_have_one_way(tmp_path, channels):
    path = arm_bvh(tmp_path, channels, 170, 210)
    assert arm_certificate(path, 180.0).verdict is Verdict.PASSES_THROUGH
    assert arm_certificate(path, 90.0).certified


@pytest.mark.parametrize("channels", CHANNELS)
@pytest.mark.parametrize("turn", [180.0, -180.0])
def test_half_a_turn_in_a_file_is_undecided(tmp_path, channels, turn):
    path = arm_bvh(tmp_path, channels, 10, 10 + turn)
    other_side = 280.0 if turn > 0 else 100.0
    assert arm_certificate(path, other_side).verdict is Verdict.UNDECIDED


def test_a_single_frame_has_a_true_verdict(tmp_path):
    path = arm_bvh(tmp_path, CHANNELS[2], 90)
    assert arm_certificate(path, 95.0).verdict is not Verdict.CERTIFIED
    found = arm_certificate(path, 180.0)
    assert found.certified and found.frames == 1


def test_a_scene_with_the_built_in_human_takes_a_bvh_file(human, tmp_path):
    """A BVH file stores hinges as three channels, so its configurations are larger."""
    q = np.tile(human.skeleton.rest_configuration, (3, 1))
    q[:, human.skeleton.q_slice("left_elbow")] = [[0.2], [0.4], [0.6]]
    path = tmp_path / "bend.bvh"
    save(Motion(human.skeleton, q, 30.0), path)
    low = float(forward(human.skeleton, q[0]).positions[:, 1].min()) - 0.5

    def in_room(floor_m: float) -> Certificate:
        floor = SceneObject("floor", (half_space((0, floor_m, 0), (0, 1, 0)),))
        room = tmp_path / "room.json"
        Scene((Actor("ann", human),), (floor,)).save(room)
        return certify_file(path, scene=room).certificate

    assert in_room(low).certified
    deep = in_room(low + 0.6)
    assert not deep.certified and deep.penetration_witnessed_m > 0.05


def with_ball(path: Path, post_degrees: float, *x_m: float) -> Certificate:
    """The arm of a file beside a ball whose keys, at these x, lie between the first two frames."""
    count = len(x_m)
    keys = KeyMotion(
        np.linspace(0.001, 0.030, count),
        np.array([[x, 0.0, 0.0] for x in x_m]),
        np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
    )
    item = SceneObject("ball", (ball((0, 0, 0), 0.05),), kind=ObjectKind.ANIMATED, keys=keys)
    scene = Scene((Actor("a", arm_figure(path, post_degrees)),), (item,))
    return certify_file(path, scene=scene).certificate


@pytest.mark.parametrize("channels", CHANNELS)
def test_an_object_that_comes_and_goes_between_two_frames_is_followed(tmp_path, channels):
    path = arm_bvh(tmp_path, channels, 0, 0)
    assert with_ball(path, 180.0, 2.0, 1.0, 2.0).certified
    assert with_ball(path, 180.0, 2.0, 0.4, 2.0).penetration_witnessed_m > 0.07


@pytest.mark.parametrize("channels", CHANNELS)
def test_keys_of_an_object_do_not_change_how_the_actor_moves(tmp_path, channels):
    """Past a post both ways round, and half a turn, as without the object."""
    for degrees, post in (
        ((170, -150), 180),
        ((170, -150), 90),
        ((170, 210), 90),
        ((10, 190), 280),
    ):
        path = arm_bvh(tmp_path, channels, *degrees)
        alone, beside = arm_certificate(path, post), with_ball(path, post, 5.0, 4.0, 5.0)
        assert alone.verdict is beside.verdict
        assert beside.penetration_witnessed_m == pytest.approx(
            alone.penetration_witnessed_m, abs=1e-4
        )


def test_shapes_follow_the_bones_of_a_file_with_another_rest_pose(human, tmp_path):
    """The same joints and lengths, but the arms hang down at rest: shapes are fitted anew."""
    joints = []
    for joint in human.skeleton.joints:
        x, y, z = joint.offset_in_parent
        hangs = joint.name.endswith(("_elbow", "_wrist"))
        joints.append(
            replace(
                joint,
                offset_in_parent=np.array([y, -abs(x), z]) if hangs else joint.offset_in_parent,
            )
        )
    hanging = Skeleton(joints)
    path = tmp_path / "hanging.bvh"
    save(Motion(hanging, hanging.rest_configuration[None], 30.0), path)
    used = certify_file(path, figure=human).table
    arm = next(s for s in used.source if s.part == "left_elbow")
    along = arm.points_in_joint[-1] - arm.points_in_joint[0]
    wrist = used.skeleton.joints[used.skeleton.index("left_wrist")].offset_in_parent
    assert abs(along @ wrist) > 0.9 * np.linalg.norm(along) * np.linalg.norm(wrist)


def test_the_euler_angles_of_two_files_are_interpolated_together(tmp_path):
    # by the shorter arcs the arms point away from each other, by the stored angles past each other;
    # one of them alone by its stored angles does not reach the other
    paths = {
        "left": arm_bvh(tmp_path, CHANNELS[2], 170, -150, name="left"),
        "right": arm_bvh(tmp_path, CHANNELS[2], -10, -330, name="right", at_x=0.8),
    }

    def arm(path: Path) -> Figure:
        capsule = Capsule("arm", np.zeros(3), np.array([0.5, 0, 0]), 0.03)
        return Figure(path.stem, load(path).skeleton, (capsule,))

    scene = Scene(tuple(Actor(name, arm(path)) for name, path in paths.items()))
    turns = {name: load(path).q for name, path in paths.items()}

    def alone(name: str) -> Certificate:
        return certify_file(
            paths[name], scene=scene, actor=name, environment=lambda _: turns
        ).certificate

    assert alone("left").certified and alone("right").certified
    both = certify_file(paths["left"], scene=scene, actor="left", others={"right": paths["right"]})
    assert both.certificate.verdict is Verdict.PASSES_THROUGH
    with pytest.raises(WritheError, match="scene="):
        certify_file(paths["left"], others={"right": paths["right"]})


def test_a_container_above_the_root_is_not_another_body(tmp_path):
    """Blender writes the armature of a character as a joint above its root."""
    path = arm_bvh(tmp_path, CHANNELS[2], 0.0, 60.0)
    wrapped = tmp_path / "wrapped.bvh"
    text = path.read_text().replace(
        "ROOT base", "ROOT Armature\n{\nOFFSET 0 0 0\nCHANNELS 0\nJOINT base"
    )
    wrapped.write_text(text.replace("MOTION", "}\nMOTION"))
    for post_degrees, certified in ((30.0, False), (150.0, True)):
        body = arm_figure(path, post_degrees)
        assert certify_file(path, figure=body).certificate.certified is certified
        assert certify_file(wrapped, figure=body).certificate.certified is certified
    wrapped.write_text(wrapped.read_text().replace("JOINT post", "JOINT stick"))
    with pytest.raises(WritheError, match="another skeleton"):
        certify_file(wrapped, figure=arm_figure(path, 150.0))


def test_a_file_of_another_skeleton_is_refused(human, tmp_path):
    path = arm_bvh(tmp_path, CHANNELS[0], 0, 10)
    with pytest.raises(WritheError, match="another skeleton"):
        certify_file(path, figure=human)


def test_a_file_of_two_people_is_not_certified_as_one(tmp_path):
    """They stand in each other; the second had hardly any shapes."""
    path = tmp_path / "two.glb"
    save_figure(figure("human"), path)
    glb = Glb(path)
    document = glb.document
    count, skins = len(document["nodes"]), len(document["skins"])
    nodes, bound = deepcopy(document["nodes"]), deepcopy(document["skins"])
    for node in nodes:
        node["name"] = f"second {node['name']}"
        node["children"] = [count + child for child in node.pop("children", [])]
        if not node["children"]:
            del node["children"]
        if "skin" in node:
            node["skin"] += skins
        node.pop("extras", None)
    for skin in bound:
        skin["joints"] = [count + joint for joint in skin["joints"]]
    nodes[0]["translation"][0] += 0.15
    document["scenes"][0]["nodes"] += [count + n for n in document["scenes"][0]["nodes"]]
    document["nodes"] += nodes
    document["skins"] += bound
    write_container(path, document, glb.binary)
    with pytest.raises(WritheError, match="several characters"):
        certify_file(path)

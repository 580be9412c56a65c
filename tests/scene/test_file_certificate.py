"""`certify_file`: files are certified as the programs that read them interpolate them."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike

from writhe.collision import Certificate, Verdict, ball, half_space
from writhe.errors import WritheError
from writhe.io import load, save, save_figure
from writhe.io.gltf.container import Glb, write_container
from writhe.io.gltf.read_keys import load_gltf_keys
from writhe.scene import Actor, KeyMotion, ObjectKind, Scene, SceneObject, certify_file
from writhe.skeleton import Capsule, Figure, Motion, Skeleton, forward, quaternions
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


def about_z(*degrees: float) -> np.ndarray:
    half = np.radians(degrees) / 2
    return np.array([[0, 0, np.sin(h), np.cos(h)] for h in half])


def spin_glb(
    folder: Path,
    times: list[float],
    values: ArrayLike,
    how: str,
    still_s: tuple[float, ...] | None = None,
    scale: float = 1.0,
) -> Path:
    """An arm along x with a rotation track, and a post that another track keeps in place.

    The keys of the post are at the arm's first and last, or at still_s; the arm grows by `scale`.
    """
    binary, views, accessors = b"", [], []
    kept = still_s or (times[0], times[-1])
    still = kept, about_z(*[0] * len(kept))
    grown = (0.0, 1.0), [[1.0] * 3, [scale] * 3]
    for data, kind in zip(
        (times, values, *still, *grown), ("SCALAR", "VEC4") * 2 + ("SCALAR", "VEC3"), strict=True
    ):
        raw = np.asarray(data, dtype="<f4").tobytes()
        views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(raw)})
        count = len(np.asarray(data))
        about = {"bufferView": len(views) - 1, "componentType": 5126, "count": count, "type": kind}
        accessors.append(about)
        binary += raw
    document = {
        "asset": {"version": "2.0"},
        "nodes": [{"name": "base", "children": [1, 2]}, {"name": "arm"}, {"name": "post"}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(binary)}],
        "animations": [
            {
                "samplers": [
                    {"input": 0, "output": 1, "interpolation": how},
                    {"input": 2, "output": 3, "interpolation": "LINEAR"},
                    {"input": 4, "output": 5, "interpolation": "LINEAR"},
                ],
                "channels": [
                    *(
                        {"sampler": i, "target": {"node": 1 + i, "path": "rotation"}}
                        for i in range(2)
                    ),
                    *(
                        [{"sampler": 2, "target": {"node": 1, "path": "scale"}}]
                        if scale != 1
                        else []
                    ),
                ],
            }
        ],
    }
    path = folder / "spin.glb"
    write_container(path, document, binary)
    return path


def spin_certificate(path: Path, post_degrees: float) -> Certificate:
    angle = np.radians(post_degrees)
    at = 0.4 * np.array([np.cos(angle), np.sin(angle), 0.0])
    skeleton = load(path).skeleton
    arm = Capsule("arm", np.zeros(3), np.array([0.5, 0, 0]), 0.03)
    figure = Figure("spin", skeleton, (arm, Capsule("post", at, at, 0.05)))
    return certify_file(path, figure=figure).certificate


def test_step_tracks_jump_over_what_lies_between(tmp_path):
    turns = about_z(20, 80, 140)
    moving = spin_glb(tmp_path, [0.0, 0.5, 1.0], turns, "LINEAR")
    assert spin_certificate(moving, 50.0).verdict is Verdict.PASSES_THROUGH
    jumping = spin_glb(tmp_path, [0.0, 0.5, 1.0], turns, "STEP")
    found = spin_certificate(jumping, 50.0)
    assert found.certified and found.jumps == 2 and found.interpolation == "slerp and step"
    assert spin_certificate(jumping, 85.0).verdict is not Verdict.CERTIFIED
    assert spin_certificate(jumping, 138.0).verdict is not Verdict.CERTIFIED  # the last key


def overshooting(folder: Path) -> Path:
    """From 20 to 40 degrees and on to 60 before it comes back: visible only between the keys."""
    flat = np.zeros((1, 4))
    steep = 12.0 * (about_z(40.0) - about_z(20.0))
    values = np.concatenate([flat, about_z(20), steep, -steep, about_z(40), flat])
    return spin_glb(folder, [0.0, 1.0], values, "CUBICSPLINE")


def test_splines_are_followed_between_their_keys(tmp_path):
    path = overshooting(tmp_path)
    dense = load_gltf_keys(path, 2000).motion
    turns = dense.q[:, dense.skeleton.q_slice("arm")][:, -4:]
    peak = np.degrees(2 * np.arctan2(turns[:, 3], turns[:, 0])).max()
    assert peak > 50.0
    hit, clear = peak - 2.0, peak + 25.0
    assert spin_certificate(path, hit).verdict is not Verdict.CERTIFIED
    found = spin_certificate(path, clear)
    assert found.certified and found.interpolation == "slerp and cubic spline" and found.frames == 2


@pytest.mark.parametrize("refine", [1, 4, 16])
def test_the_error_bound_of_splines_holds(tmp_path, refine):
    random = np.random.default_rng(refine)
    for _ in range(20):
        values = random.normal(size=(9, 4)) * 0.4
        values[1::3] = quaternions.normalised(random.normal(0, 0.25, (3, 4)) + np.eye(4)[3])
        path = spin_glb(tmp_path, [0.0, 0.3, 1.0], values, "CUBICSPLINE")
        coarse, fine = load_gltf_keys(path, refine), load_gltf_keys(path, 64 * refine)
        joint = coarse.motion.skeleton.index("arm")
        at = coarse.motion.skeleton.q_slice("arm")
        sampled = Motion(coarse.motion.skeleton, coarse.motion.q, 1.0)
        row = np.interp(fine.times_s, coarse.times_s, np.arange(len(coarse.times_s)))
        ours, truth = sampled.at(row)[:, at][:, -4:], fine.motion.q[:, at][:, -4:]
        dot = np.clip(np.abs((ours * truth).sum(axis=1)), 0.0, 1.0)
        apart = 2 * np.arccos(dot).max()
        assert apart <= coarse.rotation_error_rad[joint] + 1e-6


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


def test_half_a_turn_is_undecided_when_other_tracks_have_keys_within_it(tmp_path):
    turn = about_z(0, 180)
    alone = spin_glb(tmp_path, [0.0, 1.0], turn, "LINEAR")
    assert spin_certificate(alone, 90.0).verdict is not Verdict.CERTIFIED
    divided = spin_glb(tmp_path, [0.0, 1.0], turn, "LINEAR", still_s=(0.0, 0.5, 1.0))
    for post in (90.0, 270.0):  # whichever way it goes, one of them is on the other
        assert spin_certificate(divided, post).verdict is not Verdict.CERTIFIED


def test_a_scaled_shape_is_not_certified_at_its_rest_size(tmp_path):
    still = spin_glb(tmp_path, [0.0, 1.0], about_z(0, 0), "LINEAR")
    assert spin_certificate(still, 25.0).certified
    growing = spin_glb(tmp_path, [0.0, 1.0], about_z(0, 0), "LINEAR", scale=3.0)
    assert spin_certificate(growing, 25.0).verdict is Verdict.UNDECIDED


def armature_glb(folder: Path, **arm: object) -> Path:
    """A skinned arm below the node of an armature, which turns about z by 90 degrees."""
    binary = np.concatenate([[0.0, 1.0], about_z(0, 90).ravel()]).astype("<f4").tobytes()
    document = {
        "asset": {"version": "2.0"},
        "nodes": [
            {"name": "armature", "children": [1]},
            {"name": "root", "children": [2]},
            {"name": "arm"} | (arm or {"translation": [1, 0, 0]}),
        ],
        "skins": [{"joints": [1, 2]}],
        "accessors": [
            {"bufferView": i, "componentType": 5126, "count": 2, "type": kind}
            for i, kind in enumerate(("SCALAR", "VEC4"))
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 8},
            {"buffer": 0, "byteOffset": 8, "byteLength": 32},
        ],
        "buffers": [{"byteLength": len(binary)}],
        "animations": [
            {
                "samplers": [{"input": 0, "output": 1}],
                "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}],
            }
        ],
    }
    path = folder / "armature.glb"
    write_container(path, document, binary)
    return path


def test_a_turning_armature_turns_its_joints(tmp_path):
    motion = load_gltf_keys(armature_glb(tmp_path)).motion
    assert forward(motion.skeleton, motion.q[-1]).position("arm") == pytest.approx([0, 1, 0])


def test_a_node_that_shears_is_refused(tmp_path):
    matrix = [1, 0, 0, 0, 0.6, 0.8, 0, 0, 0, 0, 1, 0, 0, 0.3, 0, 1]
    with pytest.raises(WritheError, match="shears"):
        load_gltf_keys(armature_glb(tmp_path, matrix=matrix))


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

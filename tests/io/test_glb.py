"""glTF: round trips, foreign files, the Khronos validator, and refusals."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest

from writhe import Figure, load, load_figure, save, save_figure
from writhe.collision import ball, box
from writhe.collision.mesh_pieces.surfaces import surface
from writhe.errors import FileFormatError
from writhe.io.gltf.container import Glb, write_container
from writhe.io.gltf.write import Prop
from writhe.skeleton import Joint, JointKind, Motion, Skeleton, Skin, Tip, forward
from writhe.skeleton import kinematics as kin
from writhe.skeleton.figures import figure

VALIDATOR = Path(__file__).resolve().parents[2] / "tools" / "gltf_validator"


def tube(skeleton: Skeleton) -> Skin:
    """A closed skin: an octahedron round each joint, shared with its parent."""
    corners = np.concatenate([np.eye(3), -np.eye(3)]) * 0.05
    faces = [(0, 1, 2), (1, 3, 2), (3, 4, 2), (4, 0, 2), (1, 0, 5), (3, 1, 5), (4, 3, 5), (0, 4, 5)]
    n = len(skeleton)
    rest = forward(skeleton, skeleton.rest_configuration)
    vertices = (rest.positions[:, None] + corners).reshape(-1, 3)
    triangles = np.concatenate([np.array(faces) + 6 * j for j in range(n)])
    joints, weights = np.zeros((6 * n, 4), dtype=np.int64), np.zeros((6 * n, 4))
    for j in range(n):
        rows = slice(6 * j, 6 * j + 6)
        joints[rows, 0], joints[rows, 1] = j, max(0, int(skeleton.tree.parent[j]))
        weights[rows, 0], weights[rows, 1] = 0.75, 0.25
    return Skin(vertices, triangles, joints, weights)


def every_kind() -> Skeleton:
    tilt = np.array([0.5, 0.5, -0.5, 0.5])
    axis = np.array([0.0, 0.6, 0.8])
    a = np.array([0.1, 0.4, -0.2])
    return Skeleton(
        [
            Joint("root", None, JointKind.FREE, a, tilt),
            Joint("hinge", "root", JointKind.HINGE, a, tilt, axis),
            Joint("slide", "hinge", JointKind.PRISMATIC, a, tilt, axis),
            Joint("weld", "slide", JointKind.FIXED, a, tilt),
            Joint("ball", "weld", JointKind.BALL, a, tilt),
            Joint("second root", None, JointKind.FREE, -a),
        ],
        [Tip("end", "ball", a)],
    )


def random_motion(skeleton: Skeleton, count: int = 12) -> Motion:
    rng = np.random.default_rng(3)
    q = [
        kin.integrate(skeleton, skeleton.rest_configuration, rng.normal(0, 0.6, skeleton.dof_count))
        for _ in range(count)
    ]
    return Motion(skeleton, np.array(q), 24.0, "random")


@pytest.mark.parametrize("skeleton", [every_kind(), figure("human").skeleton])
def test_a_motion_comes_back_with_its_kinds_and_tips(tmp_path, skeleton):
    motion = random_motion(skeleton)
    save(motion, tmp_path / "m.glb")
    again = load(tmp_path / "m.glb")
    assert again.skeleton.names == skeleton.names
    assert again.fps == 24.0
    for mine, theirs in zip(skeleton.joints, again.skeleton.joints, strict=True):
        assert theirs.kind == mine.kind
        np.testing.assert_allclose(theirs.axis, mine.axis, atol=1e-6)
    assert [t.name for t in again.skeleton.tips] == [t.name for t in skeleton.tips]
    np.testing.assert_allclose(again.frames().positions, motion.frames().positions, atol=2e-6)
    np.testing.assert_allclose(again.frames().rotations, motion.frames().rotations, atol=2e-6)


def test_a_skin_moves_as_before_after_a_round_trip(tmp_path):
    human = figure("human")
    skin = tube(human.skeleton)
    save_figure(Figure("tube", human.skeleton, skin=skin), tmp_path / "f.glb")
    again = load_figure(tmp_path / "f.glb")
    assert again.skin is not None
    assert dict(again.roles)["left_knee"] == "left_knee"
    q = random_motion(human.skeleton, 1).q[0]
    frames = forward(human.skeleton, q)
    before = skin.deform(human.skeleton, frames.positions, frames.rotations)
    after = again.skin.deform(again.skeleton, frames.positions, frames.rotations)
    order = lambda v: v[np.lexsort(np.round(v, 4).T)]  # noqa: E731
    np.testing.assert_allclose(order(after), order(before), atol=1e-5)
    edges = np.sort(again.skin.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    _, counts = np.unique(edges, axis=0, return_counts=True)
    assert (counts == 2).all(), "the skin is no longer closed"


def still_prop() -> Prop:
    vertices, triangles = surface(box((0, 0, 0), (0.2, 0.25, 0.2)))
    return Prop("stool", vertices, triangles, np.array([[0.5, 0.25, 0, 1.0, 0, 0, 0]]))


def moving_prop(motion: Motion) -> Prop:
    vertices, triangles = surface(ball((0, 0, 0), 0.1))
    places = np.tile([0.0, 1.0, 0.5, 1.0, 0.0, 0.0, 0.0], (len(motion), 1))
    places[:, 0] = np.linspace(-1, 1, len(motion))
    return Prop("ball", vertices, triangles, places)


def test_props_are_written_and_do_not_become_joints(tmp_path):
    human = figure("human")
    motion = random_motion(human.skeleton)
    save(motion, tmp_path / "bare.glb", figure=human)
    props = [still_prop(), moving_prop(motion)]
    save(motion, tmp_path / "props.glb", figure=human, props=props)
    bare, beside = load(tmp_path / "bare.glb"), load(tmp_path / "props.glb")
    assert beside.skeleton.names == bare.skeleton.names
    np.testing.assert_array_equal(beside.q, bare.q)
    skin = load_figure(tmp_path / "props.glb").skin
    assert skin is not None and human.skin is not None
    assert len(skin.vertices) == len(human.skin.vertices)
    nodes = {node["name"]: node for node in Glb(tmp_path / "props.glb").items("nodes")}
    assert nodes["stool"]["translation"] == [0.5, 0.25, 0.0] and "mesh" in nodes["stool"]
    animation = Glb(tmp_path / "props.glb").item("animations", 0)
    moved = {channel["target"]["node"] for channel in animation["channels"]}
    names = [node["name"] for node in Glb(tmp_path / "props.glb").items("nodes")]
    assert names.index("ball") in moved and names.index("stool") not in moved


def test_files_pass_the_khronos_validator(tmp_path):
    if not shutil.which("node") or not (VALIDATOR / "node_modules").exists():
        pytest.skip("run tools/install_gltf_validator.sh to validate glTF output")
    human = figure("human")
    whole = (
        human
        if human.skin is not None
        else Figure("tube", human.skeleton, skin=tube(human.skeleton))
    )
    forest = every_kind()
    motion = random_motion(human.skeleton)
    save(motion, tmp_path / "skinned.glb", figure=whole)
    save(motion, tmp_path / "bones.glb")
    save(motion.slice(0, 1), tmp_path / "one-frame.glb")
    save(motion, tmp_path / "props.glb", figure=whole, props=[still_prop(), moving_prop(motion)])
    save_figure(whole, tmp_path / "figure.glb")
    save_figure(Figure("bare", forest), tmp_path / "bare.glb")
    save(
        random_motion(forest), tmp_path / "forest.glb",
        figure=Figure("forest", forest, skin=tube(forest)),
    )  # fmt: skip
    files = sorted(str(p) for p in tmp_path.glob("*.glb"))
    assert len(files) == 7
    run = subprocess.run(
        ["node", "validate.cjs", *files], cwd=VALIDATOR, capture_output=True, text=True, check=True
    )
    for line in run.stdout.splitlines():
        report = json.loads(line)
        assert (report["numErrors"], report["numWarnings"]) == (0, 0), report


def foreign(tmp_path, nodes, tracks=(), extra=None) -> Path:
    """A .glb file as another program may write it; tracks: node, path, times, values, how."""
    binary, views, accessors, samplers, channels = b"", [], [], [], []
    for node, path, times, values, how in tracks:
        for data, kind in ((times, "SCALAR"), (values, {3: "VEC3", 4: "VEC4"}[len(values[0])])):
            raw = np.asarray(data, dtype="<f4").tobytes()
            views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(raw)})
            accessors.append(
                {
                    "bufferView": len(views) - 1,
                    "componentType": 5126,
                    "count": len(data),
                    "type": kind,
                }
            )
            binary += raw
        samplers.append(
            {"input": len(accessors) - 2, "output": len(accessors) - 1, "interpolation": how}
        )
        channels.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": path}})
    document = {
        "asset": {"version": "2.0"},
        "nodes": nodes,
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(binary)}],
    }
    if tracks:
        document["animations"] = [{"samplers": samplers, "channels": channels}]
    path = tmp_path / "foreign.glb"
    write_container(path, document | (extra or {}), binary)
    return path


def about_z(*degrees: float) -> list[list[float]]:
    half = np.radians(degrees) / 2
    return [[0, 0, float(np.sin(h)), float(np.cos(h))] for h in half]


CHAIN = [
    {"name": "Armature", "scale": [0.01, 0.01, 0.01], "rotation": about_z(90)[0], "children": [1]},
    {"name": "Hip", "translation": [100, 0, 0], "children": [2]},
    {"name": "Knee", "translation": [0, 40, 0]},
]


def test_scaled_and_turned_armatures_are_baked(tmp_path):
    path = foreign(tmp_path, CHAIN, [(1, "rotation", [0, 0.5, 1.0], about_z(0, 45, 90), "LINEAR")])
    motion = load(path)
    assert motion.fps == 2.0
    assert [j.kind for j in motion.skeleton.joints] == [
        JointKind.FIXED, JointKind.FREE, JointKind.FIXED
    ]  # fmt: skip
    frames = motion.frames()
    np.testing.assert_allclose(frames.position("Hip")[0], [0, 1, 0], atol=1e-6)
    np.testing.assert_allclose(frames.position("Knee")[0], [-0.4, 1, 0], atol=1e-6)
    np.testing.assert_allclose(frames.position("Knee")[2], [0, 0.6, 0], atol=1e-6)


@pytest.mark.parametrize(
    ("how", "values", "middle"),
    [
        ("LINEAR", about_z(0, 90), 45.0),
        ("STEP", about_z(0, 90), 0.0),
        ("CUBICSPLINE", [[0] * 4, *about_z(0), [0] * 4, [0] * 4, *about_z(90), [0] * 4], 45.0),
    ],
)
def test_interpolations_are_sampled(tmp_path, how, values, middle):
    tracks = [
        (1, "rotation", [0.0, 1.0], values, how),
        (2, "translation", np.arange(11) / 10, [[0, 40 + i, 0] for i in range(11)], "LINEAR"),
    ]
    motion = load(foreign(tmp_path, CHAIN, tracks))
    assert (motion.fps, len(motion)) == (10.0, 11)
    assert motion.skeleton.joints[2].kind is JointKind.FREE
    frames = motion.frames()
    thigh = frames.position("Knee")[5] - frames.position("Hip")[5]
    assert np.linalg.norm(thigh) == pytest.approx(0.45, abs=1e-6)
    angle = np.degrees(np.arctan2(thigh[1], thigh[0])) - 180.0
    assert (angle + 180) % 360 - 180 == pytest.approx(middle, abs=1e-3)


def test_a_quaternion_of_length_zero_is_refused(tmp_path):
    tracks = [(1, "rotation", [0.0, 1.0], [[0] * 4, *about_z(90)], "LINEAR")]
    with pytest.raises(FileFormatError, match="length zero"):
        load(foreign(tmp_path, CHAIN, tracks))


def test_a_file_without_animation_is_one_frame_at_rest(tmp_path):
    motion = load(foreign(tmp_path, CHAIN))
    assert len(motion) == 1
    assert motion.skeleton.names == ("Armature", "Hip", "Knee")


@pytest.mark.parametrize(
    ("nodes", "extra", "says"),
    [
        ([{"scale": [1, 2, 1]}], {}, "not the same in x, y, z"),
        ([{"children": [0]}], {}, "cycle"),
        ([{"children": [1, 1]}, {}], {}, "two parents"),
        ([{"children": [7]}], {}, "not in the range"),
        ([{"translation": [0, 1]}], {}, "3 numbers"),
        ([{}], {"asset": {"version": "1.0"}}, "version 2"),
        ([{}], {"nodes": 3}, "JSON list"),
    ],
)
def test_unreadable_files_are_explained(tmp_path, nodes, extra, says):
    with pytest.raises(FileFormatError, match=says):
        load(foreign(tmp_path, nodes, extra=extra))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"sparse": {}}, "not in the range"),
        ({"sparse": {"count": 1, "indices": {}, "values": {}}}, "component type"),
        ({"sparse": {"count": 10**9}}, "not in the range"),
        ({"count": 10**6}, "runs past the end"),
        ({"count": 10**15}, "not in the range"),
        ({"byteOffset": 10**6}, "not in the range"),
        ({"type": "VEC2"}, "type SCALAR"),
        ({"componentType": 5130}, "component type"),
    ],
)
def test_accessors_are_checked(tmp_path, change, says):
    path = foreign(tmp_path, CHAIN, [(1, "rotation", [0, 1], about_z(0, 9), "LINEAR")])
    data = path.read_bytes()
    size = struct.unpack_from("<I", data, 12)[0]
    document = json.loads(data[20 : 20 + size])
    document["accessors"][0] |= change
    write_container(path, document, data[28 + size :])
    with pytest.raises(FileFormatError, match=says):
        load(path)


def test_buffers_outside_the_file_are_never_opened(tmp_path):
    secret = tmp_path / "secret.bin"
    secret.write_bytes(bytes(1000))
    path = foreign(
        tmp_path,
        CHAIN,
        [(1, "rotation", [0, 1], about_z(0, 9), "LINEAR")],
        {"buffers": [{"byteLength": 1000, "uri": "secret.bin"}]},
    )
    with pytest.raises(FileFormatError, match="outside the file"):
        load(path)


@pytest.mark.parametrize("how", ["moved", "animated"])
def test_a_group_that_another_program_moves_moves_its_roots(tmp_path, how):
    motion, path = random_motion(every_kind()), tmp_path / "roots.glb"
    save(motion, path)
    before = forward(load(path).skeleton, load(path).q).position("second root")
    glb = Glb(path)
    document = glb.document
    group = next(n for n, node in enumerate(document["nodes"]) if node["name"] == "roots")
    if how == "moved":
        document["nodes"][group]["translation"] = [0.0, 0.25, 0.0]
    else:  # along with the second root
        root = next(n for n, node in enumerate(document["nodes"]) if node["name"] == "second root")
        channels = document["animations"][0]["channels"]
        track = next(c for c in channels if c["target"] == {"node": root, "path": "translation"})
        channels.append(track | {"target": {"node": group, "path": "translation"}})
    write_container(path, document, glb.binary)
    moved = forward(load(path).skeleton, load(path).q).position("second root")
    shift = before if how == "animated" else np.array([0.0, 0.25, 0.0])
    np.testing.assert_allclose(moved, before + shift, atol=1e-5)


def test_channels_that_name_their_node_by_a_pointer_move_it(tmp_path):
    motion, path = random_motion(every_kind()), tmp_path / "pointers.glb"
    save(motion, path)
    before = load(path)
    glb = Glb(path)
    for channel in glb.document["animations"][0]["channels"]:
        pointer = f"/nodes/{channel['target']['node']}/{channel['target']['path']}"
        extension = {"KHR_animation_pointer": {"pointer": pointer}}
        channel["target"] = {"path": "pointer", "extensions": extension}
    write_container(path, glb.document, glb.binary)
    after = load(path)
    assert [j.kind for j in after.skeleton.joints] == [j.kind for j in before.skeleton.joints]
    np.testing.assert_array_equal(after.q, before.q)

"""Characters of users: opening and saving changes the animation and nothing else."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from compressed_gltf import compressed

from generated_characters import SHARED, RichCharacter, wave
from writhe import load, load_figure, save, save_figure
from writhe.errors import FileFormatError, WritheError
from writhe.io.characters import save_characters
from writhe.io.gltf.container import Glb, write_container
from writhe.io.gltf.read import load_gltf_figure
from writhe.io.gltf.write import Prop
from writhe.retargeting.retarget import retarget
from writhe.skeleton import Figure, JointKind, Motion, Skin, quaternions
from writhe.skeleton.figures import figure

VALIDATOR = Path(__file__).resolve().parents[2] / "tools" / "gltf_validator"


@pytest.fixture(scope="module")
def rich(tmp_path_factory) -> Path:
    return RichCharacter().write(tmp_path_factory.mktemp("rich") / "rich.glb")


@cache
def own_figure(path: Path) -> Figure:
    """The figure of a file; fitting its shapes takes a while, so it is read once."""
    return load_figure(path)


def skin_of(path: Path) -> Skin | None:
    """The meshes of a file, without fitting shapes to them."""
    return load_gltf_figure(path)[1]


def bent(motion: Motion) -> Motion:
    """The motion with every ball joint turned a little."""
    q = motion.q.copy()
    turn = quaternions.from_axis_angle(np.array([0.0, 0.6, 0.8]), np.array(0.1))
    for joint in motion.skeleton.joints:
        if joint.kind is JointKind.BALL:
            at = motion.skeleton.q_slice(joint.name)
            q[:, at] = quaternions.multiply(q[:, at], turn)
    return replace(motion, q=q)


def assert_only_animated(before: Path, after: Path, replaced: str | None) -> None:
    """Everything but the replaced or added animation is stored as before, byte for byte."""
    old, new = Glb(before), Glb(after)
    for key in {*old.document, *new.document} - {"animations", "accessors", "bufferViews"}:
        if key != "buffers":
            assert new.document.get(key) == old.document.get(key), key
    mine = [a for a in old.items("animations") if a.get("name") != replaced]
    theirs = [a for a in new.items("animations") if a.get("name") != replaced]
    assert theirs[: len(mine)] == mine
    kept = min(len(old.items("accessors")), len(new.items("accessors")))
    used = {
        n
        for mesh in new.items("meshes")
        for p in mesh["primitives"]
        for n in [p.get("indices"), *p["attributes"].values()]
        if n is not None
    } | {s["inverseBindMatrices"] for s in new.items("skins") if "inverseBindMatrices" in s}
    assert max(used, default=-1) < kept
    for key in ("accessors", "bufferViews"):
        shared = min(len(old.items(key)), len(new.items(key)))
        assert new.items(key)[:shared] == old.items(key)[:shared], key
    ends = [
        view.get("byteOffset", 0) + view["byteLength"]
        for view in old.items("bufferViews")[: len(new.items("bufferViews"))]
        if view["buffer"] == 0
    ]
    length = min(max(ends), len(new.buffer(0)))
    assert new.buffer(0)[:length] == old.buffer(0)[:length]
    for number in {a["bufferView"] for a in old.items("images") if "bufferView" in a}:
        assert number < len(new.items("bufferViews"))


def test_a_character_that_was_not_changed_is_written_byte_for_byte(rich, tmp_path):
    save(load(rich), tmp_path / "same.glb")
    save_figure(own_figure(rich), tmp_path / "figure.glb")
    save(load(rich, animation="Nod"), tmp_path / "nod.glb")
    for name in ("same", "figure", "nod"):
        assert (tmp_path / f"{name}.glb").read_bytes() == rich.read_bytes()


def test_a_changed_motion_replaces_its_animation_and_nothing_else(rich, tmp_path):
    motion = bent(load(rich))
    save(motion, tmp_path / "bent.glb")
    assert_only_animated(rich, tmp_path / "bent.glb", "Wave")
    again = load(tmp_path / "bent.glb")
    assert again.name == "Wave" and again.fps == 24.0
    np.testing.assert_allclose(again.frames().positions, motion.frames().positions, atol=2e-6)
    animation = Glb(tmp_path / "bent.glb").item("animations", 0)
    morphs = [c for c in animation["channels"] if c["target"]["path"] == "weights"]
    assert len(morphs) == 1, "the animation of the morph targets is lost"


def test_another_frame_rate_is_read_back(rich, tmp_path):
    save(load(rich).resample(12.0), tmp_path / "slow.glb")
    again = load(tmp_path / "slow.glb")
    assert again.fps == 12.0 and len(again) == 7


def test_saving_again_and_again_does_not_grow_the_file(rich, tmp_path):
    path, sizes = tmp_path / "file.glb", []
    save(bent(load(rich)), path)
    for _ in range(3):
        save(bent(load(path)), path)
        sizes.append(path.stat().st_size)
    assert sizes[0] == sizes[-1]
    assert_only_animated(rich, path, "Wave")


def test_a_retargeted_motion_is_added_under_its_name(rich, tmp_path):
    body = own_figure(rich)
    moved = retarget(wave(), body, keep_feet=False)
    save(moved, tmp_path / "two.glb", figure=body)
    names = load(tmp_path / "two.glb").source["animations"]
    assert names == ["Wave", "Nod", "Wave_2"]
    assert_only_animated(rich, tmp_path / "two.glb", "Wave_2")
    again = load(tmp_path / "two.glb")  # what was written last is read by default
    assert again.name == "Wave_2"
    np.testing.assert_allclose(again.frames().positions, moved.frames().positions, atol=2e-6)


def test_animations_are_chosen_by_name_or_number(rich):
    nod = load(rich, animation="Nod")
    assert nod.name == "Nod" and len(nod) == 3
    np.testing.assert_array_equal(nod.q, load(rich, animation=1).q)
    with pytest.raises(WritheError, match=r"Jump.*Wave.*Nod"):
        load(rich, animation="Jump")
    with pytest.raises(WritheError, match="one motion"):
        load("clip.bvh", animation="Jump")


def test_all_meshes_of_the_character_are_read(rich):
    body = own_figure(rich)
    human = figure("human")
    assert body.skin is not None and human.skin is not None
    head = body.skeleton.index("rig:head")
    hat = (body.skin.joints[:, 0] == head) & (body.skin.weights[:, 0] == 1.0)
    top = body.skin.vertices[hat][:, 1].max()
    assert top > human.skin.vertices[:, 1].max() + 0.005, "the hat is missing"
    # the floor hangs on no joint
    assert np.ptp(body.skin.vertices[:, 2]) < 1.0
    count = len(human.skin.vertices) + 8
    assert count <= len(body.skin.vertices) <= count + 200, "parts that meet share no vertices"
    low = body.skin.vertices[~hat]
    np.testing.assert_allclose(low.min(axis=0), human.skin.vertices.min(axis=0), atol=1e-5)


def test_morph_targets_count_with_their_default_weights(rich, tmp_path):
    plain = skin_of(rich)
    glb = Glb(rich)
    for mesh in glb.document["meshes"][:2]:
        mesh["weights"] = [1.0]
    write_container(tmp_path / "tall.glb", glb.document, glb.binary)
    tall = skin_of(tmp_path / "tall.glb")
    assert plain is not None and tall is not None
    assert tall.vertices[:, 1].max() > plain.vertices[:, 1].max() + 0.03
    assert tall.vertices[:, 1].min() == pytest.approx(plain.vertices[:, 1].min())


def test_gltf_files_with_their_data_beside_them(tmp_path):
    for name in ("in", "out"):
        (tmp_path / name).mkdir()
    path = RichCharacter().write(tmp_path / "in" / "rich.gltf")
    motion = bent(load(path))
    save(motion, tmp_path / "out" / "bent.gltf")
    save(motion, tmp_path / "out" / "bent.glb")
    picture = (tmp_path / "in" / "textures" / "skin.png").read_bytes()
    assert (tmp_path / "out" / "textures" / "skin.png").read_bytes() == picture
    packed = Glb(tmp_path / "out" / "bent.glb")
    view = packed.item("bufferViews", packed.item("images", 0)["bufferView"])
    start = view["byteOffset"]
    assert packed.buffer(0)[start : start + view["byteLength"]] == picture
    for suffix in ("gltf", "glb"):
        again = load(tmp_path / "out" / f"bent.{suffix}")
        np.testing.assert_allclose(again.frames().positions, motion.frames().positions, atol=2e-6)
        skin = skin_of(tmp_path / "out" / f"bent.{suffix}")
        assert skin is not None and len(skin.vertices) > 5000
    old, new = Glb(path).document, Glb(tmp_path / "out" / "bent.gltf").document
    for key in ("images", "materials", "nodes", "meshes", "cameras", "extras", "extensions"):
        assert new[key] == old[key], key
    assert new["buffers"][0] == old["buffers"][0]


def test_a_gltf_file_opens_nothing_outside_its_folder(tmp_path):
    (tmp_path / "secret.bin").write_bytes(b"x" * 100)
    (tmp_path / "in").mkdir()
    for uri in ("../secret.bin", "%2e%2e/secret.bin", f"file://{tmp_path}/secret.bin"):
        path = RichCharacter().write(tmp_path / "in" / "rich.gltf")
        document = json.loads(path.read_text())
        document["buffers"][0]["uri"] = uri
        path.write_text(json.dumps(document))
        with pytest.raises(FileFormatError, match="not beside the file"):
            load(path)


@pytest.mark.parametrize("version", ["0.x", "1.0"])
def test_vrm_files_say_which_joint_is_which(tmp_path, version):
    path = RichCharacter(vrm=version).write(tmp_path / "avatar.vrm")
    body, motion = load_figure(path), load(path)
    human = figure("human")
    assert dict(body.roles).keys() == dict(human.roles).keys()
    for role, joint in body.roles:
        assert joint == f"J_{human.skeleton.index(role)}"
    on_human = retarget(motion, human, keep_feet=False)
    np.testing.assert_allclose(on_human.frames().positions, wave().frames().positions, atol=0.02)
    save(bent(motion), tmp_path / "again.vrm")
    assert_only_animated(path, tmp_path / "again.vrm", "Wave")
    assert motion.source["contents"]["vrm"] == version


def test_only_vrm_characters_are_written_as_vrm(rich, tmp_path):
    with pytest.raises(WritheError, match=r"read from a \.vrm file"):
        save(load(rich), tmp_path / "x.vrm")


def test_several_characters_and_objects_share_a_file(rich, tmp_path):
    own, human = own_figure(rich), figure("human")
    motion, other = bent(load(rich)), wave(frames=13)
    box = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    prop = Prop("crate", box, np.array([[0, 1, 3]]), np.array([[2.0, 0, 0, 1, 0, 0, 0]]))
    path = tmp_path / "all.glb"
    pairs = [(own, motion), (human, other), (own, motion)]
    report = save_characters(pairs, path, props=[prop], name="Meeting")
    assert report.animation == "Meeting"
    glb = Glb(path)
    assert load(path).source["animations"][:2] == ["Wave", "Nod"]
    nodes = [node.get("name") for node in glb.items("nodes")]
    assert nodes.count("rig:left_knee") == 2 and nodes.count("left_knee") == 1
    assert "crate" in nodes and len(glb.items("images")) == 4
    together = load(path, animation="Meeting")
    names = together.skeleton.names
    frames = together.frames().positions
    for first, mine in (("rig:hips", motion), ("hips", other), ("rig:hips_2", motion)):
        at = names.index(first)
        i = mine.skeleton.index(first.removesuffix("_2"))
        np.testing.assert_allclose(frames[:, at], mine.frames().positions[:, i], atol=2e-6)
    hand = names.index("rig:left_wrist_2")
    i = motion.skeleton.index("rig:left_wrist")
    np.testing.assert_allclose(frames[:, hand], motion.frames().positions[:, i], atol=2e-6)


def test_characters_are_written_to_a_set_of_bvh_files(rich, tmp_path):
    own, human = own_figure(rich), figure("human")
    pairs = [(own, load(rich)), (human, wave()), (human, wave())]
    save_characters(pairs, tmp_path / "all.zip")
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        assert archive.namelist() == ["rich.bvh", "human.bvh", "human_2.bvh"]
        archive.extractall(tmp_path)
    again = load(tmp_path / "rich.bvh")
    np.testing.assert_allclose(
        again.frames().positions[:, 5], load(rich).frames().positions[:, 5], atol=2e-5
    )


@pytest.mark.parametrize("kind", ["draco", "meshopt"])
def test_compressed_files_are_read_and_stay_compressed(rich, tmp_path, kind):
    path = tmp_path / "small.glb"
    compressed(rich, path, kind)
    plain, small = own_figure(rich), load_figure(path)
    assert small.skin is not None and plain.skin is not None
    order = lambda v: v[np.lexsort(np.round(v, 3).T)]  # noqa: E731
    np.testing.assert_allclose(order(small.skin.vertices), order(plain.skin.vertices), atol=2e-4)
    np.testing.assert_array_equal(load(path).q, load(rich).q)
    save(bent(load(path)), tmp_path / "bent.glb")
    assert_only_animated(path, tmp_path / "bent.glb", "Wave")
    human = figure("human")
    pairs = [(human, wave()), (small, load(path))]
    save_characters(pairs, tmp_path / "both.glb")
    again = skin_of(tmp_path / "both.glb")
    assert again is not None and small.skin is not None and human.skin is not None
    assert len(again.vertices) == len(small.skin.vertices) + len(human.skin.vertices)


def test_a_missing_decoder_is_named(rich, tmp_path, monkeypatch):
    compressed(rich, tmp_path / "small.glb", "draco")
    monkeypatch.setitem(sys.modules, "DracoPy", None)
    with pytest.raises(FileFormatError, match=r"writhe\[draco\]"):
        load_figure(tmp_path / "small.glb")
    assert len(load(tmp_path / "small.glb")) == 13, "motions need no meshes"


def issues(*paths: Path) -> list[dict]:
    if not shutil.which("node") or not (VALIDATOR / "node_modules").exists():
        pytest.skip("run tools/install_gltf_validator.sh to validate glTF output")
    command = ["node", "validate.cjs", *map(str, paths)]
    run = subprocess.run(command, cwd=VALIDATOR, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def test_written_characters_pass_the_khronos_validator(rich, tmp_path):
    text = RichCharacter().write(tmp_path / "rich.gltf")
    save(bent(load(rich)), tmp_path / "bent.glb")
    save(bent(load(text)), tmp_path / "bent.gltf")
    save(bent(load(text)), tmp_path / "packed.glb")
    human = figure("human")
    pairs = [
        (own_figure(rich), bent(load(rich))),
        (human, wave()),
        (own_figure(rich), load(rich)),
    ]
    save_characters(pairs, tmp_path / "all.glb")
    names = ("bent.glb", "bent.gltf", "packed.glb", "all.glb")
    before, *after = issues(rich, *(tmp_path / name for name in names))
    known = {message["code"] for message in before["messages"] if message["severity"] < 2}
    for report in after:
        bad = [m for m in report["messages"] if m["severity"] < 2 and m["code"] not in known]
        assert not bad, (report["file"], bad[:3])


@pytest.mark.parametrize(
    "name",
    [
        "CesiumMan.glb",
        "Fox.glb",
        "Michelle.glb",
        "RiggedFigure.glb",
        "RobotExpressive.glb",
        "RecursiveSkeletons.glb",
        "meebit.vrm",
        "vroid_hoodie.glb",
        "test.vrma",
    ],
)
def test_characters_from_elsewhere(name, tmp_path):
    path = SHARED / name
    if not path.exists():
        pytest.skip("the characters from elsewhere are not beside this checkout")
    save(load(path), tmp_path / name)
    motion = bent(load(path))
    if not motion.source["animations"]:
        motion = replace(motion, q=np.repeat(motion.q, 2, axis=0))
    target = tmp_path / f"bent{path.suffix}"
    save(motion, target)
    replaced = motion.source["animation"] or motion.name
    if motion.source["animation"]:
        assert (tmp_path / name).read_bytes() == path.read_bytes()
        if "name" in Glb(path).item("animations", 0):
            assert_only_animated(path, target, replaced)
    again = load(target)
    np.testing.assert_allclose(again.frames().positions, motion.frames().positions, atol=2e-5)
    before, after = issues(path, target)
    assert after["numErrors"] <= before["numErrors"]
    known = {message["code"] for message in before["messages"]}
    fresh = {m["code"] for m in after["messages"] if m["severity"] < 2} - known
    assert not fresh

"""FBX: read in a process of its own, written by Blender."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from ascii_fbx import write_fbx
from generated_characters import png
from writhe import load, load_figure, recognise, save, save_figure
from writhe.errors import FileFormatError, WritheError
from writhe.io.gltf.container import Glb
from writhe.skeleton import JointKind, Motion
from writhe.skeleton.figures import figure

pytest.importorskip("ufbx", reason="ufbx is not installed (extra fbx)")
FILE = Path(__file__).parents[3] / "shared" / "characters" / "mixamo.fbx"
needs_file = pytest.mark.skipif(not FILE.is_file(), reason="characters from elsewhere are absent")
needs_blender = pytest.mark.skipif(
    "WRITHE_BLENDER" not in os.environ, reason="WRITHE_BLENDER does not name a Python with bpy"
)


@needs_file
def test_a_mixamo_character_is_read_whole():
    motion = load(FILE)
    assert motion.source["animations"] == ["Take 001", "mixamo.com"]
    assert motion.source["animation"] == "mixamo.com"  # the first in which something moves
    assert (len(motion), motion.fps) == (506, 30.0)
    free = [j.name for j in motion.skeleton.joints if j.kind is JointKind.FREE]
    assert free == ["mixamorig:Hips"]
    # as Blender reads it
    hips = motion.frames().position("mixamorig:Hips")
    np.testing.assert_allclose(hips[0], [-0.0026245, 1.0260167, 0.0222241], atol=1e-6)
    body = load_figure(FILE)
    assert body.skin is not None
    found = recognise(body.skeleton)
    assert found.is_person
    assert found.missing == ()
    assert found.roles["left_index_2"] == "mixamorig:LeftHandIndex2"
    # bound in a T-pose, in metres
    np.testing.assert_allclose(np.ptp(body.skin.vertices, axis=0), [1.805, 1.809, 0.321], atol=2e-3)
    hand = body.skeleton.rest_positions[body.skeleton.index("mixamorig:LeftHand")]
    near = np.linalg.norm(body.skin.vertices - hand, axis=1).min()
    assert near < 0.05


@needs_file
def test_an_animation_is_chosen_by_name_or_number():
    assert len(load(FILE, animation="Take 001")) == 101
    assert len(load(FILE, animation=0)) == 101
    with pytest.raises(WritheError, match=r"is called 'walk'; there are: Take 001, mixamo\.com"):
        load(FILE, animation="walk")


@pytest.mark.parametrize("beside", ["", "skin.png"])
def test_materials_images_morphs_and_rigid_parts_are_kept(tmp_path, beside):
    picture = png()
    if beside:
        (tmp_path / beside).write_bytes(picture)
    body = load_figure(write_fbx(tmp_path / "small.fbx", picture, beside=beside))
    assert body.skeleton.names == ("Hips", "Head")
    save_figure(body, tmp_path / "out.glb")
    glb = Glb(tmp_path / "out.glb")
    materials = {m["name"]: m["pbrMetallicRoughness"] for m in glb.items("materials")}
    np.testing.assert_allclose(materials["felt"]["baseColorFactor"], [0.2, 0.4, 0.6, 1.0])
    view = glb.item("bufferViews", glb.item("images", 0)["bufferView"])
    start = view["byteOffset"]
    assert glb.buffer(0)[start : start + view["byteLength"]] == picture
    texture = glb.item("textures", materials["cloth"]["baseColorTexture"]["index"])
    assert texture["source"] == 0
    meshes = {m["name"]: m for m in glb.items("meshes")}
    assert glb.item("materials", meshes["Body"]["primitives"][0]["material"])["name"] == "cloth"
    assert glb.item("materials", meshes["Hat"]["primitives"][0]["material"])["name"] == "felt"
    primitive = meshes["Body"]["primitives"][0]
    points = glb.array(primitive["attributes"]["POSITION"], "VEC3", "points")
    uv = glb.array(primitive["attributes"]["TEXCOORD_0"], "VEC2", "uv")
    corner = int(np.argmin(points[:, 0] + points[:, 1]))
    np.testing.assert_allclose(uv[corner], [0.0, 1.0])  # lower left: rows of images go down
    assert meshes["Body"]["extras"]["targetNames"] == ["taller"]
    taller = glb.array(primitive["targets"][0]["POSITION"], "VEC3", "morph")
    np.testing.assert_allclose(taller[:, 1], np.where(points[:, 1] > 1.0, 0.2, 0.0), atol=1e-6)
    # the quadrilateral reaches from the floor to 1.6 m, the hat on the head from 1.7 m to 1.75 m
    assert body.skin is not None
    heights = np.unique(body.skin.vertices[:, 1].round(4))
    np.testing.assert_allclose(heights, [0.0, 1.6, 1.7, 1.75], atol=1e-4)


@needs_file
def test_a_glb_of_an_fbx_character_has_the_same_body(tmp_path):
    body = load_figure(FILE)
    save(load(FILE, animation="Take 001"), tmp_path / "out.glb", figure=body)
    again = load_figure(tmp_path / "out.glb")
    assert again.skeleton.names == body.skeleton.names
    assert again.skin is not None and body.skin is not None
    np.testing.assert_array_equal(again.skin.vertices, body.skin.vertices)
    for old, new in zip(body.capsules, again.capsules, strict=True):
        assert (old.joint, old.radius_m) == (new.joint, new.radius_m)
    assert [m["name"] for m in Glb(tmp_path / "out.glb").items("materials")] == [
        "Beta_HighLimbsGeoSG3",
        "Beta_Joints_MAT1",
    ]


@pytest.mark.parametrize("content", [b"", b"Kaydara FBX Binary  \x00\x1a\x00", b"; FBX 7.3.0\n"])
def test_broken_files_are_refused_by_name(tmp_path, content):
    path = tmp_path / "broken.fbx"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=r"broken\.fbx"):
        load(path)


def test_without_blender_writing_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("WRITHE_BLENDER", str(tmp_path / "blender"))
    human = figure("human").skeleton
    with pytest.raises(WritheError, match=r"WRITHE_BLENDER.*no such program.*pip install bpy"):
        save(Motion(human, human.rest_configuration[None], fps=30.0), tmp_path / "a.fbx")
    assert list(tmp_path.iterdir()) == []


def test_a_blender_without_numpy_is_named_with_what_to_install(tmp_path, monkeypatch):
    program = tmp_path / "blender"
    program.write_text(
        "#!/bin/sh\necho \"ModuleNotFoundError: No module named 'numpy'\" >&2\n"
        "echo 'Error: Python: Traceback, location: <unknown location>:-1' >&2\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("WRITHE_BLENDER", str(program))
    human = figure("human")
    rest = human.skeleton.rest_configuration
    motion = Motion(human.skeleton, np.array([rest, rest]), 30.0)
    with pytest.raises(WritheError, match=r"lacks the package numpy.*python3-numpy") as said:
        save(motion, tmp_path / "out.fbx", figure=human)
    assert "4.5 or newer" in str(said.value)


@needs_blender
def test_what_blender_writes_is_read_again(tmp_path):
    human = figure("human")
    q = np.tile(human.skeleton.rest_configuration, (10, 1))
    q[:, human.skeleton.q_slice("left_elbow")] = np.linspace(0, 1.5, 10)[:, None]
    q[:, 0] = np.linspace(0, 0.3, 10)
    motion = Motion(human.skeleton, q, fps=24.0)
    save(motion, tmp_path / "human.fbx", figure=human)
    again = load(tmp_path / "human.fbx")
    assert (len(again), again.fps) == (10, 24.0)
    for name in human.skeleton.names:
        np.testing.assert_allclose(
            again.frames().position(name), motion.frames().position(name), atol=1e-4
        )
    skin = load_figure(tmp_path / "human.fbx").skin
    assert skin is not None
    assert human.skin is not None
    assert len(skin.triangles) == len(human.skin.triangles)

"""USD: what is written is read again; other axes, units and conventions of bind poses."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from generated_characters import RichCharacter
from writhe import load, load_figure, recognise, save, save_figure
from writhe.errors import FileFormatError, WritheError
from writhe.io.gltf.container import Glb
from writhe.io.usd import usd_modules
from writhe.research.evaluation.rigs import STYLES, build_rig
from writhe.skeleton import Motion
from writhe.skeleton import kinematics as kin
from writhe.skeleton.figures import figure

pytest.importorskip("pxr", reason="usd-core is not installed (extra usd)")


def moving(skeleton, frames=8) -> Motion:
    rng = np.random.default_rng(3)
    steps = rng.normal(0, 0.4, skeleton.dof_count)
    rows = [
        kin.integrate(skeleton, skeleton.rest_configuration, steps * np.sin(0.4 * f))
        for f in range(frames)
    ]
    return Motion(skeleton, np.array(rows), fps=24.0, name="moving")


@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".usd", ".usdz"])
def test_a_character_and_its_motion_survive(tmp_path, suffix):
    human = figure("human")
    motion = moving(human.skeleton)
    file = tmp_path / f"human{suffix}"
    save(motion, file, figure=human)
    again = load(file)
    assert again.skeleton.names == human.skeleton.names
    assert again.fps == 24.0
    np.testing.assert_allclose(again.frames().positions, motion.frames().positions, atol=1e-6)
    np.testing.assert_allclose(again.frames().rotations, motion.frames().rotations, atol=1e-6)
    body = load_figure(file)
    assert body.skin is not None
    assert human.skin is not None
    assert dict(body.roles) == dict(human.roles)
    for side in (np.min, np.max):
        np.testing.assert_allclose(
            side(body.skin.vertices, axis=0), side(human.skin.vertices, axis=0), atol=1e-6
        )
    assert len(body.skin.triangles) == len(human.skin.triangles)


def test_names_that_usd_does_not_allow_come_back(tmp_path):
    rig = build_rig(STYLES["mixamo"]).skeleton
    save(moving(rig), tmp_path / "a.usdc")
    assert load(tmp_path / "a.usdc").skeleton.names == rig.names


def test_the_content_decides_not_the_suffix(tmp_path):
    human = figure("human")
    save(moving(human.skeleton), tmp_path / "a.usdc")
    shutil.copy(tmp_path / "a.usdc", tmp_path / "a.bvh")
    assert load(tmp_path / "a.bvh").source["format"] == "usd"


@pytest.mark.parametrize("bind_in_world", [True, False])
def test_z_up_centimetres_and_a_placed_skeleton(tmp_path, bind_in_world):
    """A stage as other programs write it; Blender stores the bind pose in the skeleton's space."""
    Gf, Usd, UsdGeom, UsdSkel, Vt = usd_modules("Gf", "Usd", "UsdGeom", "UsdSkel", "Vt")

    human = figure("human")
    save_figure(human, tmp_path / "plain.usda")
    stage = Usd.Stage.Open(str(tmp_path / "plain.usda"))
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 0.01)
    skel = UsdSkel.Skeleton(stage.GetPrimAtPath("/Character/Skeleton"))
    # metres and Y up within the skeleton, which is turned up and enlarged on the stage
    place = Gf.Matrix4d().SetScale(100.0) * Gf.Matrix4d().SetRotate(
        Gf.Rotation(Gf.Vec3d(1, 0, 0), 90.0)
    )
    UsdGeom.Xformable(skel).AddTransformOp().Set(place)
    if bind_in_world:
        bind = skel.GetBindTransformsAttr().Get()
        skel.GetBindTransformsAttr().Set(Vt.Matrix4dArray([m * place for m in bind]))
        mesh = UsdSkel.BindingAPI(stage.GetPrimAtPath("/Character/Mesh"))
        mesh.GetGeomBindTransformAttr().Set(place)
    stage.GetRootLayer().Export(str(tmp_path / "other.usda"))
    body = load_figure(tmp_path / "other.usda")
    assert body.skin is not None
    assert human.skin is not None
    np.testing.assert_allclose(
        body.skeleton.rest_positions, human.skeleton.rest_positions, atol=1e-6
    )
    np.testing.assert_allclose(
        body.skin.vertices.max(axis=0), human.skin.vertices.max(axis=0), atol=1e-5
    )
    assert recognise(body.skeleton).is_person


@pytest.mark.parametrize("suffix", [".usdz", ".usda"])
def test_materials_images_and_morphs_survive(tmp_path, suffix):
    source = RichCharacter().write(tmp_path / "rich.glb")
    save(load(source), tmp_path / f"rich{suffix}", figure=load_figure(source))
    body = load_figure(tmp_path / f"rich{suffix}")
    assert body.source is not None
    old, new = Glb(source), Glb(body.source)
    assert _pictures(new) == _pictures(old) != set()
    surfaces = {m["name"]: m["pbrMetallicRoughness"] for m in new.items("materials")}
    assert surfaces.keys() == {"skin", "cloth", "felt"}
    assert surfaces["skin"]["baseColorTexture"] != surfaces["cloth"]["baseColorTexture"]
    np.testing.assert_allclose(surfaces["felt"]["baseColorFactor"], [0.2, 0.2, 0.3, 1.0], atol=1e-6)
    assert [m["extras"]["targetNames"] for m in new.items("meshes") if "extras" in m] == [
        ["taller"],
        ["taller"],
    ]
    for before, after in zip(_corners(old), _corners(new), strict=True):
        np.testing.assert_allclose(after, before, atol=1e-5)


def _pictures(glb: Glb) -> set[bytes]:
    views = [glb.item("bufferViews", image["bufferView"]) for image in glb.items("images")]
    return {glb.buffer(0)[v["byteOffset"] : v["byteOffset"] + v["byteLength"]] for v in views}


def _corners(glb: Glb) -> list[np.ndarray]:
    """Texture coordinates and morph offsets at the corners of each mesh with them, sorted."""
    out = []
    for mesh in glb.items("meshes"):
        primitive = mesh["primitives"][0]
        if "TEXCOORD_0" in primitive["attributes"]:
            uv = glb.array(primitive["attributes"]["TEXCOORD_0"], "VEC2", "uv")
            moved = glb.array(primitive["targets"][0]["POSITION"], "VEC3", "morph")
            rows = np.column_stack([uv, moved]).round(5)
            out.append(np.unique(rows, axis=0))
    return sorted(out, key=len)


def test_files_that_are_no_characters_are_refused(tmp_path):
    (tmp_path / "a.usda").write_text('#usda 1.0\ndef Xform "World" {}\n')
    with pytest.raises(FileFormatError, match="no skeleton"):
        load(tmp_path / "a.usda")
    (tmp_path / "b.usdc").write_bytes(b"PXR-USDC" + bytes(40))
    with pytest.raises(FileFormatError, match="cannot be read as USD"):
        load(tmp_path / "b.usdc")
    with pytest.raises(WritheError, match="state their unit"):
        load(tmp_path / "a.usda", metres_per_unit=0.01)

"""A user's own character in the page: materials, clips, dragging, export with everything."""

from __future__ import annotations

import base64
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser_user import drag, position

from generated_characters import SHARED, RichCharacter, wave
from writhe import save
from writhe.io.gltf.container import Glb
from writhe.io.gltf.read import load_gltf_figure
from writhe.skeleton.figures import figure

_DROP = """files => {
  const dropped = new DataTransfer();
  for (const { name, data } of files)
    dropped.items.add(new File([Uint8Array.from(atob(data), c => c.charCodeAt(0))], name));
  const how = { dataTransfer: dropped, bubbles: true, cancelable: true };
  document.body.dispatchEvent(new DragEvent("drop", how));
}"""
_SHOWN = """figure => {
  const { editor, store } = window.writhe;
  const actor = store.state.actors.find(one => one.figure === figure);
  return actor && store.active === actor.id && editor.viewport.character(actor.id)?.hasModel;
}"""
_TEXTURES = """() => {
  const { editor, store } = window.writhe;
  const found = new Set();
  editor.viewport.character(store.active).root.traverse(object => {
    if (object.material?.map?.image?.width) found.add(object.material.map.uuid);
  });
  return found.size;
}"""
# the node of a joint in the file, in the world, beside the joint itself
_APART = """() => {
  const { editor, store } = window.writhe;
  const character = editor.viewport.character(store.active);
  let worst = 0;
  character.shape.joints.forEach((joint, j) => {
    const at = character.jointPosition(j);
    let own = null;
    character.root.traverse(object => {
      if (object.isBone && object.userData.name === joint.name && object !== character.bones[j])
        own = object;
    });
    if (own) worst = Math.max(worst, own.getWorldPosition(at.clone()).distanceTo(at));
  });
  return worst;
}"""


def drop(page: Any, *paths: Path) -> None:
    page.evaluate(
        _DROP,
        [
            {"name": path.name, "data": base64.b64encode(path.read_bytes()).decode()}
            for path in paths
        ],
    )


def actors(page: Any) -> list[tuple[str, str, str]]:
    found = page.evaluate(
        "() => window.writhe.store.state.actors.map(a => [a.name, a.figure, a.clip])"
    )
    return [tuple(one) for one in found]


def test_a_dropped_character_keeps_its_materials_and_its_chosen_clip(open_page, tmp_path):
    page = open_page()
    drop(page, RichCharacter().write(tmp_path / "hero.glb"))
    page.get_by_text("Nod (1.0 s)").click()
    page.get_by_role("button", name="Open the character").click()
    page.wait_for_function(_SHOWN, arg="hero")
    assert actors(page) == [("hero", "hero", "Nod")], "a new document's mannequin makes room"
    assert page.evaluate(_TEXTURES) == 2
    assert page.evaluate(_APART) < 1e-4
    page.evaluate("() => window.writhe.editor.seek(0.5)")
    assert page.evaluate(_APART) < 1e-4
    before = position(page, "rig:left_wrist")
    page.evaluate("() => window.writhe.editor.seek(0)")
    drag(page, "rig:left_wrist", 40, -60)
    page.wait_for_function("() => window.writhe.store.state.undo.includes('Pose')")
    assert np.linalg.norm(np.subtract(position(page, "rig:left_wrist"), before)) > 0.02
    assert page.evaluate(_APART) < 1e-4


def test_a_second_character_is_added_beside_the_first_and_both_are_exported(open_page, tmp_path):
    page = open_page()
    page.evaluate("() => window.writhe.editor.run('mirror')")  # the document is in use
    page.wait_for_function("() => window.writhe.store.state.undo")
    parts = RichCharacter().write(tmp_path / "hero.gltf")
    drop(page, parts, tmp_path / "data file.bin", tmp_path / "textures" / "skin.png")
    page.get_by_role("button", name="Open the character").click()
    page.wait_for_function(_SHOWN, arg="hero")
    assert [name for name, _, _ in actors(page)] == ["Human", "hero"]
    assert position(page, "rig:hips")[0] > 1.0, "they must not stand in each other"
    page.get_by_role("button", name="Export").click()
    page.get_by_text("GLB", exact=True).click()
    dialog = page.locator("dialog.export[open]")
    assert "Human, hero" in dialog.inner_text()
    with page.expect_download() as waiting:
        dialog.get_by_role("button", name="Export").last.click()
    path = tmp_path / "both.glb"
    waiting.value.save_as(path)
    glb = Glb(path)
    names = [node.get("name") for node in glb.items("nodes")]
    assert "left_knee" in names and "rig:left_knee" in names
    assert len(glb.items("images")) == 2 and len(glb.items("cameras")) == 1
    page.get_by_role("button", name="Export").click()
    page.get_by_text("BVH", exact=True).click()
    with page.expect_download() as waiting:
        dialog.get_by_role("button", name="Export").last.click()
    waiting.value.save_as(tmp_path / "both.zip")
    with zipfile.ZipFile(tmp_path / "both.zip") as archive:
        assert archive.namelist() == ["Human.bvh", "hero.bvh"]


def test_a_file_without_a_mesh_is_a_motion_for_the_character(open_page, tmp_path):
    save(wave(), tmp_path / "wave.glb")
    page = open_page()
    drop(page, tmp_path / "wave.glb")
    page.wait_for_function("() => window.writhe.store.state.actors[0].clip")
    assert actors(page) == [("Human", "human", "wave")]


@pytest.mark.parametrize("name", ["Michelle.glb", "meebit.vrm", "RobotExpressive.glb"])
def test_characters_from_elsewhere(open_page, tmp_path, name):
    path = SHARED / name
    if not path.exists():
        pytest.skip("the characters from elsewhere are not beside this checkout")
    page = open_page()
    drop(page, path)
    old = Glb(path)
    if len(old.items("animations")) > 1:
        page.get_by_role("button", name="Open the character").click()
    page.wait_for_function(_SHOWN, arg=path.stem)
    assert page.evaluate(_APART) < 1e-4
    number = page.evaluate("() => window.writhe.store.active")
    answer = page.request.get(
        f"{page.url.split('?')[0]}api/documents/{page.document}/export/{number}.glb"
    )
    (tmp_path / "out.glb").write_bytes(answer.body())
    new = Glb(tmp_path / "out.glb")
    for key in ("meshes", "materials", "images", "textures", "skins", "extensions"):
        assert new.document.get(key) == old.document.get(key), key
    _, skin, *_ = load_gltf_figure(tmp_path / "out.glb")
    assert skin is not None
    assert figure("human").name not in [n.get("name") for n in new.items("nodes")]

"""Characters of other formats in a document: shown, and exported with what their file held."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascii_fbx import write_fbx
from generated_characters import png
from writhe.io.gltf.container import Glb
from writhe.studio.document import Document
from writhe.studio.files.exports import export
from writhe.studio.files.imports import import_file, inspect_file

pytest.importorskip("ufbx", reason="ufbx is not installed (extra fbx)")


def test_an_fbx_character_is_exported_with_its_materials(tmp_path: Path) -> None:
    picture = png()
    data = write_fbx(tmp_path / "small.fbx", picture).read_bytes()
    assert inspect_file("small.fbx", data)["character"]
    document = Document.create(tmp_path / "small.writhe", "Small")
    document.add_actor("human")
    first = document.actors()[0].id
    _, actor = import_file(document, first, "small.fbx", data, form="actor")
    assert document.actor(actor).figure == "small"
    (tmp_path / "out.glb").write_bytes(export(document, [actor], "glb")[0])
    glb = Glb(tmp_path / "out.glb")
    assert [m["name"] for m in glb.items("materials")] == ["felt", "cloth"]
    assert picture in glb.binary
    names = [m["extras"]["targetNames"] for m in glb.items("meshes") if "extras" in m]
    assert names == [["taller"]]

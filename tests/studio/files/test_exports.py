"""Exported files show what the document shows, for as long as any of their characters moves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from generated_characters import RichCharacter
from writhe.errors import WritheError
from writhe.io import load
from writhe.research.evaluation.independent import CurveMotion
from writhe.research.evaluation.independent.stored_files import read_gltf
from writhe.skeleton import Motion, forward
from writhe.studio.document import Document, TrackKind
from writhe.studio.document.row_types import pack
from writhe.studio.editing import edits
from writhe.studio.editing.scene import object_edits
from writhe.studio.files.exports import certificate_of_all, export
from writhe.studio.files.imports import import_file
from writhe.studio.view.figure_mesh import figure_message


def test_characters_and_objects_move_until_the_longest_motion_ends(tmp_path: Path):
    """A box that makes way for the second character, and keys over a clip that fade out."""
    document = Document.create(tmp_path / "two.writhe")
    first, second = document.add_actor(), document.add_actor()
    q = document.actor(first).configuration
    clip = Motion(document.timeline(first).skeleton, np.tile(q, (16, 1)), 30.0, "stand")
    with document.edit("Clip") as edit:
        edits.put_clip(document, edit, first, clip, 0.0)
    aside = q.copy()
    aside[2] -= 0.3
    document.set_key(first, 0.5, aside)
    here = document.actor(second).configuration
    ahead = here.copy()
    ahead[2] += 0.8
    document.set_key(second, 0.0, here)
    document.set_key(second, 1.0, ahead)
    with document.edit("Box") as edit:
        box = object_edits.add_object(document, edit, "box", (float(here[0]), 1.2, 0.7))
        track = edits.track_for(document, edit, TrackKind.PLACEMENT, "Place", object_id=box)
        for time_s, z in ((0.0, 0.7), (1.0, 3.0)):
            place = np.array([float(here[0]), 1.2, z, 1.0, 0.0, 0.0, 0.0])
            edits.put_track_key(document, edit, track, time_s, pack(place))
    data, _ = export(document, [first, second], "glb")
    assert certificate_of_all(document, [first, second], data, "glb").certified
    stored = read_gltf(data)
    motion = stored.motions[0]
    assert isinstance(motion, CurveMotion)
    shift, _ = motion.at(np.array([1.0]))
    assert shift[0, stored.names.index("Box"), 2] == pytest.approx(3.0, abs=1e-5)
    root = document.timeline(first).skeleton.names[0]
    one, other = (c for c, name in enumerate(stored.names) if name == root)
    moved = document.timeline(first).at(1.0) - q
    assert abs(moved[2]) < 0.2  # the key fades after the end of the clip
    assert shift[0, one, 2] - motion.offset[one, 2] == pytest.approx(
        document.timeline(first).at(1.0)[2], abs=1e-5
    )
    assert shift[0, other, 2] - motion.offset[other, 2] == pytest.approx(ahead[2], abs=1e-5)
    # BVH files of both last equally long, so that they can be certified together
    files, name = export(document, [first, second], "bvh")
    assert name.endswith(".zip")
    assert certificate_of_all(document, [first, second], files, "bvh").certified


def _with_character(folder: Path, vrm: str) -> tuple[Document, int]:
    """A document with a character that rises by 1 cm."""
    path = RichCharacter(vrm=vrm).write(folder / ("avatar.vrm" if vrm else "avatar.glb"))
    document = Document.create(folder / "avatar.writhe")
    first = document.add_actor()
    _, actor = import_file(
        document, first, path.name, path.read_bytes(), form="actor", animation="-"
    )
    q = document.actor(actor).configuration
    document.set_key(actor, 0.0, q)
    q[1] += 0.01
    document.set_key(actor, 0.5, q)
    return document, actor


@pytest.mark.parametrize("version", ["0.x", "1.0"])
def test_an_avatar_is_exported_as_one(tmp_path: Path, version: str):
    document, actor = _with_character(tmp_path, version)
    assert figure_message(document, document.actor(actor).figure).vrm
    data, name = export(document, [actor], "vrm")
    assert name.endswith(".vrm")
    (tmp_path / name).write_bytes(data)
    assert load(tmp_path / name).source["contents"]["vrm"] == version
    assert certificate_of_all(document, [actor], data, "vrm").certified
    with pytest.raises(WritheError, match="one character"):
        export(document, [row.id for row in document.actors()], "vrm")


def test_other_characters_are_not_exported_as_avatars(tmp_path: Path):
    document, actor = _with_character(tmp_path, "")
    assert not figure_message(document, document.actor(actor).figure).vrm
    with pytest.raises(WritheError, match=r"read from a \.vrm file"):
        export(document, [actor], "vrm")


def test_a_character_is_exported_to_usd(tmp_path: Path):
    pytest.importorskip("pxr", reason="usd-core is not installed (extra usd)")
    document, actor = _with_character(tmp_path, "")
    data, name = export(document, [actor], "usdz")
    (tmp_path / name).write_bytes(data)
    assert certificate_of_all(document, [actor], data, "usdz").certified
    again = load(tmp_path / name)
    tops = [forward(again.skeleton, again.q[frame]).positions[:, 1].max() for frame in (0, -1)]
    assert tops[1] - tops[0] == pytest.approx(0.01, abs=1e-4)

"""FBX: read in a process of its own, written by Blender."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from writhe import load, load_figure, recognise, save
from writhe.errors import FileFormatError, WritheError
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
    with pytest.raises(WritheError, match=r"no animation 'walk'; it has: Take 001, mixamo\.com"):
        load(FILE, animation="walk")


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

"""FBX, USD and misnamed glTF files are certified with what happens between their frames."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from writhe.collision import ContactPolicy
from writhe.errors import FileFormatError
from writhe.io import load, save
from writhe.io.usd import usd_modules
from writhe.research.fuzzing.entry_points.interchange import TICKS, write_fbx
from writhe.scene import certify_file
from writhe.skeleton import Motion
from writhe.skeleton.figures import figure

THROUGH = (np.cos(1.25), 0.0, -np.sin(1.25), 0.0)  # an arm of the human turned into its chest


def test_a_sample_of_usd_between_two_frames_counts(tmp_path: Path):
    Gf, Usd, UsdSkel, Vt = usd_modules("Gf", "Usd", "UsdSkel", "Vt")
    human = figure("human").skeleton
    path = tmp_path / "still.usda"
    save(Motion(human, np.tile(human.rest_configuration, (3, 1)), 30.0), path)
    found = certify_file(path).certificate
    assert found.certified and found.frames == 3
    stage = Usd.Stage.Open(str(path))
    animation = UsdSkel.Animation(stage.GetPrimAtPath("/Character/Skeleton/Animation"))
    turns = list(animation.GetRotationsAttr().Get(1.0))
    joint = human.index("left_shoulder")
    turns[joint] = turns[joint] * Gf.Quatf(*(float(x) for x in THROUGH))
    animation.GetRotationsAttr().Set(Vt.QuatfArray(turns), 1.5)
    stage.GetRootLayer().Export(str(tmp_path / "swung.usda"))
    assert len(load(tmp_path / "swung.usda")) == 3  # the sample lies between the frames
    assert not certify_file(tmp_path / "swung.usda").certificate.certified


def test_a_key_of_fbx_between_two_frames_counts(tmp_path: Path):
    """Two arms beside each other; one swings through the other and back within a frame."""
    parents = [-1, 0, 1, 2, 0, 4, 5]
    offset = np.array([[0, 1, 0], [0.2, 0, 0], [0, 0.3, 0], [0, 0.3, 0]] * 2, float)[
        [0, 1, 2, 3, 5, 6, 7]
    ]
    offset[4, 0] = -0.2
    ticks = np.round(np.array([0.0, 0.008, 0.016, 1.0 / 30.0]) * TICKS)
    degrees = np.zeros((4, 7, 3))
    policy = ContactPolicy(skip_joint_zones=True)
    write_fbx(tmp_path / "still.fbx", parents, offset, ticks, degrees, None)
    assert certify_file(tmp_path / "still.fbx", policy=policy).certificate.certified
    degrees[1, 1, 2] = 110.0
    write_fbx(tmp_path / "swung.fbx", parents, offset, ticks, degrees, None)
    assert not certify_file(tmp_path / "swung.fbx", policy=policy).certificate.certified


def test_an_fbx_file_with_curves_that_are_not_numbers_is_refused(tmp_path: Path):
    slopes = np.full((2, 3, 3), np.nan)
    ticks = np.array([0.0, TICKS])
    offset = np.array([[0, 1, 0], [0, 0.3, 0], [0, 0.3, 0]], float)
    write_fbx(tmp_path / "nan.fbx", [-1, 0, 1], offset, ticks, np.zeros((2, 3, 3)), slopes)
    with pytest.raises(FileFormatError, match="not finite"):
        load(tmp_path / "nan.fbx")


def test_a_gltf_file_under_another_suffix_is_certified_at_its_keys(tmp_path: Path):
    human = figure("human").skeleton
    q = np.tile(human.rest_configuration, (3, 1))
    q[1, human.q_slice("left_shoulder")] = THROUGH
    save(Motion(human, q, 30.0), tmp_path / "clip.glb")
    data = bytearray((tmp_path / "clip.glb").read_bytes())
    size = struct.unpack_from("<I", data, 12)[0]
    document = json.loads(data[20 : 20 + size])
    times = document["accessors"][document["animations"][0]["samplers"][0]["input"]]
    start = 28 + size + document["bufferViews"][times["bufferView"]].get("byteOffset", 0)
    # the arm is through the chest 1 ms after the start only: no frame shows it
    struct.pack_into("<3f", data, start + times.get("byteOffset", 0), 0.0, 0.001, 0.004)
    for name in ("clip.glb", "clip.motion", "clip.npz"):
        (tmp_path / name).write_bytes(data)
        found = certify_file(tmp_path / name).certificate
        assert not found.certified and found.frames == 3

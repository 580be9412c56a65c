"""The commands that read and write motion files."""

from __future__ import annotations

import json

import numpy as np
import pytest

from writhe import load, save
from writhe.cli.app import run
from writhe.skeleton import Motion
from writhe.skeleton.figures import figure


@pytest.fixture
def clip(tmp_path):
    human = figure("human").skeleton
    path = tmp_path / "stand.bvh"
    save(Motion(human, np.repeat(human.rest_configuration[None], 7, axis=0), 30.0), path)
    return path


def call(capsys, *arguments) -> dict:
    with pytest.raises(SystemExit) as stop:
        run([*map(str, arguments), "--json"])
    assert stop.value.code in (0, None)
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_info_tells_what_a_file_holds(capsys, clip):
    told = call(capsys, "info", clip)
    assert (told["joints"], told["frames"], told["fps"], told["family"]) == (21, 7, 30.0, "human")
    assert told["duration_s"] == pytest.approx(0.2)
    assert told["repairs"] == []


def test_convert_and_retarget_write_readable_files(capsys, clip, tmp_path):
    told = call(capsys, "convert", clip, tmp_path / "stand.glb", "--fps", 60)
    assert told["frames"] == 13
    assert load(tmp_path / "stand.glb").fps == 60.0
    told = call(
        capsys, "retarget", tmp_path / "stand.glb", "--to", "human", "-o", tmp_path / "r.bvh"
    )
    assert told["scale"] == pytest.approx(1.0)
    told = call(capsys, "retarget", clip, "--to", tmp_path / "stand.glb", "-o", tmp_path / "r.glb")
    assert told["frames"] == 7
    np.testing.assert_allclose(
        load(tmp_path / "r.glb").frames().positions, load(clip).frames().positions, atol=1e-5
    )


def test_bad_input_is_one_line_and_code_two(capsys, tmp_path):
    (tmp_path / "bad.bvh").write_text("HIERARCHY\nROOT x\n{\n")
    with pytest.raises(SystemExit) as stop:
        run(["info", str(tmp_path / "bad.bvh")])
    assert stop.value.code == 2
    said = capsys.readouterr().err.strip()
    assert "bad.bvh" in said
    assert len(said.splitlines()) == 1

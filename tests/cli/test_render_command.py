"""`writhe render` on figures and on captured clips."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("pyvista")
from PIL import Image
from typer.testing import CliRunner

from writhe.cli.app import build_app, run

runner = CliRunner()


def test_a_figure_becomes_a_picture(tmp_path):
    out = tmp_path / "hand.png"
    result = runner.invoke(
        build_app("render"), ["render", "hand", "-o", str(out), "--size", "96", "--json"]
    )
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout.strip().splitlines()[-1])
    assert told == {"output": str(out), "figure": "hand", "frames": 1}
    assert Image.open(out).size == (96, 96)


@pytest.mark.mocap
def test_a_clip_becomes_a_film_strip_of_the_human(mocap, tmp_path):
    clip = min((mocap / "arm").glob("*.bvh"), key=lambda p: p.stat().st_size)
    out = tmp_path / "strip.png"
    arguments = ["render", str(clip), "-o", str(out), "--strip", "3", "--size", "120"]
    result = runner.invoke(build_app("render"), arguments)
    assert result.exit_code == 0, result.output
    assert Image.open(out).size == (240, 120)


@pytest.mark.parametrize(
    "arguments", [["human", "-o", "x.tiff"], ["human", "-o", "x.png", "--frame", "7"]]
)
def test_bad_requests_exit_with_two(arguments, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stopped:
        run(["render", *arguments])
    assert stopped.value.code == 2
    assert "writhe:" in capsys.readouterr().err

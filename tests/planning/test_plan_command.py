"""`writhe plan` from files to files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from writhe.cli.app import run
from writhe.io import load, save
from writhe.skeleton import Figure, Motion


@pytest.fixture
def clip(human: Figure, tmp_path: Path) -> Path:
    q = np.tile(human.skeleton.rest_configuration, (3, 1))
    for frame, angle in enumerate((0.5, 1.0, 1.5)):
        q[frame, human.skeleton.q_slice("left_elbow")] = angle
    path = tmp_path / "clip.bvh"
    save(Motion(human.skeleton, q, 30.0), path)
    return path


def _json(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    return json.loads(capsys.readouterr().out.strip().splitlines()[-1])


def test_a_lead_in_ends_where_the_clip_begins(
    clip: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out.bvh"
    command = ["plan", "--from", "rest", "--to", f"{clip}@0", "--lead-in", "-o", str(output)]
    with pytest.raises(SystemExit) as ended:
        run([*command, "--json"])
    assert ended.value.code == 0
    result = _json(capsys)
    written, source = load(output), load(clip)
    way = int(str(result["way_frames"]))
    assert result["certified"] and len(written) == way + 2
    assert np.allclose(written.q[way - 1 :], source.q, atol=1e-4)


def test_two_frames_of_files(
    clip: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out.bvh"
    with pytest.raises(SystemExit) as ended:
        run(["plan", f"{clip}@2", f"{clip}@0", "-o", str(output), "--duration", "1", "--json"])
    assert ended.value.code == 0
    assert _json(capsys)["status"] == "exact"
    assert load(output).duration_s == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rest"], "two postures"),
        (["--from", "rest", "--to", "rest"], "from a file"),
        (["--from", "rest", "--to", "{clip}"], "FILE@FRAME"),
        (["--from", "rest", "--to", "{clip}@99"], "frames 0 to 2"),
    ],
)
def test_misuse_is_told(
    clip: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(["plan", *(a.replace("{clip}", str(clip)) for a in arguments)])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err

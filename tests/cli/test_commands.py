"""The command line as a whole: help, errors, and files that go through several commands."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from writhe import io
from writhe.cli.app import COMMANDS, run
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.skeleton import Motion
from writhe.skeleton.figures import figure


def outcome(arguments: list[str]) -> int:
    with pytest.raises(SystemExit) as end:
        run(arguments)
    return int(end.value.code or 0)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_an_example(command, capsys):
    assert outcome([command, "--help"]) == 0
    assert "Example" in capsys.readouterr().out


def test_importing_writhe_loads_nothing_heavy():
    code = "import sys, writhe; print(sorted({'numba', 'scipy', 'numpy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_path_that_cannot_be_written_is_one_line_and_exit_code_2(tmp_path, capsys):
    path = tmp_path / "still.bvh"
    human = figure("human")
    io.save(Motion(human.skeleton, standing(human)[None], fps=30.0), path)
    assert outcome(["convert", str(path), str(tmp_path / "nowhere" / "out.bvh")]) == 2
    assert outcome(["render", str(path), "-o", str(tmp_path / "nowhere" / "out.png")]) == 2
    for line in capsys.readouterr().err.strip().splitlines():
        assert "Traceback" not in line


def test_a_saved_figure_is_certified_by_its_own_shapes(tmp_path, capsys):
    """The standing human is clear with its own capsules, which must be restored from a file."""
    human = figure("human")
    path = tmp_path / "still.bvh"
    io.save(Motion(human.skeleton, np.tile(standing(human), (3, 1)), fps=30.0), path)
    assert len(io.figure_of(io.load(path)).capsules) == len(human.capsules)
    assert outcome(["certify", str(path), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    assert answer["certified"] and answer["interpolation"] == "both"


def test_certify_finds_the_leg_in_the_torso(mocap, capsys):
    """A marker swap puts a leg through the torso around frame 375 of this clip."""
    clip = mocap / "tangled" / "111_39.bvh"
    assert outcome(["certify", str(clip), "--json"]) == 1
    answer = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    trunk = {"Hips", "LowerBack", "Spine", "Spine1"}
    found = [
        event
        for event in answer["deep_overlaps"]
        if abs(event["time_s"] - 375 / 30) < 0.5
        and {event["a"], event["b"]} & trunk
        and any("Left" in part for part in (event["a"], event["b"]))
    ]
    assert found
    assert answer["penetration_m"]["witnessed"] > 0.08
    width = answer["penetration_m"]["upper_bound"] - answer["penetration_m"]["witnessed"]
    assert 0 <= width <= 1e-4 + 1e-9

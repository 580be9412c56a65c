"""The tool in a window of Blender, by a simulated pointer (`make test-blender`)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from mixamo_character import write_mixamo_character

TOOLS = Path(__file__).parents[2] / "tools" / "extension"
PYTHON = os.environ.get("WRITHE_BLENDER_PYTHON", "")
BARE = os.environ.get("WRITHE_BARE_BLENDER_PYTHON", "")
ZIPS = sorted((Path(__file__).parents[2] / "dist").glob("writhe-blender-*.zip"))
pytestmark = pytest.mark.skipif(
    not (shutil.which("blender") and shutil.which("xvfb-run")),
    reason="no blender or xvfb-run is installed",
)


def walked(script: str, folder: Path, *given: str) -> dict:
    """What a script found in a window of Blender."""
    run = subprocess.run(
        [str(TOOLS / "in_window.sh"), str(TOOLS / script), str(folder), *given],
        capture_output=True, text=True, timeout=1000, check=False,
    )  # fmt: skip
    found = folder / "result.json"
    assert found.exists(), (run.stdout + run.stderr)[-3000:]
    return json.loads(found.read_text())


@pytest.fixture(scope="module")
def result(tmp_path_factory) -> dict:
    if not PYTHON:
        pytest.skip("set WRITHE_BLENDER_PYTHON to a Python with writhe and NumPy 1")
    return walked("walkthrough.py", tmp_path_factory.mktemp("pictures"), PYTHON)


@pytest.mark.skipif(
    not (ZIPS and BARE),
    reason="run make blender, and set WRITHE_BARE_BLENDER_PYTHON to a Python with NumPy 1",
)
def test_a_mixamo_character_is_dragged_keyed_and_certified_with_the_zip(tmp_path):
    character = write_mixamo_character(tmp_path)
    found = walked("zip_walkthrough.py", tmp_path, str(ZIPS[-1]), str(character), BARE)
    assert found.get("done"), found
    assert found["loaded_at_registration"] == []
    assert "a person" in found["summary"]
    assert found["moved_m"] > 0.4 and found["from_pointer_px"] < 5.0 and found["keyed"] > 3
    assert found["verdict"] == "certified"
    assert found["sentence"] == "Nothing penetrates, between the keys either."
    assert found["from_zip"] and found["compiled"] == []


def test_the_walk_through_reaches_its_end(result):
    assert result.get("done"), result


def test_the_pointer_drags_a_hand_and_the_bones_are_keyed(result):
    assert result["moved_m"] > 0.3
    assert result["keyed"] > 3
    assert result["dragged"] == "certified"


def test_a_drag_with_its_keys_is_one_undo_step(result):
    assert result["undo_restores_m"] < 1e-5 and result["undo_unkeys"]


def test_escape_cancels_work_in_the_background(result):
    assert result["was_working"] == "Cleaning" and result["cancelled"]


def test_a_control_rig_is_dragged_by_the_pointer(result):
    assert "a person" in result["rig"] and "FK controls" in result["rig"]
    assert result["rig_moved_m"] > 0.3


def test_background_work_finds_and_removes_a_pass_through(result):
    assert result["through"] in ("passes through", "penetrating")
    assert result["markers"] > 0
    assert result["cleaned"] == "certified"


def test_escape_restores_the_pose(result):
    assert result["escape_restores"]


def test_a_drag_along_an_axis_leaves_the_other_coordinates(result):
    x, y, z = result["along_x_m"]
    assert abs(x) > 0.03
    assert max(abs(y), abs(z)) < 0.005


def test_the_arms_follow_the_slider_and_are_kept(result):
    assert result["wound"] == pytest.approx(0.45, abs=0.05)
    assert result["kept"]

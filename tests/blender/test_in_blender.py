"""The extension in Blender's Python: `make test-blender` installs it and runs these tests."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

PYTHON = os.environ.get("WRITHE_BLENDER_PYTHON", "")
pytestmark = pytest.mark.skipif(
    not PYTHON, reason="set WRITHE_BLENDER_PYTHON to a Python with bpy and writhe"
)


@pytest.fixture(scope="module")
def result() -> dict:
    run = subprocess.run(
        [PYTHON, str(Path(__file__).with_name("in_blender.py"))],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    found = [line[7:] for line in run.stdout.splitlines() if line.startswith("RESULT ")]
    assert found, (run.stdout + run.stderr)[-3000:]
    return json.loads(found[-1])


def test_the_body_is_recognised(result):
    assert {"hips", "left_wrist", "right_ankle", "head"} <= set(result["roles"])


def test_curves_are_read_as_blender_evaluates_them(result):
    assert result["note"] == ""  # read as curves, not sampled
    assert result["exact_m"] < 1e-5


def test_a_pass_through_is_found_marked_and_cleaned(result):
    assert result["before"] in ("passes through", "penetrating")
    assert result["markers"] > 0
    assert result["after"] == result["again"] == "certified"


def test_the_certificate_holds_for_blenders_own_evaluation(result):
    assert result["evaluated"] == "certified"


def test_a_drag_is_written_keyed_and_undone(result):
    assert result["reached_m"] == pytest.approx(result["error_m"], abs=1e-5)
    assert result["error_m"] < 0.02
    assert result["keyed"] > 0 and result["curves"] > 0
    assert result["undone"]

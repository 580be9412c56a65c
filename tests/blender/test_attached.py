"""The extension in a Blender whose Python has no writhe, with writhe in another Python."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from blender_runs import result_of

PYTHON = os.environ.get("WRITHE_BARE_BLENDER_PYTHON", "")
pytestmark = pytest.mark.skipif(
    not PYTHON, reason="set WRITHE_BARE_BLENDER_PYTHON to a Python with bpy and no writhe"
)


def test_another_python_does_the_work_and_blender_says_what_is_missing():
    script = Path(__file__).with_name("attached.py")
    result = result_of([PYTHON, str(script), sys.executable])
    assert "pip install writhe" in result["problem"]
    assert result["loaded"] == []
    assert result["error_m"] < 0.01
    assert result["verdict"] == "certified"

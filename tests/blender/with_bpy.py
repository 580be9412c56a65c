"""Tests that run a script of this folder in a Python with bpy and writhe (`make test-blender`)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from blender_runs import result_of

PYTHON = os.environ.get("WRITHE_BLENDER_PYTHON", "")
needs_bpy = pytest.mark.skipif(
    not PYTHON, reason="set WRITHE_BLENDER_PYTHON to a Python with bpy and writhe"
)


def script_result(name: str, *arguments: str) -> dict:
    """What the script found."""
    return result_of([PYTHON, str(Path(__file__).with_name(name)), *arguments])

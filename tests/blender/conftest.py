"""The part of the Blender extension that needs no Blender."""

from __future__ import annotations

import importlib
import sys
import types
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "blender" / "writhe_blender"


@pytest.fixture(scope="session")
def process():
    """The module `process.client`, without the rest of the extension, which needs bpy."""
    outer = types.ModuleType("writhe_blender_process_only")
    outer.__path__ = [str(PACKAGE)]
    sys.modules[outer.__name__] = outer
    return importlib.import_module(f"{outer.__name__}.process.client")

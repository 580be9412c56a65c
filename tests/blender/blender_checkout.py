"""The extension of this checkout in a Python with bpy: importing this makes it importable."""

import sys
from pathlib import Path

import bpy  # pyright: ignore[reportMissingImports]

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "blender"), str(ROOT / "tools")]
import writhe_blender  # noqa: E402  # pyright: ignore[reportMissingImports]


def new_scene():
    """An empty scene with the extension registered; Blender's context."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    writhe_blender.register()
    return bpy.context


def add_human():
    """The built-in human, set up as a character and active."""
    assert bpy.ops.writhe.add_human() == {"FINISHED"}
    assert bpy.ops.writhe.set_up() == {"FINISHED"}
    return bpy.context.object

"""The animation of an FBX file at its keys, for the certificate of the file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from writhe.io.fbx.convert import keyed_motion
from writhe.io.fbx.read import load_fbx, read_fbx
from writhe.io.keyed_motion import MAX_REFINE, KeyedMotion


def load_fbx_keys(path: Path, refine: int = 1, animation: str | int | None = None) -> KeyedMotion:
    """An animation stack at the keys of its curves; `refine` rows for each key and frame.

    A file without animation is one row.
    """
    source = load_fbx(path, animation).source
    contents = read_fbx(path, min(refine, MAX_REFINE))
    stack = source["animations"].index(source["animation"]) if source["animation"] else 0
    found = keyed_motion(path, contents, stack)
    return replace(found, motion=replace(found.motion, source=source))

"""Reads FBX files: ufbx extracts their arrays, which become a glTF document."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Ints
from writhe.errors import FileFormatError, WritheError
from writhe.io.file_size_limits import checked_size
from writhe.skeleton import Motion, Skeleton, Skin
from writhe.skeleton.source_file import SourceFile

TIMEOUT_S = 300.0
_WORDS = dict.fromkeys(("frames", "rows", "between", "weights"), "in its animation")


@dataclass(frozen=True, eq=False)
class FbxContents:
    """The arrays of an FBX file in metres, Y up (see `extract.py`)."""

    about: dict[str, Any]
    arrays: dict[str, Any]

    @property
    def parent(self) -> Ints:
        """(nodes,) the parent of each node, -1 for the root of the scene."""
        return self.arrays["parent"]


def read_fbx(path: Path, refine: int = 0) -> FbxContents:
    """Run the reader in its own process; the last files read are kept in memory.

    refine: rows for each key, of motion at the keys; 0 for motion at the frames of the file.
    """
    checked_size(path)
    if importlib.util.find_spec("ufbx") is None:
        raise WritheError(
            f"{path}: FBX files are read with ufbx; install it with pip install 'writhe[fbx]'"
        )
    found = _read(_Content(path), refine)
    if isinstance(found, str):
        raise FileFormatError(path, found, remedy="is it an FBX file, and complete?")
    return found


class _Content:
    """A file that equals another one if both hold the same bytes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.digest = hashlib.sha256(path.read_bytes()).digest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Content) and other.digest == self.digest

    def __hash__(self) -> int:
        return hash(self.digest)


@lru_cache(maxsize=4)
def _read(file: _Content, refine: int) -> FbxContents | str:
    """The contents of a file, or what is wrong with it."""
    script = Path(__file__).with_name("extract.py")
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "fbx.npz"
        command = [sys.executable, str(script), str(file.path), str(output), str(refine)]
        try:
            done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired:
            return f"reading took longer than {TIMEOUT_S:g} s"
        if done.returncode != 0 or not output.is_file():
            said = done.stderr.decode(errors="replace").strip().splitlines()
            problem = said[-1] if said else f"the reader ended with code {done.returncode}"
            return f"cannot be read as FBX ({problem})"
        with np.load(output, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
    for name, values in arrays.items():
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            what = name.rstrip("0123456789_")
            return f"holds numbers that are not finite ({_WORDS.get(what, what)})"
    return FbxContents(json.loads(arrays.pop("about").tobytes()), arrays)


def fbx_document(path: Path) -> SourceFile:
    """An FBX file as a glTF document: joints, meshes, materials, images, animations."""
    from writhe.io.fbx.convert import character_scene
    from writhe.io.gltf.converted_scene import converted_document

    return converted_document(path, character_scene(path, read_fbx(path)))


def load_fbx(path: Path, animation: str | int | None = None) -> Motion:
    """The motion of an FBX file; see `writhe.io.load`."""
    from writhe.io.gltf.container import Glb
    from writhe.io.gltf.read import read_motion

    motion = read_motion(Glb(fbx_document(path)), animation)
    unit = read_fbx(path).about["unit"]
    stated = {"format": "fbx", "metres_per_unit": unit, "unit_from": "stated in the file"}
    return replace(motion, source={**motion.source, **stated})


def load_fbx_figure(
    path: Path, animation: str | int | None = None
) -> tuple[Skeleton, Skin | None, SourceFile]:
    """The skeleton, the skin if there is one, and the document of an FBX file."""
    from writhe.io.gltf.read import read_figure

    skeleton, skin, _, _, source = read_figure(fbx_document(path), animation)
    return skeleton, skin, source

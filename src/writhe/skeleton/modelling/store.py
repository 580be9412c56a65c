"""Generated skins, cached on disk under a hash of the code that generates them."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from writhe.cache import cache_root, cached_file, code_hash, keep
from writhe.skeleton.figure import Skin, Twist

_SKELETON = Path(__file__).resolve().parents[1]
_SOURCES = (
    *sorted((_SKELETON / "modelling").glob("*.py")),
    *sorted((_SKELETON / "figures").glob("*.py")),
    _SKELETON.parent / "kernels" / "mesh" / "body_field.py",
    _SKELETON.parent / "kernels" / "mesh" / "remesh.py",
)
_FIELDS = ("vertices", "triangles", "joints", "weights", "twist_joint", "twist_share", "twist_axis")


def stored_skin(name: str, make: Callable[[], Skin]) -> Skin:
    """The skin called `name` from the cache; generated and stored if it is missing."""
    digest = hashlib.sha256()
    for source in _SOURCES:
        digest.update(code_hash(source.read_bytes()))
    file = f"figures/{name}-{digest.hexdigest()[:16]}.npz"
    stored = cached_file(file)
    found = None if stored is None else _read(stored)
    if found is None:
        found = make()
        _write(cache_root() / file, found)
    return found


def _read(path: Path) -> Skin | None:
    try:
        with np.load(path, allow_pickle=False) as data:
            arrays = {field: np.ascontiguousarray(data[field]) for field in _FIELDS}
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        return None
    twist = Twist(arrays["twist_joint"], arrays["twist_share"], arrays["twist_axis"])
    return Skin(*(arrays[field] for field in _FIELDS[:4]), twist=twist)


def _write(path: Path, skin: Skin) -> None:
    """Store a skin; errors of the file system are ignored."""
    twist = skin.twist or Twist(
        np.full(len(skin.vertices), -1, dtype=np.int64),
        np.zeros(len(skin.vertices)),
        np.zeros((0, 3)),
    )
    arrays = (skin.vertices, skin.triangles, skin.joints, skin.weights)
    values = dict(zip(_FIELDS, (*arrays, twist.joint, twist.share, twist.axis), strict=True))

    def write(part: Path) -> None:
        with part.open("wb") as file:
            np.savez_compressed(file, **values)

    keep(path, write)

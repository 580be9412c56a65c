"""Cache the built-in libraries in memory, and on disk in the user's cache folder."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np

from writhe.cache import cache_root, code_hash
from writhe.database import PostureDatabase
from writhe.errors import FileFormatError, UnknownNameError
from writhe.postures.builtin.build import KINDS, make
from writhe.progress import Progress
from writhe.skeleton import Figure
from writhe.skeleton.figures import figure

_made: dict[str, PostureDatabase] = {}


def builtin_database(kind: str = "basic", progress: Progress | None = None) -> PostureDatabase:
    """The built-in postures of basic movement ("basic"), on the "ladder" or the "chair".

    Synthetic: authored key poses of the human, movements between them and variations, not
    recordings. Generated at first use (some tens of seconds), then read from the cache.
    """
    if kind not in KINDS:
        raise UnknownNameError("built-in database", kind, list(KINDS))
    if kind not in _made:
        human = figure("human")
        path = cache_root() / "library" / f"{kind}-{library_key(human)}.parquet"
        _made[kind] = _stored(path, human) or _make_and_store(kind, human, path, progress)
    return _made[kind]


def library_key(human: Figure) -> str:
    """A hash of the generator's sources, the built-in objects and the figure."""
    digest = hashlib.sha256()
    here = Path(__file__).parent
    for folder in (here, here.parents[1] / "scene" / "objects"):
        for source in sorted(folder.glob("*.py")):
            digest.update(code_hash(source.read_bytes()))
    for joint in human.skeleton.joints:
        digest.update(joint.name.encode())
        digest.update(np.asarray(joint.offset_in_parent).tobytes())
        if joint.limits is not None:
            limits = joint.limits
            digest.update(np.concatenate([limits.lower, limits.upper, limits.frame]).tobytes())
    for capsule in human.capsules:
        ends = [*capsule.start_in_joint, *capsule.end_in_joint, capsule.radius_m]
        digest.update(capsule.part_name.encode() + np.array(ends).tobytes())
    return digest.hexdigest()[:16]


def _stored(path: Path, human: Figure) -> PostureDatabase | None:
    if not path.exists():
        return None
    try:
        return PostureDatabase.load(path, human)
    except FileFormatError:  # damaged, or of another version: generated again
        return None


def _make_and_store(
    kind: str, human: Figure, path: Path, progress: Progress | None
) -> PostureDatabase:
    database, _ = make(kind, human, progress)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.part")
        database.save(part)
        part.replace(path)
    except OSError:  # the cache is not writable: generated again next time
        pass
    return database

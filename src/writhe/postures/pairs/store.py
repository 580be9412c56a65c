"""Cache the authored interactions in memory, and on disk in the user's cache folder."""

from __future__ import annotations

import io
import zipfile
from functools import cache
from pathlib import Path

import numpy as np

from writhe.cache import cache_root, cached_file, code_hash, write_file
from writhe.database import PairDatabase
from writhe.errors import WritheError
from writhe.postures.builtin.store import library_key
from writhe.postures.pairs import interactions
from writhe.progress import Progress
from writhe.skeleton import Figure
from writhe.skeleton.figures import figure

_ARRAYS = ("leader", "partner", "linking", "frame")


@cache
def builtin_pairs(progress: Progress | None = None) -> PairDatabase:
    """The built-in interactions of two people: shaking hands, embracing, pushing, giving ...

    Synthetic: solved from authored goals, not recordings. Generated at first use (some seconds),
    then read from the cache.
    """
    human = figure("human")
    source = code_hash(Path(interactions.__file__).read_bytes()).hex()[:16]
    name = f"library/pairs-{library_key(human)}-{source}.npz"
    found = _stored(cached_file(name), human)
    if found is None:
        found = interactions.interaction_postures(human, progress=progress)
        data = io.BytesIO()
        arrays = {key: getattr(found, key) for key in _ARRAYS}
        np.savez_compressed(data, clip=np.array(found.clip), **arrays)
        write_file(cache_root() / name, data.getvalue())
    return found


def _stored(path: Path | None, human: Figure) -> PairDatabase | None:
    """Read the interactions; None if they are missing or damaged."""
    if path is None:
        return None
    try:
        with np.load(path, allow_pickle=False) as data:
            clip = tuple(str(name) for name in data["clip"])
            return PairDatabase(human, clip=clip, **{name: data[name] for name in _ARRAYS})
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, WritheError):
        return None

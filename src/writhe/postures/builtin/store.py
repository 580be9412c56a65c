"""Cache the built-in libraries in memory, and on disk in the user's cache folder."""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path

import numpy as np

from writhe.cache import cache_root, cached_file, code_hash, write_file
from writhe.database import PostureDatabase
from writhe.errors import UnknownNameError, WritheError
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
        name = f"library/{kind}-{library_key(human)}.npz"
        found = _stored(cached_file(name), human)
        _made[kind] = found or _make_and_store(kind, human, cache_root() / name, progress)
    return _made[kind]


def library_key(human: Figure) -> str:
    """A hash of the generator's sources, the built-in objects and the figure."""
    digest = hashlib.sha256()
    here = Path(__file__).parent
    package = here.parents[1]
    folders = (here, package / "scene" / "objects")
    solvers = [package / "solvers" / name for name in ("contact_step.py", "qp.py")]
    for source in [*(p for folder in folders for p in sorted(folder.glob("*.py"))), *solvers]:
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


_ARRAYS = ("q", "linking", "frame", "penetrating", "object_linking", "object_pose")


def _stored(path: Path | None, human: Figure) -> PostureDatabase | None:
    """Read a library; None if it is missing or damaged. (Needs no pyarrow, unlike databases.)"""
    if path is None:
        return None
    try:
        with np.load(path, allow_pickle=False) as data:
            return PostureDatabase(
                figure=human,
                clip=tuple(str(name) for name in data["clip"]),
                object_name=str(data["object_name"]),
                **{name: data[name] for name in _ARRAYS},
            )
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, WritheError):
        return None


def _make_and_store(
    kind: str, human: Figure, path: Path, progress: Progress | None
) -> PostureDatabase:
    database, _ = make(kind, human, progress)
    data = io.BytesIO()
    np.savez_compressed(
        data,
        clip=np.array(database.clip),
        object_name=np.array(database.object_name),
        **{name: getattr(database, name) for name in _ARRAYS},
    )
    write_file(path, data.getvalue())
    return database

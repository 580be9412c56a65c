"""Fitted shapes, cached on disk under a hash of the body and of the code that fits them."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.cache import cache_root, code_hash, keep
from writhe.skeleton.figure import Capsule, Skin
from writhe.skeleton.skeleton import Skeleton

_SOURCES = (
    *sorted(Path(__file__).parent.glob("*.py")),
    Path(__file__).parents[2] / "kernels" / "mesh" / "capsule_fit.py",
)


def stored_capsules(
    skeleton: Skeleton,
    skin: Skin,
    carrier: Ints,
    part_of: Mapping[int, str],
    fingers: frozenset[int],
    postures: Sequence[Floats],
    detailed: frozenset[int],
    fit: Callable[[], tuple[Capsule, ...]],
) -> tuple[Capsule, ...]:
    """The capsules of a body from the cache; fitted and stored if they are missing."""
    digest = hashlib.sha256()
    for source in _SOURCES:
        digest.update(code_hash(source.read_bytes()))
    tree = skeleton.tree
    arrays = (
        *(tree.parent, tree.offset, tree.rest, carrier, *postures),
        *(skin.vertices, skin.triangles, skin.joints, skin.weights),
    )
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(
        repr((skeleton.names, sorted(part_of.items()), sorted(fingers), sorted(detailed))).encode()
    )
    path = cache_root() / "shapes" / f"{digest.hexdigest()[:32]}.npz"
    found = _read(path, skeleton, part_of)
    if found is None:
        found = fit()
        joint = np.array([skeleton.index(c.joint) for c in found], dtype=np.int64)
        rows = [[*c.start_in_joint, *c.end_in_joint, c.radius_m] for c in found]
        _write(path, joint, np.array(rows).reshape(-1, 7))
    return found


def _read(path: Path, skeleton: Skeleton, part_of: Mapping[int, str]) -> tuple[Capsule, ...] | None:
    try:
        if not path.is_file():
            return None
        with np.load(path, allow_pickle=False) as data:
            joints: Ints = data["joint"]
            rows: Floats = data["rows"]
        return tuple(
            Capsule(
                skeleton.names[int(j)], row[:3], row[3:6], float(row[6]), part_of.get(int(j), "")
            )
            for j, row in zip(joints.tolist(), rows, strict=True)
        )
    except (OSError, ValueError, KeyError, IndexError, EOFError, zipfile.BadZipFile):
        return None


def _write(path: Path, joint: Ints, rows: Floats) -> None:
    """Store capsules; errors of the file system are ignored."""

    def write(part: Path) -> None:
        with part.open("wb") as file:
            np.savez(file, joint=joint, rows=rows)

    keep(path, write)

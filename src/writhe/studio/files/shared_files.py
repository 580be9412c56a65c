"""Files shared by all documents of a server: posture databases and learnt styles.

Uploads are untrusted: their size is bounded before they are unpacked, and their contents are
checked (kernels use them as indices) before they are stored. The page names a file by its title;
only this module builds paths.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

import numpy as np

from writhe.arrays import Floats
from writhe.database import PostureDatabase
from writhe.errors import FileFormatError, UnknownNameError, WritheError
from writhe.files import replace_file
from writhe.skeleton.figures import figure
from writhe.solvers.trajectory import Forest
from writhe.solvers.trajectory.octree import JointOctree

MAX_FILES = 64
MAX_UNPACKED = 256 * 2**20
MAX_POSTURES = 100_000
_TITLE = re.compile(r"[^\w .-]+")
Content = TypeVar("Content")


class SharedFolder(Generic[Content]):
    """A folder of files of one kind; contents are read on first use and cached."""

    def __init__(self, folder: Path | None, suffix: str, read: Callable[[Path], Content]) -> None:
        self._folder, self._suffix, self._read = folder, suffix, read
        self._cache: dict[str, tuple[float, Content]] = {}

    def names(self) -> list[str]:
        """The titles of the files."""
        if self._folder is None or not self._folder.is_dir():
            return []
        return sorted(path.stem for path in self._folder.glob(f"*{self._suffix}"))[:MAX_FILES]

    def get(self, name: str) -> Content:
        """The contents of the file with this title."""
        if name not in self.names() or self._folder is None:
            raise UnknownNameError("file", name, self.names())
        path = self._folder / f"{name}{self._suffix}"
        changed = path.stat().st_mtime
        cached = self._cache.get(name)
        if cached is None or cached[0] != changed:
            cached = self._cache[name] = (changed, self._read(path))
        return cached[1]

    def add(self, title: str, data: bytes) -> str:
        """Check and store a file, replacing one of the same title; returns the title."""
        if self._folder is None:
            raise WritheError("this server has no folder for shared files")
        name = _TITLE.sub("", title).strip(" .")[:60] or "file"
        if name not in self.names() and len(self.names()) >= MAX_FILES:
            raise WritheError(
                f"there are already {MAX_FILES} such files; delete some in the folder first"
            )

        def write(part: Path) -> None:
            part.write_bytes(data)
            self._read(part)  # raises if the contents are not valid

        self._folder.mkdir(parents=True, exist_ok=True)
        replace_file(self._folder / f"{name}{self._suffix}", write)
        return name


class SharedFiles:
    """The shared files of a server, in the folders `postures` and `styles` beside the documents."""

    def __init__(self, folder: Path | None = None) -> None:
        postures, styles = (folder and folder / name for name in ("postures", "styles"))
        self.postures = SharedFolder[PostureDatabase](postures, ".parquet", read_database)
        self.styles = SharedFolder[Forest](styles, ".npz", read_styles)


def read_database(path: Path) -> PostureDatabase:
    """Read a posture database of the human, after checks of its size and values."""
    import pyarrow
    import pyarrow.parquet

    try:
        about = cast("Any", pyarrow.parquet.read_metadata(path))
        size: int = sum(about.row_group(k).total_byte_size for k in range(about.num_row_groups))
    except (pyarrow.ArrowException, OSError):
        raise FileFormatError(
            path, "not a posture database", remedy="make one with `writhe db build`"
        ) from None
    if about.num_rows > MAX_POSTURES or size > MAX_UNPACKED:
        raise FileFormatError(path, f"more than {MAX_POSTURES} postures")
    body = figure("human")
    try:
        found = PostureDatabase.load(path, body)
    except WritheError:
        raise
    except Exception as error:  # damaged columns can raise anything
        raise FileFormatError(path, f"not a posture database: {type(error).__name__}") from None
    if len(found) == 0:
        raise FileFormatError(path, "it contains no postures")
    count, pairs = len(found), len(body.strands) * (len(body.strands) - 1) // 2
    shapes = found.linking.shape, found.frame.shape, found.penetrating.shape
    numbers = (found.q, found.linking, found.object_linking, found.object_pose)
    if shapes != ((count, pairs), (count,), (count,)) or not all(map(_finite, numbers)):
        raise FileFormatError(
            path,
            "its columns have wrong shapes or values that are not finite",
            remedy="build it again",
        )
    if found.object_pose.shape not in ((count, 0), (count, 7)) or np.abs(found.q).max() > 1e3:
        raise FileFormatError(
            path,
            "its postures or objects are farther than 1000 m from the origin",
            remedy="build it again",
        )
    for joint in body.skeleton.joints:
        part = found.q[:, body.skeleton.q_slice(joint.name)]
        if part.shape[1] >= 4 and np.abs(np.linalg.norm(part[:, -4:], axis=1) - 1).max() > 1e-3:
            raise FileFormatError(path, f"the rotations of {joint.name} are not unit quaternions")
    return found


def read_styles(path: Path) -> Forest:
    """Read styles learnt on the human, after checks of every table used as indices."""
    try:
        with zipfile.ZipFile(path) as packed:
            if sum(entry.file_size for entry in packed.infolist()) > MAX_UNPACKED:
                raise FileFormatError(path, f"larger than {MAX_UNPACKED >> 20} MiB unpacked")
        forest = Forest.load(path, figure("human"))
    except WritheError:
        raise
    except Exception:  # a damaged archive can raise anything
        raise FileFormatError(
            path, "not a file of styles", remedy="make one with `writhe learn DIR -o FILE`"
        ) from None
    if not all(
        _valid_octree(octree, len(forest.chain))
        for style in forest.styles.values()
        for octree in style.octrees
    ):
        raise FileFormatError(path, "its tables are inconsistent", remedy="learn it again")
    return forest


def is_style_file(data: bytes) -> bool:
    """Whether the bytes of a .npz file are styles rather than motion, judged by its entries."""
    return data.startswith(b"PK") and b"header.npy" in data and b"reference.npy" in data


def _finite(values: Floats) -> bool:
    return bool(np.isfinite(values).all())


def _valid_octree(octree: JointOctree, coordinates: int) -> bool:
    """Whether kernels can index the octree: parents before children, all cells in range."""
    cells = len(octree.parent)
    table = (cells, coordinates)
    shapes = [
        (octree.corner_m, (3,)),
        (octree.size_m, (3,)),
        (octree.centre_m, (cells, 3)),
        (octree.lower, table),
        (octree.upper, table),
        (octree.mean, table),
        (octree.damping_m2, table),
        (octree.slope, (*table, 3)),
    ]
    if not 2 <= cells <= 1_000_000 or octree.parent.ndim != 1 or octree.grid.ndim != 3:
        return False
    edge = octree.grid.shape[0]
    whole = octree.parent.dtype.kind == octree.grid.dtype.kind == "i"
    right = all(
        values.dtype == np.float64 and values.shape == shape and _finite(values)
        for values, shape in shapes
    )
    return (
        whole
        and right
        and octree.grid.shape == (edge,) * 3
        and edge in (1, 2, 4, 8, 16, 32, 64, 128)
        and octree.parent[0] == -1
        and bool((octree.parent[1:] >= 0).all())
        and bool((octree.parent < np.arange(cells)).all())
        and bool(((octree.grid >= 0) & (octree.grid < cells)).all())
        and bool((octree.damping_m2 > 0).all() and (octree.size_m > 0).all())
    )

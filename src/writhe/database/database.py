"""A posture database: records of normalised posture, linking values, origin; stored as Parquet."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Bools, Floats, Ints, floats
from writhe.database.mirror import mirror_postures
from writhe.database.posture import normalise, posture_features
from writhe.database.search import NeighbourSearch
from writhe.errors import FileFormatError, WritheError
from writhe.kernels.database.posture_distances import thin_out
from writhe.skeleton import Figure, forward, quaternions
from writhe.topology import linking_vector

FORMAT_VERSION = 1


@dataclass(frozen=True)
class PostureDatabase:
    """N postures of one figure. `object_linking` has no columns where there is no object.

    `object_pose` says where the object stands seen from each normalised posture: position and
    quaternion.
    """

    figure: Figure
    q: Floats  # (N, nq) normalised
    linking: Floats  # (N, pairs)
    clip: tuple[str, ...]  # where each posture comes from
    frame: Ints  # (N,)
    penetrating: Bools  # (N,) flagged, not dropped
    object_linking: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    object_pose: Floats = field(default_factory=lambda: np.zeros((0, 0)))  # (N, 7) or (N, 0)
    object_name: str = ""

    def __post_init__(self) -> None:
        count = len(self.q)
        floats(self.q, (count, self.figure.skeleton.configuration_size), "postures")
        if not (len(self.linking) == len(self.clip) == len(self.frame) == count):
            raise WritheError("the columns of a posture database differ in length")
        if self.object_linking.size == 0:
            object.__setattr__(self, "object_linking", np.zeros((count, 0)))
        if self.object_pose.size == 0:
            object.__setattr__(self, "object_pose", np.zeros((count, 0)))

    def __len__(self) -> int:
        return len(self.q)

    @classmethod
    def from_postures(
        cls,
        figure: Figure,
        q: Floats,
        *,
        clip: Sequence[str] | str = "",
        frame: Ints | None = None,
        penetrating: Bools | None = None,
    ) -> PostureDatabase:
        """A database of these configurations (frames, nq), normalised, with their linking."""
        postures = normalise(figure.skeleton, q)
        count = len(postures)
        return cls(
            figure=figure,
            q=postures,
            linking=linking_vector(figure, postures),
            clip=(clip,) * count if isinstance(clip, str) else tuple(clip),
            frame=np.arange(count, dtype=np.int64) if frame is None else frame,
            penetrating=np.zeros(count, dtype=np.bool_) if penetrating is None else penetrating,
        )

    @cached_property
    def search(self) -> NeighbourSearch:
        """The index for neighbour queries."""
        features = posture_features(self.figure.skeleton, self.q)
        return NeighbourSearch(features, self.all_linking)

    @property
    def all_linking(self) -> Floats:
        """(N, pairs) the linking of the body with itself and with the object, side by side."""
        return np.hstack([self.linking, self.object_linking])

    @cached_property
    def _alone(self) -> PostureDatabase:
        none = np.zeros((len(self), 0))
        return replace(self, object_linking=none, object_pose=none, object_name="")

    def without_object(self) -> PostureDatabase:
        """The same postures without what they say of an object."""
        return self._alone if self.object_linking.shape[1] else self

    def beside_object(self, number: int) -> Floats:
        """(nq,) a posture placed and turned so that its object stands at the world's origin."""
        if self.object_pose.shape[1] == 0:
            raise WritheError("these postures have no object: `writhe db build --object` gives one")
        turn = self.object_pose[number, 3:] * np.array([1.0, -1.0, -1.0, -1.0])
        place = self.object_pose[number, :3]
        q = self.q[number].copy()
        w, y = turn[0], turn[2]  # a turn about the vertical
        cosine, sine = w * w - y * y, 2.0 * w * y
        x, z = q[0] - place[0], q[2] - place[2]
        q[0], q[2] = cosine * x + sine * z, cosine * z - sine * x
        q[1] -= place[1]
        q[3:7] = quaternions.multiply(turn, q[3:7])
        return q

    def take(self, numbers: Ints | Bools) -> PostureDatabase:
        """The records with these numbers."""
        picked = np.flatnonzero(numbers) if np.asarray(numbers).dtype == np.bool_ else numbers
        return replace(
            self,
            q=self.q[picked],
            linking=self.linking[picked],
            clip=tuple(self.clip[int(i)] for i in picked),
            frame=self.frame[picked],
            penetrating=self.penetrating[picked],
            object_linking=self.object_linking[picked],
            object_pose=self.object_pose[picked],
        )

    def merged(self, other: PostureDatabase) -> PostureDatabase:
        """Both databases' records; they must be of one figure and one object."""
        if self.figure.skeleton.names != other.figure.skeleton.names:
            raise WritheError("databases of different skeletons cannot be merged; retarget one")
        if (self.object_name, self.object_linking.shape[1], self.object_pose.shape[1]) != (
            other.object_name,
            other.object_linking.shape[1],
            other.object_pose.shape[1],
        ):
            raise WritheError(
                "databases with different objects cannot be merged; `without_object` drops one"
            )
        return replace(
            self,
            q=np.vstack([self.q, other.q]),
            linking=np.vstack([self.linking, other.linking]),
            clip=self.clip + other.clip,
            frame=np.concatenate([self.frame, other.frame]),
            penetrating=np.concatenate([self.penetrating, other.penetrating]),
            object_linking=np.vstack([self.object_linking, other.object_linking]),
            object_pose=np.vstack([self.object_pose, other.object_pose]),
        )

    def with_mirror_images(self) -> PostureDatabase:
        """The records and those of their mirror images that are not among them already.

        Itself where that is not possible: an object has no mirror image, nor has a figure without
        symmetry. (A copy would make a record's nearest neighbour itself, at no distance.)
        """
        images = mirror_postures(self.figure.skeleton, self.q) if not self.object_name else None
        if images is None:
            return self
        other = PostureDatabase.from_postures(
            self.figure, images, clip=self.clip, frame=self.frame, penetrating=self.penetrating
        )
        here = {row.tobytes() for row in self._in_millimetres()}
        return self.merged(
            other.take(np.array([row.tobytes() not in here for row in other._in_millimetres()]))
        )

    def _in_millimetres(self) -> Ints:
        """(N, joints, 3) where the joints are, to tell copies."""
        return np.round(1000.0 * self.joint_positions()).astype(np.int64)

    def filtered(self, threshold_m2: float) -> PostureDatabase:
        """Without postures nearer than the threshold to a kept one.

        The measure is the paper's: the sum over joints of squared position differences.
        """
        points = self.joint_positions().reshape(len(self), -1)
        kept = np.empty(len(self), dtype=np.int64)
        count = thin_out(np.ascontiguousarray(points), threshold_m2, kept)
        return self.take(kept[:count])

    def joint_positions(self) -> Floats:
        """(N, n, 3) joint centres, the root at the origin."""
        positions = forward(self.figure.skeleton, self.q).positions
        return positions - positions[:, :1]

    def save(self, path: str | Path) -> None:
        """Write a Parquet file that pandas and DuckDB read too."""
        pa, pq = _arrow()
        header = {
            "writhe_database": FORMAT_VERSION,
            "figure": self.figure.name,
            "joints": list(self.figure.skeleton.names),
            "object": self.object_name,
        }
        table = pa.table(
            {
                "clip": list(self.clip),
                "frame": self.frame,
                "penetrating": self.penetrating,
                "posture": _lists(self.q),
                "linking": _lists(self.linking),
                "object_linking": _lists(self.object_linking),
                "object_pose": _lists(self.object_pose),
            }
        ).replace_schema_metadata({b"writhe": json.dumps(header).encode()})
        pq.write_table(table, Path(path), compression="zstd")

    @classmethod
    def load(cls, path: str | Path, figure: Figure) -> PostureDatabase:
        """Read a database of `figure`.

        Neither by `pq.read_table` nor converting by `__array__`: both would import pandas, which
        takes longer than all of the reading.
        """
        pa, pq = _arrow()
        if not Path(path).exists():
            raise FileFormatError(path, "there is no such file")
        try:
            table: Any = pq.ParquetFile(Path(path)).read()
            header = json.loads((table.schema.metadata or {})[b"writhe"])
        except (pa.ArrowException, OSError, KeyError, ValueError) as error:
            raise FileFormatError(
                path, f"not a posture database: {error}", remedy="make one with `writhe db build`"
            ) from None
        if header.get("writhe_database") != FORMAT_VERSION:
            raise FileFormatError(
                path, f"database version {header.get('writhe_database')}, not {FORMAT_VERSION}"
            )
        if tuple(header.get("joints", ())) != figure.skeleton.names:
            raise FileFormatError(
                path, f"its joints are not those of {figure.name!r}", remedy="build it again"
            )
        return cls(
            figure=figure,
            q=_rows(table["posture"], len(table)),
            linking=_rows(table["linking"], len(table)),
            clip=tuple(table["clip"].to_pylist()),
            frame=np.array(table["frame"].to_pylist(), dtype=np.int64),
            penetrating=np.array(table["penetrating"].to_pylist(), dtype=np.bool_),
            object_linking=_rows(table["object_linking"], len(table)),
            object_pose=_rows(table["object_pose"], len(table)),
            object_name=str(header.get("object", "")),
        )


def _arrow() -> tuple[Any, Any]:
    """pyarrow and its Parquet part; its newest releases refuse NumPy 1.26."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as problem:
        raise WritheError(
            f"databases need pyarrow: {problem} (with NumPy 1.26: pip install 'pyarrow<21')"
        ) from None
    return pyarrow, pyarrow.parquet


def _lists(rows: Floats) -> Any:
    pa, _ = _arrow()
    flat = pa.array(np.ascontiguousarray(rows).ravel())
    return (
        pa.FixedSizeListArray.from_arrays(flat, rows.shape[1])
        if rows.shape[1]
        else [[]] * len(rows)
    )


def _rows(column: Any, count: int) -> Floats:
    if count == 0:
        return np.zeros((0, 0))
    flat = column.combine_chunks().values  # `flatten` would import pyarrow's functions first
    return np.array(np.from_dlpack(flat) if len(flat) else [], dtype=np.float64).reshape(count, -1)

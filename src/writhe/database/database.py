"""A posture database: normalised postures with linking values and source clip, in Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from writhe.arrays import Bools, Floats, Ints, floats
from writhe.database.parquet import array_of_column, list_column, read_table, write_table
from writhe.database.posture import normalise, posture_features
from writhe.database.search import NeighbourSearch
from writhe.errors import WritheError
from writhe.kernels.database.posture_distances import thin_out
from writhe.skeleton import Figure, forward, quaternions
from writhe.skeleton.mirror import mirror_postures
from writhe.topology import linking_vector

if TYPE_CHECKING:
    from writhe.recognition.body_map import BodyMap

FORMAT_VERSION = 1


@dataclass(frozen=True)
class PostureDatabase:
    """N postures of one figure, optionally with an object.

    `object_linking` (N, pairs) and `object_pose` (N, 7: position and quaternion of the object in
    the frame of the normalised posture) have no columns if there is no object.
    """

    figure: Figure
    q: Floats  # (N, nq) normalised
    linking: Floats  # (N, pairs)
    clip: tuple[str, ...]  # source clip of each posture
    frame: Ints  # (N,)
    penetrating: Bools  # (N,) postures with self-penetration are kept and flagged
    object_linking: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    object_pose: Floats = field(default_factory=lambda: np.zeros((0, 0)))  # (N, 7) or (N, 0)
    object_name: str = ""

    def __post_init__(self) -> None:
        count = len(self.q)
        floats(self.q, (count, self.figure.skeleton.configuration_size), "postures")
        if not (len(self.linking) == len(self.clip) == len(self.frame) == count):
            raise WritheError("the columns of a posture database must have the same length")
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
        """A database of the configurations q (frames, nq), normalised, with linking values."""
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
        """(N, pairs) linking of the body with itself, then with the object."""
        return np.hstack([self.linking, self.object_linking])

    @cached_property
    def _object_free(self) -> PostureDatabase:
        none = np.zeros((len(self), 0))
        return replace(self, object_linking=none, object_pose=none, object_name="")

    def without_object(self) -> PostureDatabase:
        """The same postures without the object columns."""
        return self._object_free if self.object_linking.shape[1] else self

    def relative_to_object(self, index: int) -> Floats:
        """(nq,) a posture moved so that its object is at the world's origin, not rotated."""
        if self.object_pose.shape[1] == 0:
            raise WritheError(
                "these postures have no object: build the database with `writhe db build --object`"
            )
        rotation = self.object_pose[index, 3:] * np.array([1.0, -1.0, -1.0, -1.0])
        position = self.object_pose[index, :3]
        q = self.q[index].copy()
        w, y = rotation[0], rotation[2]  # a rotation about the vertical axis
        cosine, sine = w * w - y * y, 2.0 * w * y
        x, z = q[0] - position[0], q[2] - position[2]
        q[0], q[2] = cosine * x + sine * z, cosine * z - sine * x
        q[1] -= position[1]
        q[3:7] = quaternions.multiply(rotation, q[3:7])
        return q

    def take(self, indices: Ints | Bools) -> PostureDatabase:
        """The records with these indices, or where a mask is True."""
        indices = np.flatnonzero(indices) if np.asarray(indices).dtype == np.bool_ else indices
        return replace(
            self,
            q=self.q[indices],
            linking=self.linking[indices],
            clip=tuple(self.clip[int(i)] for i in indices),
            frame=self.frame[indices],
            penetrating=self.penetrating[indices],
            object_linking=self.object_linking[indices],
            object_pose=self.object_pose[indices],
        )

    def merged(self, other: PostureDatabase) -> PostureDatabase:
        """The records of both databases, which must have the same figure and object."""
        if self.figure.skeleton.names != other.figure.skeleton.names:
            raise WritheError("databases of different skeletons cannot be merged: retarget one")
        if (self.object_name, self.object_linking.shape[1], self.object_pose.shape[1]) != (
            other.object_name,
            other.object_linking.shape[1],
            other.object_pose.shape[1],
        ):
            raise WritheError(
                "databases with different objects cannot be merged: use `without_object` first"
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
        """The records and their mirror images, except images that are already among the records.

        Returns itself if there is an object or the figure is not symmetric. Duplicates are left out
        because they would be each other's nearest neighbours at distance zero.
        """
        images = mirror_postures(self.figure.skeleton, self.q) if not self.object_name else None
        if images is None:
            return self
        other = PostureDatabase.from_postures(
            self.figure, images, clip=self.clip, frame=self.frame, penetrating=self.penetrating
        )
        known = {row.tobytes() for row in self._rounded_positions()}
        return self.merged(
            other.take(np.array([row.tobytes() not in known for row in other._rounded_positions()]))
        )

    def _rounded_positions(self) -> Ints:
        """(N, n, 3) joint positions in whole millimetres, to find duplicates."""
        return np.round(1000.0 * self.joint_positions()).astype(np.int64)

    def filtered(self, threshold_m2: float) -> PostureDatabase:
        """The records without those nearer than the threshold to one already kept.

        The distance is the sum over joints of squared position differences, m^2, as in the paper.
        """
        points = self.joint_positions().reshape(len(self), -1)
        kept = np.empty(len(self), dtype=np.int64)
        count = thin_out(np.ascontiguousarray(points), threshold_m2, kept)
        return self.take(kept[:count])

    def joint_positions(self) -> Floats:
        """(N, n, 3) joint positions relative to the root."""
        positions = forward(self.figure.skeleton, self.q).positions
        return positions - positions[:, :1]

    def save(self, path: str | Path) -> None:
        """Write a Parquet file, which pandas and DuckDB can read."""
        header = {"writhe_database": FORMAT_VERSION, "object": self.object_name}
        columns = {
            "clip": list(self.clip),
            "frame": self.frame,
            "penetrating": self.penetrating,
            "posture": list_column(self.q),
            "linking": list_column(self.linking),
            "object_linking": list_column(self.object_linking),
            "object_pose": list_column(self.object_pose),
        }
        write_table(path, self.figure, header, columns)

    @classmethod
    def load(cls, path: str | Path, figure: Figure) -> PostureDatabase:
        """Read a database of `figure`."""
        table, header = read_table(
            path, figure, "writhe_database", FORMAT_VERSION, "build one with `writhe db build`"
        )
        return cls(
            figure=figure,
            q=array_of_column(table["posture"], len(table)),
            linking=array_of_column(table["linking"], len(table)),
            clip=tuple(table["clip"].to_pylist()),
            frame=np.array(table["frame"].to_pylist(), dtype=np.int64),
            penetrating=np.array(table["penetrating"].to_pylist(), dtype=np.bool_),
            object_linking=array_of_column(table["object_linking"], len(table)),
            object_pose=array_of_column(table["object_pose"], len(table)),
            object_name=str(header.get("object", "")),
        )


def database_on(mapping: BodyMap, database: PostureDatabase) -> PostureDatabase:
    """The postures on `mapping.proxy`: the database's figure with the proportions of the body.

    Joint angles are kept, the height of the root is scaled by leg length, and the linking vectors
    are computed again.
    """
    figure = mapping.proxy
    q = database.q.copy()
    rest = float(database.figure.skeleton.tree.offset[0, 1])
    height = mapping.scale * (q[:, 1] + rest)
    q[:, 1] = height - float(figure.skeleton.tree.offset[0, 1])
    return replace(database, figure=figure, q=q, linking=linking_vector(figure, q))

"""A pair database: postures of two people together, with the linking between them.

A pair is one body of twice the joints: the *leader* and its *partner*. Records are normalised as
postures are (`normalise`), by the leader's root; the partner is placed relative to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from writhe.arrays import Floats, Ints, floats
from writhe.database.parquet import array_of_column, list_column, read_table, write_table
from writhe.database.posture import heading_quaternion, normalise, posture_features
from writhe.database.search import NeighbourSearch
from writhe.errors import WritheError
from writhe.kernels.database.posture_distances import thin_out
from writhe.kernels.database.posture_features import root_heading
from writhe.skeleton import Figure, JointKind, Skeleton, forward
from writhe.skeleton.mirror import mirror_postures
from writhe.skeleton.move_root import moved_roots
from writhe.skeleton.quaternions import rotation_matrix
from writhe.topology import Bundle, Strand

FORMAT_VERSION = 1
_PARTNER = "partner."  # prefix of the names of the partner's joints and strands
# metres of difference per metre, and per radian, between the partner's places
_PLACE_WEIGHT, _TURN_WEIGHT = 1.0, 0.5
_PARTNER_WEIGHT = 0.5  # of the partner's posture, relative to the leader's


def pair_bundle(figure: Figure) -> Bundle:
    """All pairs of a leader's and a partner's strands, on a forest of both bodies."""
    skeleton = figure.skeleton
    joints = [
        replace(joint, name=prefix + joint.name, parent=joint.parent and prefix + joint.parent)
        for prefix in ("", _PARTNER)
        for joint in skeleton.joints
    ]
    both = Skeleton(joints)
    own = [Strand.through(skeleton, names, name=name) for name, names in figure.strands]
    other = [
        Strand(
            _PARTNER + strand.name,
            tuple(None if j is None else _PARTNER + j for j in strand.joints),
            strand.offsets_in_joint,
        )
        for strand in own
    ]
    pairs = [(a.name, b.name) for a in own for b in other]
    return Bundle.compile(both.tree, both.index, [*own, *other], pairs)


@dataclass(frozen=True)
class PairDatabase:
    """N postures of two people with the same figure."""

    figure: Figure
    leader: Floats  # (N, nq) normalised
    partner: Floats  # (N, nq) in the frame of the normalised leader
    linking: Floats  # (N, pairs) of the leader's strands with the partner's
    clip: tuple[str, ...]  # source of each record
    frame: Ints  # (N,)

    def __post_init__(self) -> None:
        shape = len(self.leader), self.figure.skeleton.configuration_size
        floats(self.leader, shape, "postures of the leader")
        floats(self.partner, shape, "postures of the partner")
        if not (len(self.linking) == len(self.clip) == len(self.frame) == shape[0]):
            raise WritheError("the columns of a pair database must have the same length")

    def __len__(self) -> int:
        return len(self.leader)

    @classmethod
    def from_postures(
        cls,
        figure: Figure,
        leader: Floats,
        partner: Floats,
        *,
        clip: Sequence[str] | str = "",
        frame: Ints | None = None,
    ) -> PairDatabase:
        """A database of configurations (N, nq) of two people in one world frame."""
        if figure.skeleton.joints[0].kind is not JointKind.FREE:
            raise WritheError("the postures of a pair need a figure with a free root")
        placed, count = np.array(partner), len(leader)
        for row, own in zip(placed, leader, strict=True):
            row[:] = _seen_from(figure.skeleton, row, own)
        first = normalise(figure.skeleton, leader)
        return cls(
            figure,
            first,
            placed,
            pair_bundle(figure).linking(np.hstack([first, placed])),
            (clip,) * count if isinstance(clip, str) else tuple(clip),
            np.arange(count, dtype=np.int64) if frame is None else frame,
        )

    @cached_property
    def search(self) -> NeighbourSearch:
        """The index for neighbour queries: features of the pairs, and linking between them."""
        return NeighbourSearch(pair_features(self.figure, self.leader, self.partner), self.linking)

    def joint_positions(self) -> Floats:
        """(N, 2 n, 3) joints of the leader and the partner."""
        skeleton = self.figure.skeleton
        return np.hstack([forward(skeleton, q).positions for q in (self.leader, self.partner)])

    def take(self, indices: Ints) -> PairDatabase:
        """The records with these indices."""
        return replace(
            self,
            leader=self.leader[indices],
            partner=self.partner[indices],
            linking=self.linking[indices],
            clip=tuple(self.clip[int(i)] for i in indices),
            frame=self.frame[indices],
        )

    def merged(self, other: PairDatabase) -> PairDatabase:
        """The records of both databases, which must have the same figure."""
        if self.figure.skeleton.names != other.figure.skeleton.names:
            raise WritheError("databases of different skeletons cannot be merged: retarget one")
        return replace(
            self,
            leader=np.vstack([self.leader, other.leader]),
            partner=np.vstack([self.partner, other.partner]),
            linking=np.vstack([self.linking, other.linking]),
            clip=self.clip + other.clip,
            frame=np.concatenate([self.frame, other.frame]),
        )

    def with_both_roles(self) -> PairDatabase:
        """The records, and the same with leader and partner exchanged."""
        return self.merged(
            PairDatabase.from_postures(
                self.figure, self.partner, self.leader, clip=self.clip, frame=self.frame
            )
        )

    def with_mirror_images(self) -> PairDatabase:
        """The records and their mirror images; itself if the figure is not symmetric."""
        images = [mirror_postures(self.figure.skeleton, q) for q in (self.leader, self.partner)]
        if images[0] is None or images[1] is None:
            return self
        return self.merged(
            PairDatabase.from_postures(
                self.figure, images[0], images[1], clip=self.clip, frame=self.frame
            )
        )

    def filtered(self, threshold_m2: float) -> PairDatabase:
        """The records without those nearer than the threshold to one already kept.

        The distance is the sum over the joints of both of squared position differences, m^2.
        """
        points = np.ascontiguousarray(self.joint_positions().reshape(len(self), -1))
        kept = np.empty(len(self), dtype=np.int64)
        return self.take(kept[: thin_out(points, threshold_m2, kept)])

    def save(self, path: str | Path) -> None:
        """Write a Parquet file, which pandas and DuckDB can read."""
        columns = {
            "clip": list(self.clip),
            "frame": self.frame,
            "leader": list_column(self.leader),
            "partner": list_column(self.partner),
            "linking": list_column(self.linking),
        }
        write_table(path, self.figure, {"writhe_pair_database": FORMAT_VERSION}, columns)

    @classmethod
    def load(cls, path: str | Path, figure: Figure) -> PairDatabase:
        """Read a database of pairs of `figure`."""
        table, _ = read_table(
            path, figure, "writhe_pair_database", FORMAT_VERSION, "build one with `writhe db pairs`"
        )
        return cls(
            figure,
            array_of_column(table["leader"], len(table)),
            array_of_column(table["partner"], len(table)),
            array_of_column(table["linking"], len(table)),
            tuple(table["clip"].to_pylist()),
            np.array(table["frame"].to_pylist(), dtype=np.int64),
        )


def pair_features(figure: Figure, leader: Floats, partner: Floats) -> Floats:
    """(N, D): posture features of both, and the partner's place and heading seen by the leader.

    leader (N, nq) normalised, partner (N, nq) in the same frame.
    """
    first, second = np.atleast_2d(leader), np.atleast_2d(partner)
    turn = np.array([root_heading(row) for row in second])
    place = np.column_stack([second[:, 0], second[:, 2], np.cos(turn), np.sin(turn)])
    place *= (_PLACE_WEIGHT, _PLACE_WEIGHT, _TURN_WEIGHT, _TURN_WEIGHT)
    own, other = (posture_features(figure.skeleton, q) for q in (first, second))
    return np.hstack([own, _PARTNER_WEIGHT * other, place])


def _seen_from(skeleton: Skeleton, q: Floats, leader: Floats) -> Floats:
    """A configuration in the frame in which the leader's is normalised."""
    back = rotation_matrix(heading_quaternion(leader)).T
    away = -back @ np.array([leader[0], 0.0, leader[2]])
    return moved_roots(skeleton, q[None], back, away)[0]

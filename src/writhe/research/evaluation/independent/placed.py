"""The shapes of a mechanism placed at many times, and the clearances of chosen pairs there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from writhe.research.evaluation.independent.distances import (
    hull_distance,
    hull_separation,
    plane_distance,
    segment_distance,
)
from writhe.research.evaluation.independent.mechanism import HALF_SPACE, SEGMENT, Mechanism
from writhe.research.evaluation.independent.motions import AnyMotion

STRAIGHT, PLANE, OTHER = 0, 1, 2  # kinds of pairs: two segments, a segment and a plane, the rest


@dataclass(frozen=True)
class PairTable:
    """What the check needs to know about the pairs of a mechanism, as arrays over the pairs.

    first, second: the solids of each pair; a half-space is always the second. spare (k,): allowance
    minus both radii, so that a clearance is a distance of cores plus `spare`.
    """

    mechanism: Mechanism

    @cached_property
    def kind(self) -> np.ndarray:
        """(k,) STRAIGHT, PLANE or OTHER."""
        solids = self.mechanism.solids
        straight = np.array([solid.kind == SEGMENT for solid in solids], bool)
        flat = np.array([solid.kind == HALF_SPACE for solid in solids], bool)
        first, second = straight[self.first], straight[self.second]
        plane = np.where(first & flat[self.second], PLANE, OTHER)
        return np.where(first & second, STRAIGHT, plane)

    @cached_property
    def _ordered(self) -> np.ndarray:
        flat = np.array([s.kind == HALF_SPACE for s in self.mechanism.solids], bool)
        pairs = self.mechanism.pairs
        return np.where(flat[pairs[:, 0]][:, None], pairs[:, ::-1], pairs)

    @property
    def first(self) -> np.ndarray:
        """(k,) the first solid."""
        return self._ordered[:, 0]

    @property
    def second(self) -> np.ndarray:
        """(k,) the second solid, the half-space if there is one."""
        return self._ordered[:, 1]

    @cached_property
    def spare(self) -> np.ndarray:
        """(k,) allowance minus radii, m."""
        radius = np.array([solid.radius for solid in self.mechanism.solids])
        return self.mechanism.allowance - radius[self.first] - radius[self.second]

    @cached_property
    def joint(self) -> np.ndarray:
        """(s,) the joint of every solid."""
        return np.array([solid.joint for solid in self.mechanism.solids], int)

    @cached_property
    def ends(self) -> np.ndarray:
        """(s, 2, 3) the ends of segments, a point and the normal's tip of half-spaces, in joints.

        For hulls: their centre twice.
        """
        return np.array(
            [
                s.points if len(s.points) == 2 else np.repeat(_centre(s.points)[None], 2, axis=0)
                for s in self.mechanism.solids
            ]
        ).reshape(-1, 2, 3)

    @cached_property
    def balls(self) -> tuple[np.ndarray, np.ndarray]:
        """Centres (s, 3) in joints and radii (s,) of balls around cores; a half-space's is inf."""
        solids = self.mechanism.solids
        centres = np.array([_centre(s.points) for s in solids]).reshape(-1, 3)
        radii = [
            np.inf
            if s.kind == HALF_SPACE
            else float(np.linalg.norm(s.points - c, axis=1).max(initial=0.0))
            for s, c in zip(solids, centres, strict=True)
        ]
        return centres, np.array(radii)


class Placed:
    """All joints at times (t,), and clearances of pairs there."""

    def __init__(self, table: PairTable, motion: AnyMotion, times: np.ndarray) -> None:
        self.table = table
        self.positions, self.rotations = table.mechanism.place(*motion.at(times))

    def points(self, local: np.ndarray, joint: np.ndarray, at: np.ndarray) -> np.ndarray:
        """(m, k, 3) points (m, k, 3) given in joints (m,), in the world at times `at` (m,)."""
        turned = np.einsum("mij,mkj->mki", self.rotations[at, joint], local)
        return self.positions[at, joint][:, None] + turned

    def all_ends(self) -> np.ndarray:
        """(t, s, 2, 3) `PairTable.ends` of all solids in the world."""
        joint = self.table.joint
        turned = np.einsum("tsij,skj->tski", self.rotations[:, joint], self.table.ends)
        return self.positions[:, joint][:, :, None] + turned

    def points_of(self, solid: int) -> np.ndarray:
        """(t, k, 3) the points of a solid in the world."""
        shape = self.table.mechanism.solids[solid]
        turned = np.einsum("tij,kj->tki", self.rotations[:, shape.joint], shape.points)
        return self.positions[:, shape.joint][:, None] + turned

    def ball_clearances(self) -> np.ndarray:
        """(k, t) lower bounds of the clearances of all pairs, from balls around the cores."""
        centres, radii = self.table.balls
        first, second = self.table.first, self.table.second
        turned = np.einsum("tsij,sj->tsi", self.rotations[:, self.table.joint], centres)
        at = (self.positions[:, self.table.joint] + turned).transpose(1, 0, 2)
        apart = np.linalg.norm(at[first] - at[second], axis=-1)
        return apart + (self.table.spare - radii[first] - radii[second])[:, None]

    def clearances(
        self, pairs: np.ndarray, at: np.ndarray, far_m: float = np.inf
    ) -> tuple[np.ndarray, np.ndarray]:
        """(m,) clearances of pairs (m,) at times `at` (m,), and the distances of their cores.

        Clearances of hulls above `far_m` are lower bounds.
        """
        table = self.table
        first, second, kind = table.first[pairs], table.second[pairs], table.kind[pairs]
        distance = np.empty(len(pairs))
        for k in np.flatnonzero(np.bincount(kind, minlength=3)[:2]):
            of = np.flatnonzero(kind == k)
            a, b, when = first[of], second[of], at[of]
            one = self.points(table.ends[a], table.joint[a], when)
            two = self.points(table.ends[b], table.joint[b], when)
            if k == PLANE:
                distance[of] = plane_distance(one, two)
            else:
                distance[of] = segment_distance(one[:, 0], one[:, 1], two[:, 0], two[:, 1])
        other = np.flatnonzero(kind == OTHER)
        for k in np.unique(pairs[other]):
            of = other[pairs[other] == k]
            distance[of] = self._hulls(int(k), at[of], far_m - float(table.spare[k]))
        return distance + table.spare[pairs], distance

    def _hulls(self, pair: int, at: np.ndarray, far_m: float) -> np.ndarray:
        """(m,) distances of a pair of hulls (or a hull and a half-space) at times `at`."""
        solids = self.table.mechanism.solids
        first, second = solids[int(self.table.first[pair])], solids[int(self.table.second[pair])]
        one, two = (
            self.points(
                np.broadcast_to(s.points, (len(at), *s.points.shape)), np.full(len(at), s.joint), at
            )
            for s in (first, second)
        )
        if second.kind == HALF_SPACE:
            return plane_distance(one, two)
        out = np.maximum(hull_separation(one, two), 0.0)
        for t in np.flatnonzero(out < far_m):
            out[t] = hull_distance(one[t], two[t])
        return out


def _centre(points: np.ndarray) -> np.ndarray:
    return 0.5 * (points.min(axis=0) + points.max(axis=0))

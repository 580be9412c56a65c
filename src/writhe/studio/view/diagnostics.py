"""What the read-out beside the figure shows: clearance, touching parts, pass-throughs, linking."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.collision import NearPairs, certify
from writhe.skeleton import Figure, forward
from writhe.solvers.posing import PoseResult
from writhe.solvers.posing.actor_in_scene import ActorPlace
from writhe.studio.editing.contact_defaults import GROUND, LOOK_M
from writhe.topology import linking_vector

TOUCHING_M = -0.001  # below this clearance parts are in violation, as in the certificate
MOST_STRANDS = 9
MOST_POSES = 240
MOST_PAIRS = 40


@dataclass(frozen=True)
class Reading:
    """The figures of one pose; parts of the actor itself have no prefix."""

    clearance_m: float | None
    touching: tuple[str, ...]
    linking: list[float] | None


@dataclass(frozen=True)
class Nearest:
    """Two parts that are near each other, as the layout calls them."""

    a: str
    b: str
    clearance_m: float


@dataclass(frozen=True)
class Gap:
    """Where a part comes nearest to another: the points of both surfaces, in the world."""

    part: str
    other: str
    clearance_m: float
    point: Floats
    other_point: Floats


class Readings:
    """Measures the poses of one puppet, whatever its method says of itself."""

    def __init__(self, figure: Figure, place: ActorPlace | None) -> None:
        self.figure = figure
        self.place = place
        self._near = None if place is None else NearPairs(place.table)
        parts = (
            [] if place is None else [place.table.part_names[i] for i in place.table.shape_parts]
        )
        prefix = "" if place is None else place.prefix
        self._own_shape = np.array([part.startswith(prefix) for part in parts], dtype=np.bool_)
        self._ground_shape = np.array([part == GROUND for part in parts], dtype=np.bool_)
        self._linked = 2 <= len(figure.strands) <= MOST_STRANDS
        self._overlapping: list[Floats] = []

    def read(self, q: Floats) -> Reading:
        """The figures of a pose."""
        linking = linking_vector(self.figure, q).tolist() if self._linked else None
        near, place = self._near, self.place
        if near is None or place is None:
            return Reading(None, (), linking)
        self._find(q)
        clearance = near.clearance
        shapes = near.rows.shapes[: near.count]
        overlaps = clearance < TOUCHING_M
        # feet always stand on the ground: that is no clearance worth telling
        told = self._own_shape[shapes].any(axis=1) & (
            overlaps | ~self._ground_shape[shapes].any(axis=1)
        )
        least = float(clearance[told].min()) if told.any() else None
        parts = {place.table.part_of_shape(int(s)) for s in shapes[told & overlaps].ravel()}
        own = (part for part in parts if part.startswith(place.prefix))
        return Reading(least, tuple(sorted(p.removeprefix(place.prefix) for p in own)), linking)

    def near_pairs(self, q: Floats) -> list[Nearest]:
        """Pairs of parts near each other that concern the actor."""
        near, place = self._near, self.place
        if near is None or place is None:
            return []
        self._find(q)
        clearance = near.clearance
        name = place.table.part_of_shape
        found = [
            Nearest(
                name(int(near.rows.shapes[row, 0])),
                name(int(near.rows.shapes[row, 1])),
                float(clearance[row]),
            )
            for row in np.argsort(clearance)[:MOST_PAIRS]
        ]
        return [p for p in found if p.a.startswith(place.prefix) or p.b.startswith(place.prefix)]

    def nearest_to(self, q: Floats, joint: str) -> Gap | None:
        """What comes nearest to the body that hangs on a joint of the actor."""
        self._find(q)
        return self.nearest_now(joint)

    def nearest_now(self, joint: str) -> Gap | None:
        """The same in the pose that was looked at last, where something is near."""
        near, place = self._near, self.place
        if near is None or place is None:
            return None
        number, rows = place.skeleton.index(place.prefix + joint), near.rows
        mine = np.flatnonzero((rows.joints[: near.count] == number).any(axis=1))
        if not len(mine):
            return None
        row = mine[np.argmin(rows.gap[mine] + rows.allowance[mine])]
        own = 0 if rows.joints[row, 0] == number else 1
        surfaces = (rows.surface_a[row].copy(), rows.surface_b[row].copy())
        parts = [place.table.part_of_shape(int(shape)) for shape in rows.shapes[row]]
        clearance = float(rows.gap[row] + rows.allowance[row])
        return Gap(parts[own], parts[1 - own], clearance, surfaces[own], surfaces[1 - own])

    def _find(self, q: Floats) -> None:
        near, place = self._near, self.place
        if near is not None and place is not None:
            frames = forward(place.skeleton, place.whole(q))
            near.find(frames.positions, frames.rotations, LOOK_M)

    def pass_throughs(self, before: Floats, after: Floats, result: PoseResult) -> int:
        """How many pairs of parts have just finished passing through each other.

        Nothing can while the gate is on. Otherwise the poses since parts began to overlap are
        kept and certified once they are apart again.
        """
        place = self.place
        if result.gate.on or place is None:
            return 0
        if any(pair.clearance_m < TOUCHING_M for pair in self.near_pairs(after)):
            if not self._overlapping:
                self._overlapping.append(place.whole(before))
            self._overlapping.append(place.whole(after))
            if len(self._overlapping) < MOST_POSES:
                return 0
        if not self._overlapping:
            return 0
        poses, self._overlapping = [*self._overlapping, place.whole(after)], []
        return len(certify(place.table, np.array(poses), 60.0).pass_throughs)

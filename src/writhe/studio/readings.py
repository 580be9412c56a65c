"""What the read-out beside the figure shows: clearance, touching parts, pass-throughs, linking."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.collision import NearPairs, certify
from writhe.skeleton import Figure, forward
from writhe.solvers.posing import PoseResult
from writhe.studio.collisions import LOOK_M, collision_table
from writhe.topology import linking_vector

TOUCHING_M = -0.001  # below this clearance parts are in violation, as in the certificate
MOST_STRANDS = 9
MOST_POSES = 240


@dataclass(frozen=True)
class Reading:
    """The figures of one pose."""

    clearance_m: float | None
    touching: tuple[str, ...]
    linking: list[float] | None


class Readings:
    """Measures the poses of one puppet, whatever its method says of itself."""

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        self._table = collision_table(figure)
        self._near = None if self._table is None else NearPairs(self._table)
        self._linked = 2 <= len(figure.strands) <= MOST_STRANDS
        self._overlapping: list[Floats] = []

    def read(self, q: Floats, result: PoseResult | None = None) -> Reading:
        """The figures of a pose, with those that the poser gave taken from it."""
        linking = linking_vector(self.figure, q).tolist() if self._linked else None
        if result is not None and result.clearance_m is not None:
            return Reading(result.clearance_m, result.touching_parts, linking)
        clearance, touching = self._measure(q)
        return Reading(clearance, touching, linking)

    def _measure(self, q: Floats) -> tuple[float | None, tuple[str, ...]]:
        near, table = self._near, self._table
        if near is None or table is None:
            return None, ()
        frames = forward(self.figure.skeleton, q)
        near.find(frames.positions, frames.rotations, LOOK_M)
        if near.count == 0:
            return None, ()
        clearance = near.rows.gap[: near.count] + near.rows.allowance[: near.count]
        parts = {
            table.part_of_shape(int(shape))
            for row in np.flatnonzero(clearance < TOUCHING_M)
            for shape in near.rows.shapes[row]
        }
        return float(clearance.min()), tuple(sorted(parts))

    def pass_throughs(self, before: Floats, after: Floats, result: PoseResult) -> int:
        """How many pairs of parts have just finished passing through each other.

        Nothing can while the gate is on. Otherwise the poses since parts began to overlap are
        kept and certified once they are apart again.
        """
        if result.gate.on or self._table is None:
            return 0
        clearance, _ = self._measure(after)
        if clearance is not None and clearance < TOUCHING_M:
            if not self._overlapping:
                self._overlapping.append(before.copy())
            self._overlapping.append(after.copy())
            if len(self._overlapping) < MOST_POSES:
                return 0
        if not self._overlapping:
            return 0
        poses, self._overlapping = [*self._overlapping, after.copy()], []
        return len(certify(self._table, np.array(poses), 60.0).pass_throughs)

"""Pairs of shapes near each other at one configuration: what a solver's inequalities need."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.collision.collision_table import CollisionTable
from writhe.kernels.collision.near_pairs import Near, near_pairs
from writhe.skeleton import forward


class NearPairs:
    """Lists near pairs into preallocated rows.

    After `find`, the first `count` rows of `rows` are filled (see `kernels.near.Near`).
    """

    def __init__(self, table: CollisionTable, most: int = 0) -> None:
        self.table = table
        size = most or max(1, len(table.pairs.deep))
        self.rows = Near(
            shape_pair=np.zeros(size, dtype=np.int64),
            shapes=np.zeros((size, 2), dtype=np.int64),
            joints=np.zeros((size, 2), dtype=np.int64),
            gap=np.zeros(size),
            allowance=np.zeros(size),
            normal=np.zeros((size, 3)),
            surface_a=np.zeros((size, 3)),
            surface_b=np.zeros((size, 3)),
        )
        self.placed = table.placed_room()
        self.out = np.zeros(9)
        self.apart_along = table.first_directions()
        self.count = 0

    def find(self, positions: Floats, rotations: Floats, distance_m: float) -> int:
        """List the pairs with a gap below `distance_m` at these joint frames; returns how many.

        With fewer rows than pairs the list is cut short and the number returned is the full one.
        """
        table = self.table
        found = near_pairs(
            table.shapes,
            table.bodies,
            table.pairs,
            positions,
            rotations,
            float(distance_m),
            self.placed,
            self.out,
            self.apart_along,
            self.rows,
        )
        self.count = min(found, len(self.rows.gap))
        return found

    @property
    def clearance(self) -> Floats:
        """(count,) the gap beyond its allowance of every pair found last; negative in overlap."""
        return self.rows.gap[: self.count] + self.rows.allowance[: self.count]

    def parts_below(self, clearance_m: float) -> tuple[str, ...]:
        """The parts of the pairs found last whose clearance is below this, in order."""
        low = self.rows.shapes[: self.count][self.clearance < clearance_m]
        return tuple(sorted({self.table.part_of_shape(int(shape)) for shape in low.ravel()}))


def violating_parts(
    table: CollisionTable, q: Floats, beyond_m: float = 0.001
) -> tuple[tuple[str, ...], ...]:
    """For each configuration (frames, nq), the parts overlapping beyond allowance by `beyond_m`."""
    frames, near = forward(table.skeleton, np.atleast_2d(q)), NearPairs(table)
    out: list[tuple[str, ...]] = []
    for positions, rotations in zip(frames.positions, frames.rotations, strict=True):
        near.find(positions, rotations, 0.0)
        out.append(near.parts_below(-beyond_m))
    return tuple(out)

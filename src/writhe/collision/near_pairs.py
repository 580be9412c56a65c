"""Shape pairs near each other at one configuration, for the contact constraints of solvers."""

from __future__ import annotations

import numpy as np

from writhe.arguments import checked
from writhe.arrays import Floats, number
from writhe.collision.certificate_slack import SLACK_M
from writhe.collision.collision_table import CollisionTable
from writhe.kernels.collision.near_pairs import NearPairRows, near_pairs
from writhe.skeleton import forward


class NearPairs:
    """Finds near pairs and stores them in preallocated rows.

    After `find`, the first `count` rows of `rows` are valid (see `NearPairRows`).
    """

    def __init__(self, table: CollisionTable, max_pairs: int = 0) -> None:
        self.table = table
        size = max_pairs or max(1, len(table.pairs.deep))
        self.rows = NearPairRows(
            shape_pair=np.zeros(size, dtype=np.int64),
            shapes=np.zeros((size, 2), dtype=np.int64),
            joints=np.zeros((size, 2), dtype=np.int64),
            gap=np.zeros(size),
            allowance=np.zeros(size),
            normal=np.zeros((size, 3)),
            surface_a=np.zeros((size, 3)),
            surface_b=np.zeros((size, 3)),
        )
        self.placed = table.empty_placed_shapes()
        self.out = np.zeros(9)
        self.last_normals = table.initial_normals()
        self.count = 0

    def find(self, positions: Floats, rotations: Floats, distance_m: float) -> int:
        """Find the pairs with a gap below `distance_m` at these joint frames; returns their number.

        If there are more pairs than rows, the rest is dropped but counted.
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
            self.last_normals,
            self.rows,
        )
        self.count = min(found, len(self.rows.gap))
        return found

    @property
    def clearance(self) -> Floats:
        """(count,) gap + allowance of the pairs of the last `find`; negative in penetration."""
        return self.rows.gap[: self.count] + self.rows.allowance[: self.count]

    def parts_below(self, clearance_m: float) -> tuple[str, ...]:
        """Names of the parts in pairs of the last `find` with less clearance than this, sorted."""
        low = self.rows.shapes[: self.count][self.clearance < clearance_m]
        return tuple(sorted({self.table.part_of_shape(int(shape)) for shape in low.ravel()}))


@checked
def violating_parts(
    table: CollisionTable, q: Floats, beyond_m: float = SLACK_M
) -> tuple[tuple[str, ...], ...]:
    """For each configuration (frames, nq), the parts that penetrate by more than `beyond_m`."""
    number(beyond_m, "beyond_m")
    frames, near = forward(table.skeleton, np.atleast_2d(q)), NearPairs(table)
    out: list[tuple[str, ...]] = []
    for positions, rotations in zip(frames.positions, frames.rotations, strict=True):
        near.find(positions, rotations, 0.0)
        out.append(near.parts_below(-beyond_m))
    return tuple(out)

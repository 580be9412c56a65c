"""A point of the body, in the world or in the frame of another joint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.kernels.terms import quantity_rows
from writhe.quantities.quantity import Quantity, QuantityCode, vector
from writhe.skeleton import Skeleton


@dataclass(frozen=True, slots=True)
class Point(Quantity):
    """The position of a point fixed to `joint`, in the world or in the frame of `seen_from`."""

    joint: str
    point_in_joint: tuple[float, float, float] = (0.0, 0.0, 0.0)
    seen_from: str | None = None

    def encode(self, skeleton: Skeleton) -> QuantityCode:
        other = -1 if self.seen_from is None else skeleton.index(self.seen_from)
        point = vector(self.point_in_joint)
        return QuantityCode(quantity_rows.POINT, 3, skeleton.index(self.joint), other, point)

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        names = rng.choice(skeleton.names, 6)
        local = rng.normal(0, 0.2, (3, 3))
        return [
            cls(str(names[0]), tuple(local[0])),
            cls(str(names[1]), tuple(local[1]), str(names[2])),
            cls(str(names[3]), tuple(local[2]), str(names[3])),
        ]

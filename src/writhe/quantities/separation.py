"""Distances: between two points, and of a point above a plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.kernels.terms import quantity_rows
from writhe.quantities.quantity import Quantity, QuantityCode, vector
from writhe.skeleton import Skeleton


@dataclass(frozen=True, slots=True)
class Separation(Quantity):
    """The distance between a point of `joint` and a point of `other` (None: fixed in the world)."""

    joint: str
    point_in_joint: tuple[float, float, float]
    other: str | None
    point_in_other: tuple[float, float, float]

    def encode(self, skeleton: Skeleton) -> QuantityCode:
        other = -1 if self.other is None else skeleton.index(self.other)
        data = vector(self.point_in_joint) + vector(self.point_in_other)
        return QuantityCode(quantity_rows.SEPARATION, 1, skeleton.index(self.joint), other, data)

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        names = rng.choice(skeleton.names, 3, replace=False)
        local = rng.normal(0, 0.2, (4, 3))
        return [
            cls(str(names[0]), tuple(local[0]), str(names[1]), tuple(local[1])),
            cls(str(names[2]), tuple(local[2]), None, tuple(local[3] + 2.0)),
        ]


@dataclass(frozen=True, slots=True)
class Height(Quantity):
    """The signed distance of a point of `joint` from a plane, metres: normal . point - offset_m.

    The plane is fixed in the world, or in the frame of the joint `plane_of`.
    """

    joint: str
    point_in_joint: tuple[float, float, float]
    normal: tuple[float, float, float]
    offset_m: float
    plane_of: str | None = None

    def encode(self, skeleton: Skeleton) -> QuantityCode:
        other = -1 if self.plane_of is None else skeleton.index(self.plane_of)
        data = (*vector(self.point_in_joint), *vector(self.normal), float(self.offset_m))
        return QuantityCode(quantity_rows.PLANE, 1, skeleton.index(self.joint), other, data)

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        names = rng.choice(skeleton.names, 3)
        local = rng.normal(0, 0.3, (4, 3))
        return [
            cls(str(names[0]), tuple(local[0]), tuple(local[1]), 0.3),
            cls(str(names[1]), tuple(local[2]), tuple(local[3]), -0.1, str(names[2])),
        ]

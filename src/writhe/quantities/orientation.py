"""Directions and orientations of joints, in the world or in the frame of another joint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.kernels.terms import quantity_rows
from writhe.quantities.quantity import Quantity, QuantityCode, vector
from writhe.skeleton import Skeleton


@dataclass(frozen=True, slots=True)
class Direction(Quantity):
    """A direction fixed to `joint`, in the world frame or in the frame of `seen_from`."""

    joint: str
    direction_in_joint: tuple[float, float, float]
    seen_from: str | None = None

    def encode(self, skeleton: Skeleton) -> QuantityCode:
        other = -1 if self.seen_from is None else skeleton.index(self.seen_from)
        return QuantityCode(
            quantity_rows.DIRECTION,
            3,
            skeleton.index(self.joint),
            other,
            vector(self.direction_in_joint),
        )

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        names = rng.choice(skeleton.names, 3)
        local = rng.normal(0, 1, (2, 3))
        return [
            cls(str(names[0]), tuple(local[0])),
            cls(str(names[1]), tuple(local[1]), str(names[2])),
        ]


@dataclass(frozen=True, slots=True)
class Orientation(Quantity):
    """The rotation vector from `target` (quaternion wxyz) to the orientation of `joint`, radians.

    The orientation is in the world frame, or in the frame of `seen_from`: log(target^-1 R).
    """

    joint: str
    target: tuple[float, float, float, float]
    seen_from: str | None = None

    def encode(self, skeleton: Skeleton) -> QuantityCode:
        other = -1 if self.seen_from is None else skeleton.index(self.seen_from)
        q = np.asarray(self.target, dtype=np.float64)
        return QuantityCode(
            quantity_rows.ORIENTATION,
            3,
            skeleton.index(self.joint),
            other,
            vector(q / np.linalg.norm(q)),
        )

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        names = rng.choice(skeleton.names, 3)
        targets = rng.normal(0, 1, (2, 4)) + np.array([2.0, 0, 0, 0])
        return [
            cls(str(names[0]), tuple(targets[0])),
            cls(str(names[1]), tuple(targets[1]), str(names[2])),
        ]

"""The gap between two capsules."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.kernels.terms import quantity_rows
from writhe.quantities.quantity import Quantity, QuantityCode, vector
from writhe.skeleton import Capsule, Skeleton


@dataclass(frozen=True, slots=True)
class Gap(Quantity):
    """The distance between the surfaces of two capsules, metres; negative when they overlap.

    Its derivative is that of the nearest points along the normal; it is zero where the axes meet.
    """

    first: Capsule
    second: Capsule

    def encode(self, skeleton: Skeleton) -> QuantityCode:
        data = (
            *vector(self.first.start_in_joint),
            *vector(self.first.end_in_joint),
            *vector(self.second.start_in_joint),
            *vector(self.second.end_in_joint),
            float(self.first.radius_m + self.second.radius_m),
        )
        return QuantityCode(
            quantity_rows.GAP,
            1,
            skeleton.index(self.first.joint),
            skeleton.index(self.second.joint),
            data,
        )

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        picked: list[Quantity] = []
        for _ in range(4):
            a, b = rng.choice(skeleton.names, 2, replace=False)
            ends = rng.normal(0.0, 0.2, (4, 3))
            picked.append(
                cls(
                    Capsule(str(a), ends[0], ends[1], 0.01), Capsule(str(b), ends[2], ends[3], 0.02)
                )
            )
        return picked

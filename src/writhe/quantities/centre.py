"""The centre of mass of a body or of a subtree of its joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.errors import WritheError
from writhe.kernels.terms import quantity_rows
from writhe.quantities.quantity import Quantity, QuantityCode
from writhe.skeleton import Skeleton


@dataclass(frozen=True, slots=True)
class CentreOfMass(Quantity):
    """The centre of mass of `joint` and its subtree, world frame, metres."""

    joint: str

    def encode(self, skeleton: Skeleton) -> QuantityCode:
        first = skeleton.index(self.joint)
        last = int(skeleton.tree.subtree_end[first])
        if skeleton.mass[first:last].sum() <= 0.0:
            raise WritheError(f"the subtree of {self.joint!r} has no mass; give its joints a mass")
        return QuantityCode(quantity_rows.CENTRE, 3, first, last)

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        heavy = [
            name
            for j, name in enumerate(skeleton.names)
            if skeleton.mass[j : int(skeleton.tree.subtree_end[j])].sum() > 0.0
        ]
        return [cls(str(name)) for name in rng.choice(heavy, min(3, len(heavy)), replace=False)]

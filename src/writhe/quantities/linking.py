"""The linking of two strands: how far they wind around each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.kernels import rows
from writhe.quantities.quantity import Code, Quantity, vector
from writhe.skeleton import Skeleton
from writhe.topology import Strand


@dataclass(frozen=True, slots=True)
class Linking(Quantity):
    """The Gauss linking integral of two strands, of one figure, of several, or of objects."""

    first: Strand
    second: Strand

    def encode(self, skeleton: Skeleton) -> Code:
        lines = tuple(_vertices(strand, skeleton) for strand in (self.first, self.second))
        return Code(rows.LINKING, 1, lines=lines)

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        picked: list[Quantity] = []
        for count in (2, 4):
            names = [str(name) for name in rng.choice(skeleton.names, 2 * count)]
            places = rng.normal(0.0, 0.3, (2 * count, 3))
            loop = Strand.along(rng.normal(0.0, 0.5, (4, 3)), name="loop", closed=True)
            one = Strand("one", tuple(names[:count]), places[:count])
            two = Strand("two", tuple(names[count:]), places[count:])
            picked += [cls(one, two), cls(one, loop)]
        return picked


def _vertices(strand: Strand, skeleton: Skeleton) -> tuple[tuple[int, tuple[float, ...]], ...]:
    places = [
        (-1 if joint is None else skeleton.index(joint), vector(offset))
        for joint, offset in zip(strand.joints, strand.offsets_in_joint, strict=True)
    ]
    return tuple(places + places[:1] if strand.closed else places)

"""The linking of two strands: how far they wind around each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.kernels.terms import quantity_rows
from writhe.quantities.quantity import Quantity, QuantityCode, vector
from writhe.skeleton import Skeleton
from writhe.topology import Strand


@dataclass(frozen=True, slots=True)
class Linking(Quantity):
    """The Gauss linking integral of two strands of figures or objects; 1 is one full link."""

    first: Strand
    second: Strand

    def encode(self, skeleton: Skeleton) -> QuantityCode:
        lines = tuple(strand_vertices(strand, skeleton) for strand in (self.first, self.second))
        return QuantityCode(quantity_rows.LINKING, 1, lines=lines)

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        return [cls(one, two) for one, two in sample_strands(skeleton, rng)]


def sample_strands(skeleton: Skeleton, rng: np.random.Generator) -> list[tuple[Strand, Strand]]:
    """Random pairs of strands on a skeleton, half of them with a loop in the world."""
    picked: list[tuple[Strand, Strand]] = []
    for count in (2, 4):
        names = [str(name) for name in rng.choice(skeleton.names, 2 * count)]
        vertices = rng.normal(0.0, 0.3, (2 * count, 3))
        loop = Strand.along(rng.normal(0.0, 0.5, (4, 3)), name="loop", closed=True)
        one = Strand("one", tuple(names[:count]), vertices[:count])
        two = Strand("two", tuple(names[count:]), vertices[count:])
        picked += [(one, two), (one, loop)]
    return picked


def strand_vertices(
    strand: Strand, skeleton: Skeleton
) -> tuple[tuple[int, tuple[float, ...]], ...]:
    """(joint or -1 for the world, position) of each vertex; a closed strand repeats its first."""
    vertices = [
        (-1 if joint is None else skeleton.index(joint), vector(offset))
        for joint, offset in zip(strand.joints, strand.offsets_in_joint, strict=True)
    ]
    return tuple(vertices + vertices[:1] if strand.closed else vertices)

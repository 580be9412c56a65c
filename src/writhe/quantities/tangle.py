"""Topology coordinates and writhe matrices of two strands (Ho and Komura 2009)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.errors import WritheError
from writhe.kernels.terms import quantity_rows
from writhe.quantities.linking import sample_strands, strand_vertices
from writhe.quantities.quantity import Quantity, QuantityCode
from writhe.skeleton import Skeleton
from writhe.topology import Strand


@dataclass(frozen=True, slots=True)
class TangleCoordinates(Quantity):
    """Four rows: writhe, centre along the first and second strand, density.

    Where the writhe is nearly zero, centre and density are zero with zero derivatives
    (`kernels.topology.topology_coordinates`).
    """

    first: Strand
    second: Strand

    def encode(self, skeleton: Skeleton) -> QuantityCode:
        lines = tuple(strand_vertices(strand, skeleton) for strand in (self.first, self.second))
        return QuantityCode(quantity_rows.TANGLE, 4, lines=lines)

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        # for a single pair of segments the centre is constant and the density undefined
        return [cls(one, two) for one, two in sample_strands(skeleton, rng)[2:]]


@dataclass(frozen=True, slots=True)
class WritheMatrix(Quantity):
    """The linking of each segment of one strand with each of the other, row by row.

    For strands with several `pieces` per bone, the entries of each pair of bones are summed.
    """

    first: Strand
    second: Strand
    pieces: int = 1

    def encode(self, skeleton: Skeleton) -> QuantityCode:
        lines = tuple(strand_vertices(strand, skeleton) for strand in (self.first, self.second))
        counts = [len(line) - 1 for line in lines]
        if any(count % self.pieces for count in counts):
            raise WritheError(
                f"strands of {counts[0]} and {counts[1]} segments cannot be divided into bones of"
                f" {self.pieces} pieces each"
            )
        height = (counts[0] // self.pieces) * (counts[1] // self.pieces)
        return QuantityCode(quantity_rows.ENTRIES, height, data=(float(self.pieces),), lines=lines)

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        picked = sample_strands(skeleton, rng)
        loop, joint = picked[3][1], str(rng.choice(skeleton.names))
        bone = Strand.along(rng.normal(0.0, 0.5, (2, 3)), joint=joint, name="bone")
        cut = bone.subdivided(skeleton, 2), loop.subdivided(skeleton, 2)
        return [*(cls(one, two) for one, two in picked), cls(*cut, pieces=2)]

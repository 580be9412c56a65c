"""Linking, writhe matrices and topology coordinates of two strands (Ho and Komura 2009)."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass

import numpy as np

from writhe.errors import WritheError
from writhe.kernels.terms import quantity_rows
from writhe.quantities.quantity import Quantity, QuantityCode, vector
from writhe.skeleton import Skeleton
from writhe.topology import Strand

Vertex = tuple[int, tuple[float, ...]]  # joint or -1 for the world, position in its frame


@dataclass(frozen=True, slots=True)
class _StrandPair(Quantity, ABC):
    first: Strand
    second: Strand

    def _vertices(self, skeleton: Skeleton) -> tuple[tuple[Vertex, ...], ...]:
        return tuple(strand_vertices(strand, skeleton) for strand in (self.first, self.second))


@dataclass(frozen=True, slots=True)
class Linking(_StrandPair):
    """The Gauss linking integral of two strands of figures or objects; 1 is one full link."""

    def encode(self, skeleton: Skeleton) -> QuantityCode:
        return QuantityCode(quantity_rows.LINKING, 1, lines=self._vertices(skeleton))

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


def strand_vertices(strand: Strand, skeleton: Skeleton) -> tuple[Vertex, ...]:
    """(joint or -1 for the world, position) of each vertex; a closed strand repeats its first."""
    vertices = [
        (-1 if joint is None else skeleton.index(joint), vector(offset))
        for joint, offset in zip(strand.joints, strand.offsets_in_joint, strict=True)
    ]
    return tuple(vertices + vertices[:1] if strand.closed else vertices)


@dataclass(frozen=True, slots=True)
class TangleCoordinates(_StrandPair):
    """Four rows: writhe, centre along the first and second strand, density.

    Where the writhe is nearly zero, centre and density are zero with zero derivatives
    (`kernels.topology.topology_coordinates`).
    """

    def encode(self, skeleton: Skeleton) -> QuantityCode:
        return QuantityCode(quantity_rows.TANGLE, 4, lines=self._vertices(skeleton))

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        # for a single pair of segments the centre is constant and the density undefined
        return [cls(one, two) for one, two in sample_strands(skeleton, rng)[2:]]


@dataclass(frozen=True, slots=True)
class WritheMatrix(_StrandPair):
    """The linking of each segment of one strand with each of the other, row by row.

    For strands with several `pieces` per bone, the entries of each pair of bones are summed.
    """

    pieces: int = 1

    def encode(self, skeleton: Skeleton) -> QuantityCode:
        lines = self._vertices(skeleton)
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

"""What can be wanted of strands: tangles, chains through loops, arms around bundles, distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.quantities import Linking, Quantity, TangleCoordinates
from writhe.skeleton import Skeleton
from writhe.topology import Strand, TopologyCoordinates

# how far a coordinate may be off and still counts as reached: writhe, centre (2), density
TOLERANCE = (0.01, 0.03, 0.03, 0.05)


@dataclass(frozen=True)
class Tangle:
    """Two strands are to have these topology coordinates; None leaves one free (Eq. 9).

    Centre and density mean little while there is next to no writhe: they count from a writhe of a
    few tenths on, and fade in below that.
    """

    first: Strand
    second: Strand
    writhe: float
    centre: tuple[float | None, float | None] = (None, None)
    density: float | None = None
    name: str = ""
    tolerance: tuple[float, float, float, float] = TOLERANCE

    @classmethod
    def measured(
        cls, skeleton: Skeleton, q: Floats, first: Strand, second: Strand, name: str = ""
    ) -> Tangle:
        """The tangle that the strands have at a key pose."""
        w, x, y, d = TangleCoordinates(first, second).value(skeleton, q)
        return cls(first, second, float(w), (float(x), float(y)), float(d), name)

    @classmethod
    def at(
        cls, first: Strand, second: Strand, wanted: TopologyCoordinates, name: str = ""
    ) -> Tangle:
        """All four coordinates at once."""
        return cls(first, second, wanted.writhe, wanted.centre, wanted.density, name)

    def __post_init__(self) -> None:
        given = [self.writhe, *(c for c in self.centre if c is not None), self.density or 0.0]
        if not np.isfinite(given).all():
            raise WritheError(f"the coordinates of {self.label} must be finite, not {given}")

    @property
    def label(self) -> str:
        """Its name, or the strands' names."""
        return self.name or f"{self.first.name} with {self.second.name}"

    @property
    def quantity(self) -> Quantity:
        """What is measured of it: the writhe alone costs less than all coordinates."""
        if self.centre == (None, None) and self.density is None:
            return Linking(self.first, self.second)
        return TangleCoordinates(self.first, self.second)

    @property
    def target(self) -> Floats:
        """One number for each row of the quantity, NaN where anything will do."""
        if self.centre == (None, None) and self.density is None:
            return np.array([self.writhe])
        values = (self.writhe, *self.centre, self.density)
        return np.array([np.nan if value is None else value for value in values])


@dataclass(frozen=True)
class Through:
    """A chain is to pass through a closed loop (Eq. 10): from its back to its front, or against.

    The front is the side from which the loop runs anticlockwise. What counts is that the chain
    crosses the disc spanned in the loop, `clearance_m` away from its rim and with `beyond_m` of
    the chain on the far side; the linking only leads there.
    """

    chain: Strand
    loop: Strand
    forwards: bool = True
    clearance_m: float = 0.01
    beyond_m: float = 0.02
    name: str = ""

    def __post_init__(self) -> None:
        if not self.loop.closed:
            raise WritheError(f"the strand {self.loop.name!r} is open: a loop is closed")

    @property
    def label(self) -> str:
        """Its name, or the strands' names."""
        return self.name or f"{self.chain.name} through {self.loop.name}"


@dataclass(frozen=True)
class Around:
    """A chain is to wind around a bundle alike (Eq. 11): the mean writhe, with a small variance."""

    chain: Strand
    bundle: tuple[Strand, ...]
    writhe: float
    name: str = ""
    tolerance: float = 0.02

    @property
    def label(self) -> str:
        """Its name, or the chain's and how many strands it goes around."""
        return self.name or f"{self.chain.name} around {len(self.bundle)} strands"


@dataclass(frozen=True)
class Untangled:
    """Two strands are to stay untangled: their writhe within [-most, most]."""

    first: Strand
    second: Strand
    most: float = 0.5
    name: str = ""

    @property
    def label(self) -> str:
        """Its name, or the strands' names."""
        return self.name or f"{self.first.name} clear of {self.second.name}"


Wish = Tangle | Through | Around | Untangled

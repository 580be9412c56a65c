"""Goals for strands: tangles, chains through loops, chains around bundles, untangled pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arguments import check_fields
from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.quantities import Linking, Quantity, TangleCoordinates
from writhe.skeleton import Skeleton
from writhe.topology import Strand, TopologyCoordinates

# tolerances of the topology coordinates: writhe, centre (2), density
TOLERANCE = (0.01, 0.03, 0.03, 0.05)


class _LabelledGoal:
    """A goal for pairs of strands, with a name or a description made of the strands' names."""

    name: str

    @property
    def pairs(self) -> tuple[tuple[Strand, Strand], ...]:
        """The pairs of strands concerned."""
        raise NotImplementedError

    @property
    def label(self) -> str:
        """The name, by default a description."""
        return self.name or self._description

    @property
    def _description(self) -> str:
        raise NotImplementedError


@dataclass(frozen=True)
class Tangle(_LabelledGoal):
    """Target topology coordinates of two strands; None leaves a coordinate free (Eq. 9).

    Centre and density are ill-defined near zero writhe, so their weight fades in until the writhe
    reaches a few tenths.
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
        """The topology coordinates of the strands at q, as a goal."""
        w, x, y, d = TangleCoordinates(first, second).value(skeleton, q)
        return cls(first, second, float(w), (float(x), float(y)), float(d), name)

    @classmethod
    def at(
        cls, first: Strand, second: Strand, target: TopologyCoordinates, name: str = ""
    ) -> Tangle:
        """A goal for all four coordinates."""
        return cls(first, second, target.writhe, target.centre, target.density, name)

    def __post_init__(self) -> None:
        check_fields(self)
        given = [self.writhe, *(c for c in self.centre if c is not None), self.density or 0.0]
        if not np.isfinite(given).all():
            raise WritheError(f"the coordinates of {self.label} must be finite, not {given}")

    @property
    def pairs(self) -> tuple[tuple[Strand, Strand], ...]:
        return ((self.first, self.second),)

    @property
    def _description(self) -> str:
        return f"{self.first.name} with {self.second.name}"

    @property
    def quantity(self) -> Quantity:
        """The measured quantity: the writhe alone if nothing else is given, since it costs less."""
        if self.centre == (None, None) and self.density is None:
            return Linking(self.first, self.second)
        return TangleCoordinates(self.first, self.second)

    @property
    def target(self) -> Floats:
        """Target of each row of the quantity, NaN where it is free."""
        if self.centre == (None, None) and self.density is None:
            return np.array([self.writhe])
        values = (self.writhe, *self.centre, self.density)
        return np.array([np.nan if value is None else value for value in values])


@dataclass(frozen=True)
class Through(_LabelledGoal):
    """A chain passes through a closed loop (Eq. 10), from back to front if `forwards`.

    The front is the side from which the loop runs anticlockwise. The goal is met when the chain
    crosses the disc spanned by the loop at least `clearance_m` from its rim, with `beyond_m` of the
    chain on the far side; the linking is only the objective that leads there.
    """

    chain: Strand
    loop: Strand
    forwards: bool = True
    clearance_m: float = 0.01
    beyond_m: float = 0.02
    name: str = ""

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.loop.closed:
            raise WritheError(f"the strand {self.loop.name!r} is open; a loop must be closed")

    @property
    def pairs(self) -> tuple[tuple[Strand, Strand], ...]:
        return ((self.chain, self.loop),)

    @property
    def _description(self) -> str:
        return f"{self.chain.name} through {self.loop.name}"


@dataclass(frozen=True)
class Around(_LabelledGoal):
    """A chain winds around every strand of a bundle (Eq. 11): mean writhe with small variance."""

    chain: Strand
    bundle: tuple[Strand, ...]
    writhe: float
    name: str = ""
    tolerance: float = 0.02

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def pairs(self) -> tuple[tuple[Strand, Strand], ...]:
        return tuple((self.chain, strand) for strand in self.bundle)

    @property
    def _description(self) -> str:
        return f"{self.chain.name} around {len(self.bundle)} strands"


@dataclass(frozen=True)
class Untangled(_LabelledGoal):
    """Two strands stay untangled: their writhe lies in [-max_writhe, max_writhe]."""

    first: Strand
    second: Strand
    max_writhe: float = 0.5
    name: str = ""

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def pairs(self) -> tuple[tuple[Strand, Strand], ...]:
        return ((self.first, self.second),)

    @property
    def _description(self) -> str:
        return f"{self.first.name} clear of {self.second.name}"


StrandGoal = Tangle | Through | Around | Untangled

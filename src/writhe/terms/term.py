"""A term: a quantity, the interval it should lie in, and its weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.quantities import Quantity

HARD = float("inf")


@dataclass(frozen=True)
class Term:
    """A soft or hard bound on a quantity: lower <= quantity <= upper.

    Equal bounds make an equality, an infinite one a one-sided term. A finite `weight` makes it
    soft: the cost is 1/2 (weight * r)^2 with r the distance outside the interval. `HARD` makes it a
    constraint. `stencil` spans frames: (1,) the value itself, (-1, 1) its change from the previous
    frame, (1, -2, 1) its second difference; the newest coefficient comes last.
    """

    quantity: Quantity
    lower: ArrayLike
    upper: ArrayLike
    weight: ArrayLike = 1.0
    stencil: tuple[float, ...] = (1.0,)
    label: str = ""

    def __post_init__(self) -> None:
        if not 1 <= len(self.stencil) <= 3 or self.stencil[-1] <= 0.0:
            raise WritheError(
                f"the stencil {self.stencil} of {self.label or self.quantity} must span 1 to 3 "
                "frames and end with a positive coefficient"
            )
        low, high = np.broadcast_arrays(self.lower, self.upper)
        if not np.all(np.less_equal(low, high)):  # NaN fails too
            raise WritheError(
                f"the bounds of {self.label or self.quantity} are NaN, or lower exceeds upper"
            )
        weight = np.asarray(self.weight, dtype=np.float64)
        if np.isnan(weight).any() or (weight < 0).any():
            raise WritheError(f"the weight of {self.label or self.quantity} must not be negative")

    @property
    def name(self) -> str:
        """The label, or the quantity's repr."""
        return self.label or repr(self.quantity)

    @property
    def hard(self) -> bool:
        """Whether the term is a constraint."""
        return bool(np.isinf(np.asarray(self.weight, dtype=np.float64)).any())

    def bounds(self, rows: int) -> tuple[Floats, Floats]:
        """Lower and upper bounds, one per row."""
        low = np.broadcast_to(np.asarray(self.lower, dtype=np.float64), (rows,)).copy()
        high = np.broadcast_to(np.asarray(self.upper, dtype=np.float64), (rows,)).copy()
        return low, high

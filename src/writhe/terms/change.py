"""Terms over time: the change of a quantity from frame to frame."""

from __future__ import annotations

from writhe.quantities import Quantity
from writhe.terms.term import Term


def velocity(quantity: Quantity, *, limit: float = 0.0, weight: float = 1.0) -> Term:
    """Keep the change of a quantity since the previous frame within +-limit."""
    return Term(quantity, -limit, limit, weight, stencil=(-1.0, 1.0), label=f"velocity {quantity}")


def acceleration(quantity: Quantity, *, limit: float = 0.0, weight: float = 1.0) -> Term:
    """Keep the second difference of a quantity over three frames within +-limit."""
    return Term(
        quantity, -limit, limit, weight, stencil=(1.0, -2.0, 1.0), label=f"acceleration {quantity}"
    )

"""Terms over time: how a quantity changes from frame to frame."""

from __future__ import annotations

from writhe.quantities import Quantity
from writhe.terms.term import Term


def velocity(quantity: Quantity, *, limit: float = 0.0, weight: float = 1.0) -> Term:
    """The change of a quantity from the frame before is to stay within +-limit."""
    return Term(quantity, -limit, limit, weight, stencil=(-1.0, 1.0), label=f"velocity {quantity}")


def acceleration(quantity: Quantity, *, limit: float = 0.0, weight: float = 1.0) -> Term:
    """The second difference of a quantity over three frames is to stay within +-limit."""
    return Term(
        quantity, -limit, limit, weight, stencil=(1.0, -2.0, 1.0), label=f"acceleration {quantity}"
    )

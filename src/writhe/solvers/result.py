"""The result of a step: configuration, status, and all residuals."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from writhe.arrays import Floats


class Status(Enum):
    """How a solve ended; misuse raises an exception instead."""

    REACHED = "reached"  # every term is within tolerance
    APPROACHING = "approaching"  # the cost still falls: step again
    SETTLED = "settled"  # the cost no longer falls, although some term is not met
    REGULARISED = "regularised"  # hard terms contradict each other and were softened


@dataclass(frozen=True)
class StepResult:
    """The next configuration, its cost and its residuals.

    `residuals` holds by term how far each value lies outside its interval.
    """

    q: Floats
    status: Status
    cost: float
    iterations: int
    residuals: dict[str, Floats] = field(default_factory=dict[str, Floats])

    @property
    def worst(self) -> float:
        """The largest residual of all terms."""
        return max((float(abs(r).max()) for r in self.residuals.values()), default=0.0)

"""What a solver answers: the outcome, a status, and every residual."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from writhe.arrays import Floats


class Status(Enum):
    """How a solve ended. Misuse raises; everything here is an answer."""

    REACHED = "reached"  # every term within tolerance
    APPROACHING = "approaching"  # the cost still falls: ask again
    SETTLED = "settled"  # the cost no longer falls although some term is not met
    REGULARISED = "regularised"  # hard terms contradict each other; the nearest compromise


@dataclass(frozen=True)
class StepResult:
    """The next configuration and how well it serves.

    `residuals` says by term how far each value lies outside its interval.
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

"""What the read-out beside the figure shows: clearance, touching parts, linking values."""

from __future__ import annotations

from dataclasses import dataclass

from writhe.arrays import Floats
from writhe.skeleton import Figure
from writhe.solvers.posing import PoseResult


@dataclass(frozen=True)
class Reading:
    """The figures of one pose."""

    clearance_m: float | None
    touching: tuple[str, ...]
    linking: list[float] | None


class Readings:
    """Measures poses of one figure, for methods that do not measure themselves."""

    def __init__(self, figure: Figure) -> None:
        self.figure = figure

    def read(self, q: Floats, result: PoseResult) -> Reading:
        """The figures of a pose that a poser answered with."""
        return Reading(result.clearance_m, result.touching_parts, None)

    def crossings(self, before: Floats, after: Floats) -> int:
        """How many pairs of parts passed through each other between two poses."""
        return 0

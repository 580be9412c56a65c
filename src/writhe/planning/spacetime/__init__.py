"""Spacetime refinement: all frames of a motion optimised at once."""

from writhe.planning.spacetime.refine import (
    Refined,
    RefineOptions,
    TimedPin,
    angular_changes,
    refine,
)

__all__ = ["RefineOptions", "Refined", "TimedPin", "angular_changes", "refine"]

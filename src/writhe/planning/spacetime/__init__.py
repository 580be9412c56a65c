"""Stage two: all frames of a motion refined at once."""

from writhe.planning.spacetime.refine import (
    Refined,
    RefineOptions,
    TimedPin,
    angular_changes,
    refine,
)

__all__ = ["RefineOptions", "Refined", "TimedPin", "angular_changes", "refine"]

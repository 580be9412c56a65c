"""Stage two: all frames of a motion refined at once."""

from writhe.planning.spacetime.refine import (
    Hold,
    Refined,
    RefineOptions,
    angular_changes,
    refine,
)

__all__ = ["Hold", "RefineOptions", "Refined", "angular_changes", "refine"]

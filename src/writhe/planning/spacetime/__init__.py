"""Stage two: all frames of a motion refined at once."""

from writhe.planning.spacetime.refine import (
    Hold,
    Refined,
    RefineOptions,
    angular_variation,
    refine,
)

__all__ = ["Hold", "RefineOptions", "Refined", "angular_variation", "refine"]

"""Spacetime refinement: all frames of a motion optimised at once."""

from writhe.planning.spacetime.refine import (
    FramePin,
    Refined,
    RefineOptions,
    angular_changes,
    refine,
)

__all__ = ["FramePin", "RefineOptions", "Refined", "angular_changes", "refine"]

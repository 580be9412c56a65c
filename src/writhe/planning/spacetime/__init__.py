"""Spacetime refinement: all frames of a motion optimised at once."""

from writhe.planning.spacetime.frame_pins import FramePin, FrameSlide, Held
from writhe.planning.spacetime.refine import (
    Refined,
    RefineOptions,
    angular_changes,
    refine,
)

__all__ = [
    "FramePin",
    "FrameSlide",
    "Held",
    "RefineOptions",
    "Refined",
    "angular_changes",
    "refine",
]

"""Terms: quantities with bounds, a weight or hardness, and a span of frames."""

from writhe.terms.compiled import CompiledTerms
from writhe.terms.intervals import (
    acceleration,
    half_space,
    half_space_as_published,
    joint_limits,
    keep_apart,
    keep_centre_over,
    keep_linking,
    velocity,
)
from writhe.terms.targets import (
    keep_direction,
    keep_distance,
    keep_relative,
    pin,
    point_at,
    reach,
    stay_near,
    turn_to,
)
from writhe.terms.term import HARD, Term

__all__ = [
    "HARD",
    "CompiledTerms",
    "Term",
    "acceleration",
    "half_space",
    "half_space_as_published",
    "joint_limits",
    "keep_apart",
    "keep_centre_over",
    "keep_direction",
    "keep_distance",
    "keep_linking",
    "keep_relative",
    "pin",
    "point_at",
    "reach",
    "stay_near",
    "turn_to",
    "velocity",
]

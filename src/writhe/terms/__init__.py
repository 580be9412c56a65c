"""Terms: quantities with bounds, a weight or hardness, and a span of frames."""

from writhe.terms.apart import keep_apart, keep_linking
from writhe.terms.balance import keep_centre_over
from writhe.terms.change import acceleration, velocity
from writhe.terms.compiled import CompiledTerms
from writhe.terms.half_space import half_space, half_space_as_published
from writhe.terms.limits import joint_limits
from writhe.terms.posture import stay_near
from writhe.terms.reach import pin, point_at, reach, turn_to
from writhe.terms.relative import keep_direction, keep_distance, keep_relative
from writhe.terms.term import Term

__all__ = [
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

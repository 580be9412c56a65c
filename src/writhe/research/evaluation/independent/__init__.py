"""A second implementation of the certificate's check, by dense sampling; imports nothing of writhe.

Kinematics from the table of joints, distances by other formulas (`distances`), the interpolation of
each kind of reader written out (`motions`). `check` samples a motion densely and refines around
every local minimum of a gap: it proves nothing, but what it finds is true, because a penetration is
witnessed by two points. A certificate that it contradicts is false.
"""

from writhe.research.evaluation.independent.check import Finding, check, gaps_at
from writhe.research.evaluation.independent.mechanism import Mechanism, RigidShape
from writhe.research.evaluation.independent.motions import (
    ChannelMotion,
    ConfigurationMotion,
    CurveMotion,
    SampledMotion,
    Track,
)

__all__ = [
    "ChannelMotion",
    "ConfigurationMotion",
    "CurveMotion",
    "Finding",
    "Mechanism",
    "RigidShape",
    "SampledMotion",
    "Track",
    "check",
    "gaps_at",
]

"""A second implementation of the certificate's check, by dense sampling; imports nothing of writhe.

It has its own kinematics, other distance formulas (`distances`) and its own interpolation schemes
(`motions`). `check` samples a motion densely and refines around every local minimum of a gap. It
cannot prove that a motion is clear, but a penetration that it finds is real, because two points
witness it. A certificate that it contradicts is false.
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

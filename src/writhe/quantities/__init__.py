"""Quantities of a skeleton or scene at a configuration: a value and its derivative.

Each quantity is a small class. It is encoded as numbers once, and one kernel
(`kernels.terms.quantity_rows`) evaluates all quantities together.
"""

from writhe.quantities.geometry import (
    CentreOfMass,
    Direction,
    Gap,
    Height,
    Orientation,
    Point,
    Separation,
)
from writhe.quantities.joints import FreeJointPose, JointCoordinate, JointPosture, SwingExtent
from writhe.quantities.quantity import Quantity, QuantityCode, evaluate, quantity_types
from writhe.quantities.strands import Linking, TangleCoordinates, WritheMatrix

__all__ = [
    "CentreOfMass",
    "Direction",
    "FreeJointPose",
    "Gap",
    "Height",
    "JointCoordinate",
    "JointPosture",
    "Linking",
    "Orientation",
    "Point",
    "Quantity",
    "QuantityCode",
    "Separation",
    "SwingExtent",
    "TangleCoordinates",
    "WritheMatrix",
    "evaluate",
    "quantity_types",
]

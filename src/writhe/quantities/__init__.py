"""Quantities of a skeleton or scene at a configuration: a value and its derivative.

Each quantity is a small class; it is encoded to numbers once and evaluated together with all others
by one kernel (`kernels.terms.quantity_rows`).
"""

from writhe.quantities.centre import CentreOfMass
from writhe.quantities.coordinate import JointCoordinate, SwingExtent
from writhe.quantities.gap import Gap
from writhe.quantities.linking import Linking
from writhe.quantities.orientation import Direction, Orientation
from writhe.quantities.point import Point
from writhe.quantities.posture import FreeJointPose, JointPosture
from writhe.quantities.quantity import Quantity, QuantityCode, evaluate, quantity_types
from writhe.quantities.separation import Height, Separation
from writhe.quantities.tangle import TangleCoordinates, WritheMatrix

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

"""What can be measured of a skeleton or scene at a state: a value and its derivative.

Each quantity is one small file; it is encoded to numbers once and evaluated by one kernel
(`kernels.rows`) together with all the others.
"""

from writhe.quantities.centre import CentreOfMass
from writhe.quantities.coordinate import JointCoordinate, SwingExtent
from writhe.quantities.gap import Gap
from writhe.quantities.linking import Linking
from writhe.quantities.orientation import Direction, Orientation
from writhe.quantities.point import Point
from writhe.quantities.posture import Place, Posture
from writhe.quantities.quantity import Code, Quantity, evaluate, quantity_types
from writhe.quantities.separation import Height, Separation
from writhe.quantities.tangle import TangleCoordinates, WritheMatrix

__all__ = [
    "CentreOfMass",
    "Code",
    "Direction",
    "Gap",
    "Height",
    "JointCoordinate",
    "Linking",
    "Orientation",
    "Place",
    "Point",
    "Posture",
    "Quantity",
    "Separation",
    "SwingExtent",
    "TangleCoordinates",
    "WritheMatrix",
    "evaluate",
    "quantity_types",
]

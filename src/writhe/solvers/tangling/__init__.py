"""Tangling: solving in topology space (Ho and Komura 2009)."""

from writhe.solvers.tangling.driven_motion import Drive
from writhe.solvers.tangling.goals import Around, Tangle, Through, Untangled, Wish
from writhe.solvers.tangling.keyframes import TangleKeyframe, TangleMotion, TangleSetup, animate
from writhe.solvers.tangling.motion_metric import motion_cost
from writhe.solvers.tangling.options import TangleOptions
from writhe.solvers.tangling.order import OrderFound, order_automatically
from writhe.solvers.tangling.solve import SolveOptions, TangleResult, solve
from writhe.solvers.tangling.stepper import TangleStepper

__all__ = [
    "Around",
    "Drive",
    "OrderFound",
    "SolveOptions",
    "Tangle",
    "TangleKeyframe",
    "TangleMotion",
    "TangleOptions",
    "TangleResult",
    "TangleSetup",
    "TangleStepper",
    "Through",
    "Untangled",
    "Wish",
    "animate",
    "motion_cost",
    "order_automatically",
    "solve",
]

"""Goals for the linking of strands, solved in topology space (Ho and Komura 2009)."""

from writhe.solvers.tangling.driven_motion import DrivenMotion
from writhe.solvers.tangling.goal_order import OrderFound, order_automatically
from writhe.solvers.tangling.goals import Around, StrandGoal, Tangle, Through, Untangled
from writhe.solvers.tangling.keyframes import (
    TangleKeyframe,
    TangleMotion,
    TangleSetup,
    TangleStage,
    animate,
    motion_metric,
)
from writhe.solvers.tangling.live_winding import LiveWinding
from writhe.solvers.tangling.options import TangleOptions
from writhe.solvers.tangling.solve import SolveOptions, TangleResult, solve
from writhe.solvers.tangling.stepper import TangleStepper

__all__ = [
    "Around",
    "DrivenMotion",
    "LiveWinding",
    "OrderFound",
    "SolveOptions",
    "StrandGoal",
    "Tangle",
    "TangleKeyframe",
    "TangleMotion",
    "TangleOptions",
    "TangleResult",
    "TangleSetup",
    "TangleStage",
    "TangleStepper",
    "Through",
    "Untangled",
    "animate",
    "motion_metric",
    "order_automatically",
    "solve",
]

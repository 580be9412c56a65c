"""Tangling: solving in topology space (Ho and Komura 2009)."""

from writhe.solvers.tangling.solve import SolveOptions, TangleResult, solve
from writhe.solvers.tangling.stepper import TangleOptions, TangleStepper
from writhe.solvers.tangling.wishes import Around, Tangle, Through, Untangled, Wish

__all__ = [
    "Around",
    "SolveOptions",
    "Tangle",
    "TangleOptions",
    "TangleResult",
    "TangleStepper",
    "Through",
    "Untangled",
    "Wish",
    "solve",
]

"""Interactive posing: one interface, one file per method."""

from __future__ import annotations

from writhe.solvers.posing.handles import Pin, Target, pin_here
from writhe.solvers.posing.methods import make_poser, method_names
from writhe.solvers.posing.poser import KeepsRelations, Poser, PoseResult

__all__ = [
    "KeepsRelations",
    "Pin",
    "PoseResult",
    "Poser",
    "Target",
    "make_poser",
    "method_names",
    "pin_here",
]

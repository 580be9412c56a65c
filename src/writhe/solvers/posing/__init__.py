"""Interactive posing: one interface, one file per method."""

from __future__ import annotations

from writhe.solvers.posing.controls import Controls
from writhe.solvers.posing.handles import Hold, Pin, Target, hold_here, pin_here
from writhe.solvers.posing.methods import make_poser, method_names
from writhe.solvers.posing.poser import Poser, PoseResult, SupportsRelations, step_until_rest
from writhe.solvers.posing.steps.stepping_poser import SteppingPoser

__all__ = [
    "Controls",
    "Hold",
    "Pin",
    "PoseResult",
    "Poser",
    "SteppingPoser",
    "SupportsRelations",
    "Target",
    "hold_here",
    "make_poser",
    "method_names",
    "pin_here",
    "step_until_rest",
]

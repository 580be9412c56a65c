"""A leaning ladder of two rails and six rungs: eight strands."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.collision import Shape, capsule

HALF_WIDTH_M, HEIGHT_M, LEAN_M = 0.21, 2.1, 0.45
RUNGS, RAIL_RADIUS_M, RUNG_RADIUS_M = 6, 0.025, 0.016


def ladder() -> tuple[tuple[Shape, ...], dict[str, Floats]]:
    """Shapes and strands of the ladder; a climber stands on its -Z side and looks along +Z."""

    def on_rail(side: float, share: float) -> tuple[float, float, float]:
        height = RAIL_RADIUS_M + share * (HEIGHT_M - RAIL_RADIUS_M)
        return side * HALF_WIDTH_M, height, share * LEAN_M

    strands = {
        "left_rail": np.array([on_rail(1, 0), on_rail(1, 1)]),
        "right_rail": np.array([on_rail(-1, 0), on_rail(-1, 1)]),
    }
    for rung in range(RUNGS):
        share = (rung + 0.75) / (RUNGS + 0.5)
        strands[f"rung_{rung + 1}"] = np.array([on_rail(1, share), on_rail(-1, share)])
    shapes = tuple(
        capsule(p[0], p[1], RAIL_RADIUS_M if "rail" in name else RUNG_RADIUS_M)
        for name, p in strands.items()
    )
    return shapes, strands

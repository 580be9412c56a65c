"""How steps in topology space are taken."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TangleOptions:
    """How steps are taken. Lengths in metres, angles in radians."""

    writhe_weight: float = 30.0  # of the coordinates, beside the motion's 1
    centre_weight: float = 20.0
    density_weight: float = 10.0
    writhe_stride: float = 0.05  # how far a coordinate may be ahead in one step
    centre_stride: float = 0.05
    density_stride: float = 0.06
    # below this writhe, or the one wanted if that is less, centre and density count less and less
    fade_writhe: float = 0.25
    least_fade: float = 0.1
    sigma: float | None = None  # the bound of Eq. 7 for every tangle's pairs of bones
    max_step: float = 0.12  # per coordinate and step
    near_m: float = 0.06  # pairs nearer than this become inequalities
    margin_m: float = 0.002
    approach: float = 0.5  # share of the clearance that one step may use up
    recovery_m: float = 0.01
    pull: float = 0.0  # share of the way to the reference posture that a step would like to go
    pull_limit: float = 0.06  # the most that it pulls a coordinate in one step
    gate: bool = True

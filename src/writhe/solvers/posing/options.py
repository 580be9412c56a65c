"""The weights and lengths of the default poser."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from writhe.skeleton import Skeleton
from writhe.solvers.posing.posture_prior import PriorOptions

_HUMAN_EXTENT_M = 1.537  # between the outermost joints of the built-in human at rest
_SMALLEST = 0.02  # of the human's size: smaller bodies are posed as if they had it


@dataclass(frozen=True, slots=True)
class DefaultOptions:
    """The weights of the default poser. Lengths in metres, angles in radians.

    Lengths, and weights per metre, are for a body of human size; `scaled` adapts them to others.
    """

    iterations: int = 3  # at most, a frame
    target_weight: float = 30.0
    pin_weight: float = 300.0
    turn_weight: float = 6.0
    hold_weight: float = 1000.0  # of hard relations between parts
    stay_weight: float = 300.0  # of a root that stays firmly
    balance_weight: float = 100.0  # of a body that balances firmly
    idle_weight: float = 10.0  # of a limb that idles firmly, beside the prior
    expected_weight: float = 2.0  # of where the database expects a joint, while targets move
    root_weight: float = 3.0  # how firmly the body stays in place
    base_weight: float = 1.0  # how firmly every joint stays as it is
    max_step_rad: float = 0.25  # per joint coordinate and iteration
    reach_m: float = 0.12  # how far a target may be ahead in one iteration
    near_m: float = 0.06  # pairs nearer than this become inequalities
    margin_m: float = 0.002
    approach: float = 0.5  # share of the clearance that one iteration may use up
    recovery_m: float = 0.01  # how fast a penetrating start is pushed out, an iteration
    met_m: float = 0.005
    held_m: float = 0.0005  # a pin farther off than this is brought back before the frame ends
    relax_pull: float = 0.05  # towards relaxed hinges, where there is no database
    gate: bool = True
    prior: PriorOptions = field(default_factory=PriorOptions)

    def scaled_to(self, skeleton: Skeleton) -> DefaultOptions:
        """The options for a body of this size."""
        extent = float(np.ptp(skeleton.rest_positions, axis=0).max())
        return self.scaled(max(extent / _HUMAN_EXTENT_M, _SMALLEST))

    def scaled(self, size: float) -> DefaultOptions:
        """The options for a body that is `size` times as large as the human."""
        lengths = ("reach_m", "near_m", "margin_m", "recovery_m", "met_m", "held_m")
        per_metre = (
            "target_weight",
            "pin_weight",
            "stay_weight",
            "balance_weight",
            "expected_weight",
            "root_weight",
        )
        return replace(
            self,
            **{name: size * getattr(self, name) for name in lengths},
            **{name: getattr(self, name) / size for name in per_metre},
        )

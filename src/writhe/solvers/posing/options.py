"""Options of the default poser."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from writhe.arguments import check_fields
from writhe.skeleton import Skeleton
from writhe.solvers.posing.posture_prior import PriorOptions

_HUMAN_EXTENT_M = 1.537  # between the outermost joints of the built-in human at rest
_SMALLEST = 0.02  # smallest scale, relative to the human


@dataclass(frozen=True, slots=True)
class DefaultPoserOptions:
    """Options of the default poser. Lengths in metres, angles in radians.

    Lengths, and weights per metre, are for a body of human size; `scaled` adapts them to others.
    """

    iterations: int = 3  # QPs per frame at most
    target_weight: float = 30.0
    pin_weight: float = 300.0
    turn_weight: float = 6.0  # orientation of targets, per radian; pins have ten times that
    relation_weight: float = 1000.0  # equalities between parts
    stay_weight: float = 300.0  # root position at Controls.stay = 1
    balance_weight: float = 100.0  # centre of mass at Controls.balance = 1
    idle_weight: float = 10.0  # inertia of limbs without a handle at Controls.idle = 1
    prior_weight: float = 2.0  # joint positions predicted by the database, while targets move
    root_weight: float = 3.0  # inertia of root translation
    base_weight: float = 1.0  # inertia of every degree of freedom
    max_step_rad: float = 0.25  # per joint coordinate and iteration
    reach_m: float = 0.12  # an iteration aims at most this far towards a target
    near_m: float = 0.06  # shape pairs nearer than this get a contact row
    margin_m: float = 0.002  # clearance that contact rows aim to keep
    approach: float = 0.5  # fraction of the clearance by which one iteration may approach
    recovery_m: float = 0.01  # most by which one iteration reduces an initial overlap
    target_tolerance_m: float = 0.005
    # an oriented hand that stays farther than this from its target may also move the trunk
    give_way_m: float = 0.03
    pin_tolerance_m: float = 0.0005  # if exceeded, the frame ends with a corrective QP
    relax_pull: float = 0.05  # gain of the hinge bias, used without a database
    gate: bool = True  # certify every step
    prior: PriorOptions = field(default_factory=PriorOptions)

    def __post_init__(self) -> None:
        check_fields(self)

    def scaled_to(self, skeleton: Skeleton) -> DefaultPoserOptions:
        """The options for a body of this size."""
        extent = float(np.ptp(skeleton.rest_positions, axis=0).max())
        return self.scaled(max(extent / _HUMAN_EXTENT_M, _SMALLEST))

    def scaled(self, size: float) -> DefaultPoserOptions:
        """The options for a body `size` times as large as the human."""
        lengths = (
            "reach_m",
            "near_m",
            "margin_m",
            "recovery_m",
            "target_tolerance_m",
            "give_way_m",
            "pin_tolerance_m",
        )
        per_metre = (
            "target_weight",
            "pin_weight",
            "stay_weight",
            "balance_weight",
            "prior_weight",
            "root_weight",
        )
        return replace(
            self,
            **{name: size * getattr(self, name) for name in lengths},
            **{name: getattr(self, name) / size for name in per_metre},
        )

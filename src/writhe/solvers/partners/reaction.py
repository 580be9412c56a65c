"""How a partner reacts: handles for its poser, from the joints that the pair prior predicts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arguments import check_fields, checked
from writhe.arrays import Floats, vector3
from writhe.database.pairs import PairDatabase
from writhe.recognition.body_map import BodyMap, has_same_coordinates
from writhe.skeleton import Figure, forward
from writhe.skeleton.limbs import ANKLES
from writhe.solvers.partners.pair_prior import PairPrior, PairPriorOptions
from writhe.solvers.posing.handles import Pin, Target, pin_here

MOVED = ("left_wrist", "right_wrist", "head", "hips")  # the partner's joints that get targets


@dataclass(frozen=True, slots=True)
class ReactionOptions:
    """Options of a reaction."""

    far_softness: float = 0.7  # of a joint that is far from the leader; close to it, 0
    max_step_m: float = 0.05  # largest movement of a target per frame
    prior: PairPriorOptions | None = None

    def __post_init__(self) -> None:
        check_fields(self)


class PartnerReaction:
    """Handles that make a partner react to the leader's pose; its poser takes the steps.

    The partner's feet stay where they are when the reaction begins; hands, head and hips follow the
    prediction (`PairPrior`). The poser certifies the steps, as those of a drag.
    """

    @checked
    def __init__(
        self,
        database: PairDatabase,
        leader: Figure,
        partner: Figure,
        options: ReactionOptions | None = None,
    ) -> None:
        self.options = options or ReactionOptions()
        self.prior = PairPrior(database, self.options.prior)
        self._leader = _AsReference(leader, database.figure)
        self._partner = _AsReference(partner, database.figure)
        self._targets: dict[str, Floats] = {}
        self._pins: list[Pin] = []

    def reset(self) -> None:
        """Forget the current drag: the next `handles` begins a new one."""
        self.prior.reset()
        self._targets.clear()

    def handles(self, leader: Floats, partner: Floats) -> tuple[list[Target], list[Pin]]:
        """Targets and pins for the partner's next step; configurations (nq) of both figures."""
        body, skeleton = self._partner.body, self._partner.body.skeleton
        frames = forward(skeleton, partner)
        self.prior.update(self._leader.configuration(leader), self._partner.configuration(partner))
        if not self._targets:
            self._targets = {role: frames.position(body.joint_of(role)).copy() for role in MOVED}
            ankles = [body.joint_of(role) for role in ANKLES]
            self._pins = [pin_here(skeleton, partner, joint, orientation=True) for joint in ankles]
        found: list[Target] = []
        reference = self.prior.database.figure.skeleton
        for role, at in self._targets.items():
            joint = reference.index(role)
            step = self.prior.expected[joint] - at
            length = float(np.linalg.norm(step))
            at += min(1.0, self.options.max_step_m / max(length, 1e-9)) * step
            softness = self.options.far_softness * (1.0 - float(self.prior.closeness[joint]))
            found.append(Target(body.joint_of(role), vector3(at), softness=softness))
        return found, list(self._pins)


class _AsReference:
    """Configurations of a person's figure as those of the database's figure."""

    def __init__(self, body: Figure, reference: Figure) -> None:
        self.body = body
        self._map = None if has_same_coordinates(body, reference) else BodyMap(body, reference)

    def configuration(self, q: Floats) -> Floats:
        if self._map is None:
            return q
        frames = forward(self.body.skeleton, q)
        return self._map.to_reference(frames.positions, frames.rotations)

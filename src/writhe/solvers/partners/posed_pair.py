"""Two people in one scene: one is dragged, the other reacts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from writhe.arguments import checked
from writhe.arrays import Floats
from writhe.database import PairDatabase, PostureDatabase
from writhe.scene import Actor, Scene
from writhe.skeleton import Figure
from writhe.solvers.partners.reaction import PartnerReaction, ReactionOptions
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.solvers.posing.controls import Controls
from writhe.solvers.posing.handles import Hold, Pin, Target
from writhe.solvers.posing.idle_fingers import default_poser
from writhe.solvers.posing.poser import PoseResult

LEADER, PARTNER = "leader", "partner"


class PosedPair:
    """Poses two people: the leader by handles, the partner by its reaction to the leader.

    `scene` has the actors "leader" and "partner", each an obstacle to the other.
    """

    @checked
    def __init__(
        self,
        leader: Figure,
        partner: Figure,
        pairs: PairDatabase,
        database: PostureDatabase | None = None,
        *,
        controls: Controls | None = None,
        options: ReactionOptions | None = None,
    ) -> None:
        """database: the postures of one person, as of `make_poser`."""
        figures = {LEADER: leader, PARTNER: partner}
        self.scene = Scene(tuple(Actor(name, figure) for name, figure in figures.items()))
        self.reaction = PartnerReaction(pairs, leader, partner, options)
        self._slices = self.scene.layout.actor_q
        self._actors = {name: ActorInScene.in_scene(self.scene, name) for name in figures}
        self._posers = {
            name: default_poser(figure, database, actor=self._actors[name], controls=controls)
            for name, figure in figures.items()
        }

    def reset(self) -> None:
        """Begin a new drag: the partner reacts from where it is now."""
        self.reaction.reset()

    def step(
        self,
        leader: Floats,
        partner: Floats,
        targets: Sequence[Target],
        pins: Sequence[Pin | Hold] = (),
    ) -> tuple[PoseResult, PoseResult]:
        """One frame: the next configurations of the leader, by its handles, and of the partner."""
        first = self._step(LEADER, leader, partner, targets, pins)
        answer = self.reaction.handles(first.q, partner)
        return first, self._step(PARTNER, partner, first.q, *answer)

    def together(self, leader: Floats, partner: Floats) -> Floats:
        """(nq,) the configuration of the scene."""
        return np.concatenate([leader, partner])

    def _step(
        self,
        name: str,
        q: Floats,
        other: Floats,
        targets: Sequence[Target],
        pins: Sequence[Pin | Hold],
    ) -> PoseResult:
        obstacle = LEADER if name == PARTNER else PARTNER
        self._actors[name].state[self._slices[obstacle]] = other
        return self._posers[name].step(q, targets, pins)

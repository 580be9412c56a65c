"""A partner takes an offered hand, without penetration, and leaves a distant leader alone."""

from __future__ import annotations

import numpy as np
import pytest

from writhe import PosedPair, Target, builtin_database
from writhe.arrays import vector3
from writhe.collision import NearPairs
from writhe.database import PairDatabase
from writhe.postures.pairs.interactions import INTERACTIONS, interaction_postures
from writhe.skeleton import Figure, forward
from writhe.skeleton.limbs import ANKLES
from writhe.skeleton.move_root import moved_roots
from writhe.solvers.posing import pin_here

HAND = "right_wrist"
FRAMES, MOVING = 36, 24


@pytest.fixture(scope="module")
def handshakes() -> PairDatabase:
    from writhe.skeleton.figures import figure

    chosen = [one for one in INTERACTIONS if one.name == "handshake"]
    return interaction_postures(figure("human"), chosen, 4)


class Two:
    """Two people face each other; the right hand of one is dragged, the other reacts."""

    def __init__(self, human: Figure, pairs: PairDatabase, apart_m: float) -> None:
        self.skeleton, postures = human.skeleton, builtin_database()
        stand = postures.q[postures.clip.index("stand")]
        away = np.array([0.0, 0.0, apart_m])
        facing = moved_roots(self.skeleton, stand[None], np.diag([-1.0, 1.0, -1.0]), away)[0]
        self.q = {"leader": stand.copy(), "partner": facing}
        self.pair = PosedPair(human, human, pairs, postures)
        self.near = NearPairs(self.pair.scene.layout.table)
        self.feet = [pin_here(self.skeleton, stand, a, orientation=True) for a in ANKLES]
        self.deepest_m = 1.0

    def drag(self, goal: tuple[float, float, float]) -> None:
        start = self.hand("leader")
        for frame in range(FRAMES):
            at = start + min(1.0, (frame + 1) / MOVING) * (np.array(goal) - start)
            leader, partner = self.q["leader"], self.q["partner"]
            targets = [Target(HAND, vector3(at))]
            found = self.pair.step(leader, partner, targets, self.feet)
            self.q = {name: one.q for name, one in zip(self.q, found, strict=True)}
            whole = self.pair.together(*self.q.values())
            frames = forward(self.pair.scene.layout.skeleton, whole)
            self.near.find(frames.positions, frames.rotations, 0.02)
            self.deepest_m = min(self.deepest_m, *self.near.clearance)

    def hand(self, name: str) -> np.ndarray:
        return forward(self.skeleton, self.q[name]).position(HAND).copy()


def test_the_partner_takes_an_offered_hand_and_follows_it(human, handshakes):
    two = Two(human, handshakes, 0.95)
    before = two.hand("partner")
    two.drag((-0.02, 1.02, 0.4))
    assert np.linalg.norm(two.hand("partner") - two.hand("leader")) < 0.25
    assert np.linalg.norm(two.hand("partner") - before) > 0.2
    reached = two.hand("partner")
    two.drag((-0.02, 1.14, 0.4))
    assert two.hand("partner")[1] > reached[1] + 0.06  # the shaken hand goes up with the leader's
    assert np.linalg.norm(two.hand("partner") - two.hand("leader")) < 0.25
    assert two.deepest_m > -1e-3
    ankles = [forward(two.skeleton, two.q["partner"]).position(a)[1] for a in ANKLES]
    assert max(ankles) < 0.12  # its feet stay on the floor


def test_someone_far_from_all_examples_does_not_react(human, handshakes):
    two = Two(human, handshakes, 2.5)
    before = two.hand("partner")
    two.drag((-0.02, 1.02, 0.4))
    assert np.linalg.norm(two.hand("partner") - before) < 0.05

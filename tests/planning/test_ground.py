"""Bodies on the ground: they touch it in every frame, stay balanced and keep their gaps."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.collision import CollisionTable, certify
from writhe.errors import WritheError
from writhe.planning import Timing, figure_problem, plan, to_motion
from writhe.planning.shift_to_ground import LIFT_M, lowest_points, rest_on_ground
from writhe.research.evaluation.tangled_pairs import TangledPair
from writhe.skeleton import Figure, forward
from writhe.skeleton.kinematics import centre_of_mass


@pytest.mark.parametrize("rolls", [False, True])
def test_the_ground_is_touched_in_every_frame(
    human: Figure, table: CollisionTable, tangled: list[TangledPair], rolls: bool
) -> None:
    found = plan(human, tangled[-1].start, tangled[-1].goal, table=table)
    motion = to_motion(found, Timing(fps=30.0, duration_s=2.0, ground_m=0.3, rolls=rolls))
    lowest = lowest_points(table, motion.q, slice(0, len(human.skeleton)))
    assert lowest == pytest.approx(0.3 + LIFT_M, abs=1e-9)
    assert certify(table, motion.q, motion.fps).certified


def test_a_toppled_body_rolls_until_it_is_balanced(human: Figure, table: CollisionTable) -> None:
    # tipped to an unbalanced orientation, with a constant posture
    q = human.skeleton.rest_configuration
    at = human.skeleton.q_slice("hips").start
    q[at + 3 : at + 7] = [np.cos(0.4), np.sin(0.4), 0.0, 0.0]
    still = figure_problem(human, q, q, table=table)
    from writhe.planning.rolling import roll_on_ground

    rolled = roll_on_ground(still, np.tile(q, (120, 1)))
    heights = centre_of_mass(forward(human.skeleton, rolled))[:, 1]
    assert heights[-1] < 0.35 < heights[0]
    assert abs(heights[-1] - heights[-10]) < 5e-3  # it has come to rest
    assert np.abs(np.diff(heights)).max() < 0.06  # without a jump


def test_planted_bodies_cannot_be_lowered(human: Figure, table: CollisionTable) -> None:
    q = human.skeleton.rest_configuration
    held = figure_problem(human, q, q, planted=("left_ankle",), table=table)
    with pytest.raises(WritheError, match="planted"):
        rest_on_ground(held, q[None])

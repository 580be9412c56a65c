"""Plans of postures that stand: a floor and planted feet by default."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.planning import Timing, plan, to_motion
from writhe.planning.ground_assumptions import floor_height, shared_feet
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.skeleton import forward
from writhe.skeleton.kinematics import integrate
from writhe.skeleton.limbs import ANKLES
from writhe.solvers.posing import Target, make_poser, pin_here


@pytest.fixture(scope="module")
def crouch(human):
    """The standing human, and the same with lowered hips on the same feet."""
    start = standing(human)
    poser, q = make_poser("default", human), start
    pins = [pin_here(human.skeleton, start, foot, orientation=True) for foot in ANKLES]
    x, y, z = forward(human.skeleton, start).position("hips")
    for _ in range(40):
        q = poser.step(q, [Target("hips", (x, y - 0.25, z - 0.05))], pins).q
    return start, q


def test_shared_feet_stay_and_nothing_sinks_into_the_floor(human, crouch):
    found = plan(human, *crouch)
    assert found.solved
    assert found.certificate.certified
    assert len(found.notes) == 2
    assert {pin.joint for pin in found.problem.planted} == set(ANKLES)
    motion = to_motion(found, Timing(fps=30.0))
    assert motion.skeleton.names == human.skeleton.names
    frames = motion.frames()
    for joint in (*ANKLES, "left_toe", "right_toe"):
        path = frames.position(joint)
        assert np.linalg.norm(path - path[0], axis=1).max() < 0.03


def test_both_can_be_turned_off(human, crouch):
    found = plan(human, *crouch, planted=(), floor=False)
    assert found.problem.planted == ()
    assert found.notes == ()


def test_nothing_is_assumed_of_postures_that_do_not_stand(human, crouch):
    start, goal = crouch
    lifted = integrate(human.skeleton, goal, np.eye(human.skeleton.dof_count)[1] * 0.5)
    assert shared_feet(human, start, lifted) == ()
    assert floor_height(human, start, lifted) is None

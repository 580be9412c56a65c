"""Timing of paths: durations, profiles, staggered limbs, smoothing."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.collision import CollisionTable, certify
from writhe.errors import UnknownNameError, WritheError
from writhe.planning import Plan, Timing, plan, to_motion
from writhe.planning.timing import bell, blurred
from writhe.research.evaluation.tangled_pairs import TangledPair
from writhe.skeleton import Figure, forward, quaternions


@pytest.fixture(scope="module")
def found(human: Figure, table: CollisionTable, tangled: list[TangledPair]) -> Plan:
    return plan(human, tangled[2].start, tangled[2].goal, table=table)


def test_a_bell_starts_and_ends_at_rest() -> None:
    u = np.linspace(0.0, 1.0, 101)
    speed = np.gradient(bell(u), u)
    assert bell(u)[[0, -1]] == pytest.approx([0.0, 1.0])
    assert speed[0] < 0.01 and speed[-1] < 0.01 and speed.argmax() == 50


def test_a_motion_is_certified_and_has_its_duration(found: Plan, table: CollisionTable) -> None:
    motion = to_motion(found, Timing(duration_s=1.5, fps=30.0))
    assert motion.duration_s == pytest.approx(1.5)
    assert certify(table, motion.q, motion.fps).certified
    assert np.allclose(motion.q[0], found.path[0]) and np.allclose(motion.q[-1], found.path[-1])


def test_smoothing_lowers_roughness(found: Plan, human: Figure) -> None:
    from writhe.research.experiments.energy_planning.methods import roughness

    rough = to_motion(found, Timing(fps=30.0, duration_s=2.0, profile="uniform", smooth=0))
    smooth = to_motion(found, Timing(fps=30.0, duration_s=2.0, profile="uniform"))
    skeleton = human.skeleton
    assert roughness(skeleton, smooth.q) < 0.7 * roughness(skeleton, rough.q)


def test_a_joint_that_turns_further_than_half_a_turn_is_smoothed_as_it_turns(human: Figure) -> None:
    path = np.tile(human.skeleton.rest_configuration, (81, 1))
    path[:, human.skeleton.q_slice("left_shoulder")] = quaternions.from_axis_angle(
        np.array([0.0, 1.0, 0.0]), np.linspace(0.0, 8.0, 81)
    )
    smooth = blurred(human.skeleton, path, 3.0)
    apart = forward(human.skeleton, smooth).positions - forward(human.skeleton, path).positions
    assert np.abs(apart).max() < 0.02


def test_limbs_in_turn(human: Figure, table: CollisionTable) -> None:
    start = human.skeleton.rest_configuration
    goal = start.copy()
    for joint in ("left_elbow", "right_elbow", "left_knee", "right_knee"):
        goal[human.skeleton.q_slice(joint)] = 1.0
    result = plan(human, start, goal, table=table)
    motion = to_motion(
        result, Timing(fps=30.0, duration_s=2.0, in_turn=("legs", "arms"), stagger=1.0)
    )
    early = motion.q[len(motion) // 3]
    knee = float(early[human.skeleton.q_slice("left_knee")][0])
    elbow = float(early[human.skeleton.q_slice("left_elbow")][0])
    assert knee > 0.5 and elbow == pytest.approx(0.0)
    assert np.allclose(motion.q[-1], goal)


def test_misuse_raises(found: Plan) -> None:
    with pytest.raises(UnknownNameError):
        Timing(fps=30.0, profile="gaussian")
    with pytest.raises(UnknownNameError):
        Timing(fps=30.0, in_turn=("tail",))
    with pytest.raises(WritheError, match="duration_s"):
        Timing(fps=30.0, duration_s=0.0)

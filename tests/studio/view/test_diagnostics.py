"""Diagnostics of a pose, and the kinematics they share with the poser."""

from __future__ import annotations

import pytest

from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.solvers.posing import Target, make_poser
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.studio.editing.scene.contact_defaults import POLICY
from writhe.studio.editing.starting_poses import starting_pose
from writhe.studio.view.diagnostics import Diagnostics


def test_diagnostics_are_the_same_with_the_kinematics_of_the_poser() -> None:
    human = figure("human")
    poser = make_poser("default", human)
    in_scene = ActorInScene.alone(human, POLICY)
    reusing, own = Diagnostics(human, in_scene), Diagnostics(human, in_scene)
    q = starting_pose(human)
    for k in range(12):
        result = poser.step(q, [Target("left_wrist", (0.3 - 0.03 * k, 1.0, 0.25))])
        assert result.frames is not None
        there = forward(human.skeleton, result.q)
        assert result.frames.positions == pytest.approx(there.positions, abs=1e-12)
        assert result.frames.rotations == pytest.approx(there.rotations, abs=1e-12)
        reusing.see(result)
        assert reusing.measure(result.q) == own.measure(result.q)
        assert reusing.near_pairs(result.q) == own.near_pairs(result.q)
        q = result.q


def test_diagnostics_are_those_of_the_pose_that_is_asked_for() -> None:
    human = figure("human")
    in_scene = ActorInScene.alone(human, POLICY)
    diagnostics, q = Diagnostics(human, in_scene), starting_pose(human)
    folded = q.copy()
    folded[human.skeleton.q_slice("left_elbow")] = 2.4
    assert diagnostics.near_pairs(q) != diagnostics.near_pairs(folded)
    for pose in (q, folded, q):
        assert diagnostics.near_pairs(pose) == Diagnostics(human, in_scene).near_pairs(pose)

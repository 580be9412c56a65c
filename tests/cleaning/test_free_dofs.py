"""Fingers are not solved for unless they touch each other; then apart from the body."""

from __future__ import annotations

import numpy as np

from writhe.cleaning.clean import clean
from writhe.cleaning.free_dofs import independent_dofs, minor_joints
from writhe.collision import CollisionTable
from writhe.research.evaluation.drags import standing
from writhe.skeleton import Motion
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import interpolate

FINGERS = figure("human_with_fingers")
SKELETON = FINGERS.skeleton
MINOR = minor_joints(FINGERS, CollisionTable.of_figure(FINGERS))


def test_the_fingers_are_minor_and_the_body_is_not():
    human = figure("human")
    assert not minor_joints(human, CollisionTable.of_figure(human)).any()
    major = {name for name, minor in zip(SKELETON.names, MINOR, strict=True) if not minor}
    assert major == set(human.skeleton.names)


def test_each_hand_is_solved_apart_from_the_body():
    groups = independent_dofs(SKELETON.tree, MINOR, np.arange(SKELETON.dof_count))
    joints = [{SKELETON.names[j] for j in SKELETON.tree.dof_joint[group]} for group in groups]
    assert len(groups) == 3 and "hips" in joints[0]
    assert all(name.startswith("left") for name in joints[1])
    assert all(name.startswith("right") for name in joints[2])
    assert sum(map(len, groups)) == SKELETON.dof_count


def test_a_hand_with_fingers_comes_out_of_the_body_as_it_is():
    apart = standing(FINGERS)
    inside = apart.copy()
    inside[SKELETON.q_slice("left_shoulder")] = [np.cos(0.78), 0.0, 0.0, -np.sin(0.78)]
    shares = np.sin(np.linspace(0.0, np.pi, 30))
    q = np.array([interpolate(SKELETON, apart, inside, float(x)) for x in shares])
    cleaned = clean(FINGERS, Motion(SKELETON, q, 30.0), euler=False)
    assert not cleaned.before.certified and cleaned.after.certified
    for j in np.flatnonzero(MINOR):
        at = SKELETON.q_slice(SKELETON.names[j])
        assert np.array_equal(cleaned.motion.q[:, at], q[:, at])

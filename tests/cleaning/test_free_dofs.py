"""Fingers are not solved for unless they touch each other; then apart from the body."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.cleaning.clean import clean
from writhe.cleaning.free_dofs import changing_pairs, independent_dofs, minor_joints
from writhe.collision import CollisionTable
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.skeleton import Motion, forward
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


def test_pairs_within_a_hand_are_left_out_unless_its_fingers_move():
    table = CollisionTable.of_figure(FINGERS)
    body = ~MINOR[SKELETON.tree.dof_joint]
    pairs = changing_pairs(table, body)
    hands = {(int(a), int(b)) for a, b in zip(pairs.a, pairs.b, strict=True)}
    tested = list(zip(table.pairs.a, table.pairs.b, strict=True))
    for k, (a, b) in enumerate(tested):
        names = [SKELETON.names[table.bodies.joint[body_]] for body_ in (a, b)]
        within = all(MINOR[SKELETON.index(n)] or n.endswith("wrist") for n in names)
        same_hand = within and names[0].split("_")[0] == names[1].split("_")[0]
        assert ((int(a), int(b)) in hands) is not same_hand
        if not same_hand:  # shape pairs keep their numbers
            at = int(np.flatnonzero((pairs.a == a) & (pairs.b == b))[0])
            assert pairs.first[at] == table.pairs.first[k]
    assert len(changing_pairs(table, np.ones_like(body)).a) == len(tested)


@pytest.mark.parametrize("go_round", [True, False], ids=["windows", "path"])
def test_a_hand_with_fingers_comes_out_of_the_body_as_it_is(go_round):
    apart = standing(FINGERS)
    inside = apart.copy()
    inside[SKELETON.q_slice("left_shoulder")] = [np.cos(0.78), 0.0, 0.0, -np.sin(0.78)]
    shares = np.sin(np.linspace(0.0, np.pi, 30))
    q = np.array([interpolate(SKELETON, apart, inside, float(x)) for x in shares])
    cleaned = clean(FINGERS, Motion(SKELETON, q, 30.0), euler=False, go_round=go_round)
    assert not cleaned.before.certified and cleaned.after.certified
    for j in np.flatnonzero(MINOR):
        at = SKELETON.q_slice(SKELETON.names[j])
        assert np.array_equal(cleaned.motion.q[:, at], q[:, at])
    # nor is it turned: its fingers move about as far as its wrist
    moved = np.linalg.norm(
        forward(SKELETON, cleaned.motion.q).positions - forward(SKELETON, q).positions, axis=2
    ).mean(axis=0)
    tips = [SKELETON.index(f"left_{name}_3") for name in ("index", "middle", "ring", "pinky")]
    assert moved[tips].mean() < moved[SKELETON.index("left_wrist")]

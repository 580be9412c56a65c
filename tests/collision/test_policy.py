"""The contact policy: which parts are tested, and how much overlap is allowed."""

from __future__ import annotations

import numpy as np
import pytest
from bodies import padded_human, rod

from writhe.collision import CollisionTable, ContactPolicy, capsule, certify
from writhe.collision.contact_policy import Reason
from writhe.errors import UnknownNameError, WritheError
from writhe.skeleton import Joint, JointKind, Skeleton


def rules(table: CollisionTable):
    return {frozenset((r.a, r.b)): r for r in table.rules}


def test_only_parent_and_child_are_excluded():
    figure = padded_human()
    table = CollisionTable.of_figure(figure)
    found = rules(table)
    left_out = {pair for pair, rule in found.items() if rule.allowance_m is None}
    assert left_out == {frozenset((j.name, j.parent)) for j in figure.skeleton.joints if j.parent}
    assert len(found) == 21 * 20 // 2


def test_joints_without_shapes_are_skipped():
    bone = np.array([0, -0.2, 0])
    joints = [
        Joint("Hips", None, JointKind.FREE),
        Joint("LHipJoint", "Hips", JointKind.BALL),
        Joint("LeftUpLeg", "LHipJoint", JointKind.BALL, bone),
        Joint("Twist", "LeftUpLeg", JointKind.FIXED, 0.5 * bone),
        Joint("LeftLeg", "Twist", JointKind.BALL, bone),
    ]
    shapes = [
        capsule(0 * bone, 0.9 * bone, 0.05).on(name, name)
        for name in ("Hips", "LeftUpLeg", "LeftLeg")
    ]
    found = rules(CollisionTable(Skeleton(joints), shapes))
    assert found[frozenset(("Hips", "LeftUpLeg"))].reason is Reason.PARENT_CHILD
    assert found[frozenset(("LeftUpLeg", "LeftLeg"))].reason is Reason.PARENT_CHILD
    assert found[frozenset(("Hips", "LeftLeg"))].allowance_m is not None


def test_near_neighbours_get_their_rest_overlap_and_5_mm():
    joints = [
        Joint("a", None, JointKind.FREE),
        Joint("b", "a", JointKind.BALL, np.array([0.1, 0, 0])),
        Joint("c", "b", JointKind.BALL, np.array([0.1, 0, 0])),
    ]
    shapes = [capsule((0, 0, 0), (0.108, 0, 0), 0.05).on(j.name, j.name) for j in joints]
    table = CollisionTable(Skeleton(joints), shapes)
    # a ends at 0.108, c starts at 0.2: 0.092 between axes, an overlap of 8 mm
    assert rules(table)[frozenset("ac")].reason is Reason.NEIGHBOUR
    assert rules(table)[frozenset("ac")].allowance_m == pytest.approx(0.013)
    np.testing.assert_allclose(table.pairs.allowance, 0.013)


def test_allowances_stay_below_half_the_smaller_radius():
    table = CollisionTable.of_figure(padded_human())
    assert (table.pairs.allowance < table.pairs.deep).all()
    declared = table.with_policy(ContactPolicy().allow("left_wrist", "hips", 0.05))
    rule = rules(declared)[frozenset(("left_wrist", "hips"))]
    assert rule.reason is Reason.DECLARED and rule.capped
    assert (declared.pairs.allowance < declared.pairs.deep).all()


def test_declarations_name_parts_that_exist():
    table = CollisionTable.of_figure(padded_human())
    with pytest.raises(UnknownNameError, match="elbow_pad"):
        table.with_policy(ContactPolicy().allow("elbow_pad", "hips", 0.005))
    with pytest.raises(WritheError, match=r"0 to 0\.1 m"):
        ContactPolicy().allow("a", "b", 3.0)


def test_two_fixed_objects_are_not_tested():
    joints = [Joint("x", None, JointKind.FIXED), Joint("y", None, JointKind.FIXED)]
    table = CollisionTable(Skeleton(joints), [rod().on("x", "x"), rod().on("y", "y")])
    assert [r.reason for r in table.rules] == [Reason.FIXED]
    assert len(table.pairs.a) == 0


def test_bounds_of_bodies_hold_all_their_shapes():
    table = CollisionTable.of_figure(padded_human())
    shapes, bodies = table.shapes, table.bodies
    for i in range(len(shapes.joint)):
        b = shapes.body[i]
        for p in table.source[i].points_in_joint:
            start, end = bodies.axis_ends[2 * b], bodies.axis_ends[2 * b + 1]
            t = np.clip(
                (p - start) @ (end - start) / max((end - start) @ (end - start), 1e-18), 0, 1
            )
            inside = np.linalg.norm(p - start - t * (end - start)) + shapes.radius[i]
            assert inside <= bodies.capsule_radius[b] + 1e-12
            ball = np.linalg.norm(p - bodies.centre[b]) + shapes.radius[i]
            assert ball <= bodies.ball_radius[b] + 1e-12
            assert np.linalg.norm(p) <= bodies.reach[b] + 1e-12


def test_joint_zones_can_be_left_out_and_are_counted():
    table = CollisionTable.of_figure(padded_human())
    deep_at_rest = rules(table)[frozenset(("left_clavicle", "right_clavicle"))]
    assert deep_at_rest.capped and deep_at_rest.too_deep_at_rest and deep_at_rest.left_out == 0
    rest = table.skeleton.rest_configuration[None]
    assert not certify(table, rest, fps=30.0).certified
    lenient = table.with_policy(ContactPolicy(skip_joint_zones=True))
    assert not any(rule.too_deep_at_rest for rule in lenient.rules)
    assert sum(r.left_out for r in lenient.rules) == 1
    assert certify(lenient, rest, fps=30.0).certified

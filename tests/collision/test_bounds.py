"""The bounds that the certificate rests on, as mathematics."""

from __future__ import annotations

import numpy as np
import pytest
from bodies import sticks
from brute import frames_between, gaps_between
from hypothesis import given, settings
from hypothesis import strategies as st

from writhe.collision import CollisionTable, capsule
from writhe.collision.gate import gate_room
from writhe.kernels.collision.step_motion import (
    begin,
    bound_bodies,
    gap_between,
    least_between,
    least_gap,
    separation_after,
)
from writhe.skeleton import Joint, JointKind
from writhe.skeleton import kinematics as kin

MANY = 400


def mechanism() -> CollisionTable:
    """Every kind of joint, two branches and a free thing, with shapes far from their joints."""
    tilt = np.array([0.9, 0.2, -0.3, 0.1]) / np.linalg.norm([0.9, 0.2, -0.3, 0.1])
    up = np.array([0.0, 0.6, 0.8])
    joints = (
        Joint("root", None, JointKind.FREE, np.array([0.1, 0, 0]), tilt),
        Joint("a", "root", JointKind.BALL, np.array([0.3, 0, 0]), tilt),
        Joint("b", "a", JointKind.HINGE, np.array([0.2, 0.1, 0]), tilt, axis=up),
        Joint("c", "b", JointKind.PRISMATIC, np.array([0.2, 0, 0]), axis=up),
        Joint("d", "c", JointKind.BALL, np.array([0, 0.3, 0])),
        Joint("e", "root", JointKind.BALL, np.array([-0.1, 0.2, 0])),
        Joint("f", "e", JointKind.FREE, np.array([0, 0.2, 0]), tilt),
        Joint("g", "f", JointKind.HINGE, np.array([0, 0.2, 0.1]), axis=up),
        Joint("thing", None, JointKind.FREE),
    )
    bone = np.array([0.1, 0.25, -0.1])
    return sticks(*joints, shapes=[(j.name, capsule(0.2 * bone, bone, 0.03)) for j in joints])


TABLE = mechanism()
steps = st.lists(st.floats(-1.5, 1.5), min_size=12, max_size=12)


def ends(values: list[float]) -> tuple[np.ndarray, np.ndarray]:
    skeleton = TABLE.skeleton
    spread = np.resize(values, skeleton.dof_count) * np.linspace(0.2, 1.4, skeleton.dof_count)
    start = kin.integrate(skeleton, skeleton.rest_configuration, spread[::-1].copy())
    return start, kin.integrate(skeleton, start, spread)


def begun(start: np.ndarray, end: np.ndarray):
    work = gate_room(TABLE)
    begin(TABLE.skeleton.tree, start, end, work.order, work.euler, work.euler, work.moves)
    bound_bodies(TABLE.skeleton.tree, TABLE.bodies, work.moves)
    return work


@settings(max_examples=40)
@given(steps)
def test_no_core_point_is_faster_or_bends_more_than_its_bound(values):
    start, end = ends(values)
    work = begun(start, end)
    skeleton = TABLE.skeleton
    t = np.linspace(0, 1, MANY + 1)
    frames = frames_between(skeleton, start, end, t)
    for body, joint in enumerate(TABLE.bodies.joint):
        name = skeleton.names[joint]
        position, rotation = frames[name]
        points = TABLE.source[body].points_in_joint
        for ancestor in (*skeleton.ancestors(name), -1):
            for point in points:
                path = position + rotation.apply(point)
                if ancestor >= 0:
                    base, turn = frames[skeleton.names[ancestor]]
                    path = turn.inv().apply(path - base)
                speed = np.linalg.norm(np.diff(path, axis=0), axis=1).max() * MANY
                bend = np.linalg.norm(np.diff(path, 2, axis=0), axis=1).max() * MANY**2
                assert speed <= work.moves.speed[body, ancestor + 1] + 1e-9
                assert bend <= work.moves.acceleration[body, ancestor + 1] + 1e-6


@settings(max_examples=40)
@given(steps, st.floats(0, 0.9), st.floats(0.005, 1.0))
def test_the_least_gap_of_a_stretch_is_never_above_a_sampled_one(values, first, span):
    start, end = ends(values)
    work = begun(start, end)
    last = min(1.0, first + span)
    sampled = gaps_between(TABLE, start, end, np.linspace(first, last, 120)).min(axis=1)
    tree, shapes, moves, room = TABLE.skeleton.tree, TABLE.shapes, work.moves, work.room
    for k, (p, a, b) in enumerate(TABLE.shape_pairs):
        ancestor = TABLE.pairs.ancestor[p]
        rows = TABLE.pairs.a[p], TABLE.pairs.b[p]
        speed = sum(moves.speed[i, ancestor + 1] for i in rows)
        bend = sum(moves.acceleration[i, ancestor + 1] for i in rows)
        before = gap_between(tree, shapes, moves, a, b, ancestor, first, room)
        normal = room.out[:3].copy()
        after = gap_between(tree, shapes, moves, a, b, ancestor, last, room)
        across = separation_after(shapes, a, b, normal, room)
        width = last - first
        # each of the two bounds by itself, the other one switched off
        assert least_gap(before, after, across, width, speed, 1e9) <= sampled[k] + 1e-9
        assert least_gap(before, after, across, width, 1e9, bend) <= sampled[k] + 1e-9


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 5))
def test_the_least_between_two_values_is_that_of_the_function_that_bends_most(before, after, bend):
    u = np.linspace(0.0, 1.0, 2001)
    lowest = before + (after - before) * u - 0.5 * bend * u * (1.0 - u)
    assert least_between(before, after, bend) == pytest.approx(lowest.min(), abs=1e-6)


def test_motion_of_common_ancestors_does_not_count():
    start, end = ends([1.0] * 12)
    root = TABLE.skeleton.q_slice("root")
    only_root = start.copy()
    only_root[root] = end[root]
    work = begun(start, only_root)
    for p, ancestor in enumerate(TABLE.pairs.ancestor):
        bodies = TABLE.pairs.a[p], TABLE.pairs.b[p]
        speed = sum(work.moves.speed[b, ancestor + 1] for b in bodies)
        assert (speed < 1e-12) == (ancestor >= 0)

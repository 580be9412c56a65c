"""The bounds on which the certificate is based."""

from __future__ import annotations

import numpy as np
import pytest
from bodies import sticks
from dense_sampling import frames_between, gaps_between
from hypothesis import given, settings
from hypothesis import strategies as st

from writhe.collision import CollisionTable, capsule
from writhe.collision.gate import gate_workspace
from writhe.kernels.collision.step_motion import (
    MovingPair,
    bound_body_motion,
    chord_lower_bound,
    distance_curvature,
    fill_step_motion,
    gap_at_fraction,
    gap_lower_bound,
    separation_along,
)
from writhe.skeleton import Joint, JointKind
from writhe.skeleton import kinematics as kin

MANY = 400


def mechanism() -> CollisionTable:
    """Every kind of joint, two branches and a free object, with shapes far from their joints."""
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
        Joint("object", None, JointKind.FREE),
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


def step_between(start: np.ndarray, end: np.ndarray):
    work = gate_workspace(TABLE)
    fill_step_motion(
        TABLE.skeleton.tree, start, end, work.order, work.euler, work.euler, work.motion
    )
    bound_body_motion(TABLE.skeleton.tree, TABLE.bodies, work.motion)
    return work


@settings(max_examples=40)
@given(steps)
def test_core_points_respect_speed_and_acceleration_bounds(values):
    start, end = ends(values)
    work = step_between(start, end)
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
                assert speed <= work.motion.speed[body, ancestor + 1] + 1e-9
                assert bend <= work.motion.acceleration[body, ancestor + 1] + 1e-6


@settings(max_examples=40)
@given(steps, st.floats(0, 0.9), st.floats(0.005, 1.0))
def test_gap_lower_bound_is_below_sampled_gaps(values, first, span):
    start, end = ends(values)
    work = step_between(start, end)
    last = min(1.0, first + span)
    sampled = gaps_between(TABLE, start, end, np.linspace(first, last, 120)).min(axis=1)
    tree, shapes, motion, workspace = (
        TABLE.skeleton.tree,
        TABLE.shapes,
        work.motion,
        work.pair_workspace,
    )
    for k, (p, a, b) in enumerate(TABLE.shape_pairs):
        ancestor = int(TABLE.pairs.ancestor[p])
        rows = TABLE.pairs.a[p], TABLE.pairs.b[p]
        speed = float(sum(motion.speed[i, ancestor + 1] for i in rows))
        bend = float(sum(motion.acceleration[i, ancestor + 1] for i in rows))
        pair = MovingPair(int(a), int(b), ancestor, speed, bend)
        before = gap_at_fraction(tree, shapes, motion, pair, first, workspace)
        normal = workspace.out[:3].copy()
        after = gap_at_fraction(tree, shapes, motion, pair, last, workspace)
        end_separation = separation_along(shapes, a, b, normal, workspace)
        width = last - first
        # each of the two bounds alone, with the other one disabled
        assert (
            gap_lower_bound(before, after, end_separation, width, speed, 1e9) <= sampled[k] + 1e-9
        )
        assert gap_lower_bound(before, after, end_separation, width, 1e9, bend) <= sampled[k] + 1e-9
        size = float(shapes.radius[a] + shapes.radius[b])
        curvature = distance_curvature(before, after, size, width, speed, bend)
        if np.isfinite(curvature):
            assert chord_lower_bound(before, after, curvature * width**2) <= sampled[k] + 1e-9


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 5))
def test_chord_lower_bound_is_reached_by_the_extreme_parabola(before, after, bend):
    u = np.linspace(0.0, 1.0, 2001)
    lowest = before + (after - before) * u - 0.5 * bend * u * (1.0 - u)
    assert chord_lower_bound(before, after, bend) == pytest.approx(lowest.min(), abs=1e-6)


def test_motion_of_common_ancestors_does_not_count():
    start, end = ends([1.0] * 12)
    root = TABLE.skeleton.q_slice("root")
    only_root = start.copy()
    only_root[root] = end[root]
    work = step_between(start, only_root)
    for p, ancestor in enumerate(TABLE.pairs.ancestor):
        bodies = TABLE.pairs.a[p], TABLE.pairs.b[p]
        speed = sum(work.motion.speed[b, ancestor + 1] for b in bodies)
        assert (speed < 1e-12) == (ancestor >= 0)

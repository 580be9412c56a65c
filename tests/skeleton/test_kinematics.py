"""Kinematics as mathematics: frames, Jacobians and steps against finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.skeleton import Joint, JointKind, Skeleton, forward
from writhe.skeleton import kinematics as kin
from writhe.skeleton.figures import figure

STEP = 1e-6


def every_kind() -> Skeleton:
    """A small forest with every kind of joint, tilted rest frames and two roots."""
    tilt = np.array([0.9, 0.1, -0.3, 0.2])
    tilt /= np.linalg.norm(tilt)
    axis = np.array([0.6, 0.0, 0.8])
    a = np.array([0.1, 0.3, -0.2])
    return Skeleton(
        [
            Joint("root", None, JointKind.FREE, a, tilt),
            Joint("ball", "root", JointKind.BALL, a, tilt),
            Joint("other", None, JointKind.FREE, -a),
            Joint("hinge", "ball", JointKind.HINGE, a, tilt, axis),
            Joint("slide", "hinge", JointKind.PRISMATIC, a, tilt, axis),
            Joint("weld", "slide", JointKind.FIXED, a, tilt),
            Joint("loose", "weld", JointKind.FREE, a, tilt),
            Joint("leaf", "loose", JointKind.BALL, a, tilt, mass_kg=2.0, centre_of_mass=a),
            Joint("fin", "other", JointKind.BALL, a, tilt, mass_kg=1.0, centre_of_mass=2 * a),
        ]
    )


def skeletons() -> list[Skeleton]:
    return [every_kind(), figure("human").skeleton]


def random_q(skeleton: Skeleton, rng: np.random.Generator) -> np.ndarray:
    return kin.integrate(
        skeleton, skeleton.rest_configuration, rng.normal(0, 0.7, skeleton.dof_count)
    )


@pytest.mark.parametrize("skeleton", skeletons(), ids=["every kind", "human"])
def test_point_and_turn_jacobians_match_finite_differences(skeleton, rng):
    q = random_q(skeleton, rng)
    frames = forward(skeleton, q)
    for name in skeleton.names:
        local = rng.normal(0, 0.3, 3)
        jacobian = kin.point_jacobian(frames, name, frames.point(name, local))
        turning = kin.frame_jacobian(frames, name)[3:]
        for k in range(skeleton.dof_count):
            v = np.zeros(skeleton.dof_count)
            v[k] = STEP
            after = forward(skeleton, kin.integrate(skeleton, q, v))
            before = forward(skeleton, kin.integrate(skeleton, q, -v))
            slope = (after.point(name, local) - before.point(name, local)) / (2 * STEP)
            np.testing.assert_allclose(jacobian[:, k], slope, atol=1e-8)
            spin = (after.rotation(name) - before.rotation(name)) @ frames.rotation(name).T
            rate = np.array([spin[2, 1], spin[0, 2], spin[1, 0]]) / (2 * STEP)
            np.testing.assert_allclose(turning[:, k], rate, atol=1e-8)


@pytest.mark.parametrize("skeleton", skeletons(), ids=["every kind", "human"])
def test_difference_undoes_integrate(skeleton, rng):
    q = random_q(skeleton, rng)
    v = rng.normal(0, 0.5, skeleton.dof_count)
    moved = kin.integrate(skeleton, q, v)
    np.testing.assert_allclose(kin.difference(skeleton, q, moved), v, atol=1e-12)
    np.testing.assert_allclose(
        forward(skeleton, kin.interpolate(skeleton, q, moved, 1.0)).positions,
        forward(skeleton, moved).positions,
        atol=1e-12,
    )


def test_batched_frames_equal_single_ones(rng):
    skeleton = every_kind()
    many = np.array([random_q(skeleton, rng) for _ in range(17)])
    batch = forward(skeleton, many)
    for i, q in enumerate(many):
        np.testing.assert_allclose(batch.positions[i], forward(skeleton, q).positions, atol=1e-14)


def test_centre_of_mass_jacobian_matches_finite_differences(rng):
    skeleton = every_kind()
    q = random_q(skeleton, rng)
    jacobian = kin.centre_of_mass_jacobian(forward(skeleton, q))
    for k in range(skeleton.dof_count):
        v = np.zeros(skeleton.dof_count)
        v[k] = STEP
        after = kin.centre_of_mass(forward(skeleton, kin.integrate(skeleton, q, v)))
        before = kin.centre_of_mass(forward(skeleton, kin.integrate(skeleton, q, -v)))
        np.testing.assert_allclose(jacobian[:, k], (after - before) / (2 * STEP), atol=1e-8)


def test_momentum_of_a_rigid_spin_is_inertia_times_rate():
    inertia = np.array([0.2, 0.3, 0.4])
    skeleton = Skeleton([Joint("body", None, JointKind.FREE, mass_kg=3.0, inertia=inertia)])
    rate, seconds = 0.5, 1e-4
    spin = np.array([0, 0, 0, 0, rate * seconds, 0.0])
    push = np.array([0.1 * seconds, 0, 0, 0, 0, 0])
    before = forward(skeleton, skeleton.rest_configuration)
    after = forward(skeleton, kin.integrate(skeleton, skeleton.rest_configuration, spin + push))
    linear, angular = kin.momentum(before, after, seconds)
    np.testing.assert_allclose(linear, [0.3, 0, 0], atol=1e-9)
    np.testing.assert_allclose(angular, [0, 0.15, 0], atol=1e-7)


def test_joints_come_depth_first_and_subtrees_are_ranges():
    tree = every_kind().tree
    for j, parent in enumerate(tree.parent):
        assert parent < j
        inside = {j}
        for k in range(j + 1, len(tree.parent)):
            if int(tree.parent[k]) in inside:
                inside.add(k)
        assert inside == set(range(j, int(tree.subtree_end[j])))

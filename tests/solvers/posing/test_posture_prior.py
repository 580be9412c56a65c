"""The posture prior of the default poser: predicted joints while end effectors are moved."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.arrays import vector3
from writhe.database import PostureDatabase
from writhe.kernels.posing.neighbour_regression import (
    NEGLIGIBLE,
    make_candidate_workspace,
    predict_from_neighbours,
)
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import integrate
from writhe.skeleton.mirror import mirror_postures
from writhe.solvers.posing import Target, make_poser
from writhe.solvers.posing.database_query import DatabaseQuery
from writhe.solvers.posing.posture_prior import PosturePrior
from writhe.solvers.posing.regression import (
    EffectorRegression,
    Facing,
    RegressionOptions,
    rotate_about_vertical,
)

HUMAN = figure("human")
SKELETON = HUMAN.skeleton
HELD = ("left_ankle", "right_ankle", "right_wrist")


def crouching(t: float) -> np.ndarray:
    """Standing (0) to a bow with bent knees (1), the left arm raised with it."""
    step = np.zeros(SKELETON.dof_count)
    for side, sign in (("left", 1.0), ("right", 1.0)):
        step[SKELETON.v_slice(f"{side}_hip").start] = -1.0 * sign
        step[SKELETON.v_slice(f"{side}_knee").start] = 1.2
    step[SKELETON.v_slice("spine").start] = 0.6
    step[SKELETON.v_slice("left_shoulder").start + 1] = 0.9
    q = integrate(SKELETON, standing(HUMAN), t * step)
    ankle = forward(SKELETON, q).position("left_ankle")
    q[:3] += forward(SKELETON, standing(HUMAN)).position("left_ankle") - ankle
    return q


@pytest.fixture(scope="module")
def database() -> PostureDatabase:
    return PostureDatabase.from_postures(
        HUMAN, np.array([crouching(t) for t in np.linspace(0.0, 1.0, 60)])
    )


def turned(q: np.ndarray, angle: float, shift: tuple[float, float, float]) -> np.ndarray:
    """The posture rotated about the vertical and translated."""
    c, s = np.cos(angle), np.sin(angle)
    half = np.array([np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0])
    w, x, y, z = q[3:7]
    out = q.copy()
    out[0], out[2] = c * q[0] + s * q[2], c * q[2] - s * q[0]
    out[:3] += shift
    out[3:7] = [
        half[0] * w - half[2] * y,
        half[0] * x + half[2] * z,
        half[0] * y + half[2] * w,
        half[0] * z - half[2] * x,
    ]
    return out


def targets(q: np.ndarray) -> list[Target]:
    frames = forward(SKELETON, q)
    return [Target(name, vector3(frames.position(name))) for name in HELD]


@pytest.mark.parametrize(("angle", "shift"), [(0.0, (0, 0, 0)), (2.0, (1.5, 0, -3.0))])
def test_the_unseen_joints_are_reconstructed_wherever_the_body_stands(database, angle, shift):
    poser = make_poser("default", HUMAN, database)
    q = turned(crouching(0.0), angle, shift)
    for t in np.linspace(0.0, 0.9, 60):
        truth = turned(crouching(t), angle, shift)
        q = poser.step(q, targets(truth)).q
    apart = np.linalg.norm(
        forward(SKELETON, q).positions - forward(SKELETON, truth).positions, axis=1
    )
    assert apart.mean() < 0.03
    assert apart[SKELETON.index("left_wrist")] < 0.12  # it has no target


def test_neighbours_predict_by_a_weighted_ridge_regression(rng: np.random.Generator):
    count, joints, held = 30, 7, np.array([1, 4])
    positions = rng.normal(0.0, 0.3, (count, joints, 3))
    here, goals = positions[3] + 0.02, positions[3][held] + rng.normal(0.0, 0.05, (2, 3))
    sigma_misfit, sigma_distance, ridge, heading = 0.3, 0.3, 0.05, 0.1
    placed, cost = np.empty((count, 3 * joints)), np.empty(count)
    for i, own in enumerate(positions):
        arms = goals - goals.mean(axis=0), here - here.mean(axis=0)
        pairs = ((own[held], arms[0], 1.0), (own, arms[1], heading))
        dot = sum(w * (a[:, [0, 2]] * b[:, [0, 2]]).sum() for a, b, w in pairs)
        cross = sum(w * (a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2]).sum() for a, b, w in pairs)
        c, s = np.array([dot, cross]) / np.hypot(dot, cross)
        there = own @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]).T
        lift = goals.mean(axis=0) - there[held].mean(axis=0)
        there = there + lift
        misfit = ((there[held] - goals) ** 2).sum() + len(held) * lift[1] ** 2
        cost[i] = (
            misfit / sigma_misfit**2 + ((there - here) ** 2).sum() / joints / sigma_distance**2
        )
        placed[i] = there.ravel()
    weight = np.exp(-0.5 * (cost - cost.min()))
    maximum = np.exp(-0.5 * cost.min())
    weight[weight < NEGLIGIBLE] = 0.0
    total = weight.sum()
    weight /= total
    mean = weight @ placed
    columns = (3 * held[:, None] + np.arange(3)).ravel()
    about = placed - mean
    gram = about[:, columns].T @ (weight[:, None] * about[:, columns]) + ridge**2 * np.eye(6)
    covariance = about.T @ (weight[:, None] * about[:, columns])
    expected = mean + covariance @ np.linalg.solve(gram, goals.ravel() - mean[columns])
    found = np.empty((joints, 3))
    trusted = predict_from_neighbours(
        np.ascontiguousarray(positions.transpose(0, 2, 1)),
        np.arange(count),
        held,
        goals,
        here,
        heading,
        sigma_misfit,
        sigma_distance,
        ridge,
        make_candidate_workspace(count, joints, len(held)),
        found,
    )
    np.testing.assert_allclose(found.ravel(), expected, atol=1e-9)
    assert trusted == pytest.approx(maximum * total)


def test_the_prediction_solves_the_ridge_problem_of_its_landmarks(database):
    """With every posture a landmark it is weighted kernel ridge regression in its dual form."""
    options = RegressionOptions(width_m=0.3, ridge=1e-3, landmarks=1000, heading_noise_rad=0.0)
    held = np.array([SKELETON.index(name) for name in HELD])
    positions = forward(SKELETON, database.q).positions
    clips = ["long"] * 50 + ["short"] * 10
    goals = positions[20, held] + [[0.02, 0.0, 0.01], [0.0, 0.03, 0.0], [-0.05, 0.02, 0.04]]

    def origin(points: np.ndarray) -> np.ndarray:
        out = points.mean(axis=-2, keepdims=True)
        out[..., 0, 1] = points[..., :2, 1].min(axis=-1)  # the lower foot's
        return out

    def kernel(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        apart = np.sqrt(3 * ((a[:, None] - b) ** 2).sum(axis=2)) / options.width_m
        return (1 + apart) * np.exp(-apart)

    about = positions - origin(positions[:, held])
    inputs, outputs = about[:, held].reshape(-1, 9), about.reshape(len(about), -1)
    share = np.repeat([50**-0.5, 10**-0.5], [50, 10])
    share /= share.mean()
    mean = share @ outputs / share.sum()
    ridge = options.ridge * share.sum() * np.diag(1 / share)
    dual = np.linalg.solve(kernel(inputs, inputs) + ridge, outputs - mean)
    query = (goals - origin(goals)).reshape(1, 9)
    expected = mean + kernel(query, inputs) @ dual
    found = EffectorRegression(positions, held, options, clips).expected(goals, 0.0)
    np.testing.assert_allclose(found - origin(goals), expected.reshape(-1, 3), atol=2e-5)


def test_the_prediction_turns_and_moves_with_the_body(database):
    """On the ground, and up a ladder or stairs with both feet."""
    held = np.array([SKELETON.index(name) for name in HELD])
    positions = forward(SKELETON, database.q).positions
    regression = EffectorRegression(positions, held, RegressionOptions())
    goals, facing = positions[31, held], Facing(positions)
    here = regression.expected(goals, 0.3)
    angle, shift = 1.9, np.array([3.0, 1.4, -2.0])
    there = regression.expected(rotate_about_vertical(goals, angle) + shift, 0.3 + angle)
    np.testing.assert_allclose(there, rotate_about_vertical(here, angle) + shift, atol=1e-9)
    assert facing.heading(there) == pytest.approx(facing.heading(here) + angle, abs=1e-9)


def test_a_single_lifted_foot_does_not_raise_the_ground(database):
    """The ground follows two feet, never a single one: a kick does not lift the body."""
    held = np.array([SKELETON.index("left_ankle"), SKELETON.index("right_wrist")])
    positions = forward(SKELETON, database.q).positions
    regression = EffectorRegression(positions, held, RegressionOptions())
    kick = positions[0, held] + [[0.0, 0.5, 0.0], [0.0, 0.0, 0.0]]
    assert regression.expected(kick, 0.0)[SKELETON.index("right_ankle"), 1] < 0.2


def test_variance_independent_of_the_held_joints_is_unexplained(rng: np.random.Generator):
    """A joint that moves with the held ones is explained, one with added noise is not."""
    held, count = np.array([0, 1]), 400
    positions = np.zeros((count, 4, 3))
    positions[:, :2] = rng.uniform((-0.5, 0.5, -0.5), (0.5, 1.5, 0.5), (count, 2, 3))
    positions[:, 2] = 0.5 * (positions[:, 0] + positions[:, 1])
    positions[:, 3] = positions[:, 2] + rng.normal(0.0, 0.3, (count, 3))
    options = RegressionOptions(landmarks=100, heading_noise_rad=0.0)
    unexplained = EffectorRegression(positions, held, options).model.unexplained
    assert unexplained[2] < 0.2
    assert unexplained[3] > 0.7


def test_a_body_whose_feet_turn_turns_with_them(database):
    """The feet and a hand correct a heading that is wrong by less than a right angle."""
    held = np.array([SKELETON.index(name) for name in HELD])
    positions = forward(SKELETON, database.q).positions
    facing = Facing(positions)
    regression = EffectorRegression(positions, held, RegressionOptions())
    heading = float(facing.heading(positions[31])) + 0.8  # of the body; its feet face elsewhere
    for _ in range(30):
        heading = float(facing.heading(regression.expected(positions[31, held], heading)))
    assert heading == pytest.approx(float(facing.heading(positions[31])), abs=0.15)


def test_a_body_that_steps_round_faces_where_its_feet_and_hand_do(database):
    poser = make_poser("default", HUMAN, database)
    q = crouching(0.4)
    for angle in np.linspace(0.0, 2.4, 60):
        truth = turned(crouching(0.4), float(angle), (0.0, 0.0, 0.0))
        q = poser.step(q, targets(truth)).q
    apart = forward(SKELETON, q).positions - forward(SKELETON, truth).positions
    assert np.linalg.norm(apart, axis=1).mean() < 0.05


def test_a_hand_that_returns_restores_the_body(database):
    """After any time away; while it is far, the prediction follows the database."""
    prior = PosturePrior(DatabaseQuery(database))
    start = crouching(0.5)
    start[SKELETON.q_slice("left_elbow")] += 0.7  # unlike anything in the database
    body, wrist = forward(SKELETON, start).positions, SKELETON.index("left_wrist")
    usual = forward(SKELETON, crouching(0.5)).positions[wrist]
    own = np.linalg.norm(body[wrist] - usual)
    begin = targets(start)
    far = [*begin[:2], Target(begin[2].joint, tuple(np.array(begin[2].position_in_world) + 0.5))]
    prior.update(start, begin, np.eye(3), np.zeros(3))
    for _ in range(40):
        prior.update(start, far, np.eye(3), np.zeros(3))
    away = prior.expected[wrist].copy()
    for _ in range(20):
        prior.update(start, begin, np.eye(3), np.zeros(3))
    np.testing.assert_allclose(prior.expected, body, atol=0.02)
    assert own > 0.1
    assert np.linalg.norm(away - body[wrist]) > 0.5 * own


def test_a_body_at_rest_stays_at_rest(database):
    poser = make_poser("default", HUMAN, database)
    q = crouching(0.4)
    q[SKELETON.q_slice("right_elbow")] += 0.5
    goals, start = targets(q), q
    for _ in range(30):
        q = poser.step(q, goals).q
    np.testing.assert_allclose(q, start, atol=1e-6)


def test_a_drag_begins_where_the_body_is(database):
    prior = PosturePrior(DatabaseQuery(database))
    q = crouching(0.5)
    q[SKELETON.q_slice("left_elbow")] += 0.7  # unlike anything in the database
    prior.update(q, targets(q), np.eye(3), np.zeros(3))
    np.testing.assert_allclose(prior.expected, forward(SKELETON, q).positions, atol=1e-9)
    assert prior.share < 1e-6


def test_mirrored_postures_swap_sides(rng):
    q = np.array(
        [
            integrate(SKELETON, standing(HUMAN), rng.normal(0, 0.3, SKELETON.dof_count))
            for _ in range(6)
        ]
    )
    images = mirror_postures(SKELETON, q)
    assert images is not None
    left = forward(SKELETON, q).position("left_wrist")
    right = forward(SKELETON, images).position("right_wrist")
    np.testing.assert_allclose(right, left * [-1.0, 1.0, 1.0], atol=1e-12)
    again = mirror_postures(SKELETON, images)
    assert again is not None
    np.testing.assert_allclose(again, q, atol=1e-12)


def test_a_database_with_mirror_images_begins_with_its_own_postures(database):
    both = database.with_mirror_images()
    assert len(database) < len(both) <= 2 * len(database)
    np.testing.assert_array_equal(both.q[: len(database)], database.q)
    assert set(both.clip) == set(database.clip)

"""Dynamic joint parameters as printed: Euler angles, plain means, damping of either sign."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.skeleton import Motion
from writhe.solvers.trajectory import Chain, plain_trajectory
from writhe.solvers.trajectory.published import (
    EulerCoordinates,
    PublishedCells,
    learn_published,
    printed_damping,
    published_trajectory,
)


@pytest.fixture(scope="module")
def take(arm: Chain, movements: dict[str, list[Motion]]) -> np.ndarray:
    return arm.coordinates(movements["throw"][0].q)


@pytest.fixture(scope="module")
def cells(arm: Chain, take: np.ndarray) -> PublishedCells:
    return learn_published(arm, [take])


def test_euler_angles_describe_the_same_postures(arm: Chain, take: np.ndarray) -> None:
    euler = EulerCoordinates(arm)
    angles = euler.angles(take)
    assert np.abs(euler.points(angles) - arm.effector_points(take)[:, 0]).max() < 1e-9
    step = np.full(len(arm), 1e-4)
    change = euler.points(angles + step) - euler.points(angles)
    assert np.abs(euler.jacobians(angles) @ step - change).max() < 1e-6


def test_the_damping_solves_the_printed_equation(arm: Chain, take: np.ndarray) -> None:
    euler = EulerCoordinates(arm)
    angles = euler.angles(take)
    damping = printed_damping(euler, angles)
    k = len(angles) // 2
    turn, moved = angles[k] - angles[k - 1], np.diff(euler.points(angles[k - 1 : k + 1]), axis=0)[0]
    jacobian = euler.jacobians(angles[k - 1 : k])[0]
    known = np.isfinite(damping[k])
    left = (jacobian.T @ jacobian + np.diag(np.where(known, damping[k], 0.0))) @ turn
    assert known.any()
    assert np.allclose(left[known], (jacobian.T @ moved)[known], atol=1e-9)  # Eq. 6
    assert (damping[np.isfinite(damping)] < 0).any()  # as printed, it is not a damping


def test_a_cell_has_the_plain_mean_and_range_of_its_postures(
    arm: Chain, take: np.ndarray, cells: PublishedCells
) -> None:
    angles = EulerCoordinates(arm).angles(take)
    assert np.allclose(cells.mean[1], angles.mean(axis=0))
    assert np.allclose(cells.lower[1], angles.min(axis=0) - 0.001)
    found = cells.of(arm.effector_points(take)[:, 0])
    assert found.min() > 1  # deeper than the whole volume
    assert cells.of(np.array([[9.0, 9.0, 9.0]]))[0] == 0


def test_a_learnt_take_is_replayed_nearer_than_by_plain_least_squares(
    arm: Chain, take: np.ndarray, cells: PublishedCells
) -> None:
    targets = arm.effector_points(take)
    found = published_trajectory(arm, cells, targets)
    rest = arm.coordinates(arm.figure.skeleton.rest_configuration)[0]
    plain = plain_trajectory(arm, targets, rest, from_previous=True)
    error, plain_error = ((x - take) ** 2 for x in (found, plain))
    assert error.mean() < 0.1 * plain_error.mean()

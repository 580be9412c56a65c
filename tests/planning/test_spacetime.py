"""Spacetime refinement: momentum and its derivative, banded solving, refined motions."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.collision import CollisionTable
from writhe.planning import FramePin, RefineOptions, refine
from writhe.planning.spacetime.banded_equations import Banded
from writhe.planning.spacetime.laplacian import laplacians
from writhe.planning.spacetime.momentum import MotionState, momentum
from writhe.skeleton import Figure, Motion, forward
from writhe.skeleton.kinematics import integrate
from writhe.skeleton.kinematics import momentum as plain_momentum
from writhe.skeleton.limits import random_configurations
from writhe.solvers.posing import pin_here


def _waving(human: Figure, frames: int, rng: np.random.Generator) -> np.ndarray:
    skeleton = human.skeleton
    q = random_configurations(skeleton, 1, rng)[0]
    rate = rng.normal(0, 0.05, skeleton.dof_count)
    rows = [q]
    for t in range(frames - 1):
        rows.append(integrate(skeleton, rows[-1], rate * np.cos(0.7 * t)))
    return np.array(rows)


def test_momentum_equals_that_of_single_intervals(human: Figure) -> None:
    q = _waving(human, 4, np.random.default_rng(1))
    found = momentum(MotionState.of(human.skeleton, q), 0.1)
    for t in range(3):
        before, after = (forward(human.skeleton, q[t + k]) for k in range(2))
        linear, angular = plain_momentum(before, after, 0.1)
        assert found.linear[t] == pytest.approx(linear, abs=1e-9)
        assert found.angular[t] == pytest.approx(angular, abs=1e-6)


def test_derivatives_of_momentum(human: Figure) -> None:
    rng = np.random.default_rng(2)
    skeleton, h, dt = human.skeleton, 1e-6, 0.1
    q = _waving(human, 2, rng)
    found = momentum(MotionState.of(skeleton, q), dt)
    for frame in range(2):
        v = rng.normal(size=skeleton.dof_count)
        ends = []
        for sign in (1, -1):
            moved = q.copy()
            moved[frame] = integrate(skeleton, q[frame], sign * h * v)
            ends.append(momentum(MotionState.of(skeleton, moved), dt))
        linear = (ends[0].linear[0] - ends[1].linear[0]) / (2 * h)
        angular = (ends[0].angular[0] - ends[1].angular[0]) / (2 * h)
        by_linear = (found.linear_before, found.linear_after)[frame][0]
        by_angular = (found.angular_before, found.angular_after)[frame][0]
        assert by_linear @ v == pytest.approx(linear, rel=1e-5, abs=1e-6)
        # the spin of single segments is linearised for small turns: a small part of the whole
        assert by_angular @ v == pytest.approx(
            angular, rel=0.02, abs=0.02 * float(np.linalg.norm(angular))
        )


@pytest.mark.parametrize("frames", [4, 7])
def test_banded_solving_equals_dense(frames: int) -> None:
    rng, n = np.random.default_rng(3), 3
    band, dense, right = Banded(frames, n), np.zeros((frames * n,) * 2), np.zeros(frames * n)
    for span in (1, 2, 3):
        count = frames - span + 1
        columns = [rng.normal(size=(count, 2, n)) for _ in range(span)]
        residual = rng.normal(size=(count, 2))
        band.add(0, columns, residual, 1.3)
        for t in range(count):
            row = np.zeros((2, frames * n))
            for k in range(span):
                row[:, (t + k) * n : (t + k + 1) * n] = columns[k][t]
            dense += 1.3**2 * row.T @ row
            right -= 1.3**2 * row.T @ residual[t]
    dense += 0.1 * np.eye(frames * n)
    assert band.solve(0.1).ravel() == pytest.approx(np.linalg.solve(dense, right))


def test_laplacian_coordinates_are_translation_invariant() -> None:
    points = np.random.default_rng(4).normal(size=(2, 12, 3))
    operators = laplacians(points)
    assert operators @ (points + 5.0) == pytest.approx(operators @ points)


def test_refining_evens_out_angular_momentum_and_holds_pins(
    human: Figure, table: CollisionTable
) -> None:
    skeleton = human.skeleton
    count = 24
    u = np.linspace(0.0, 1.0, count)
    q = np.tile(skeleton.rest_configuration, (count, 1))
    # an arm jerks: it swings down and forwards in bursts
    at = skeleton.q_slice("left_shoulder")
    angle = 0.9 * (u + 0.08 * np.sin(6 * np.pi * u))
    q[:, at] = np.stack([np.cos(angle / 2), 0 * u, 0 * u, -np.sin(angle / 2)], axis=1)
    motion = Motion(skeleton, q, 30.0)
    feet = [
        FramePin(pin_here(skeleton, q[0], foot), 0, count - 1)
        for foot in ("left_ankle", "right_ankle")
    ]
    found = refine(motion, table, feet, options=RefineOptions(iterations=8))
    assert found.angular_drop > 0.5
    assert found.slip_m < 1e-3
    assert found.certificate.certified
    assert np.allclose(found.motion.q[[0, -1]], q[[0, -1]], atol=1e-6)

"""Windows of frames solved as one problem: clear, smooth, within limits, the ends included."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from writhe.cleaning.free_dofs import free_columns
from writhe.cleaning.window_options import Instant, WindowOptions
from writhe.cleaning.window_problem import ClipProblem, spans
from writhe.collision import CollisionTable, NearPairs
from writhe.kernels.cleaning import window_band
from writhe.kernels.cleaning.frame_rows import (
    Obstacles,
    WindowRows,
    contact_inequalities,
    limit_inequalities,
)
from writhe.kernels.terms.contact_rows import gap_gradient
from writhe.kernels.terms.limit_rows import TURN, LimitRows
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.skeleton import forward, quaternions
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import interpolate
from writhe.solvers.posture_tracking import PostureTracker
from writhe.terms import CompiledTerms, joint_limits

HUMAN = figure("human")
SKELETON = HUMAN.skeleton
TRACKER = PostureTracker(HUMAN, CollisionTable.of_figure(HUMAN))
ALL = np.arange(SKELETON.dof_count)


def arm_in_the_side(shares: np.ndarray) -> np.ndarray:
    """An arm that goes into the side of the body, by the given share in each frame."""
    apart = standing(HUMAN)
    inside = apart.copy()
    inside[SKELETON.q_slice("left_shoulder")] = [np.cos(0.78), 0.0, 0.0, -np.sin(0.78)]
    return np.array([interpolate(SKELETON, apart, inside, float(s)) for s in shares])


def solved(source: np.ndarray, instants: list[Instant] | None = None, iterations: int = 12):
    problem = ClipProblem(TRACKER, source, 30.0)
    margin = np.full(len(source), 0.002)
    return problem, problem.solve(source, 0, len(source), margin, instants or [], ALL, iterations)


def test_a_window_comes_clear_and_its_first_frame_is_no_exception():
    """The deepest frame is the first: the correction begins there, without a pop."""
    source = arm_in_the_side(np.linspace(1.0, 0.0, 40) ** 2)
    assert TRACKER.clearance(source[0]) < -0.02
    problem, q = solved(source)
    assert all(TRACKER.clearance(row) > -0.0009 for row in q)
    x = problem.corrections(q, 0, len(q))
    change = np.abs(np.diff(x, axis=0)).max(axis=1)
    assert change[0] < 2.0 * np.median(change[:10]) + 0.01
    assert np.abs(x[-1]).max() < 0.01  # faded out where nothing collides


def test_no_joint_moves_much_farther_than_in_the_source():
    """The source sinks into the body within one frame; the correction swells over several."""
    shares = np.concatenate([np.zeros(20), np.full(20, 0.97)])
    source = arm_in_the_side(shares)
    _, q = solved(source)
    moved, given = (
        np.linalg.norm(np.diff(forward(SKELETON, rows).positions, axis=0), axis=2)
        for rows in (q, source)
    )
    assert (moved - given.max(axis=0)).max() < 0.02
    assert all(TRACKER.clearance(row) > -0.0009 for row in q)


def test_limits_are_kept_or_exceeded_no_more_than_in_the_source():
    source = arm_in_the_side(np.sin(np.linspace(0.0, np.pi, 40)))
    _, q = solved(source)
    terms = CompiledTerms(SKELETON, joint_limits(SKELETON))

    def outside(row: np.ndarray) -> np.ndarray:
        terms.update(row)
        return np.abs(terms.violation())

    for before, after in zip(source, q, strict=True):
        assert (outside(after) - outside(before)).max() < 0.01


def test_a_contact_between_frames_moves_both_frames():
    """At an instant between two clear frames the arm is inside: the frames on both sides give."""
    source = arm_in_the_side(np.zeros(60))
    inside = arm_in_the_side(np.array([0.9]))[0]
    assert TRACKER.clearance(inside) < -0.001
    problem, q = solved(source, [Instant(30, 0.5, inside)])
    x = np.abs(problem.corrections(q, 0, len(q))).max(axis=1)
    assert x[30] == pytest.approx(x[31], rel=0.2) and x[30] > 0.005
    assert max(x[0], x[-1]) < 0.5 * x[30]


def test_frames_that_may_not_change_do_not():
    source = arm_in_the_side(np.sin(np.linspace(0.0, np.pi, 30)))
    free = ALL[: SKELETON.v_slice("left_clavicle").start]
    problem = ClipProblem(TRACKER, source, 30.0, WindowOptions())
    q = problem.solve(source, 0, 30, np.full(30, 0.002), [], free, 3)
    at = SKELETON.q_slice("left_shoulder")
    assert_allclose(q[:, at], source[:, at], atol=1e-12)


def test_spans_are_merged_and_cut_at_the_ends():
    chosen = np.zeros(20, dtype=np.bool_)
    chosen[[1, 4, 18]] = True
    assert spans(chosen, 2) == [(0, 7), (16, 20)]


def test_the_band_is_the_matrix_of_the_smoothness_penalties(rng: np.random.Generator):
    """Compared with dense matrices, with both neighbours, at the start and at the end of a clip."""
    frames, n = 5, 3
    for before, after in ((2, 2), (0, 2), (2, 0), (1, 0)):
        x, metric = rng.normal(size=(frames + 4, n)), rng.uniform(0.5, 2.0, n)
        smooth = window_band.Smoothness(x, metric, 4.0, 9.0, before, after)
        band, right = np.zeros((frames * n, window_band.width(n))), np.zeros(frames * n)
        window_band.add_smoothness(smooth, band, right)
        dense = np.zeros((frames * n, frames * n))
        for j in range(frames * n):
            for k in range(min(window_band.width(n), frames * n - j)):
                dense[j + k, j] = dense[j, j + k] = band[j, k]
        whole, expected = np.zeros((frames, frames)), np.zeros((frames, n))
        for stencil, weight in ((np.array([-1.0, 1.0]), 4.0), (np.array([1.0, -2.0, 1.0]), 9.0)):
            for t in range(-before, frames + after - len(stencil) + 1):
                line = np.zeros(frames + 4)
                line[t + 2 : t + 2 + len(stencil)] = stencil
                whole += weight * np.outer(line[2:-2], line[2:-2])
                expected -= weight * np.outer(line[2:-2], line @ x)
        assert_allclose(dense, np.kron(whole, np.diag(metric)), atol=1e-12)
        assert_allclose(right, (expected * metric).ravel(), atol=1e-12)


def test_the_twist_of_a_joint_swung_by_half_a_turn_does_not_outweigh_everything_else():
    """Its derivative grows without bound there; that of the row does not."""
    limits = LimitRows(
        np.array([TURN]),
        np.array([0]),
        np.array([0]),
        np.array([0]),
        np.array([[1.0, 0.0, 0.0, 0.0]]),
        np.zeros((1, 3)),
        np.zeros((1, 3)),
    )
    for angle in (0.1, 2.0, 3.0, 3.14, 3.14159):
        swing = np.array([np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0])
        twist = np.array([np.cos(0.2), np.sin(0.2), 0.0, 0.0])
        q = quaternions.multiply(swing, twist)[None]
        rows = WindowRows(
            np.zeros((1, 1, 3)),
            np.zeros((1, 3, 3)),
            np.zeros(1, dtype=np.int64),
            np.zeros(1),
            np.zeros((1, 4)),
            np.zeros((1, 4, 3)),
        )
        bounds = (np.array([[-0.35]]), np.array([[0.35]]))
        limit_inequalities(limits, q, *bounds, np.arange(3), 0.3, 0.04, rows)
        assert rows.used[0] == 1 and rows.value[0, 0] < 0.0  # 0.4 rad, 0.05 beyond
        assert 0.29 < np.linalg.norm(rows.row[0, 0]) < 0.91  # 1 to 3 times 0.3 m / rad


def test_penalties_that_yield_are_asked_for_more():
    """A body that is held back strongly: contacts lack 3 mm of their margin, unless it grows."""
    source = arm_in_the_side(np.full(40, 0.9))
    lowest: list[float] = []
    for options in (WindowOptions(max_yield_m=0.0, penalty=4.0), WindowOptions(penalty=4.0)):
        problem = ClipProblem(TRACKER, source, 30.0, options)
        q = problem.solve(source, 0, 40, np.full(40, 0.002), [], ALL, 10)
        lowest.append(min(TRACKER.clearance(row) for row in q))
    assert lowest[0] < -0.0009 < lowest[1]


def test_of_more_contacts_than_there_are_rows_the_nearest_are_taken():
    q = arm_in_the_side(np.array([0.95]))[0]
    table = TRACKER.table
    near, nv = NearPairs(table), SKELETON.dof_count
    shapes = (table.shapes, table.bodies, table.pairs, near.placed, near.out, near.last_normals)
    joints = len(SKELETON)
    frames = (np.empty((joints, 3)), np.empty((joints, 3, 3)), np.empty((nv, 3)))
    obstacles = Obstacles(*shapes, near.rows, *frames)
    dofs = ALL[6:]  # all but the root
    free, _ = free_columns(SKELETON, dofs)

    def rows(room: int) -> tuple[np.ndarray, np.ndarray]:
        value, row = np.full(room, np.inf), np.full((room, len(dofs)), np.nan)
        arguments = (q, free, 0.002, 0.1, value, row)
        used = contact_inequalities(SKELETON.tree, obstacles, *arguments)
        return value[:used], row[:used]

    value, row = rows(500)
    assert len(value) > 30 and value.min() < -0.01
    expected = np.empty(nv)
    for i in range(len(value)):
        gap_gradient(SKELETON.tree, frames[0], frames[2], near.rows, i, expected)
        assert_allclose(row[i], expected[dofs], atol=1e-12)
    few, _ = rows(10)
    assert 8 <= len(few) <= 10
    assert_allclose(np.sort(few), np.sort(value)[: len(few)])

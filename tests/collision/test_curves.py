"""Bezier curves of channels: evaluated as animation programs do, with bounds that hold."""

from __future__ import annotations

import numpy as np
import pytest

import writhe
from writhe import WritheError
from writhe.collision import CollisionTable, NearPairs, Verdict
from writhe.collision.bezier_curve import BezierCurve
from writhe.collision.curve_certificate import JointCurves, certify_curves, interpolated_curves
from writhe.collision.interpolated_motion import gap_errors
from writhe.collision.shapes import from_capsule
from writhe.kernels.skeleton.kinematics import interpolate_batch
from writhe.skeleton import Capsule, Joint, JointKind, Skeleton, quaternions

ARM = Skeleton(
    [
        Joint("post", None, JointKind.FIXED, np.zeros(3)),
        Joint("arm", None, JointKind.BALL, np.zeros(3)),
    ]
)


def table(post_at: tuple[float, float, float]) -> CollisionTable:
    """An arm of 1 m along x that turns about the origin, and a vertical post."""
    post = Capsule("post", np.subtract(post_at, [0, 0.2, 0]), np.add(post_at, [0, 0.2, 0]), 0.02)
    arm = Capsule("arm", np.array([0.3, 0, 0]), np.array([1.0, 0, 0]), 0.02)
    return CollisionTable(ARM, [from_capsule(post), from_capsule(arm)])


def random_curve(rng: np.random.Generator) -> BezierCurve:
    times = np.cumsum(rng.uniform(0.1, 1.0, 4))
    keys = np.stack([times, rng.normal(0, 1, 4)], axis=1)
    out = np.stack([rng.uniform(0, 1.5, 4), rng.normal(0, 1, 4)], axis=1)
    back = np.stack([rng.uniform(0, 1.5, 4), rng.normal(0, 1, 4)], axis=1)
    return BezierCurve(times, keys[:, 1], keys - back, keys + out)


def test_a_curve_has_the_values_of_its_parametric_form():
    curve = BezierCurve(
        np.array([0.0, 1.0]),
        np.array([0.0, 2.0]),
        np.array([[-0.2, 0.0], [0.6, 3.0]]),
        np.array([[0.5, -1.0], [1.2, 2.0]]),
    )
    s = np.linspace(0, 1, 50)
    b = np.stack([(1 - s) ** 3, 3 * s * (1 - s) ** 2, 3 * s**2 * (1 - s), s**3])
    x, y = np.array([0, 0.5, 0.6, 1]) @ b, np.array([0, -1, 3, 2]) @ b
    assert np.allclose(curve.at(x), y, atol=1e-9)
    assert curve.at(np.array([-1.0, 5.0])).tolist() == [0.0, 2.0]


def test_errors_bound_the_distance_from_straight_lines(rng):
    loosest = np.inf
    for _ in range(100):
        curve = random_curve(rng)
        rows = np.unique(np.concatenate([np.linspace(t, u, 6) for t, u in zip(
            curve.times_s, curve.times_s[1:], strict=False)]))  # fmt: skip
        bound, values = curve.errors(rows), curve.at(rows)
        for k in range(len(rows) - 1):
            dense = np.linspace(rows[k], rows[k + 1], 101)
            off = np.abs(curve.at(dense) - np.interp(dense, rows, values)).max()
            assert off <= bound[k] + 1e-9
            if bound[k] > 1e-3:
                loosest = min(loosest, off / bound[k])
    assert loosest > 0.2  # a bound that is always far off would show nothing


@pytest.mark.parametrize("kind", ["euler", "quaternion"])
def test_rotations_between_rows_are_within_the_bound(rng, kind):
    for _ in range(20):
        parts = tuple(random_curve(rng) for _ in range(3 if kind == "euler" else 4))
        if kind == "quaternion":  # away from the zero quaternion
            parts = (BezierCurve.linear([0.0, 4.0], [3.0, 4.0]), *parts[1:])
        interpolated = interpolated_curves(ARM, {"arm": JointCurves(parts)}, 40)
        assert interpolated.rotation_error_rad is not None
        times = np.linspace(0, interpolated.times_s[-1], 700)
        start = min(c.times_s[0] for c in parts)
        values = np.stack([c.at(times + start) for c in parts], axis=1)
        if kind == "euler":
            true = _euler(values)
            assert interpolated.euler is not None
            between = _euler(
                _interpolated(interpolated.times_s, interpolated.euler.angles[:, 1], times)
            )
        else:
            true = values / np.linalg.norm(values, axis=1, keepdims=True)
            between = np.empty((len(times), 4))
            row = np.interp(times, interpolated.times_s, np.arange(len(interpolated.times_s)))
            interpolate_batch(ARM.tree, interpolated.q, row, between)
        dot = np.clip(np.abs((true * between).sum(axis=1)), 0, 1)
        assert (2 * np.arccos(dot)).max() <= interpolated.rotation_error_rad[1] + 1e-6


def _interpolated(rows: np.ndarray, angles: np.ndarray, times: np.ndarray) -> np.ndarray:
    return np.stack([np.interp(times, rows, angles[:, c]) for c in range(3)], axis=1)


def _euler(angles: np.ndarray) -> np.ndarray:
    """Quaternions of Rz Ry Rx for angles (t, 3) in the order z, y, x."""
    out = np.tile([1.0, 0, 0, 0], (len(angles), 1))
    for c, axis in enumerate((2, 1, 0)):
        turn = np.zeros((len(angles), 4))
        turn[:, 0], turn[:, 1 + axis] = np.cos(angles[:, c] / 2), np.sin(angles[:, c] / 2)
        w, v, a, b = out[:, :1], out[:, 1:], turn[:, :1], turn[:, 1:]
        scalar = w * a - (v * b).sum(1, keepdims=True)
        out = np.hstack([scalar, w * b + a * v + np.cross(v, b)])
    return out


def test_a_curve_that_overshoots_into_a_post_is_found():
    still = BezierCurve.linear([0.0, 1.0], [0.0, 0.0])
    ends = np.array([0.0, 0.0])

    def swing(height: float) -> JointCurves:
        left = np.array([[0.0, 0.0], [0.67, height]])
        right = np.array([[0.33, height], [1.0, 0.0]])
        about_y = BezierCurve(np.array([0.0, 1.0]), ends, left, right)
        return JointCurves((still, about_y, still))

    post = (0.5 * np.cos(0.6), 0.0, -0.5 * np.sin(0.6))  # at 0.6 rad of the swing
    assert certify_curves(table(post), {"arm": swing(0.5)}).verdict is Verdict.CERTIFIED
    assert certify_curves(table(post), {"arm": swing(1.5)}).verdict is Verdict.PASSES_THROUGH


@pytest.mark.parametrize(("deep_m", "certified"), [(0.9e-3, True), (1.05e-3, False)])
def test_the_tolerance_is_used_up_to_the_error_of_fine_rows(deep_m, certified):
    """An arm that swings fast over the end of a post, a little in it; keys far apart."""
    half = np.radians([0.0, 70.0]) / 2
    turning = [np.cos(half), [0.0, 0.0], np.sin(half), [0.0, 0.0]]
    curves = {"arm": JointCurves(tuple(BezierCurve.linear([0.0, 0.1], v) for v in turning))}
    top_m = -(0.04 - deep_m)  # the radii of both are 2 cm
    post = (0.6 * np.cos(0.5), top_m - 0.2, -0.6 * np.sin(0.5))
    assert certify_curves(table(post), curves).certified == certified


def test_errors_of_joints_move_no_gap_farther_than_their_bound(rng):
    figure = writhe.figure("human")
    shapes, skeleton = CollisionTable.of_figure(figure), figure.skeleton
    n, near = len(skeleton), NearPairs(shapes, len(shapes.pairs.deep))

    def gaps(q: np.ndarray) -> np.ndarray:
        frames = writhe.forward(skeleton, q)
        count = near.find(frames.positions, frames.rotations, 10.0)
        found = np.full(len(shapes.pairs.deep), np.nan)
        found[near.rows.shape_pair[:count]] = near.rows.gap[:count]
        return found

    tightest = np.inf
    for _ in range(10):
        q = skeleton.rest_configuration.copy()
        errors = np.zeros((2, 2 * n))
        errors[:, :n] = rng.uniform(0.0, 1e-3, (2, n)) * (rng.random((2, n)) < 0.2)
        for joint in skeleton.joints:
            if joint.kind is JointKind.BALL:
                part = q[skeleton.q_slice(joint.name)]
                part[:] = quaternions.normalised(part + 0.4 * rng.normal(size=4))
        bound = gap_errors(shapes, q[None], errors)
        for row in range(2):
            other = q.copy()
            for j, joint in enumerate(skeleton.joints):
                if joint.kind is JointKind.BALL:
                    axis = rng.normal(size=3)
                    turn = errors[row, j] * axis / np.linalg.norm(axis)
                    part = other[skeleton.q_slice(joint.name)]
                    part[:] = quaternions.multiply(part, quaternions.from_rotation_vectors(turn))
            moved = float(np.nanmax(np.abs(gaps(other) - gaps(q))))
            assert moved <= bound[row] + 1e-9
            tightest = min(tightest, bound[row] / max(moved, 1e-12))
    assert tightest < 4.0  # a bound that is always far off would show nothing


def test_components_without_a_sign_change_go_the_long_way_round():
    """Blender interpolates q and -q of nearly the same rotation through a whole turn."""
    post = (-0.5, 0.0, 0.0)  # opposite to where the arm is at both keys
    half = np.radians([0.0, 350.0]) / 2
    turning = [np.cos(half), [0.0, 0.0], np.sin(half), [0.0, 0.0]]
    curves = JointCurves(tuple(BezierCurve.linear([0.0, 1.0], v) for v in turning))
    assert not certify_curves(table(post), {"arm": curves}).certified


def test_wrong_curves_are_refused():
    with pytest.raises(WritheError, match="increasing"):
        BezierCurve.linear([0.0, 0.0], [1.0, 2.0])
    with pytest.raises(WritheError, match="before and after"):
        BezierCurve(np.array([0.0]), np.array([0.0]), np.array([[1.0, 0]]), np.array([[1.0, 0]]))
    line = BezierCurve.linear([0.0, 1.0], [0.0, 1.0])
    with pytest.raises(WritheError, match="location"):
        interpolated_curves(ARM, {"arm": JointCurves(location=(line, line, line))})
    with pytest.raises(WritheError, match="no curves"):
        interpolated_curves(ARM, {})

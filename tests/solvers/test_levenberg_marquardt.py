"""The step solver end to end: reach, pin, limits, contradictions, charts, terms over frames."""

from __future__ import annotations

import numpy as np
import pytest

from writhe import terms
from writhe.errors import UnknownNameError, WritheError
from writhe.quantities import Point, quantity_types
from writhe.skeleton import Capsule, Limits, Skeleton, forward
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import centre_of_mass, integrate
from writhe.solvers import AffineChart, EulerChart, Status, StepOptions, StepSolver, TangentChart
from writhe.terms import HARD, CompiledTerms, Term
from writhe.topology import Strand


def human() -> Skeleton:
    elbow = Limits(np.array([0.0]), np.array([2.5]))
    knee = Limits(np.array([0.0]), np.array([2.4]))
    return figure("human").skeleton.with_limits(
        {"left_elbow": elbow, "right_elbow": elbow, "left_knee": knee, "right_knee": knee}
    )


def solve(skeleton, goal_terms, q, iterations=40, **options):
    solver = StepSolver(CompiledTerms(skeleton, goal_terms), StepOptions(iterations, **options))
    return solver.step(q)


def test_reach_with_pinned_feet_and_limits():
    skeleton = human()
    q = skeleton.rest_configuration
    target = np.array([0.3, 0.7, 0.45])
    goal_terms = [
        terms.reach("left_wrist", target, weight=10.0),
        *terms.pin(skeleton, "left_ankle", q, orientation=True),
        *terms.pin(skeleton, "right_ankle", q, orientation=True),
        *terms.joint_limits(skeleton),
        *terms.stay_near(skeleton, q, weight=0.01),
    ]
    result = solve(skeleton, goal_terms, q)
    frames, rest = forward(skeleton, result.q), forward(skeleton, q)
    np.testing.assert_allclose(frames.position("left_wrist"), target, atol=2e-3)
    for foot in ("left_ankle", "right_ankle"):
        np.testing.assert_allclose(frames.position(foot), rest.position(foot), atol=1e-6)
        np.testing.assert_allclose(frames.rotation(foot), rest.rotation(foot), atol=1e-6)
    for hinge in ("left_elbow", "right_elbow", "left_knee", "right_knee"):
        assert -1e-6 <= result.q[skeleton.q_slice(hinge)][0] <= 2.5 + 1e-6
    assert result.residuals.keys() >= {"reach left_wrist", "pin left_ankle", "limit left_knee"}


def test_knees_do_not_bend_backwards_when_the_hips_come_down():
    skeleton = human()
    q = skeleton.rest_configuration.copy()
    for knee in ("left_knee", "right_knee"):  # straight legs are singular
        q[skeleton.q_slice(knee)] = 0.05
    goal_terms = [
        terms.reach("hips", [0.0, 0.5, 0.0], weight=10.0),
        *terms.pin(skeleton, "left_ankle", q),
        *terms.pin(skeleton, "right_ankle", q),
        *terms.joint_limits(skeleton),
    ]
    result = solve(skeleton, goal_terms, q, iterations=80)
    assert abs(forward(skeleton, result.q).position("hips")[1] - 0.5) < 5e-3
    assert result.q[skeleton.q_slice("left_knee")][0] > 1.0


def test_unreachable_target_is_approached_and_settles():
    skeleton = human()
    q = skeleton.rest_configuration
    goal_terms = [
        terms.reach("left_wrist", [5.0, 1.4, 0.0], weight=1.0),
        *terms.pin(skeleton, "hips", q, orientation=True),
    ]
    result = solve(skeleton, goal_terms, q, iterations=100)
    assert result.status is Status.SETTLED
    reach_m = np.linalg.norm(
        forward(skeleton, result.q).position("left_wrist")
        - forward(skeleton, q).position("left_clavicle")
    )
    assert reach_m > 0.70  # the arm is stretched out
    again = StepSolver(CompiledTerms(skeleton, goal_terms)).step(result.q)
    moved = forward(skeleton, again.q).positions - forward(skeleton, result.q).positions
    assert np.abs(moved).max() < 1e-3  # and does not shake


def test_contradictory_pins_are_regularised():
    skeleton = human()
    q = skeleton.rest_configuration
    origin = np.zeros(3)
    goal_terms = [
        Term(Point("hips"), origin, origin, HARD, label="here"),
        Term(Point("hips"), origin + 1, origin + 1, HARD, label="there"),
    ]
    result = solve(skeleton, goal_terms, q, iterations=1)
    assert result.status is Status.REGULARISED
    assert np.isfinite(result.q).all()


def test_half_space_is_one_sided():
    skeleton = human()
    q = skeleton.rest_configuration
    below = terms.half_space("left_wrist", [0, 0, 0], [0, 1.6, 0], [0, 1, 0])
    above = terms.half_space("right_wrist", [0, 0, 0], [0, 0.3, 0], [0, 1, 0])
    result = solve(skeleton, [below, above], q)
    frames, rest = forward(skeleton, result.q), forward(skeleton, q)
    assert frames.position("left_wrist")[1] >= 1.6 - 1e-4
    assert abs(frames.position("right_wrist")[1] - rest.position("right_wrist")[1]) < 0.05
    pulled = terms.half_space_as_published(
        "right_wrist", [0, 0, 0], [0, 1.2, 0], [0, 1, 0], weight=5.0
    )
    onto = forward(skeleton, solve(skeleton, [pulled], q).q)
    assert abs(onto.position("right_wrist")[1] - 1.2) < 1e-2


def test_relations_between_hands_hold_while_one_is_dragged():
    skeleton = human()
    q = skeleton.rest_configuration
    goal_terms = [
        terms.keep_distance("left_wrist", "right_wrist", 0.5),
        terms.reach("left_wrist", [0.3, 1.2, 0.4], weight=5.0),
        *terms.pin(skeleton, "hips", q, orientation=True),
    ]
    frames = forward(skeleton, solve(skeleton, goal_terms, q, iterations=60).q)
    gap = np.linalg.norm(frames.position("left_wrist") - frames.position("right_wrist"))
    assert abs(gap - 0.5) < 1e-4
    np.testing.assert_allclose(frames.position("left_wrist"), [0.3, 1.2, 0.4], atol=5e-3)


def test_hands_meet_only_as_far_as_they_are_kept_apart():
    skeleton = human()
    q = skeleton.rest_configuration
    left, right = (
        Capsule(f"{side}_wrist", np.zeros(3), np.array([sign * 0.15, 0, 0]), 0.03)
        for side, sign in (("left", 1.0), ("right", -1.0))
    )
    both = [terms.reach(f"{side}_wrist", [0.0, 1.2, 0.4], weight=3.0) for side in ("left", "right")]
    apart = terms.keep_apart(left, right, clearance_m=0.02)
    goal_terms = [*both, apart, *terms.pin(skeleton, "hips", q, orientation=True)]
    result = solve(skeleton, goal_terms, q, iterations=80)
    gap = apart.quantity.value(skeleton, result.q)[0]
    assert 0.02 - 1e-4 < gap < 0.06


def test_an_arm_keeps_its_side_of_a_loop_when_linking_is_held():
    """A hand pulled out of a ring around the forearm stays in while the linking is kept."""
    skeleton = human()
    q = skeleton.rest_configuration
    angles = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    elbow = forward(skeleton, q).position("left_elbow")
    ring = elbow + [0.1, 0, 0] + 0.12 * np.stack([0 * angles, np.cos(angles), np.sin(angles)], 1)
    arm = Strand.between(skeleton, "left_shoulder", "left_hand_tip")
    loop = Strand.along(ring, name="ring", closed=True)
    held = terms.keep_linking(arm, loop, -np.inf, -0.5, weight=50.0)
    through = held.quantity.value(skeleton, q)[0]
    if through > 0:
        held = terms.keep_linking(arm, loop, 0.5, np.inf, weight=50.0)
    pull = [
        terms.reach("left_wrist", [0.3, 1.2, 0.5], weight=1.0),
        *terms.pin(skeleton, "hips", q, orientation=True),
    ]
    free = held.quantity.value(skeleton, solve(skeleton, pull, q, 60).q)[0]
    kept = held.quantity.value(skeleton, solve(skeleton, [*pull, held], q, 60).q)[0]
    assert abs(free) < 0.4 < 0.48 < abs(kept)


def test_balance_keeps_the_centre_of_mass_over_the_feet():
    from dataclasses import replace

    skeleton = Skeleton([replace(j, mass_kg=3.0) for j in human().joints])
    q = skeleton.rest_configuration
    feet = [*terms.pin(skeleton, "left_ankle", q), *terms.pin(skeleton, "right_ankle", q)]
    far = terms.reach("left_wrist", [0.7, 1.0, 0.8], weight=2.0)
    balance = terms.keep_centre_over("hips", [0, 0, 0.05], within_m=0.06, weight=50.0)
    without = centre_of_mass(forward(skeleton, solve(skeleton, [far, *feet], q, 60).q))
    kept = centre_of_mass(forward(skeleton, solve(skeleton, [far, balance, *feet], q, 60).q))
    assert np.abs(without - [0, without[1], 0.05]).max() > 0.1
    assert np.abs(kept - [0, kept[1], 0.05]).max() < 0.07


def test_a_velocity_term_holds_a_dragged_hand_back():
    skeleton = human()
    q = skeleton.rest_configuration
    slow = terms.velocity(Point("left_wrist"), limit=0.01, weight=100.0)
    goal_terms = [terms.reach("left_wrist", [0.5, 1.0, 0.5]), slow, *terms.pin(skeleton, "hips", q)]
    compiled = CompiledTerms(skeleton, goal_terms)
    compiled.remember(q)
    result = StepSolver(compiled, StepOptions(10)).step(q)
    moved = forward(skeleton, result.q).position("left_wrist") - forward(skeleton, q).position(
        "left_wrist"
    )
    assert 0.005 < np.abs(moved).max() < 0.0115


@pytest.mark.parametrize("which", ["tangent", "euler XYZ", "euler YXZ", "affine", "euler subspace"])
def test_charts_give_true_derivatives(which, rng):
    skeleton = human()
    base = integrate(skeleton, skeleton.rest_configuration, rng.normal(0, 0.3, skeleton.dof_count))
    if which == "tangent":
        chart, y = TangentChart(skeleton, base), rng.normal(0, 0.4, skeleton.dof_count)
    elif which in ("euler XYZ", "euler YXZ"):
        chart = EulerChart(skeleton, which[-3:])
        y = chart.coordinates(base)
        again = forward(skeleton, chart.configuration(y))
        np.testing.assert_allclose(again.positions, forward(skeleton, base).positions)
    else:
        axes = rng.normal(0, 1, (skeleton.dof_count, 5))
        inner = TangentChart(skeleton, base) if which == "affine" else EulerChart(skeleton)
        chart = AffineChart(inner, rng.normal(0, 0.1, skeleton.dof_count), axes)
        y = rng.normal(0, 0.1, 5)
    point = Point("right_wrist", (0.1, 0.0, 0.0))
    through = point.jacobian(skeleton, chart.configuration(y)) @ chart.basis(y)
    for k in range(chart.size):
        d = np.zeros(chart.size)
        d[k] = 1e-6
        plus = point.value(skeleton, chart.configuration(y + d))
        minus = point.value(skeleton, chart.configuration(y - d))
        np.testing.assert_allclose(through[:, k], (plus - minus) / 2e-6, atol=1e-7)


def test_a_step_in_an_affine_chart_stays_in_it(rng):
    skeleton = human()
    q = skeleton.rest_configuration.copy()
    axes = np.zeros((skeleton.dof_count, 2))
    axes[skeleton.v_slice("left_shoulder").start, 0] = 1.0
    axes[skeleton.v_slice("left_elbow").start, 1] = 1.0
    chart = AffineChart(TangentChart(skeleton, q), np.zeros(skeleton.dof_count), axes)
    compiled = CompiledTerms(skeleton, [terms.reach("left_wrist", [0.4, 1.4, 0.3])])
    result = StepSolver(compiled, StepOptions(20)).step(q, chart)
    still = [n for n in skeleton.names if n not in ("left_shoulder", "left_elbow")]
    for name in still:
        np.testing.assert_array_equal(result.q[skeleton.q_slice(name)], q[skeleton.q_slice(name)])
    before = np.linalg.norm(forward(skeleton, q).position("left_wrist") - [0.4, 1.4, 0.3])
    after = np.linalg.norm(forward(skeleton, result.q).position("left_wrist") - [0.4, 1.4, 0.3])
    assert after < 0.5 * before


def test_misuse_raises_with_the_valid_names():
    skeleton = human()
    with pytest.raises(UnknownNameError, match="left_wrist"):
        CompiledTerms(skeleton, [terms.reach("left_hnad", [0, 0, 0])])
    with pytest.raises(WritheError, match="lower exceeds upper"):
        Term(Point("hips"), 1.0, 0.0)
    with pytest.raises(WritheError, match="stencil"):
        Term(Point("hips"), 0.0, 0.0, stencil=(1.0, -1.0))
    assert len(quantity_types()) >= 9

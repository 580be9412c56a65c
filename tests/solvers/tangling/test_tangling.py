"""Solving in topology space: goals are reached and certified, or reported as not reached."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.collision import certify
from writhe.errors import WritheError
from writhe.quantities import Linking, TangleCoordinates, WritheMatrix
from writhe.research.benchmarks.topology import random_targets
from writhe.research.evaluation.chains import ChainPair
from writhe.skeleton.kinematics import integrate
from writhe.solvers.result import Status
from writhe.solvers.tangling import (
    Around,
    DrivenMotion,
    SolveOptions,
    Tangle,
    TangleKeyframe,
    TangleOptions,
    TangleSetup,
    TangleStepper,
    Through,
    Untangled,
    animate,
    order_automatically,
    solve,
)
from writhe.terms import pin
from writhe.topology import Strand, TopologyCoordinates, published_target_matrix
from writhe.topology.loop_crossing import net_crossings


@pytest.fixture(scope="module")
def pair() -> ChainPair:
    return ChainPair.of(10, 10)


@pytest.fixture
def start(pair: ChainPair) -> np.ndarray:
    rng = np.random.default_rng(3)
    skeleton = pair.skeleton
    return integrate(skeleton, skeleton.rest_configuration, rng.normal(0, 0.05, skeleton.dof_count))


@pytest.mark.parametrize("writhe", [1.0, -1.0])
@pytest.mark.parametrize("sigma", [None, 0.2])
def test_two_chains_wind_without_crossing(pair, start, writhe, sigma):
    tangle = Tangle(pair.first, pair.second, writhe)
    result = solve(TangleStepper(pair.table, [tangle], options=TangleOptions(sigma=sigma)), start)
    assert result.reached and not result.unmet
    found = Linking(pair.first, pair.second).value(pair.skeleton, result.q)[0]
    assert found == pytest.approx(writhe, abs=0.011)
    certificate = certify(pair.table, result.path, fps=30.0)
    assert certificate.certified and not certificate.pass_throughs


def test_all_four_coordinates_at_once(pair, start):
    tangle = Tangle(pair.first, pair.second, 0.8, (0.2, -0.2), 0.3)
    result = solve(TangleStepper(pair.table, [tangle]), start)
    assert result.reached
    found = TangleCoordinates(pair.first, pair.second).value(pair.skeleton, result.q)
    np.testing.assert_allclose(found, [0.8, 0.2, -0.2, 0.3], atol=0.05)


def test_sigma_bounds_every_pair_of_bones(pair, start):
    options = TangleOptions(sigma=0.12)
    stepper = TangleStepper(pair.table, [Tangle(pair.first, pair.second, 0.9)], options=options)
    path = solve(stepper, start).path
    entries = WritheMatrix(pair.first, pair.second)
    worst = max(np.abs(entries.value(pair.skeleton, q)).max() for q in path)
    assert worst < 0.13


@pytest.mark.parametrize("writhe", [1.0, -1.0, 0.6])
def test_the_published_solver_tracks_the_desired_matrix(pair, start, writhe):
    tangle = Tangle(pair.first, pair.second, writhe, (0.0, 0.0), 0.0)
    options = TangleOptions().as_published()
    result = solve(TangleStepper(pair.table, [tangle], options=options), start)
    assert result.reached
    entries = WritheMatrix(pair.first, pair.second).value(pair.skeleton, result.q)
    desired = published_target_matrix(TopologyCoordinates(writhe), 10, 10).ravel()
    before = WritheMatrix(pair.first, pair.second).value(pair.skeleton, start)
    assert np.abs(entries).max() <= 0.2
    assert np.linalg.norm(entries - desired) < 0.8 * np.linalg.norm(before - desired)


def test_a_goal_that_breaks_sigma_is_not_reached(pair, start):
    tangle = Tangle(pair.first, pair.second, 0.6)
    wound = solve(TangleStepper(pair.table, [tangle]), start).q
    largest = float(np.abs(WritheMatrix(pair.first, pair.second).value(pair.skeleton, wound)).max())
    for sigma, met in ((1.1 * largest, True), (0.9 * largest, False)):
        stepper = TangleStepper(pair.table, [tangle], options=TangleOptions(sigma=sigma))
        stepper.update(wound)
        assert stepper.reached().all() == met


def test_tracking_the_matrix_leaves_coordinates_that_are_not_given_free(pair, start):
    options = TangleOptions(tracking="matrix")
    tangle = Tangle(pair.first, pair.second, 0.5)
    result = solve(TangleStepper(pair.table, [tangle], options=options), start)
    assert result.reached and certify(pair.table, result.path, fps=30.0).certified
    with pytest.raises(WritheError, match="tracking"):
        TangleOptions(tracking="entries")  # type: ignore[arg-type]


def test_random_targets_are_reached():
    found = random_targets(25, seed=11)
    assert found["reached"] >= 24 and found["crossed"] == 0


def test_kinematic_constraints_hold_on_the_way(pair, start):
    terms = pin(pair.skeleton, "a0", start, orientation=True)
    result = solve(TangleStepper(pair.table, [Tangle(pair.first, pair.second, 0.8)], terms), start)
    assert result.reached
    at = pair.skeleton.q_slice("a0")
    np.testing.assert_allclose(
        result.path[:, at], np.tile(start[at], (len(result.path), 1)), atol=1e-3
    )


def test_contradictory_tangles_are_named(pair, start):
    more = Tangle(pair.first, pair.second, 0.8, name="to the right")
    less = Tangle(pair.first, pair.second, -0.8, name="to the left")
    stepper = TangleStepper(pair.table, [more, less])
    result = solve(stepper, start, SolveOptions(max_steps=150, shakes=1))
    assert result.status is not Status.REACHED and not result.reached
    assert set(result.unmet) == {"to the right", "to the left"}
    assert any("to the right" in line and "to the left" in line for line in result.conflicts)
    assert certify(pair.table, result.path, fps=30.0).certified


def ring(height: float, radius: float, name: str) -> Strand:
    angle = 2 * np.pi * np.arange(12) / 12
    points = np.column_stack([np.full(12, height), radius * np.cos(angle), radius * np.sin(angle)])
    return Strand.along(points + np.array([0.0, 0.0, 0.15]), name=name, closed=True)


def test_a_chain_passes_through_two_loops_in_turn(pair, start):
    # the chain lies along +x from 0 to 1; the loops lie across x, farther on
    loops = [ring(1.15, 0.12, "first ring"), ring(1.35, 0.12, "second ring")]
    goals = tuple(Through(pair.first, loop, clearance_m=0.02) for loop in loops)
    key = TangleKeyframe("threaded", goals, order="given")
    motion = animate(TangleSetup(pair.table), start, [key])
    assert motion.reached, motion.problems
    stepper = TangleStepper(pair.table, goals)
    stepper.update(motion.path[-1])
    for loop in loops:
        assert net_crossings(stepper.vertices(pair.first), stepper.vertices(loop)) == 1


def test_around_a_bundle_alike_and_clear_of_another(pair, start):
    posts = tuple(
        Strand.along([[0.5 + dx, -1.0, 0.15 + dz], [0.5 + dx, 1.0, 0.15 + dz]], name=f"post {k}")
        for k, (dx, dz) in enumerate([(0.0, 0.0), (0.05, 0.0), (0.0, 0.05)])
    )
    goals = (Around(pair.first, posts, 0.7), Untangled(pair.first, pair.second, 0.3))
    # posts without solid shapes: sigma alone keeps the chain off them
    stepper = TangleStepper(pair.table, goals, options=TangleOptions(sigma=0.3))
    result = solve(stepper, start)
    assert result.reached, result.unmet
    values = [Linking(pair.first, post).value(pair.skeleton, result.q)[0] for post in posts]
    assert np.mean(values) == pytest.approx(0.7, abs=0.02) and np.std(values) < 0.05
    assert abs(Linking(pair.first, pair.second).value(pair.skeleton, result.q)[0]) < 0.31


def test_sigma_bounds_the_pairs_that_stay_untangled_too(pair, start):
    wound = solve(TangleStepper(pair.table, [Tangle(pair.first, pair.second, 0.6)]), start).q
    entries = WritheMatrix(pair.first, pair.second)
    sigma = 0.5 * float(np.abs(entries.value(pair.skeleton, wound)).max())
    goal = Untangled(pair.first, pair.second, 1.0)
    stepper = TangleStepper(pair.table, [goal], options=TangleOptions(sigma=sigma))
    result = solve(stepper, wound)
    assert result.reached
    assert np.abs(entries.value(pair.skeleton, result.q)).max() <= sigma + 1e-3


def test_a_chain_keeps_its_tangle_with_a_driven_one(pair, start):
    skeleton = pair.skeleton
    wound = solve(TangleStepper(pair.table, [Tangle(pair.first, pair.second, 0.7)]), start).q
    free = np.array(
        [name.startswith("a") for name in np.array(skeleton.names)[skeleton.tree.dof_joint]]
    )
    path = np.tile(wound, (60, 1))
    path[:, skeleton.q_slice("b0").start + 1] += np.linspace(0, 0.3, 60)  # 30 cm up
    drive = DrivenMotion(skeleton, path)
    stepper = TangleStepper(pair.table, [Tangle(pair.first, pair.second, 0.7)], variables=free)
    result = solve(stepper, wound, SolveOptions(80, min_steps=70), drive=drive)
    assert drive.finished and drive.delayed_frames < 10
    found = [Linking(pair.first, pair.second).value(skeleton, q)[0] for q in result.path]
    assert min(found) > 0.6 and result.reached
    assert certify(pair.table, result.path, fps=30.0).certified


def test_an_order_is_found_and_explained(pair, start):
    post = Strand.along([[0.8, -1.0, -0.2], [0.8, 1.0, -0.2]], name="post")
    key = TangleKeyframe(
        "both",
        (Tangle(pair.first, pair.second, 0.4), Tangle(pair.first, post, 0.4)),
        solve=SolveOptions(120),
    )
    found = order_automatically(TangleSetup(pair.table), start, key)
    assert len(found.tried) == 2 and found.best.motion.reached
    assert " rad, " in found.why and found.tried[0].cost <= found.tried[1].cost
    assert found.keyframe(key).order == "given"


def test_misuse_raises(pair):
    with pytest.raises(WritheError, match="closed"):
        Through(pair.first, pair.second)
    with pytest.raises(WritheError, match="finite"):
        Tangle(pair.first, pair.second, float("nan"))
    with pytest.raises(WritheError, match="order"):
        TangleKeyframe("x", order="sideways")
    with pytest.raises(WritheError, match="entries"):
        TangleStepper(pair.table, [], metric=np.ones(3))

"""The posing benchmarks, on methods with known behaviour."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from writhe.collision import CollisionTable, certify
from writhe.database import PostureDatabase
from writhe.errors import UnknownNameError, WritheError
from writhe.research import benchmarks
from writhe.research.benchmarks.reconstruct import clear_start
from writhe.research.benchmarks.throughput.query import synthetic_postures
from writhe.research.evaluation.drags.drag_scenes import make_drag_scene
from writhe.research.evaluation.drags.run_drags import evaluate_drag, make_metrics
from writhe.research.evaluation.drags.scripted_drag import scripted_drags, standing
from writhe.research.evaluation.metrics import PosingMetrics
from writhe.research.evaluation.skin.depth import SkinDepth
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import integrate
from writhe.solvers.posing import make_poser

HUMAN = figure("human")


def test_drags_are_the_same_every_time_and_vary_by_round():
    first, again = scripted_drags(HUMAN, 2), scripted_drags(HUMAN, 2)
    assert all(np.array_equal(a.path, b.path) for a, b in zip(first, again, strict=True))
    half = len(first) // 2
    assert not np.array_equal(first[0].path[-1], first[half].path[-1])


def test_a_drag_through_the_body_tells_methods_apart():
    table = CollisionTable.of_figure(HUMAN)
    script = next(d for d in scripted_drags(HUMAN) if d.name == "through a held chest, brisk")
    found = {}
    for method in ("default", "plain"):
        metrics = PosingMetrics(HUMAN, table, SkinDepth.of_figure(HUMAN))
        evaluate_drag(metrics, make_poser(method, HUMAN), HUMAN, script, standing(HUMAN))
        found[method] = metrics.summary()
    assert found["default"]["penetrating_frames_percent"] == 0.0
    assert found["default"]["uncertified_motions"] == 0
    assert found["default"]["skin_penetrating_frames_percent"] == 0.0
    assert found["plain"]["penetrating_frames_percent"] > 10.0
    assert found["plain"]["skin_penetrating_frames_percent"] > 10.0
    assert found["plain"]["uncertified_motions"] == 1


@pytest.mark.parametrize("name", ["ladder", "chair 1"])
def test_every_method_plays_among_objects_and_only_default_stays_clear(name):
    setting = make_drag_scene(name)
    drag = min((d for d in setting.drags() if not d.feasible), key=lambda d: len(d.path))
    found = {}
    for method in ("default", "paper", "plain"):
        metrics = make_metrics(setting)
        evaluate_drag(metrics, setting.poser(method), setting.figure, drag, setting.start)
        found[method] = metrics.summary()
    assert found["default"]["uncertified_motions"] == 0
    assert found["default"]["penetrating_frames_percent"] == 0.0
    assert all(f["uncertified_motions"] for m, f in found.items() if m != "default")


def test_tallies_add_up():
    setting = make_drag_scene("chair 2")
    drags = [replace(d, path=d.path[:12], rests=(11,)) for d in setting.drags()[:2]]
    poser = setting.poser("default")
    apart, together = [make_metrics(setting) for _ in drags], make_metrics(setting)
    for metrics, drag in zip(apart, drags, strict=True):
        evaluate_drag(metrics, poser, setting.figure, drag, setting.start)
        evaluate_drag(together, poser, setting.figure, drag, setting.start)
    apart[0].merge(apart[1])
    for key in ("frames", "pass_throughs", "feasible_targets", "skin_penetrating_frames_percent"):
        assert apart[0].summary()[key] == together.summary()[key]


def test_truth_compared_with_itself_has_no_error(rng):
    skeleton = HUMAN.skeleton
    steps = rng.normal(0, 0.1, (5, skeleton.dof_count)).cumsum(axis=0)
    q = np.array([integrate(skeleton, standing(HUMAN), v) for v in steps])
    metrics = PosingMetrics(HUMAN, CollisionTable.of_figure(HUMAN))
    metrics.milliseconds, metrics.residuals = [1.0], [0.0]
    metrics.add_motion(q, fps=30.0)
    metrics.add_truth(q, q)
    assert metrics.summary()["joint_error_cm"] == 0.0
    assert metrics.summary()["wrong_topology_percent"] == 0.0


def test_synthetic_postures_have_mostly_small_linking(rng):
    features, linking = synthetic_postures(4000, 10, rng)
    assert np.isfinite(features).all()
    assert 0.3 < (np.abs(linking) < 0.05).mean() < 0.99
    assert np.abs(linking).max() < 0.5


def test_a_replay_starts_clear_where_joint_limits_conflict_with_contacts():
    table, step = CollisionTable.of_figure(HUMAN), np.zeros(HUMAN.skeleton.dof_count)
    step[HUMAN.skeleton.v_slice("right_shoulder")] = [0.73, -0.43, 0.15]
    step[HUMAN.skeleton.v_slice("right_clavicle")] = [-1.16, -0.42, 1.24]
    overlapping = integrate(HUMAN.skeleton, HUMAN.skeleton.rest_configuration, step)
    assert not certify(table, overlapping[None], fps=30.0).certified
    assert certify(table, clear_start(HUMAN, table, overlapping)[None], fps=30.0).certified


def test_misuse_names_the_benchmarks_and_their_options():
    with pytest.raises(UnknownNameError, match="kernels"):
        benchmarks.run("nonsense")
    with pytest.raises(WritheError, match="--clips"):
        benchmarks.run("kernels", clips="somewhere")
    with pytest.raises(WritheError, match="--clips DIR"):
        benchmarks.run(
            "reconstruct", database=PostureDatabase.from_postures(HUMAN, standing(HUMAN))
        )

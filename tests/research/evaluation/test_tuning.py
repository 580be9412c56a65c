"""Tuning by leave-out reconstruction."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.collision import CollisionTable
from writhe.database import PostureDatabase
from writhe.errors import UnknownNameError, WritheError
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.research.evaluation.tuning import GRIDS, LeaveOut, tune
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import integrate
from writhe.solvers.posing import PoseResult, make_poser
from writhe.solvers.result import Status

HUMAN = figure("human")


@pytest.fixture(scope="module")
def database():
    rng = np.random.default_rng(5)
    start = standing(HUMAN)
    steps = rng.normal(0, 0.12, (80, HUMAN.skeleton.dof_count))
    return PostureDatabase.from_postures(
        HUMAN, np.array([integrate(HUMAN.skeleton, start, v) for v in steps])
    )


def test_postures_left_out_are_not_in_the_database(database):
    task = LeaveOut(database, 20, seed=1)
    assert len(task.database) == 60
    kept = {row.tobytes() for row in task.database.q}
    assert not any(row.tobytes() in kept for row in task.truth.q)
    again = LeaveOut(database, 20, seed=1)
    assert np.array_equal(task.truth.q, again.truth.q)


def test_reconstruction_comes_nearer_than_where_it_started(database):
    task = LeaveOut(database, 6)

    class Still:
        """Stays where it is."""

        name, figure = "still", HUMAN
        table = CollisionTable.of_figure(HUMAN)

        def step(self, q, targets, pins=()):
            return PoseResult(q, Status.SETTLED, {}, {}, 0.0)

    still, _ = task.error(Still())
    made, milliseconds = task.error(make_poser("default", HUMAN, task.database))
    assert made < 0.7 * still
    assert milliseconds > 0


def test_what_searches_by_linking_is_tuned_over_the_linking_radius(database):
    assert "linking_radius" in GRIDS["paper"] and "linking_radius" in GRIDS["default"]
    found = tune("paper", database, count=3, max_ms=1e4, max_rounds=1,
                 grids={"linking_radius": GRIDS["paper"]["linking_radius"][:2]})  # fmt: skip
    assert len({trial.values["linking_radius"] for trial in found.trials}) > 1


def test_tuning_takes_the_best_value_within_the_time_limit(database):
    grids = {"iterations": (1, 3), "dimensions": (2, 30)}
    found = tune("paper", database, count=5, max_ms=1e4, max_rounds=2, grids=grids)
    assert found.best.error_cm <= found.start.error_cm
    assert found.best.error_cm == min(t.error_cm for t in found.trials)
    assert found.best.values["dimensions"] == 30
    none = tune("paper", database, count=2, max_ms=0.0, max_rounds=1, grids={"iterations": (1,)})
    assert none.best is none.start  # nothing is quick enough to replace it


def test_misuse_is_told(database):
    with pytest.raises(UnknownNameError, match="local-pca"):
        tune("magic", database)
    with pytest.raises(WritheError, match="left out"):
        LeaveOut(database, 80)


@pytest.mark.parametrize("method", GRIDS)
def test_every_parameter_of_a_grid_is_one_of_its_method(database, method):
    first = {name: grid[:1] for name, grid in GRIDS[method].items()}
    tuned = tune(method, database, count=1, max_rounds=1, grids=first)
    assert set(tuned.best.values) == set(first)

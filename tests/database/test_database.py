"""Posture databases: normalisation, exact search, the paper's filter, Parquet files."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from writhe.database import NeighbourSearch, PostureDatabase, normalise, posture_features
from writhe.errors import WritheError
from writhe.research.benchmarks.throughput.query import synthetic_postures
from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import integrate
from writhe.topology import linking_vector


def random_postures(count: int, rng: np.random.Generator, spread: float = 0.3) -> np.ndarray:
    skeleton = figure("human").skeleton
    steps = rng.normal(0, spread, (count, skeleton.dof_count))
    return np.array([integrate(skeleton, skeleton.rest_configuration, v) for v in steps])


def test_normalising_removes_position_and_heading_but_not_posture(rng):
    human = figure("human")
    q = random_postures(20, rng, 0.6)
    turned = q.copy()
    angle = 1.1
    c, s = np.cos(angle / 2), np.sin(angle / 2)
    w, x, y, z = q[:, 3], q[:, 4], q[:, 5], q[:, 6]
    turned[:, 3:7] = np.stack([c * w - s * y, c * x + s * z, c * y + s * w, c * z - s * x], axis=1)
    turned[:, 0] += 3.0
    turned[:, 2] -= 1.0
    a, b = normalise(human.skeleton, q), normalise(human.skeleton, turned)
    shape = forward(human.skeleton, a).positions
    np.testing.assert_allclose(forward(human.skeleton, b).positions, shape, atol=1e-9)
    np.testing.assert_allclose(linking_vector(human, a), linking_vector(human, q), atol=1e-9)
    front = forward(human.skeleton, a).rotation("hips")[:, :, 2]
    level = np.hypot(front[:, 0], front[:, 2]) > 0.2
    np.testing.assert_allclose(front[level, 0], 0.0, atol=1e-9)


@given(st.integers(0, 10_000), st.integers(1, 30), st.floats(0.01, 2.0))
def test_neighbours_equal_those_of_a_brute_force_search(seed, k, radius):
    rng = np.random.default_rng(seed)
    features, linking = rng.normal(0, 1, (300, 8)), rng.normal(0, 0.3, (300, 4))
    x, tie = rng.normal(0, 1, 8), rng.normal(0, 0.3, 4)
    numbers, distances = NeighbourSearch(features, linking).query(x, tie, k, radius)
    apart = np.linalg.norm(linking - tie, axis=1)
    while (apart <= radius).sum() < k:
        radius *= 2
    plain = np.linalg.norm(features - x, axis=1)
    plain[apart > radius] = np.inf
    # the search works in single precision
    np.testing.assert_allclose(distances, np.sort(plain)[:k], rtol=1e-6)
    np.testing.assert_allclose(plain[numbers], distances, rtol=1e-6)


def test_a_deep_tree_of_curves_and_copies_is_searched_exactly():
    features, linking = synthetic_postures(12_000, 10, np.random.default_rng(5))
    features[500:600] = features[500]  # more copies than a leaf holds
    search = NeighbourSearch(features[200:], linking[200:])
    for x, tie in zip(features[:200:5], linking[:200:5], strict=True):
        plain = np.linalg.norm(features[200:] - x, axis=1)
        near = np.sort(plain[np.linalg.norm(linking[200:] - tie, axis=1) <= 0.1])[:50]
        _, distances = search.query(x, tie, len(near), 0.1)
        np.testing.assert_allclose(distances, near, rtol=1e-5)


def test_topologically_different_postures_are_not_neighbours(rng):
    human = figure("human")
    database = PostureDatabase.from_postures(human, random_postures(400, rng, 0.9))
    one = 7
    features = posture_features(human.skeleton, database.q[one])[0]
    numbers, _ = database.search.query(features, database.linking[one], 5, 0.05)
    assert numbers[0] == one
    apart = np.linalg.norm(database.linking[numbers[1:]] - database.linking[one], axis=1)
    alone, _ = database.search.query(features, database.linking[one], 5, 1e9)
    further = np.linalg.norm(database.linking[alone[1:]] - database.linking[one], axis=1)
    assert apart.mean() < further.mean()


def test_filtering_keeps_postures_apart_and_covers_the_rest(rng):
    human = figure("human")
    database = PostureDatabase.from_postures(human, random_postures(300, rng, 0.05))
    threshold = 0.05
    kept = database.filtered(threshold)
    assert 1 < len(kept) < len(database)
    points = kept.joint_positions().reshape(len(kept), -1)
    square = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    assert square[~np.eye(len(kept), dtype=bool)].min() >= threshold
    everyone = database.joint_positions().reshape(len(database), -1)
    assert ((everyone[:, None] - points[None]) ** 2).sum(axis=2).min(axis=1).max() < threshold


def test_a_database_round_trips_and_others_read_it(tmp_path, rng):
    import duckdb
    import pandas as pd

    human = figure("human")
    database = PostureDatabase.from_postures(human, random_postures(50, rng), clip="walk")
    path = tmp_path / "postures.parquet"
    database.save(path)
    again = PostureDatabase.load(path, human)
    np.testing.assert_array_equal(again.q, database.q)
    np.testing.assert_array_equal(again.linking, database.linking)
    assert again.clip == database.clip
    frame = pd.read_parquet(path)
    np.testing.assert_array_equal(np.stack(list(frame["linking"])), database.linking)
    counted = duckdb.sql(f"select count(*) from '{path}' where clip = 'walk'")
    assert counted is not None and counted.fetchall() == [(50,)]


def test_files_that_are_not_databases_raise_with_a_remedy(tmp_path):
    human = figure("human")
    junk = tmp_path / "junk.parquet"
    junk.write_bytes(b"PAR1 not really")
    with pytest.raises(WritheError, match="db build"):
        PostureDatabase.load(junk, human)
    with pytest.raises(WritheError, match="no such file"):
        PostureDatabase.load(tmp_path / "absent.parquet", human)


def test_mirror_images_are_added_once(rng):
    human = figure("human")
    database = PostureDatabase.from_postures(human, random_postures(40, rng, 0.5))
    both = database.with_mirror_images()
    assert len(both) == 2 * len(database)
    assert len(both.with_mirror_images()) == len(both)
    upright = PostureDatabase.from_postures(human, human.skeleton.rest_configuration[None])
    assert len(upright.with_mirror_images()) == 1  # its own mirror image


@pytest.mark.parametrize("count", [1, 3])
def test_identical_postures_are_found(count: int) -> None:
    human = figure("human")
    few = PostureDatabase.from_postures(
        human, np.tile(human.skeleton.rest_configuration, (count, 1))
    )
    features = posture_features(human.skeleton, few.q)[0]
    numbers, distances = few.search.query(features, few.all_linking[0], 2, 0.1)
    assert len(numbers) == min(count, 2)
    assert np.allclose(distances, 0.0, atol=1e-6)

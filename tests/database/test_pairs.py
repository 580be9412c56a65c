"""Databases of two people: independent of place, both roles, mirrored, stored."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.database import PairDatabase, PostureDatabase
from writhe.errors import WritheError
from writhe.skeleton.kinematics import integrate
from writhe.skeleton.move_root import moved_roots
from writhe.skeleton.quaternions import rotation_matrix


def yaw(angle: float) -> np.ndarray:
    return rotation_matrix(np.array([np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0]))


@pytest.fixture
def two(human, rng):
    """Six postures of two people who stand near each other."""
    skeleton = human.skeleton
    steps = 0.3 * rng.normal(size=(2, 6, skeleton.dof_count))
    steps[:, :, :6] *= 0.2
    both = [
        np.array([integrate(skeleton, skeleton.rest_configuration, v) for v in one])
        for one in steps
    ]
    return both[0], moved_roots(skeleton, both[1], yaw(2.8), np.array([0.1, 0.0, 0.5]))


def test_a_pair_does_not_depend_on_where_both_are(human, two):
    here = PairDatabase.from_postures(human, *two)
    away = [moved_roots(human.skeleton, q, yaw(1.3), np.array([4.0, 0.0, -2.0])) for q in two]
    there = PairDatabase.from_postures(human, *away)
    np.testing.assert_allclose(there.joint_positions(), here.joint_positions(), atol=1e-9)
    np.testing.assert_allclose(there.linking, here.linking, atol=1e-9)
    assert here.linking.shape == (6, 25)
    assert np.abs(here.linking).max() > 0.05  # the two are near enough to be linked


def test_exchanging_the_roles_twice_gives_the_same_pairs(human, two):
    database = PairDatabase.from_postures(human, *two, clip="talk")
    both = database.with_both_roles()
    again = both.take(np.arange(6, 12)).with_both_roles().take(np.arange(6, 12))
    np.testing.assert_allclose(again.joint_positions(), database.joint_positions(), atol=1e-9)
    # the linking of two strands does not depend on their order
    exchanged = both.linking[6:].reshape(6, 5, 5).transpose(0, 2, 1)
    np.testing.assert_allclose(exchanged, database.linking.reshape(6, 5, 5), atol=1e-9)


def test_a_mirror_image_has_the_opposite_linking(human, two):
    database = PairDatabase.from_postures(human, *two)
    image = database.with_mirror_images().take(np.arange(6, 12))
    torsos = 0
    np.testing.assert_allclose(image.linking[:, torsos], -database.linking[:, torsos], atol=1e-9)


def test_pairs_are_stored_and_are_no_posture_database(human, two, tmp_path):
    database = PairDatabase.from_postures(human, *two, clip="talk")
    database.save(tmp_path / "pairs.parquet")
    found = PairDatabase.load(tmp_path / "pairs.parquet", human)
    np.testing.assert_array_equal(found.partner, database.partner)
    assert found.clip == ("talk",) * 6
    with pytest.raises(WritheError, match="writhe db build"):
        PostureDatabase.load(tmp_path / "pairs.parquet", human)
    PostureDatabase.from_postures(human, two[0]).save(tmp_path / "postures.parquet")
    with pytest.raises(WritheError, match="writhe db pairs"):
        PairDatabase.load(tmp_path / "postures.parquet", human)


def test_equal_pairs_are_merged(human, two):
    database = PairDatabase.from_postures(human, *two)
    assert len(database.merged(database).filtered(1e-6)) == 6

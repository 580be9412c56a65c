"""The built-in library: enough postures, all valid, and deterministic."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.collision import CollisionTable
from writhe.errors import UnknownNameError
from writhe.postures.builtin import KINDS, THRESHOLDS_M2, authored_poses, builtin_database
from writhe.postures.builtin import store as library_store
from writhe.postures.builtin.anatomical_angles import (
    ArmAngles,
    BodyAngles,
    LegAngles,
    configuration,
)
from writhe.postures.builtin.build import LINKED_OTHERWISE
from writhe.postures.builtin.pose_setting import PoseSetting
from writhe.postures.builtin.posture_variants import PostureBuilder
from writhe.scene.objects import built_in
from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.skeleton.limits import limit_excess
from writhe.skeleton.mirror import mirrored
from writhe.topology import pair_names

MIN_POSTURES = {"basic": 1400, "ladder": 170, "chair": 330}


@pytest.mark.parametrize("kind", KINDS)
def test_there_are_enough_postures_and_they_are_apart(libraries, kind):
    database, tally = libraries(kind)
    assert len(database) >= MIN_POSTURES[kind]
    assert len(authored_poses(kind)) >= 60
    assert len(tally.dropped) <= 0.05 * tally.authored
    assert tally.certified > 0
    points = database.joint_positions().reshape(len(database), -1)[:400]
    square = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    tied = database.linking[: len(points)]
    otherwise = np.abs(tied[:, None] - tied[None]).max(axis=2) > LINKED_OTHERWISE
    apart = (square >= THRESHOLDS_M2[kind]) | otherwise | np.eye(len(points), dtype=bool)
    assert apart.all()
    # the count holds for the paper's own filter too
    assert len(database.filtered(THRESHOLDS_M2[kind])) >= MIN_POSTURES[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_postures_stay_within_limits_and_clear_of_themselves(libraries, kind):
    database, _ = libraries(kind)
    human = figure("human")
    setting = PoseSetting(human, "")
    own = CollisionTable.of_figure(human)
    assert len(own.pairs.a) > 0
    for q in database.q[:: max(1, len(database) // 150)]:
        assert max(limit_excess(human.skeleton, q).values(), default=0.0) <= np.radians(0.25)
        assert setting.clear(q)[0]


@pytest.mark.parametrize("kind", ["chair", "ladder"])
def test_with_the_object_put_where_the_record_says_nothing_penetrates(libraries, kind):
    database, _ = libraries(kind)
    human = figure("human")
    setting = PoseSetting(human, kind)
    assert database.object_name == kind
    strands = built_in(kind)[1]
    assert database.object_linking.shape == (len(database), 5 * len(strands))
    for i in range(0, len(database), max(1, len(database) // 40)):
        q = database.q[i].copy()
        x, y, z, qw, _, qy, _ = database.object_pose[i]
        assert y == pytest.approx(0.0, abs=1e-12)
        # move the posture so that the object comes to stand at the origin
        angle = -2.0 * np.arctan2(qy, qw)
        c, s = np.cos(angle), np.sin(angle)
        q[0], q[2] = -(c * x + s * z), -(-s * x + c * z)
        half_c, half_s = np.cos(angle / 2), np.sin(angle / 2)
        w, a, b, d = q[3:7].copy()
        q[3:7] = [
            half_c * w - half_s * b,
            half_c * a + half_s * d,
            half_c * b + half_s * w,
            half_c * d - half_s * a,
        ]
        assert setting.clear(q)[0]
        np.testing.assert_allclose(
            setting.object_linking(q[None])[0], database.object_linking[i], atol=1e-9
        )


def test_folded_arms_are_linked_the_other_way_round_in_the_mirror(libraries):
    database, _ = libraries("basic")
    column = pair_names(database.figure).index("left_arm:right_arm")
    # "~" marks small changes, which may slip from one fold into the other
    folded = [
        i
        for i, name in enumerate(database.clip)
        if name.startswith("arms folded") and "~" not in name
    ]
    swapped = [i for i in folded if database.clip[i].endswith("(mirrored)")]
    plain = [i for i in folded if not database.clip[i].endswith("(mirrored)")]
    assert len(plain) > 0
    assert len(swapped) > 0
    assert database.linking[plain, column].min() > 0.15
    assert database.linking[swapped, column].max() < -0.15


def test_the_same_postures_are_made_every_time():
    human = figure("human")

    def some() -> list[bytes]:
        builder = PostureBuilder(PoseSetting(human, "ladder"))
        keys = [builder.authored(pose) for pose in authored_poses("ladder")[:6]]
        made = [p for p in keys if p is not None]
        made += builder.movement(made[0], made[1], 3)
        made += [p for p in (builder.perturbed(made[0], 3),) if p is not None]
        return [p.q.tobytes() for p in made]

    assert some() == some()


def test_a_library_is_made_once_and_read_from_the_cache_after(tmp_path, monkeypatch, libraries):
    database, tally = libraries("ladder")
    calls = []

    def make(kind, human, progress):
        calls.append(kind)
        return database, tally

    monkeypatch.setattr(library_store, "cache_root", lambda: tmp_path)

    def cached(name: str):
        return tmp_path / name if (tmp_path / name).is_file() else None

    monkeypatch.setattr(library_store, "cached_file", cached)
    monkeypatch.setattr(library_store, "make", make)
    monkeypatch.setattr(library_store, "_made", {})
    first = builtin_database("ladder")
    assert builtin_database("ladder") is first
    library_store._made.clear()
    again = builtin_database("ladder")
    assert calls == ["ladder"]
    np.testing.assert_array_equal(again.q, database.q)
    np.testing.assert_array_equal(again.object_linking, database.object_linking)
    np.testing.assert_array_equal(again.object_pose, database.object_pose)
    assert again.object_name == "ladder"
    # a damaged cache is made again
    (stored,) = (tmp_path / "library").glob("ladder-*.npz")
    stored.write_bytes(b"broken")
    library_store._made.clear()
    builtin_database("ladder")
    assert calls == ["ladder", "ladder"]
    library_store._made.clear()
    builtin_database("ladder")
    assert calls == ["ladder", "ladder"]  # it was stored again, in whole


def test_unknown_libraries_are_named():
    with pytest.raises(UnknownNameError, match="basic, ladder, chair"):
        builtin_database("swimming")


def test_anatomical_angles_mean_what_they_say():
    human = figure("human").skeleton
    rest = BodyAngles(
        ArmAngles(flex=90, abduct=0, rotate=0, elbow=0),
        ArmAngles(flex=0, abduct=90, rotate=0, elbow=0),
        LegAngles(flex=90, abduct=0, rotate=0, knee=90),
        LegAngles(flex=0, abduct=30, rotate=0, knee=0),
    )
    frames = forward(human, configuration(human, rest))

    def along(start: str, end: str) -> np.ndarray:
        v = frames.position(end) - frames.position(start)
        return v / np.linalg.norm(v)

    chest = frames.rotation("chest")
    np.testing.assert_allclose(along("left_shoulder", "left_elbow"), chest @ [0, 0, 1], atol=0.02)
    np.testing.assert_allclose(
        along("right_shoulder", "right_elbow"), chest @ [-1, 0, 0], atol=0.02
    )
    np.testing.assert_allclose(along("left_hip", "left_knee"), [0, 0, 1], atol=1e-9)
    np.testing.assert_allclose(along("left_knee", "left_ankle"), [0, -1, 0], atol=1e-9)
    np.testing.assert_allclose(
        along("right_hip", "right_knee"), [-np.sin(np.pi / 6), -np.cos(np.pi / 6), 0], atol=1e-9
    )


def test_the_mirror_image_swaps_the_sides(rng):
    from writhe.skeleton.limits import random_configurations

    human = figure("human").skeleton
    q = random_configurations(human, 5, rng)
    here, there = forward(human, q).positions, forward(human, mirrored(human, q)).positions
    for name in human.names:
        other = name.replace("left", "x").replace("right", "left").replace("x", "right")
        flipped = here[:, human.index(name)] * np.array([-1.0, 1.0, 1.0])
        np.testing.assert_allclose(there[:, human.index(other)], flipped, atol=1e-9)
    np.testing.assert_allclose(mirrored(human, mirrored(human, q)), q, atol=1e-12)

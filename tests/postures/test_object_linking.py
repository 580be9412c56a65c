"""Databases of clips with an object: linking with it, and its pose."""

from __future__ import annotations

import json

import numpy as np
import pytest

from writhe import save
from writhe.cli.app import run
from writhe.database import PostureDatabase
from writhe.errors import WritheError
from writhe.postures.build_database import clip_postures
from writhe.postures.builtin import builtin_database
from writhe.postures.object_linking import ObjectLinking, find_object
from writhe.postures.object_tracks import HIPS_ON_CHAIR_M, ObjectPlacement, read_object_tracks
from writhe.skeleton import Motion, forward, quaternions
from writhe.skeleton.figures import figure


@pytest.fixture
def sitting():
    """Postures on the built-in chair, moved and rotated together with the chair."""
    library = builtin_database("chair")
    numbers = np.arange(0, len(library), 25)
    turn, shift = 0.8, np.array([1.5, 0.3, -2.0])
    c, s = np.cos(turn), np.sin(turn)
    rows = np.array([library.relative_to_object(int(i)) for i in numbers])
    x, z = rows[:, 0].copy(), rows[:, 2].copy()
    rows[:, 0], rows[:, 2] = c * x + s * z, c * z - s * x
    rows[:, :3] += shift
    about = np.array([np.cos(turn / 2), 0.0, np.sin(turn / 2), 0.0])
    for row in rows:
        row[3:7] = quaternions.multiply(about, row[3:7])
    return library.take(numbers), rows, ObjectPlacement(shift, turn)


def test_linking_does_not_depend_on_where_chair_and_sitter_are(sitting):
    library, rows, placement = sitting
    alone = PostureDatabase.from_postures(library.figure, rows)
    found = ObjectLinking(library.figure, find_object("chair"), {"clip": [placement]}).add_linking(
        alone, rows, "clip", 1.0
    )
    np.testing.assert_allclose(found.object_linking, library.object_linking, atol=1e-9)
    for i in range(len(found)):  # the chair at the origin, the body beside it as in the library
        here = forward(library.figure.skeleton, found.relative_to_object(i)).positions
        there = forward(library.figure.skeleton, library.relative_to_object(i)).positions
        np.testing.assert_allclose(here, there, atol=1e-9)


def test_an_object_that_is_moved_is_where_it_was_last_put(tmp_path):
    file = tmp_path / "places.json"
    late = {"from_frame": 10, "at_m": [2, 0, 0], "turn_deg": 90, "point_m": [0, 0, 0.5]}
    file.write_text(json.dumps({"places": {"a": [late, {"at_m": [0, 0, 1]}]}}))
    human = figure("human")
    q = np.tile(human.skeleton.rest_configuration, (20, 1))
    save(Motion(human.skeleton, q, 30.0), tmp_path / "a.bvh")
    object_linking = ObjectLinking(human, find_object("ladder"), read_object_tracks(file))
    found = clip_postures(tmp_path / "a.bvh", "a.bvh", human, 9, object_linking=object_linking)
    # a turn by 90 degrees takes the point half a metre before the ladder to its +X side
    np.testing.assert_allclose(
        found.object_pose[:, :3], [[0, 0, 1], [0, 0, 1], [1.5, 0, 0]], atol=1e-6
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not JSON"),
        ('{"places": {"a": [{"turn_deg": 1}]}}', r"places\.a\[0\].*'at_m' is missing"),
        ('{"places": {"a": [{"at_m": [1, 2]}]}}', "expected 3 numbers"),
        ('{"places": {"a": [{"at_m": [0, 0, 0], "tilt": 3}]}}', "unknown key 'tilt'"),
        ("{}", "no placements"),
    ],
)
def test_bad_placements_are_refused_with_their_location(tmp_path, text, says):
    file = tmp_path / "places.json"
    file.write_text(text)
    with pytest.raises(WritheError, match=says) as refused:
        read_object_tracks(file)
    assert "places.json" in str(refused.value)


def test_estimated_seats_put_the_chair_where_the_built_in_sitters_have_it():
    library = builtin_database("chair")
    sits = [i for i, name in enumerate(library.clip) if name.startswith("sit")]
    frames = forward(
        library.figure.skeleton, np.array([library.relative_to_object(i) for i in sits])
    )
    hips = 0.5 * (frames.position("left_hip") + frames.position("right_hip"))
    np.testing.assert_allclose(np.median(hips, axis=0), HIPS_ON_CHAIR_M, atol=0.01)


def test_clips_without_a_placement_are_named_and_skipped(capsys, tmp_path):
    human = figure("human")
    folder = tmp_path / "clips"
    folder.mkdir()
    q = np.tile(human.skeleton.rest_configuration, (4, 1))
    for name in ("a", "b"):
        save(Motion(human.skeleton, q, 30.0), folder / f"{name}.bvh")
    (folder / "geometry.json").write_text('{"places": {"a": [{"at_m": [0, 0, 1]}]}}')
    output = tmp_path / "out.parquet"
    with pytest.raises(SystemExit):
        run(["db", "build", str(folder), "-o", str(output), "--object", "chair", "--json"])
    answer = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert "the position of the chair in b is unknown" in answer["skipped"]["b.bvh"]
    assert PostureDatabase.load(output, human).object_name == "chair"


def test_captured_climbers_hold_the_rails_and_sitters_sit_on_the_seat(mocap):
    """The built-in objects are at the estimated positions of the recorded ones."""
    human = figure("human")
    rows = {}
    for object_name, clip in (("ladder", "13_33"), ("chair", "13_05")):
        folder = mocap / object_name
        object_linking = ObjectLinking(
            human, find_object(object_name), read_object_tracks(folder / "geometry.json")
        )
        found = clip_postures(folder / f"{clip}.bvh", clip, human, 5, object_linking=object_linking)
        rows[object_name] = forward(
            human.skeleton, np.array([found.relative_to_object(i) for i in range(len(found))])
        )
    climbing = rows["ladder"].position("left_ankle")[:, 1] > 0.3
    hands = [
        np.median(rows["ladder"].position(f"{s}_wrist")[climbing, 0]) for s in ("left", "right")
    ]
    np.testing.assert_allclose(hands, [0.21, -0.21], atol=0.06)
    sits = rows["chair"].position("left_hip")[:, 1] < 0.62
    assert sits.mean() > 0.3
    assert rows["chair"].position("left_hip")[:, 1].min() > 0.5  # nobody sits in the seat

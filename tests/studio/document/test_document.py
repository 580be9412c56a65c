"""Documents: saved at every command, undone and redone, across reopening."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from writhe.animation.key_interpolation import monotone_slopes
from writhe.errors import FileFormatError, WritheError
from writhe.skeleton import Motion
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import difference, interpolate
from writhe.studio.document import Document, TrackKind
from writhe.studio.document.schema import VERSION
from writhe.studio.document.timeline import FADE_S
from writhe.studio.editing import edits
from writhe.studio.editing.starting_poses import starting_pose


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "test.writhe"
    with Document.create(place, "Test") as document:
        document.add_actor("human")
        document.forget_history()
    return place


def bent(angle: float) -> np.ndarray:
    """The starting pose with the left elbow at an angle."""
    human = figure("human")
    q = starting_pose(human)
    q[human.skeleton.q_slice("left_elbow")] = angle
    return q


def elbow(q: np.ndarray) -> float:
    return float(q[figure("human").skeleton.q_slice("left_elbow")][0])


def test_a_new_document_stands_ready(path: Path) -> None:
    with Document.open(path) as document:
        (actor,) = document.actors()
        assert (document.name, actor.figure) == ("Test", "human")
        assert {pin.joint for pin in actor.pins} == {"left_ankle", "right_ankle"}
        assert document.undo_label is None


def test_undo_and_redo_survive_reopening(path: Path) -> None:
    with Document.open(path) as document:
        for angle in (0.5, 1.0):
            with document.edit(f"Bend {angle}") as edit:
                edits.set_pose(document, edit, 1, bent(angle), 0.0)
    with Document.open(path) as document:
        assert document.undo_label == "Bend 1.0"
        assert document.undo() == "Bend 1.0"
    with Document.open(path) as document:
        assert elbow(document.actor(1).configuration) == 0.5
        assert document.redo_label == "Bend 1.0"
        document.redo()
        assert elbow(document.actor(1).configuration) == 1.0
        document.undo()
        document.undo()
        assert document.undo() is None
        np.testing.assert_array_equal(
            document.actor(1).configuration, starting_pose(figure("human"))
        )


def test_a_new_command_forgets_what_was_undone(path: Path) -> None:
    with Document.open(path) as document:
        document.set_key(1, 0.0, bent(0.5))
        document.undo()
        document.set_key(1, 1.0, bent(0.7))
        assert document.redo_label is None
        (track,) = document.tracks(1)
        assert [key.time_s for key in document.keys(track.id)] == [1.0]


def test_a_failing_command_leaves_nothing_behind(path: Path) -> None:
    with Document.open(path) as document:
        with pytest.raises(WritheError), document.edit("Fails") as edit:
            edits.put_key(document, edit, 1, 0.5, bent(1.0))
            edit.delete("poses", 99)
        assert document.undo_label is None
        assert document.tracks(1) == []


def test_every_command_is_undone_exactly(path: Path) -> None:
    def rows(document: Document) -> list[tuple[object, ...]]:
        with sqlite3.connect(document.path) as other:
            return [
                row
                for table in ("actors", "tracks", "keys", "poses", "settings", "figures")
                for row in other.execute(f"SELECT * FROM {table} ORDER BY 1")
            ]

    with Document.open(path) as document:
        document.set_key(1, 0.0, bent(0.2))
        document.set_key(1, 2.0, bent(0.4))
        keys = [key.id for key in document.keys(document.tracks(1)[0].id)]
        commands = [
            lambda edit: edits.move_keys(document, edit, keys, 3.0),
            lambda edit: edits.copy_keys(document, edit, keys, 6.0),
            lambda edit: edits.delete_keys(document, edit, keys[:1]),
            lambda edit: edits.add_actor(document, edit, "hand"),
            lambda edit: edits.choose_figure(document, edit, 1, "octopus"),
            lambda edit: edits.choose_method(document, edit, 1, "plain"),
            lambda edit: edits.set_pin(document, edit, 1, bent(0.2), "left_wrist", "both"),
            lambda edit: edits.clear_tracks(document, edit, 1),
        ]
        for command in commands:
            before = rows(document)
            with document.edit("Try") as edit:
                command(edit)
            after = rows(document)
            assert after != before
            document.undo()
            assert rows(document) == before
            document.redo()
            assert rows(document) == after
            document.undo()


def test_a_repeated_request_is_known(path: Path) -> None:
    with Document.open(path) as document:
        with document.edit("Once", "request-0001") as edit:
            edits.set_pose(document, edit, 1, bent(0.5), 0.0)
        assert document.carried_out("request-0001")
        assert not document.carried_out("request-0002")


def test_other_files_are_rejected(tmp_path: Path, path: Path) -> None:
    text = tmp_path / "text.writhe"
    text.write_text("not a database " * 100)
    other = tmp_path / "other.writhe"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE actors (id INTEGER)")
    newer = tmp_path / "newer.writhe"
    newer.write_bytes(path.read_bytes())
    with sqlite3.connect(newer) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    for strange, words in ((text, "not a"), (other, "not a"), (newer, "newer")):
        with pytest.raises(FileFormatError, match=words):
            Document.open(strange)
    with pytest.raises(WritheError, match="already"):
        Document.create(path)


def test_in_betweens_meet_the_keys_and_do_not_overshoot(path: Path) -> None:
    with Document.open(path) as document:
        for time_s, angle in ((0.0, 0.1), (1.0, 1.0), (2.0, 1.0), (3.0, 0.3)):
            document.set_key(1, time_s, bent(angle))
        timeline = document.timeline(1)
        for time_s, angle in ((0.0, 0.1), (1.0, 1.0), (2.0, 1.0), (3.0, 0.3), (-1, 0.1), (9, 0.3)):
            assert elbow(timeline.at(time_s)) == pytest.approx(angle, abs=1e-12)
        angles = [elbow(timeline.at(t)) for t in np.linspace(0, 3, 301)]
        assert max(angles) <= 1.0 + 1e-12
        assert min(angles) >= 0.1 - 1e-12
        assert np.abs(np.diff(angles)).max() < 0.03
        assert len(document.motion(1)) == 91


def test_slopes_vanish_at_turning_points(rng: np.random.Generator) -> None:
    rates = rng.normal(size=(6, 4))
    slopes = monotone_slopes(rates)
    assert len(slopes) == 7
    for slope, before, after in zip(slopes[1:-1], rates[:-1], rates[1:], strict=True):
        turning = before * after <= 0
        assert (slope[turning] == 0).all()
        assert (np.abs(slope) <= 3 * np.minimum(np.abs(before), np.abs(after)) + 1e-12).all()


def test_keys_over_a_clip_are_a_layer(path: Path) -> None:
    skeleton = figure("human").skeleton
    clip_q = np.stack(
        [interpolate(skeleton, bent(0.2), bent(1.2), t) for t in np.linspace(0, 1, 301)]
    )
    with Document.open(path) as document:
        with document.edit("Clip") as edit:
            edits.put_clip(document, edit, 1, Motion(skeleton, clip_q, 30.0, "clip"), 0.0)
        wanted = bent(0.1)
        document.set_key(1, 5.0, wanted)
        timeline = document.timeline(1)
        np.testing.assert_allclose(difference(skeleton, timeline.at(5.0), wanted), 0, atol=1e-9)
        for away in (5.0 - FADE_S, 5.0 + FADE_S, 0.0, 9.0):  # the clip itself, unchanged
            ground = clip_q[round(away * 30)]
            np.testing.assert_allclose(
                difference(skeleton, timeline.at(away), ground), 0, atol=1e-9
            )
        (track,) = [t for t in document.tracks(1) if t.kind is TrackKind.CLIP]
        assert len(track.data) == clip_q.nbytes  # kept as it came, not baked


def test_moving_keys_replaces_what_they_land_on(path: Path) -> None:
    with Document.open(path) as document:
        for time_s, angle in ((0.0, 0.1), (1.0, 0.5), (2.0, 0.9)):
            document.set_key(1, time_s, bent(angle))
        track = document.tracks(1)[0].id
        first = document.keys(track)[0].id
        with document.edit("Move") as edit:
            edits.move_keys(document, edit, [first], 1.0)
        keys = document.keys(track)
        assert [key.time_s for key in keys] == [1.0, 2.0]
        assert keys[0].id == first


def test_an_embedded_figure_keeps_its_anatomy(tmp_path):
    from writhe.studio.document.embedded_figures import decode_figure, encode_figure

    human = figure("human")
    again = decode_figure(encode_figure(replace(human, name="mine")))
    assert again.folds and len(again.folds) == len(human.folds)
    for mine, theirs in zip(human.skeleton.joints, again.skeleton.joints, strict=True):
        assert (mine.limits is None) == (theirs.limits is None)
        if mine.limits is not None and theirs.limits is not None:
            np.testing.assert_array_equal(theirs.limits.lower, mine.limits.lower)
            np.testing.assert_array_equal(theirs.limits.upper, mine.limits.upper)
            np.testing.assert_array_equal(theirs.limits.frame, mine.limits.frame)
        assert theirs.mass_kg == mine.mass_kg
        np.testing.assert_array_equal(theirs.centre_of_mass, mine.centre_of_mass)

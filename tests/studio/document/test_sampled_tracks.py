"""Sampled tracks between two keys: they follow their keys; keys within are a layer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from writhe.arrays import Floats
from writhe.skeleton import Motion
from writhe.studio.document import Document, TrackKind, sampled_tracks
from writhe.studio.editing import edits


@pytest.fixture
def document(tmp_path: Path) -> Iterator[Document]:
    with Document.create(tmp_path / "tracks.writhe", "Tracks") as made:
        made.add_actor("human")
        yield made


def hop_motion(document: Document) -> Motion:
    """One second in which the root goes up and down, unlike an interpolation of the keys."""
    actor = document.actors()[0]
    q = np.tile(actor.configuration, (31, 1))
    q[:, 1] += 0.2 * np.sin(np.linspace(0.0, np.pi, 31))
    return Motion(document.figure("human").skeleton, q, 30.0, "Hop")


def heights(document: Document, *times_s: float) -> Floats:
    timeline = document.timeline(document.actors()[0].id)
    return timeline.sample(np.array(times_s))[:, 1]


@pytest.fixture
def hop(document: Document) -> Document:
    with document.edit("Hop") as edit:
        edits.put_sampled_track(document, edit, 1, hop_motion(document), 1.0)
    return document


def keys_of(document: Document) -> list[int]:
    track = document.track(1, TrackKind.POSE)
    return [] if track is None else [key.id for key in document.keys(track.id)]


def test_a_sampled_track_replaces_the_interpolation(hop: Document) -> None:
    low = heights(hop, 1.0)[0]
    np.testing.assert_allclose(heights(hop, 0.0, 1.5, 2.0, 3.0) - low, [0, 0.2, 0, 0], atol=1e-9)
    assert len(keys_of(hop)) == 2
    hop.undo()
    assert hop.timeline(1).empty


def test_moving_its_last_key_stretches_a_track(hop: Document) -> None:
    low = heights(hop, 1.0)[0]
    with hop.edit("Move") as edit:
        edits.move_keys(hop, edit, [keys_of(hop)[1]], 1.0)
    np.testing.assert_allclose(heights(hop, 1.0, 2.0, 3.0) - low, [0, 0.2, 0], atol=1e-9)
    hop.undo()
    np.testing.assert_allclose(heights(hop, 1.5, 2.0) - low, [0.2, 0], atol=1e-9)


def test_moving_both_keys_moves_a_track(hop: Document) -> None:
    low = heights(hop, 1.0)[0]
    with hop.edit("Move") as edit:
        edits.move_keys(hop, edit, keys_of(hop), 0.5)
    np.testing.assert_allclose(heights(hop, 1.5, 2.0, 2.5) - low, [0, 0.2, 0], atol=1e-9)


def test_a_key_within_a_track_is_a_layer_over_it(hop: Document) -> None:
    q = hop.timeline(1).at(1.5)
    q[0] += 0.3
    hop.set_key(1, 1.5, q)
    timeline = hop.timeline(1)
    np.testing.assert_allclose(timeline.at(1.5), q, atol=1e-9)
    sideways = timeline.sample(np.array([1.0, 1.25, 2.0]))[:, 0] - hop.actors()[0].configuration[0]
    np.testing.assert_allclose(sideways, [0.0, 0.15, 0.0], atol=1e-9)
    assert heights(hop, 1.25)[0] > heights(hop, 1.0)[0] + 0.1  # the track remains below the layer


def test_deleting_a_key_at_its_end_removes_a_track(hop: Document) -> None:
    with hop.edit("Delete") as edit:
        edits.delete_keys(hop, edit, [keys_of(hop)[1]])
    assert sampled_tracks.tracks_of(hop, 1) == []
    low = heights(hop, 1.0)[0]
    assert heights(hop, 1.5)[0] == pytest.approx(low)


def test_a_clip_replaces_the_tracks_in_its_time(hop: Document) -> None:
    with hop.edit("Clip") as edit:
        edits.put_clip(hop, edit, 1, hop_motion(hop), 1.2)
    assert sampled_tracks.tracks_of(hop, 1) == [] and keys_of(hop) == [keys_of(hop)[0]]


def test_interpolation_continues_the_velocity_of_a_track(hop: Document) -> None:
    """After a track the interpolation starts with its end velocity, within the overshoot limit."""
    q = hop.timeline(1).at(2.0)
    q[1] -= 0.3  # goes on downwards
    hop.set_key(1, 3.0, q)
    before, at, after = heights(hop, 2.0 - 1 / 30, 2.0, 2.0 + 1 / 30)
    assert (at - before) < 0 and (after - at) == pytest.approx(at - before, abs=0.008)

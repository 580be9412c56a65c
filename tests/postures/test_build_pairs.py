"""Databases of two people from folders of clips."""

from __future__ import annotations

import numpy as np
import pytest

from writhe import save
from writhe.cli.app import run
from writhe.database import PairDatabase
from writhe.errors import WritheError
from writhe.postures.pairs import build_pair_database
from writhe.skeleton import Motion
from writhe.skeleton.move_root import moved_roots

APART = np.array([0.2, 0.0, 0.9])


@pytest.fixture
def clips(tmp_path, human):
    """A clip and its partner, 0.9 m away; a third clip that is shorter."""
    skeleton = human.skeleton
    q = np.tile(skeleton.rest_configuration, (12, 1))
    q[:, skeleton.q_slice("left_elbow")] = np.linspace(0.0, 1.5, 12)[:, None]
    folder = tmp_path / "two"
    folder.mkdir()
    save(Motion(skeleton, q, 30.0), folder / "ann.bvh")
    save(Motion(skeleton, moved_roots(skeleton, q, np.eye(3), APART), 30.0), folder / "ben.bvh")
    save(Motion(skeleton, q[:5], 30.0), folder / "eve.bvh")
    (folder / "manifest.csv").write_text("clip,partner\nann,ben\nben,ann\n")
    return folder


def test_clips_of_two_become_pairs_at_their_distance(clips, human, tmp_path, capsys):
    output = tmp_path / "pairs.parquet"
    with pytest.raises(SystemExit) as stop:
        run(["db", "pairs", str(clips), "-o", str(output), "--every", "2", "--threshold", "0"])
    assert stop.value.code == 0, capsys.readouterr().out
    found = PairDatabase.load(output, human)
    assert len(found) == 6
    apart = found.partner[:, :3] - found.leader[:, :3]
    np.testing.assert_allclose(apart, np.tile(APART, (6, 1)), atol=0.01)


def test_clips_that_were_not_recorded_together_are_refused(clips, human, tmp_path):
    (clips / "manifest.csv").write_text("clip,partner\nann,eve\n")
    with pytest.raises(WritheError, match="recorded together"):
        build_pair_database(clips, tmp_path / "pairs.parquet", human)


def test_a_folder_without_a_list_of_pairs_says_what_is_missing(clips, human, tmp_path):
    (clips / "manifest.csv").unlink()
    with pytest.raises(WritheError, match="--pairs"):
        build_pair_database(clips, tmp_path / "pairs.parquet", human)
    other = clips / "list.csv"
    other.write_text("left,right\nann,ben\n")
    with pytest.raises(WritheError, match="clip,partner"):
        build_pair_database(clips, tmp_path / "pairs.parquet", human, pairs=other)

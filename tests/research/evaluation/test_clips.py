"""Clips of a folder: the separation of tuning and test parts."""

from __future__ import annotations

import numpy as np
import pytest

from writhe import io
from writhe.database import PostureDatabase
from writhe.errors import UnknownNameError, WritheError
from writhe.progress import no_progress
from writhe.research import benchmarks
from writhe.research.evaluation.clips import clip_part, retargeted_clips
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.skeleton import Motion
from writhe.skeleton.figures import figure

HUMAN = figure("human")


@pytest.fixture
def folder(tmp_path):
    """Two still clips, of a subject of each part."""
    still = Motion(HUMAN.skeleton, np.tile(standing(HUMAN), (3, 1)), 30.0)
    for part in ("tuning", "untouched"):
        subject = next(n for n in range(100) if clip_part(f"{n:02d}_01") == part)
        io.save(still, tmp_path / f"{subject:02d}_01.glb")
    return tmp_path


def test_all_clips_of_a_subject_are_in_one_part_and_a_fourth_is_untouched():
    for subject in range(1, 40):
        assert len({clip_part(f"folder/{subject:02d}_{take:02d}") for take in range(20)}) == 1
    share = np.mean([clip_part(f"{subject:03d}_01") == "untouched" for subject in range(1000)])
    assert 0.2 < share < 0.3


def test_a_part_of_a_folder_is_read_alone(folder):
    def read(part: str | None) -> set[str]:
        return set(retargeted_clips(folder, HUMAN, no_progress, part=part)[0])

    assert len(read("tuning")) == len(read("untouched")) == 1
    assert read("tuning") | read("untouched") == read(None)
    with pytest.raises(UnknownNameError, match="untouched"):
        read("seen")


def test_replayed_clips_are_left_out_of_the_database(folder):
    clip = next(folder.glob("*.glb")).stem
    database = PostureDatabase.from_postures(
        HUMAN, standing(HUMAN)[None], clip=f"basic/{clip}.bvh", frame=np.zeros(1, dtype=np.int64)
    )
    with pytest.raises(WritheError, match="replayed"):
        benchmarks.run("reconstruct", clips=folder, database=database)

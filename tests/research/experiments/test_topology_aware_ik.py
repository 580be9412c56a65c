"""The reproduction of topology-aware IK: its parts, without the long runs."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from writhe.errors import UnknownNameError
from writhe.render import StripRow, comparison
from writhe.research.evaluation import Report
from writhe.research.evaluation.drag_scenes import SETTINGS, make_drag_scene
from writhe.research.evaluation.drags import standing
from writhe.research.experiments import run
from writhe.research.experiments.topology_aware_ik import METHODS, PAPER_MS, pictures
from writhe.skeleton.figures import figure

HUMAN = figure("human")


def test_it_covers_the_papers_experiments_and_methods():
    assert set(PAPER_MS) == set(SETTINGS)
    assert {"paper", "local-pca", "default"} <= set(METHODS)
    for name, (drags, _) in pictures._SHOWN.items():
        assert set(drags) <= {drag.name for drag in make_drag_scene(name).drags()}


def test_an_unknown_part_names_the_parts(tmp_path):
    with pytest.raises(UnknownNameError, match="ladder"):
        run("topology-aware-ik", tmp_path, only="piano")


def test_objects_are_drawn_where_they_stand():
    meshes = pictures.solid_meshes(make_drag_scene("chair 1"))
    points = np.concatenate([vertices for vertices, _ in meshes])
    assert points[:, 1].min() > -0.01  # the floor is not among them
    assert points[:, 1].max() == pytest.approx(0.9, abs=0.05)


def test_bars_and_strips_make_pictures(tmp_path):
    report = Report("x", tmp_path)
    keys = ("penetrating_frames_percent", "skin_penetrating_frames_percent")
    figures = {"basic": {method: dict.fromkeys(keys, 1.0) for method in METHODS}}
    pictures.bars(report, figures, METHODS)
    assert (tmp_path / "penetration.png").exists()
    q = np.array([standing(HUMAN)] * 3)
    rows = [
        StripRow("a", q, [()] * 3, np.zeros((3, 1, 3))),
        StripRow("b", q, [("left_wrist",)] * 3),
    ]
    path = comparison(HUMAN, rows, tmp_path / "strip.png", count=2, size=(80, 100))
    picture = np.asarray(Image.open(path).convert("RGB")).astype(int)
    assert picture.shape == (200, 160, 3)
    reddish = (picture[..., 0] > picture[..., 1] + 80) & (picture[..., 0] > picture[..., 2] + 80)
    assert reddish[100:].any()
    assert not reddish[:100].any()

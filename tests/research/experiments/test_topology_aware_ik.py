"""The reproduction of topology-aware IK: its parts, without the long runs."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from writhe.errors import UnknownNameError
from writhe.render import StripRow, comparison
from writhe.research.evaluation import Report
from writhe.research.evaluation.drags.drag_scenes import SETTINGS, make_drag_scene
from writhe.research.evaluation.drags.scripted_drag import standing
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
    away = np.tile([0.3, 1.9, 0.0], (3, 1, 1))
    rows = [
        StripRow("a", q, [()] * 3, ("left_wrist",), away),
        StripRow("b", q, [("left_wrist",)] * 3),
    ]
    path = comparison(HUMAN, rows, tmp_path / "strip.png", count=2, size=(80, 100))
    picture = np.asarray(Image.open(path).convert("RGB")).astype(int)
    assert picture.shape[1] == 160
    height = picture.shape[0] // 2
    assert height > 100  # the label stands above the bodies, not on them
    red, green, blue = np.moveaxis(picture, 2, 0)
    reddish = (red > green + 100) & (red > blue + 100)
    greenish = (green > red + 30) & (green > blue + 30)
    assert reddish[height:].any()
    assert not reddish[:height].any()
    # what is dragged and its target are drawn in both frames of the first row
    assert greenish[:height, :80].any()
    assert greenish[:height, 80:].any()
    assert not greenish[height:].any()

"""The reproduction of topology-aware IK: its parts, without the long runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from writhe.arrays import Floats, vector3
from writhe.errors import UnknownNameError
from writhe.render import StripRow, comparison
from writhe.research.evaluation import Report
from writhe.research.evaluation.drags.drag_scenes import SETTINGS, make_drag_scene
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.research.experiments import run
from writhe.research.experiments.topology_aware_ik import METHODS, PAPER_MS, pictures
from writhe.research.experiments.topology_aware_ik.readings import Reading, ReadingPoser
from writhe.research.experiments.topology_aware_ik.sweep import halved
from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.solvers.posing import Target
from writhe.topology import linking_vector, pair_names

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


def _poser(reading: Reading) -> ReadingPoser:
    database = make_drag_scene("basic").database
    assert database is not None
    return ReadingPoser(database, None, reading)


def _pulled(poser: ReadingPoser) -> tuple[Floats, float]:
    """The posture after ten frames in which the left hand is dragged to the front."""
    q = standing(HUMAN)
    goal = forward(HUMAN.skeleton, q).position("left_wrist") + np.array([-0.1, 0.2, 0.2])
    error = 1.0
    for _ in range(10):
        result = poser.step(q, [Target("left_wrist", vector3(goal))])
        q, error = result.q, result.target_error_m["left_wrist"]
    return q, error


@pytest.mark.parametrize(
    "reading",
    [
        Reading(),
        Reading(to_centre=True),
        Reading(with_residual=True),
        Reading(unwrapped=True),
        Reading(euler_neighbours=True, nearest_linking=100, to_centre=True),
    ],
)
def test_every_reading_of_the_paper_reaches_a_hand_to_the_front(reading: Reading):
    _, error = _pulled(_poser(reading))
    assert error < 0.01


def test_a_step_without_targets_keeps_the_posture_only_with_its_residual():
    q = standing(HUMAN)
    moved = {
        kept: np.linalg.norm(
            forward(HUMAN.skeleton, _poser(Reading(with_residual=kept)).step(q, []).q).positions
            - forward(HUMAN.skeleton, q).positions
        )
        for kept in (True, False)
    }
    assert moved[True] < 1e-6 < moved[False]


def test_halved_curves_have_the_same_linking_in_sum():
    curves = replace(HUMAN, strands=halved(HUMAN.strands))
    q = standing(HUMAN)
    assert len(curves.strands) == 2 * len(HUMAN.strands)
    whole = dict(zip(pair_names(HUMAN), linking_vector(HUMAN, q), strict=True))
    parts = dict(zip(pair_names(curves), linking_vector(curves, q), strict=True))
    arms = sum(v for name, v in parts.items() if name.count("left_arm") and name.count("right_arm"))
    assert arms == pytest.approx(whole["left_arm:right_arm"])


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

"""Pictures show the whole figure at its position, with colliding parts red."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyvista")
from PIL import Image

from writhe.collision import half_space
from writhe.errors import MissingExtraError, WritheError
from writhe.render import PictureStage, film_strip, movie, render_pose
from writhe.render.drawn_figure import lowest_drawn, outline, side_colours
from writhe.render.scenes import strip_image
from writhe.render.strips import panels_in_rows
from writhe.scene import Actor, Scene, SceneObject
from writhe.skeleton import Capsule, Figure, Joint, JointKind, Motion, Skeleton, Tip, forward
from writhe.skeleton.figures import figure

SIZE = (160, 200)


@pytest.fixture(scope="module")
def human():
    return figure("human")


def waving(human, frames=6) -> Motion:
    q = np.tile(human.skeleton.rest_configuration, (frames, 1))
    half = np.linspace(0, -0.7, frames)
    at = human.skeleton.q_slice("left_shoulder")
    q[:, at] = np.stack([np.cos(half), 0 * half, 0 * half, np.sin(half)], axis=1)
    return Motion(human.skeleton, q, fps=10, name="waving")


def pixels(path) -> np.ndarray:
    return np.asarray(Image.open(path).convert("RGB")).astype(int)


def body_mask(image) -> np.ndarray:
    """Where the picture is bluish or dark: the body, not the warm ground."""
    return image[..., 2] > image[..., 0] + 3


def red_mask(image) -> np.ndarray:
    return image[..., 0] > image[..., 1] + 70


def test_a_pose_fills_the_picture_without_touching_its_border(human, tmp_path):
    path = render_pose(human, human.skeleton.rest_configuration, tmp_path / "pose.png", size=SIZE)
    image = pixels(path)
    assert image.shape == (200, 160, 3)
    rows, columns = np.nonzero(body_mask(image))
    assert np.ptp(columns) > 0.6 * 160
    assert columns.min() > 1
    assert columns.max() < 158
    assert rows.min() > 1


def test_highlighted_parts_are_red_and_others_are_not(human, tmp_path):
    q = human.skeleton.rest_configuration
    plain = pixels(render_pose(human, q, tmp_path / "a.png", size=SIZE))
    red = pixels(render_pose(human, q, tmp_path / "b.png", size=SIZE, highlight=["left_elbow"]))
    assert not red_mask(plain).any()
    # seen from the front, the figure's left forearm is on the right
    _, columns = np.nonzero(red_mask(red))
    assert len(columns) > 50
    assert columns.min() > 80


@pytest.mark.parametrize("show", ["skin", "capsules"])
def test_left_and_right_limbs_can_be_told_apart(human, show):
    with PictureStage(SIZE) as stage:
        frames = forward(human.skeleton, human.skeleton.rest_configuration)
        stage.add_figure(human, frames, show=show, by_joint=side_colours(human))
        image = stage.image(view=(0.0, 0.2, 1.0)).astype(int)
    orange = image[..., 0] > image[..., 2] + 60
    blue = image[..., 2] > image[..., 0] + 60
    # seen from the front, the figure's left is on the right
    assert not orange[:, :70].any()
    assert orange.sum() > 300
    assert not blue[:, 90:].any()
    assert blue.sum() > 300


@pytest.mark.parametrize("show", ["skin", "capsules", "both"])
def test_capsules_and_skin_cover_about_the_same_place(human, tmp_path, show):
    q = human.skeleton.rest_configuration
    skin = body_mask(pixels(render_pose(human, q, tmp_path / "s.png", size=SIZE)))
    other = body_mask(pixels(render_pose(human, q, tmp_path / "o.png", size=SIZE, show=show)))
    assert (skin & other).sum() > 0.9 * skin.sum()


def test_a_second_body_has_darker_limbs_of_the_same_hue(human):
    first, second = side_colours(human), side_colours(human, second=True)
    for joint, colour in first.items():
        darker = np.array(second[joint])
        assert (darker < np.array(colour) - 0.1).all()
        assert np.argmax(darker) == np.argmax(colour)


def test_the_ground_is_under_the_skin_which_lies_within_the_capsules(human, tmp_path, monkeypatch):
    q = human.skeleton.rest_configuration
    frames = forward(human.skeleton, q)
    sole = lowest_drawn(human, frames)
    assert 0.005 < sole - outline(human, frames)[:, 1].min() < 0.03
    heights = list[float]()
    draw = PictureStage.image

    def image(stage: PictureStage, **options: Any) -> Any:
        heights.append(options["ground_height_m"])
        return draw(stage, **options)

    monkeypatch.setattr(PictureStage, "image", image)
    motion = Motion(human.skeleton, np.tile(q, (2, 1)), fps=10)
    film_strip(human, motion, tmp_path / "one.png", count=2, size=SIZE)
    standing = q.copy()
    standing[1] -= sole - 0.015  # capsules a little below the floor, the skin above it
    scene = Scene((Actor("a", human),))
    strip_image(scene, standing[None], count=1, size=SIZE)
    assert heights == pytest.approx([sole, sole, 0.015])


def test_a_foot_that_sinks_is_not_cut_off_where_there_is_no_floor(human, monkeypatch):
    heights = list[float]()

    def image(stage: PictureStage, **options: Any) -> Any:
        heights.append(options["ground_height_m"])
        return np.zeros((2, 2, 3), np.uint8)

    monkeypatch.setattr(PictureStage, "image", image)
    q = np.tile(human.skeleton.rest_configuration, (2, 1))
    q[:, 1] -= lowest_drawn(human, forward(human.skeleton, q[0]))
    q[1, 1] -= 0.04
    ground = SceneObject("floor", (half_space((0.0, 0.0, 0.0), (0.0, 1.0, 0.0)),))
    alone, with_floor = Scene((Actor("a", human),)), Scene((Actor("a", human),), (ground,))
    for scene in (alone, with_floor):
        strip_image(scene, q, count=2, size=SIZE, hidden=("floor",))
    assert heights == pytest.approx([-0.04, -0.04, 0.0, 0.0], abs=1e-6)


def test_panels_are_laid_out_in_rows_and_the_last_is_filled():
    panels = [np.full((2, 3, 3), k, np.uint8) for k in range(5)]
    assert panels_in_rows(panels).shape == (2, 15, 3)
    rows = panels_in_rows(panels, 3)
    assert rows.shape == (4, 9, 3)
    assert rows[2, 0, 0] == 3 and rows[2, 8, 0] > 200


def test_a_film_strip_has_a_panel_per_frame(human, tmp_path):
    path = film_strip(human, waving(human), tmp_path / "strip.png", count=3, size=(100, 140))
    assert pixels(path).shape == (140, 300, 3)


def test_a_movie_has_the_motions_frames(human, tmp_path):
    motion = waving(human)
    highlights = [["left_wrist"] if i == 5 else [] for i in range(len(motion))]
    path = movie(human, motion, tmp_path / "m.gif", size=(120, 120), highlights=highlights)
    film: Any = Image.open(path)
    assert film.n_frames == 6
    reds = []
    for i in range(film.n_frames):
        film.seek(i)
        reds.append(red_mask(np.asarray(film.convert("RGB")).astype(int)).sum())
    assert reds[0] == 0
    assert reds[5] > 5


def test_mp4_is_written(human, tmp_path):
    path = movie(human, waving(human, 3), tmp_path / "m.mp4", size=(96, 96))
    assert path.stat().st_size > 500


def test_a_figure_without_skin_is_drawn_by_its_capsules(tmp_path):
    skeleton = Skeleton(
        [Joint("bone", None, JointKind.FREE)], [Tip("end", "bone", np.array([0.5, 0, 0]))]
    )
    stick = Figure("stick", skeleton, (Capsule("bone", np.zeros(3), np.array([0.5, 0, 0]), 0.1),))
    image = pixels(render_pose(stick, skeleton.rest_configuration, tmp_path / "s.png", size=SIZE))
    assert body_mask(image).mean() > 0.05


def test_the_stage_shows_objects(tmp_path):
    with PictureStage(SIZE) as stage:
        with pytest.raises(WritheError, match="nothing was added"):
            stage.image()
        blue = (0.2, 0.3, 0.9)
        stage.add_box([0.2, 0.1, 0.2], [0, 0.1, 0], colour=blue)
        stage.add_sphere([0, 0.4, 0], 0.1, colour=blue)
        stage.add_capsule([0.5, 0, 0], [0.5, 0.6, 0], 0.05, colour=blue)
        stage.add_strand([[0, 0.6, 0], [0.3, 0.7, 0], [0.5, 0.6, 0]], colour=blue)
        image = np.asarray(stage.image()).astype(int)
    assert (image[..., 2] > image[..., 0] + 40).mean() > 0.05


def test_misuse_says_what_is_wrong(human, tmp_path):
    motion = waving(human)
    with pytest.raises(WritheError, match=r"\.gif, \.mp4"):
        movie(human, motion, tmp_path / "m.avi")
    with pytest.raises(WritheError, match="one entry per frame: 6"):
        film_strip(human, motion, tmp_path / "m.png", highlights=[[]])
    with pytest.raises(WritheError, match="retarget"):
        film_strip(figure("hand"), motion, tmp_path / "m.png")
    with pytest.raises(WritheError, match="'skin', 'capsules' or 'both'"):
        render_pose(human, motion.q[0], tmp_path / "m.png", show="bones")


def test_without_pyvista_the_extra_is_named(monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "pyvista":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"writhe\[render\]"):
        PictureStage()


def test_every_picture_of_a_stage_has_its_own_camera():
    """A strip of a motion that travels shows the same in each panel."""
    pictures = []
    with PictureStage((80, 80)) as stage:
        for z in (0.0, 1.7, 0.0):
            centre = np.array([0.0, 0.5, z])
            stage.clear()
            stage.add_sphere(centre, 0.3)
            around = np.stack([centre - 0.4, centre + 0.4])
            pictures.append(stage.image(around=around, ground_height_m=0.0).astype(int))
    for other in pictures[1:]:
        assert np.abs(other - pictures[0]).max() < 10

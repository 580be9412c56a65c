"""Off-screen pictures of figures and motions (extra `render`)."""

from writhe.render.picture_stage import PictureStage
from writhe.render.pictures import before_after, film_strip, movie, render_pose
from writhe.render.scenes import add_scene, scene_movie, scene_strip
from writhe.render.strips import StripRow, comparison

__all__ = [
    "PictureStage",
    "StripRow",
    "add_scene",
    "before_after",
    "comparison",
    "film_strip",
    "movie",
    "render_pose",
    "scene_movie",
    "scene_strip",
]

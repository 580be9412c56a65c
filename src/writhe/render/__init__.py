"""Off-screen pictures of figures and motions (extra `render`)."""

from writhe.render.pictures import before_after, film_strip, movie, render_pose
from writhe.render.scenes import add_scene, scene_strip
from writhe.render.stage import Stage

__all__ = [
    "Stage",
    "add_scene",
    "before_after",
    "film_strip",
    "movie",
    "render_pose",
    "scene_strip",
]

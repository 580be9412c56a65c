"""Off-screen pictures of figures and motions (extra `render`)."""

from writhe.render.pictures import film_strip, movie, render_pose
from writhe.render.stage import Stage

__all__ = ["Stage", "film_strip", "movie", "render_pose"]

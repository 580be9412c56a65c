"""Off-screen pictures of figures and motions (extra `render`)."""

from writhe.render.pictures import before_after, film_strip, movie, render_pose
from writhe.render.stage import Stage

__all__ = ["Stage", "before_after", "film_strip", "movie", "render_pose"]

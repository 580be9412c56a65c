"""Reading and writing motion files; anatomical roles of joint names; figures from files."""

from writhe.io.figure_from_skeleton import figure_of
from writhe.io.files import load, load_figure, save, save_figure

__all__ = ["figure_of", "load", "load_figure", "save", "save_figure"]

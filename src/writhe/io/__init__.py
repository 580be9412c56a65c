"""Reading and writing motion files; anatomical roles of joint names; figures from files."""

from writhe.io.figure_from_skeleton import figure_of
from writhe.io.files import load, load_figure, save, save_figure
from writhe.recognition.names import ROLES, match_roles

__all__ = ["ROLES", "figure_of", "load", "load_figure", "match_roles", "save", "save_figure"]

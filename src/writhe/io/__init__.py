"""Reading and writing motion files; anatomical roles of joint names; figures from files.

Names are loaded when first used: `writhe info` reads the header of a BVH file without kernels.
"""

from typing import TYPE_CHECKING

from writhe.lazy import lazy_names

if TYPE_CHECKING:
    from writhe.io.figure_from_skeleton import figure_of
    from writhe.io.files import load, load_figure, save, save_figure
    from writhe.recognition.names import ROLES, match_roles
else:
    __getattr__ = lazy_names(
        __name__,
        dict.fromkeys(("load", "load_figure", "save", "save_figure"), "writhe.io.files")
        | dict.fromkeys(("ROLES", "match_roles"), "writhe.recognition.names")
        | {"figure_of": "writhe.io.figure_from_skeleton"},
    )

__all__ = ["ROLES", "figure_of", "load", "load_figure", "match_roles", "save", "save_figure"]

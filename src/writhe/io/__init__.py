"""Reading and writing motion files; figures from files.

Names are loaded when first used: `writhe info` reads the header of a BVH file without kernels.
"""

from typing import TYPE_CHECKING

from writhe.lazy import lazy_names

if TYPE_CHECKING:
    from writhe.io.figure_from_skeleton import figure_of
    from writhe.io.files import load, load_figure, save, save_figure
else:
    __getattr__ = lazy_names(
        __name__,
        dict.fromkeys(("load", "load_figure", "save", "save_figure"), "writhe.io.files")
        | {"figure_of": "writhe.io.figure_from_skeleton"},
    )

__all__ = ["figure_of", "load", "load_figure", "save", "save_figure"]

"""writhe: pose characters and create motion without body parts passing through each other.

Names are loaded when first used, so that `import writhe` stays quick.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0.dev0"

_HOMES = {
    "Figure": "writhe.skeleton",
    "Motion": "writhe.skeleton",
    "Skeleton": "writhe.skeleton",
    "WritheError": "writhe.errors",
    "figure": "writhe.skeleton.figures",
    "figure_of": "writhe.io",
    "forward": "writhe.skeleton",
    "load": "writhe.io",
    "load_figure": "writhe.io",
    "save": "writhe.io",
    "save_figure": "writhe.io",
}

__all__ = ["__version__", *sorted(_HOMES)]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'writhe' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__

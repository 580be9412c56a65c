"""USD files (UsdSkel): skeletons, skins and animations, read and written with usd-core."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from writhe.errors import WritheError

SUFFIXES = (".usd", ".usda", ".usdc", ".usdz")


def require_usd(path: Path) -> None:
    """Raise with how to get usd-core if it is not installed."""
    if importlib.util.find_spec("pxr") is None:
        raise WritheError(
            f"{path}: USD files need usd-core; install it with pip install 'writhe[usd]'"
        )

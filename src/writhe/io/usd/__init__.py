"""USD files (UsdSkel): skeletons, skins and animations, read and written with usd-core."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

from writhe.errors import WritheError

SUFFIXES = (".usd", ".usda", ".usdc", ".usdz")


def require_usd(path: Path) -> None:
    """Raise an error that says how to install usd-core, if it is missing."""
    if importlib.util.find_spec("pxr") is None:
        raise WritheError(
            f"{path}: USD files need usd-core; install it with pip install 'writhe[usd]'"
        )


def usd_modules(*names: str) -> tuple[Any, ...]:
    """Modules of usd-core (`pxr`), which has no types."""
    return tuple(importlib.import_module(f"pxr.{name}") for name in names)

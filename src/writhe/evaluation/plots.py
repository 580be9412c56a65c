"""Plots as picture files, where Matplotlib is installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from writhe.errors import MissingExtraError

DPI = 110


@contextmanager
def plotted(
    path: Path, size: tuple[float, float], rows: int = 1, columns: int = 1, **shared: bool
) -> Iterator[Any]:
    """Axes (or an array of them) to draw on; what was drawn is at `path` afterwards.

    size: inches; shared: `sharex`, `sharey` of `matplotlib.figure.Figure.subplots`.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("a plot", "render") from None
    page = Figure(figsize=size)  # not from pyplot, which keeps state and may look for a screen
    yield page.subplots(rows, columns, **shared)
    page.tight_layout()
    page.savefig(path, dpi=DPI)

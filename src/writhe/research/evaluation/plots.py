"""Plots as picture files, where Matplotlib is installed."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from writhe.errors import MissingExtraError

DPI = 110


@contextmanager
def plotted(
    path: Path,
    size: tuple[float, float],
    rows: int = 1,
    columns: int = 1,
    *,
    sharex: bool = False,
    sharey: bool = False,
    squeeze: bool = True,
) -> Generator[Any]:
    """Axes to draw on (an array of them where there are several); then a picture at `path`.

    The size is in inches; the rest is as in `matplotlib.figure.Figure.subplots`.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("a plot", "render") from None
    page = Figure(figsize=size)  # not from pyplot, which keeps state and may look for a screen
    yield page.subplots(rows, columns, sharex=sharex, sharey=sharey, squeeze=squeeze)
    page.tight_layout()
    page.savefig(path, dpi=DPI)

"""Plots as image files; needs Matplotlib."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from writhe.errors import MissingExtraError

DPI = 110
_LEGEND_INCHES = 0.5  # below the axes: room for numbers and a label


@contextmanager
def plot_file(
    path: Path,
    size: tuple[float, float],
    rows: int = 1,
    columns: int = 1,
    *,
    sharex: bool = False,
    sharey: bool = False,
    squeeze: bool = True,
) -> Generator[Any]:
    """Context manager that yields axes (an array if several) and writes the plot to `path`.

    The size is in inches; the other options are those of `matplotlib.figure.Figure.subplots`.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("a plot", "render") from None
    page = Figure(figsize=size)  # not pyplot, which has global state and may need a display
    yield page.subplots(rows, columns, sharex=sharex, sharey=sharey, squeeze=squeeze)
    page.tight_layout()
    page.savefig(path, dpi=DPI)


def legend_below(axes: Any, columns: int, title: str | None = None) -> None:
    """Put the legend below the label of the horizontal axis, where it covers no curve."""
    height = axes.figure.get_size_inches()[1] * axes.get_position().height
    axes.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, -_LEGEND_INCHES / height),
        ncol=columns,
        fontsize=8,
        title=title,
        title_fontsize=8,
        frameon=False,
    )

"""Figures of scenes that come from files."""

from __future__ import annotations

from pathlib import Path

from writhe.skeleton import Figure


def figure_of_file(path: Path) -> Figure:
    """The figure of a motion file's skeleton, with roles and fitted capsules."""
    from writhe.io import figure_of, load

    return figure_of(load(path))

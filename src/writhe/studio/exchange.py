"""Files in and out of a document: clips, skeletons, exported motion."""

from __future__ import annotations


def import_suffixes() -> list[str]:
    """The file types that can be dropped onto the page."""
    return []


def export_suffixes() -> list[str]:
    """The file types that a motion can be saved as."""
    return []

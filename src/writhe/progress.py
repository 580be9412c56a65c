"""Progress reports: every function that takes `progress` calls it in the same form."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called repeatedly during long work, with the completed fraction and the current item.

    `progress(0.25, "walk.bvh")` reports that a quarter is done and which file is next;
    `progress(None, "reading clips")` that the fraction is not known. A caller cancels the work by
    raising an exception here.
    """

    def __call__(self, share: float | None, what: str = "", /) -> None:
        """share: completed fraction, 0 to 1, or None; what: the current stage, file or frame."""
        ...


def no_progress(share: float | None, what: str = "", /) -> None:
    """Ignore the report: the default of every `progress` argument."""

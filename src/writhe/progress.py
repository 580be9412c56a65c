"""Progress reports: every function that takes `progress` calls it in the same form."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called now and then during long work, with the share done and a word about the work.

    `progress(0.25, "walk.bvh")` says that a quarter is done and which file is next;
    `progress(None, "reading clips")` that the share is not known. An exception raised here ends the
    work, which is how a caller cancels it.
    """

    def __call__(self, share: float | None, what: str = "", /) -> None:
        """share: from 0 to 1, or None; what: the present stage, file or frame."""
        ...


def no_progress(share: float | None, what: str = "", /) -> None:
    """Ignore the report: the default of every `progress` argument."""

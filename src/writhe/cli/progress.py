"""Progress of commands on standard error: a bar on a terminal, otherwise periodic lines."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager

from writhe.cli.output import console
from writhe.progress import Progress

_LINE_S = 5.0  # without a terminal, at most one line in this time


@contextmanager
def progress_bar(title: str) -> Generator[Progress]:
    """Show progress while the block runs; yields the `Progress` function."""
    if not console.is_terminal:
        yield _lines(title)
        return
    from rich.progress import Progress as Bar

    with Bar(console=console, transient=True) as bar:
        task = bar.add_task(title, total=None)

        def show(share: float | None, what: str = "", /) -> None:
            bar.update(
                task,
                description=f"{title} {what}".rstrip(),
                completed=share or 0.0,
                total=None if share is None else 1.0,
                visible=share is None or share < 1.0,
            )

        yield show


def _lines(title: str) -> Progress:
    last = -_LINE_S

    def show(share: float | None, what: str = "", /) -> None:
        nonlocal last
        now = time.monotonic()
        if (share is None or share < 1.0) and now - last >= _LINE_S:
            last = now
            done = "" if share is None else f": {100 * share:.0f} %"
            console.print(f"{title} {what}".rstrip() + done)

    return show

"""Progress of preparations: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Generator

from writhe.cli.output import console

_LINE_S = 5.0  # without a terminal, at most one line in this time


@contextlib.contextmanager
def progress_shown(doing: str) -> Generator[Callable[[int, int, str], None]]:
    """A function to call with what is done, the total and a name; `doing` is its verb."""
    if console.is_terminal:
        from rich.progress import Progress

        with Progress(console=console, transient=True) as bar:
            task = bar.add_task(doing, total=None)
            yield lambda done, total, what: bar.update(
                task,
                completed=done,
                total=total,
                description=f"{doing} {what}",
                visible=done < total,
            )
        return
    last = -_LINE_S

    def line(done: int, total: int, what: str) -> None:
        nonlocal last
        now = time.monotonic()
        if done < total and now - last >= _LINE_S:
            last = now
            console.print(f"{doing} {what}: {100 * done // max(1, total)} %")

    yield line

"""Output of commands: JSON on standard output, messages for people on standard error."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import Progress as Bar

from writhe.arrays import as_plain_data
from writhe.progress import Progress

console = Console(stderr=True)


def print_json(result: dict[str, Any]) -> None:
    """Print one JSON object on one line of standard output."""
    print(json.dumps(result, default=as_plain_data, allow_nan=False), flush=True)


@contextmanager
def progress_bar(title: str) -> Generator[Progress]:
    """A progress bar on standard error while the block runs; call what it yields."""
    with Bar(console=console, transient=True) as bar:
        task = bar.add_task(title, total=None)

        def show(share: float | None, what: str = "", /) -> None:
            bar.update(
                task,
                description=f"{title} {what}".rstrip(),
                completed=share or 0.0,
                total=None if share is None else 1.0,
            )

        yield show

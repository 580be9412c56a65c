"""`writhe warmup`: compile all kernels behind a progress bar."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.progress import Progress

from writhe.cli.output import console, print_json
from writhe.warmup import warm_up


def warmup(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Compile the kernels now, so that nothing has to wait later.

    Machine code is kept on disk; the next start takes it from there.

    Example: `writhe warmup`
    """
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("Compiling kernels", total=None)

        def progress(done: int, total: int, what: str) -> None:
            bar.update(task, completed=done, total=total, description=f"Compiling {what}")

        seconds = warm_up(progress)
    console.print(f"Kernels are ready ({seconds:.1f} s).")
    if json:
        print_json({"seconds": round(seconds, 3)})

"""`writhe warmup`, and the compiling that other commands do by themselves the first time."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.progress import Progress

from writhe.cli.output import console, print_json
from writhe.warmup import missing, warm_up


def warmup(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Compile the kernels now, so that nothing has to wait later.

    Machine code is kept on disk; the next start takes it from there.

    Example: `writhe warmup`
    """
    seconds = _with_progress(None)
    console.print(f"Kernels are ready ({seconds:.1f} s).")
    if json:
        print_json({"seconds": round(seconds, 3)})


def ensure_warm(*stages: str) -> None:
    """Compile what a command needs and this machine has not compiled yet, behind a progress bar."""
    lacking = missing(stages or None)
    if lacking:
        console.print("Compiling kernels; this happens once on a machine.")
        _with_progress(lacking)


def _with_progress(stages: list[str] | None) -> float:
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("Compiling kernels", total=None)

        def progress(done: int, total: int, what: str) -> None:
            bar.update(task, completed=done, total=total, description=f"Compiling {what}")

        return warm_up(progress, stages)

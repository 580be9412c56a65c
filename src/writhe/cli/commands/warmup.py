"""`writhe warmup`, and the compilation that other commands run at first use."""

from __future__ import annotations

from writhe.cli.options import Json
from writhe.cli.output import console, print_json
from writhe.cli.progress import progress_bar
from writhe.warmup import missing, warm_up


def warmup(
    json: Json = False,
) -> None:
    """Compile all kernels now, so that later commands start without delay.

    Uses all processors. Machine code is cached on disk; wheels with kernels need no warm-up.

    Example: `writhe warmup`
    """
    with progress_bar("Compiling") as progress:
        seconds = warm_up(progress, missing())
    console.print(f"Kernels are ready ({seconds:.1f} s).")
    if json:
        print_json({"seconds": round(seconds, 3)})


def ensure_warm(*stages: str) -> None:
    """Compile the kernels a command needs that are not cached yet, with a progress bar."""
    lacking = missing(stages or None)
    if lacking:
        console.print("Compiling kernels; this happens once per machine.")
        with progress_bar("Compiling") as progress:
            warm_up(progress, lacking)

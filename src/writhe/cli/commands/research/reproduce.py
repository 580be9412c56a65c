"""`writhe reproduce`: run a paper's experiments and compare with its figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from writhe.cli.options import Json, argument, option
from writhe.cli.output import console, print_json
from writhe.research.experiments import EXPERIMENTS, run

EPILOG = "\n".join(f"- `{name}`: {line}" for name, line in EXPERIMENTS.items())


def reproduce(
    name: Annotated[str, argument("Name of the paper, listed below.")],
    only: Annotated[str | None, argument("Run only this part.")] = None,
    output: Annotated[
        Path | None, option("Folder for pictures and report.md.", "--output", "-o")
    ] = None,
    clips: Annotated[
        Path | None, option("A folder of motion files, for papers on captured motion.")
    ] = None,
    full: Annotated[
        bool, option("Run all repetitions with the long time limits.", "--full")
    ] = False,
    seconds: Annotated[float | None, option("Limit of one planner run, in CPU time.")] = None,
    sweep: Annotated[
        bool, option("Vary the published method's parameters one at a time.", "--sweep")
    ] = False,
    json: Json = False,
) -> None:
    """Run a paper's experiments and write pictures, tables and figures to a folder.

    Example: `writhe reproduce topology-aware-ik --json`
    """
    folder = output or Path("out") / "reproduce" / name
    with console.status("Starting") as status:
        result = run(
            name,
            folder,
            lambda _share, what="": status.update(what),
            only=only,
            clips=clips,
            full=True if full else None,
            seconds=seconds,
            sweep=True if sweep else None,
        )
    console.print(f"Report: {folder / 'report.md'}")
    if json:
        print_json(result)

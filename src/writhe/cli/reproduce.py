"""`writhe reproduce`: run a paper's experiments and compare with its figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from writhe.cli.output import console, print_json
from writhe.research.experiments import EXPERIMENTS, run

EPILOG = "\n".join(f"- `{name}`: {line}" for name, line in EXPERIMENTS.items())


def reproduce(
    name: Annotated[str, typer.Argument(help="Which paper; they are listed below.")],
    only: Annotated[str | None, typer.Argument(help="One part of it, by name.")] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for pictures and report.md."),
    ] = None,
    clips: Annotated[
        Path | None, typer.Option(help="A folder of motion files, where the paper used some.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="All repetitions and the long time limits.")
    ] = False,
    seconds: Annotated[
        float | None,
        typer.Option(help="Limit of one run, where an experiment runs slow planners."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Run a paper's experiments; pictures, tables and figures go into a folder.

    Example: `writhe reproduce topology-aware-ik --json`
    """
    folder = output or Path("out") / "reproduce" / name
    with console.status("Starting") as status:
        result = run(
            name,
            folder,
            status.update,
            only=only,
            clips=clips,
            full=True if full else None,
            seconds=seconds,
        )
    console.print(f"Report: {folder / 'report.md'}")
    if json:
        print_json(result)

"""`writhe bench`: run a benchmark by name."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.table import Table

from writhe.bench import BENCHMARKS, run
from writhe.cli.output import console, print_json


def bench(
    name: Annotated[str, typer.Argument(help="Which benchmark: " + ", ".join(BENCHMARKS))],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure how fast writhe is here, with what it is compared to in the same run.

    Compilation is not counted; the first call of each kernel is given separately.

    Example: `writhe bench kernels --json`
    """
    with console.status("Measuring") as status:
        result = run(name, lambda what: status.update(f"Measuring {what}"))
    table = Table("figure", "value", title=f"writhe bench {name}")
    for key, value in result.items():
        table.add_row(key, _readable(value))
    console.print(table)
    if json:
        print_json(result)


def _readable(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(f"{key}: {_readable(inner)}" for key, inner in value.items())
    return "not available" if value is None else str(value)

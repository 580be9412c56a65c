"""`writhe bench`: run a benchmark by name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from rich.table import Table

from writhe.cli.options import Json, argument, option
from writhe.cli.output import console, print_json
from writhe.research.benchmarks import BENCHMARKS, run

if TYPE_CHECKING:
    from writhe.database import PostureDatabase

EPILOG = "\n".join(f"- `{name}`: {line}" for name, line in BENCHMARKS.items())


def bench(
    name: Annotated[str, argument("Name of the benchmark, listed below.")],
    database: Annotated[
        Path | None, option("A posture database instead of the built-in one.")
    ] = None,
    clips: Annotated[Path | None, option("A folder of motion files.")] = None,
    characters: Annotated[Path | None, option("A folder of character files.")] = None,
    part: Annotated[
        str | None,
        option(
            "Only the clips of the part `tuning` or `untouched`; batch: `killed`, `parallel`,"
            " `scheduler`."
        ),
    ] = None,
    frames: Annotated[int | None, option("Use only the first frames of each clip.", min=2)] = None,
    rounds: Annotated[int | None, option("Number of variations of the scripted drags.")] = None,
    methods: Annotated[
        str | None, option("Posing methods, separated by commas; all by default.")
    ] = None,
    quick: Annotated[bool, option("Run a small subset.", "--quick")] = False,
    full: Annotated[bool, option("Run the complete benchmark (hours).", "--full")] = False,
    json: Json = False,
) -> None:
    """Measure speed and quality, with baselines in the same run.

    Compilation is excluded; the first call of each kernel is reported separately. Options that a
    benchmark does not support are rejected.

    Example: `writhe bench kernels --json`
    """
    with console.status("Measuring") as status:
        result = run(
            name,
            lambda _share, what="": status.update(f"Measuring {what}"),
            database=None if database is None else _load(database),
            clips=clips,
            characters=characters,
            part=part,
            frames=frames,
            rounds=rounds,
            methods=None if methods is None else tuple(methods.split(",")),
            quick=True if quick else None,
            full=True if full else None,
        )
    table = Table("figure", "value", title=f"writhe bench {name}")
    for key, value in result.items():
        table.add_row(key, _readable(value))
    console.print(table)
    if json:
        print_json(result)


def _load(path: Path) -> PostureDatabase:
    from writhe.database import PostureDatabase
    from writhe.skeleton.figures import figure

    return PostureDatabase.load(path, figure("human"))


def _readable(value: Any) -> str:
    if isinstance(value, dict):
        value = cast(dict[str, Any], value)
        return "\n".join(f"{key}: {_readable(inner)}" for key, inner in value.items())
    return "not available" if value is None else str(value)

"""`writhe batch`: one operation over folders of motion files."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from writhe.cli.options import Json, argument, option
from writhe.cli.output import console, print_json
from writhe.cli.progress import progress_bar
from writhe.errors import WritheError

if TYPE_CHECKING:
    from writhe.batch.result_row import Row

EPILOG = """Operations: certify, clean, retarget, convert, measure, render, db, and `report`, which
writes table and report of the shards in a folder.

Example: `writhe batch clean mocap/ -o cleaned/ --jobs 4`"""


def batch(
    work: Annotated[str, argument("What to do with every file.", metavar="OPERATION")],
    inputs: Annotated[list[str], argument("Files, folders, globs or URLs.")],
    output: Annotated[Path, option("Folder of results.", "-o", "--output")],
    outputs: Annotated[
        str | None, option("Write motion files to this folder or URL instead.")
    ] = None,
    include: Annotated[
        list[str] | None, option("Only files whose names match, such as 'dance/*'.")
    ] = None,
    exclude: Annotated[list[str] | None, option("Skip files whose names match.")] = None,
    recursive: Annotated[bool, option("Include subfolders.")] = True,
    figure: Annotated[
        list[str] | None, option("FIGURE or PATTERN=FIGURE: built-in, or a character file.")
    ] = None,
    roles: Annotated[
        list[str] | None, option("FILE or PATTERN=FILE: JSON that corrects roles of joints.")
    ] = None,
    to: Annotated[str, option("retarget: a figure or a character file.")] = "human",
    suffix: Annotated[
        str | None, option("Format to write, such as .glb (default: as the source).")
    ] = None,
    fps: Annotated[float | None, option("convert: resample to this rate.", min=0.01)] = None,
    tolerance: Annotated[
        float, option("Penetration in mm up to which a clip passes.", min=0.0)
    ] = 1.0,
    broad_phase: Annotated[
        str, option("certify: numba, or jax for a GPU; the verdicts are the same.")
    ] = "numba",
    every: Annotated[int, option("db: sample every n-th frame.", min=1)] = 5,
    keep: Annotated[int | None, option("db: keep this many postures.")] = None,
    jobs: Annotated[int, option("Number of processes.", "-j", "--jobs", min=1)] = 1,
    scheduler: Annotated[
        str | None, option("Address of a Dask scheduler, tcp://host:8786.")
    ] = None,
    slurm: Annotated[bool, option("Start workers through Slurm.", "--slurm")] = False,
    kubernetes: Annotated[bool, option("Start workers on Kubernetes.", "--kubernetes")] = False,
    memory_limit: Annotated[str, option("Memory of a worker, such as 4GB.")] = "auto",
    retries: Annotated[int, option("Tries of a file after its worker died.", min=0)] = 3,
    shard: Annotated[
        str | None, option("I/N: only this part of the files, for job arrays.")
    ] = None,
    strips: Annotated[int, option("Number of clips with a film strip in the report.", min=0)] = 6,
    json: Json = False,
) -> None:
    """Process folders of motion files, with a results table and a report.

    Writes results.parquet (one row per file) and report.html to the folder. A second run resumes an
    interrupted one and skips files that have not changed. A file that cannot be used gets an error
    in its row and does not stop the others.

    Exit code 0: every clip passes; 1: some do not, or failed; 2: bad input; 130: interrupted.
    """
    from writhe.batch.journal import FOLDER
    from writhe.batch.operations import operation
    from writhe.batch.parallel import Engine
    from writhe.batch.run import BatchOptions, run_batch
    from writhe.batch.settings import Settings, parse_patterns
    from writhe.batch.sources import find_sources, in_shard, parse_shard

    if work == "report":
        _finish(Path(inputs[0]), [], output, "", strips, json, 0.0)
        return
    needs = operation(work).needs
    _check_suffix(suffix)
    settings = Settings(
        work,
        suffix=suffix,
        to=to,
        fps=fps,
        every=every,
        figures=parse_patterns(figure or [], "--figure"),
        roles=parse_patterns(roles or [], "--roles"),
        tolerance_m=1e-3 * tolerance,
        broad_phase=broad_phase,
    )
    sources = find_sources(
        inputs, include=include or (), exclude=exclude or (), recursive=recursive
    )
    label = "all"
    if shard is not None:
        number, count = parse_shard(shard)
        sources, label = in_shard(sources, number, count), f"{number}-of-{count}"
    from writhe.cli.commands.warmup import ensure_warm

    ensure_warm(*needs)
    logs = str(output / FOLDER / "logs")
    engine = Engine(jobs, scheduler, slurm, kubernetes, memory_limit, retries, logs)
    options = BatchOptions(output, outputs, label, engine)
    start = time.perf_counter()
    rows: list[Row] = []
    try:
        with progress_bar(work.capitalize()) as progress:
            for row in run_batch(sources, settings, options):
                rows.append(row)
                progress(len(rows) / len(sources), _rate(len(rows), len(sources), start))
                if row.error is not None:
                    console.print(f"{row.file}: {row.error}", markup=False)
    except KeyboardInterrupt:
        console.print(
            f"interrupted after {len(rows)} of {len(sources)} files; the same command goes on here"
        )
        raise typer.Exit(130) from None
    seconds = time.perf_counter() - start
    if work == "db":
        from writhe.batch.database import merge_postures
        from writhe.postures.build_database import DatabaseOptions

        kept = merge_postures(rows, output / "postures.parquet", DatabaseOptions(every, keep=keep))
        console.print(f"{output / 'postures.parquet'}: {len(kept)} postures")
    _finish(output, rows, output, label, strips, json, seconds)


def _finish(
    folder: Path,
    rows: list[Row],
    output: Path,
    label: str,
    strips: int,
    json: bool,
    seconds: float,
) -> None:
    """Write table and report, print the summary and exit."""
    from writhe.batch.journal import read_rows, write_table
    from writhe.batch.report import write_report
    from writhe.batch.run import REPORT, RESULTS

    rows = rows or list(read_rows(folder).values())
    if not rows:
        raise WritheError(f"{folder} has no results of a batch")
    part = "" if label in ("", "all") else f"-{label}"
    output.mkdir(parents=True, exist_ok=True)
    table = output / RESULTS.replace(".", f"{part}.")
    page = output / REPORT.replace(".", f"{part}.")
    write_table(rows, table)
    write_report(rows, page, strips=strips)
    summary = _summary(rows, seconds)
    console.print(
        f"{summary['passed']} of {summary['files']} clips pass, {summary['failed']} failed;"
        f" {table}, {page}"
    )
    if json:
        print_json({**summary, "table": str(table), "report": str(page)})
    raise typer.Exit(0 if summary["passed"] == summary["files"] else 1)


def _summary(rows: list[Row], seconds: float) -> dict[str, Any]:
    verdicts: dict[str, int] = {}
    for row in rows:
        if row.verdict is not None:
            verdicts[row.verdict] = verdicts.get(row.verdict, 0) + 1
    return {
        "files": len(rows),
        "passed": sum(row.passes for row in rows),
        "failed": sum(row.error is not None for row in rows),
        "verdicts": verdicts,
        "frames": sum(row.frames or 0 for row in rows),
        "seconds": round(seconds, 3),
        "seconds_of_work": round(sum(row.seconds for row in rows), 3),
    }


def _rate(done: int, count: int, start: float) -> str:
    passed = time.perf_counter() - start
    left = passed / done * (count - done)
    minutes, seconds = divmod(round(left), 60)
    return f"{done} of {count} files, {done / passed:.1f} a second, {minutes}:{seconds:02d} left"


def _check_suffix(suffix: str | None) -> None:
    from writhe.io.files import WRITABLE

    if suffix is not None and suffix.lower() not in WRITABLE:
        raise WritheError(f"--suffix must be one of {', '.join(WRITABLE)}, not {suffix!r}")

"""Run a batch over given sources: skip what is done, process the rest, keep a journal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from writhe.batch.journal import Journal, read_rows
from writhe.batch.operations import check_figures, operation, output_name
from writhe.batch.parallel import Engine, run_tasks
from writhe.batch.result_row import Row
from writhe.batch.settings import Settings
from writhe.batch.sources import Source, is_url
from writhe.batch.task import BatchTask
from writhe.errors import WritheError

RESULTS, REPORT = "results.parquet", "report.html"


@dataclass(frozen=True)
class BatchOptions:
    """Where results go and where the work runs.

    folder: receives the journal, the table and the report; outputs too unless `outputs` names
    another folder or a URL. label: of the journal; shards of one batch need different ones.
    """

    folder: Path
    outputs: str | None = None
    label: str = "all"
    engine: Engine = field(default_factory=Engine)


def run_batch(
    sources: Iterable[Source], settings: Settings, options: BatchOptions
) -> Iterator[Row]:
    """Process files and yield their rows as they finish.

    An interrupted batch that is run again skips the files whose content and settings are the same
    and whose outputs exist; their rows are yielded again. One bad file gives a row with an error.
    """
    operation(settings.operation)  # an unknown name fails before any work
    check_figures(settings)
    done = read_rows(options.folder, settings.operation)
    with Journal(options.folder, options.label) as journal:
        for row in run_tasks(_tasks(sources, settings, options, done), options.engine):
            if done.get(row.file) != row:
                journal.append(row)
            yield row


def _tasks(
    sources: Iterable[Source], settings: Settings, options: BatchOptions, done: dict[str, Row]
) -> Iterator[BatchTask]:
    digest = settings.digest
    root = _absolute(options.outputs or str(options.folder))
    for source in sources:
        name = output_name(source.name, settings)
        target = None if name is None else _joined(root, name)
        if target is not None and _is_same_file(target, source.location):
            raise WritheError(f"{target} would replace its own source: choose another folder")
        here = replace(source, location=_absolute(source.location))
        yield BatchTask(here, target, settings, digest, done.get(source.name))


def _joined(root: str, name: str) -> str:
    return f"{root.rstrip('/')}/{name}" if is_url(root) else str(Path(root) / name)


def _absolute(location: str) -> str:
    """The location for workers, which may run in another folder."""
    return location if is_url(location) else str(Path(location).absolute())


def _is_same_file(a: str, b: str) -> bool:
    return not (is_url(a) or is_url(b)) and Path(a).resolve() == Path(b).resolve()

"""Process one file of a batch: read, run the operation, write the output atomically."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import time
import traceback
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from writhe import __version__
from writhe.batch.operations import operation
from writhe.batch.result_row import Row
from writhe.batch.settings import Settings, content_hash
from writhe.batch.sources import Source, filesystem, is_url
from writhe.errors import WritheError
from writhe.files import replace_file


@dataclass(frozen=True)
class BatchTask:
    """A file, where its output goes, and the row of an earlier run if there is one."""

    source: Source
    output: str | None
    settings: Settings
    settings_digest: str
    previous: Row | None = None


def run_task(task: BatchTask) -> Row:
    """Process one file. A file that cannot be used gives a row with an error; nothing is raised.

    If the earlier row has the same content and settings and its output exists, it is returned.
    """
    start = time.perf_counter()
    row = new_row(task)
    try:
        with tempfile.TemporaryDirectory(prefix="writhe-batch-") as folder:
            source = local_copy(task.source.location, Path(folder))
            row = replace(row, content=content_hash(source))
            if _is_done(task, row.content):
                assert task.previous is not None
                return task.previous
            start = time.perf_counter()
            return replace(row, **_run(task, source, Path(folder)), seconds=_since(start))
    except (WritheError, OSError) as error:
        return replace(row, error=str(error), error_kind="input", seconds=_since(start))
    except (
        Exception
    ) as error:  # a defect must not stop the other files; it is reported as an internal error
        where = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
        return replace(row, error=text, error_kind="internal", seconds=_since(start))


def new_row(task: BatchTask) -> Row:
    """The row of a task before anything is done."""
    return Row(
        file=task.source.name,
        source=task.source.location,
        output=task.output,
        operation=task.settings.operation,
        version=__version__,
        settings=task.settings_digest,
        worker=f"{socket.gethostname()}:{os.getpid()}",
    )


def _run(task: BatchTask, source: Path, folder: Path) -> dict[str, object]:
    work, name = operation(task.settings.operation), task.source.name
    made = None
    if task.output is not None:
        made = folder / "output" / Path(task.output).name
        made.parent.mkdir()
    with _roles(task.settings.roles_for(name)):
        figures = dict(work.run(source, made, name, task.settings))
    if made is not None and task.output is not None:
        _publish(made, task.output)
    return figures


def _roles(file: str | None) -> AbstractContextManager[None]:
    """Roles of joints from a file apply in the block."""
    if file is None:
        return nullcontext()
    from writhe.recognition.corrections import read_roles, using_roles

    return using_roles(read_roles(Path(file)))


def _since(start: float) -> float:
    return round(time.perf_counter() - start, 4)


def local_copy(location: str, folder: Path) -> Path:
    """The file itself, or a local copy of what a URL names."""
    if not is_url(location):
        return Path(location)
    system, path = filesystem(location)
    copy = folder / path.rpartition("/")[2]
    system.get_file(path, str(copy))
    return copy


def _publish(made: Path, output: str) -> None:
    """Move a finished file to its destination atomically, so that nobody reads a partial file."""
    if is_url(output):
        system, path = filesystem(output)
        system.makedirs(path.rpartition("/")[0], exist_ok=True)
        system.put_file(str(made), path)
        return
    target = Path(output)
    target.parent.mkdir(parents=True, exist_ok=True)
    # the temporary folder may be on another disk, where renaming would copy
    replace_file(target, lambda part: shutil.move(made, part))


def _is_done(task: BatchTask, content: str) -> bool:
    previous = task.previous
    if previous is None or previous.content != content or previous.settings != task.settings_digest:
        return False
    if previous.error_kind in ("internal", "killed"):
        return False
    if previous.error is not None or task.output is None:
        return True
    if is_url(task.output):
        system, path = filesystem(task.output)
        return bool(system.exists(path))
    return Path(task.output).exists()

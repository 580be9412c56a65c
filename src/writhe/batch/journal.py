"""The journal of a batch: one JSON line per finished file, from which a run resumes.

A line is written to disk before the next file counts as done. A last line that was cut off by a
crash is ignored.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self, cast

from writhe.batch.result_row import Row
from writhe.errors import WritheError
from writhe.files import write_file

FOLDER = ".writhe-batch"


class Journal:
    """Appends rows to the journal of one process (or shard) of a batch."""

    def __init__(self, folder: Path, label: str) -> None:
        self._path = folder / FOLDER / f"{label}.jsonl"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._path.open("a", encoding="utf-8")
        if self._path.stat().st_size and not self._path.read_bytes().endswith(b"\n"):
            self._file.write("\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._file.close()

    def append(self, row: Row) -> None:
        """Store a row on disk."""
        self._file.write(json.dumps(row.as_dict()) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def read_rows(folder: Path, operation: str | None = None) -> dict[str, Row]:
    """The newest row of each file in all journals of an output folder, by file name."""
    rows: dict[str, Row] = {}
    journals = sorted((folder / FOLDER).glob("*.jsonl"), key=lambda p: p.stat().st_mtime)
    for path in journals:
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                row = Row.from_dict(json.loads(line))
            except (ValueError, TypeError):
                continue  # a line that a crash cut off
            if operation is None or row.operation == operation:
                rows[row.file] = row
    return rows


def write_table(rows: Iterable[Row], path: Path) -> None:
    """Write rows as a Parquet table, sorted by file."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise WritheError(
            "the results table needs pyarrow; install it with: pip install 'writhe[batch]'"
        ) from None
    texts = {"file", "output", "operation", "verdict", "error", "error_kind", "version"}
    texts |= {"source", "content", "settings", "worker"}
    flags, counts = {"passes", "certified"}, {"frames", "pass_throughs", "deep_overlaps"}
    counts |= {"frames_written"}
    counts |= {"pass_throughs_before", "postures", "folded_joints"}
    ordered = sorted(rows, key=lambda r: r.file)
    columns: dict[str, object] = {
        name: pa.array(
            [getattr(row, name) for row in ordered],
            pa.string()
            if name in texts
            else pa.bool_()
            if name in flags
            else pa.int64()
            if name in counts
            else pa.float64(),
        )
        for name in Row.__dataclass_fields__
    }
    write_file(path, lambda part: pq.write_table(cast("Any", pa.table(columns)), part))

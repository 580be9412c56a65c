"""Parquet files of records about a figure: columns with one row of an array per record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.errors import FileFormatError, WritheError
from writhe.skeleton import Figure


def arrow() -> tuple[Any, Any]:
    """The modules pyarrow and pyarrow.parquet, whose newest releases reject NumPy 1.26."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as problem:
        raise WritheError(
            f"databases need pyarrow: {problem} (with NumPy 1.26: pip install 'pyarrow<21')"
        ) from None
    return pyarrow, pyarrow.parquet


def list_column(rows: Floats) -> Any:
    """A column whose entries are the rows of an array."""
    pa, _ = arrow()
    flat = pa.array(np.ascontiguousarray(rows).ravel())
    if rows.shape[1] == 0:
        empty: list[list[float]] = [[]]
        return empty * len(rows)
    return pa.FixedSizeListArray.from_arrays(flat, rows.shape[1])


def array_of_column(column: Any, count: int) -> Floats:
    """(count, width) the array that `list_column` stored."""
    if count == 0:
        return np.zeros((0, 0))
    flat = column.combine_chunks().values  # `flatten` would import pyarrow.compute
    return np.array(np.from_dlpack(flat) if len(flat) else [], dtype=np.float64).reshape(count, -1)


def write_table(
    path: str | Path, figure: Figure, header: dict[str, Any], columns: dict[str, Any]
) -> None:
    """Write records of a figure; the header of `read_table` is stored with them."""
    pa, pq = arrow()
    about = {**header, "figure": figure.name, "joints": list(figure.skeleton.names)}
    table = pa.table(columns).replace_schema_metadata({b"writhe": json.dumps(about).encode()})
    pq.write_table(table, Path(path), compression="zstd")


def read_table(
    path: str | Path, figure: Figure, kind: str, version: int, remedy: str
) -> tuple[Any, dict[str, Any]]:
    """The table and the header of a file whose header has the entry kind: version.

    Uses neither `pq.read_table` nor `__array__`: both import pandas, which takes longer than
    reading the file.
    """
    pa, pq = arrow()
    what = kind.removeprefix("writhe_").replace("_", " ")
    if not Path(path).exists():
        raise FileFormatError(path, "there is no such file")
    try:
        table: Any = pq.ParquetFile(Path(path)).read()
        metadata: dict[bytes, bytes] = table.schema.metadata or {}
        header = json.loads(metadata[b"writhe"])
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise FileFormatError(path, f"not a posture {what}: {error}", remedy=remedy) from None
    if header.get(kind) != version:
        raise FileFormatError(
            path, f"{what} version {header.get(kind)}, not {version}", remedy=remedy
        )
    if tuple(header.get("joints", ())) != figure.skeleton.names:
        raise FileFormatError(
            path, f"its joints differ from those of {figure.name!r}", remedy="build it again"
        )
    return table, header

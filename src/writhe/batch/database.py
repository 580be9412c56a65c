"""Merge the postures that a batch stored per clip to one posture database."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from pathlib import Path

from writhe.batch.result_row import Row
from writhe.database import PostureDatabase
from writhe.errors import WritheError
from writhe.postures.build_database import DatabaseOptions, threshold_for
from writhe.skeleton.figures import figure


def merge_postures(rows: Iterable[Row], path: Path, options: DatabaseOptions) -> PostureDatabase:
    """Merge, filter and write the database of all rows that have postures."""
    body = figure("human")
    files = [row.output for row in rows if row.error is None and row.output is not None]
    if not files:
        raise WritheError("no clip gave postures: see the errors in the results table")
    everything = reduce(
        PostureDatabase.merged, (PostureDatabase.load(Path(f), body) for f in sorted(files))
    )
    if options.drop_penetrating:
        everything = everything.take(~everything.penetrating)
    threshold = options.threshold_m2
    if options.keep is not None:
        threshold = threshold_for(everything, options.keep)
    kept = everything.filtered(threshold)
    kept.save(path)
    return kept

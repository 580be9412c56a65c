"""Checks documents and pictures that the page sends before they are stored.

An SQLite file can contain views, triggers and virtual tables that run when it is read. Only files
with exactly the tables of a document are accepted, and every row must be readable.
"""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

import msgspec

from writhe.errors import FileFormatError, WritheError
from writhe.io.gltf.container import Glb
from writhe.skeleton.source_file import SourceFile
from writhe.studio.document import Document
from writhe.studio.document.drawn_paths import all_paths
from writhe.studio.document.history import KEY_COLUMN
from writhe.studio.document.relations import all_relations
from writhe.studio.document.solver_settings import SolverSettings
from writhe.studio.editing.scene.scene_objects import shapes_of

TABLES = frozenset({*KEY_COLUMN, "history", "requests", "meta"})
MAX_CHECK_S = 10.0
MAX_ROWS = 100_000
_PNG = b"\x89PNG\r\n\x1a\n"


def check_picture(png: bytes) -> bytes:
    """The picture, which must be a PNG or empty."""
    if png and not png.startswith(_PNG):
        raise WritheError("pictures must be PNG files")
    return png


def check_document(path: Path) -> None:
    """Raise FileFormatError unless the file is a complete, safe document."""
    try:
        _check_tables(path)
        with Document.open(path) as document:
            _read_all(document)
    except FileFormatError:
        raise
    except WritheError as error:
        raise FileFormatError(path, str(error)) from error
    except (
        sqlite3.Error,
        msgspec.MsgspecError,
        ValueError,
        TypeError,
        KeyError,
        IndexError,
        OverflowError,
        MemoryError,
    ) as error:
        raise FileFormatError(path, f"a damaged document: {type(error).__name__}") from error


def _check_tables(path: Path) -> None:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    deadline = time.monotonic() + MAX_CHECK_S
    connection.set_progress_handler(lambda: int(time.monotonic() > deadline), 10_000)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
        for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_master"):
            plain = kind in ("table", "index") and "VIRTUAL" not in (sql or "").upper()
            ours = name in TABLES or name == "keys_by_time" or name.startswith("sqlite_autoindex_")
            if not (plain and ours) or "(" in name:
                raise FileFormatError(path, f"not a writhe document: it contains {kind} {name!r}")
            if kind == "table" and "GENERATED" in (sql or "").upper():
                raise FileFormatError(
                    path, f"not a writhe document: {name!r} has generated columns"
                )
        if connection.execute("PRAGMA quick_check").fetchone()[0] != "ok":
            raise FileFormatError(path, "a damaged document")
        for table in KEY_COLUMN:
            count = connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
            if count > MAX_ROWS:
                raise FileFormatError(path, f"{count} rows in {table!r}; {MAX_ROWS} at most")
    finally:
        connection.close()


def _read_all(document: Document) -> None:
    """Read everything that a session would read."""
    if not document.actors():
        raise WritheError("it has no character")
    for name in document.embedded_figure_names():
        if (model := document.figure_model(name)) is not None:
            Glb(SourceFile("gltf", Path(name), document.file(model.key)))
    for actor in document.actors():
        skeleton = document.figure(actor.figure).skeleton
        if len(actor.configuration) != skeleton.configuration_size:
            raise WritheError(f"the pose of {actor.name!r} does not fit its figure")
        for pin in actor.pins:
            skeleton.index(pin.joint)
        timeline = document.timeline(actor.id)
        if not timeline.empty:
            timeline.at(0.0)
    for item in document.objects():
        shapes_of(item)
        document.placement_keys(item.id)
    document.poses()
    all_paths(document)
    all_relations(document)
    SolverSettings.of(document)
    document.setting("contacts", list[tuple[str, str]], [])
    _ = document.name, document.fps, document.duration_s, document.undo_label, document.thumbnail

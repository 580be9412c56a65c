"""The tables of a document and the migrations of older files.

`PRAGMA user_version` holds the schema version. A migration is a list of SQL statements and
functions that takes a file from version n to n + 1; opening an old file runs the missing ones in
one transaction. New features add track kinds (a track's `kind` says what its keys hold), not
tables.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from writhe.errors import FileFormatError

APPLICATION_ID = 0x57524954  # "WRIT"; identifies the file type

Step = str | Callable[[sqlite3.Connection], None]
# steps that SQL cannot express; they must not use the current row types, because those may change


def objects_get_bodies(connection: sqlite3.Connection) -> None:
    """1 -> 2: object data was only a position; convert it in the table and in the history."""
    for row in connection.execute("SELECT id, data FROM objects").fetchall():
        data = _body_of_position(row["data"])
        connection.execute("UPDATE objects SET data = ? WHERE id = ?", (data, row["id"]))
    for row in connection.execute("SELECT id, changes FROM history").fetchall():
        changes: list[list[Any]] = msgspec.msgpack.decode(row["changes"])
        for table, _, before, after in changes:
            for state in (before, after):
                if table == "objects" and state is not None:
                    state["data"] = _body_of_position(state["data"])
        connection.execute(
            "UPDATE history SET changes = ? WHERE id = ?",
            (msgspec.msgpack.encode(changes), row["id"]),
        )


def _body_of_position(data: bytes) -> bytes:
    position = msgspec.msgpack.decode(data)
    return msgspec.msgpack.encode({"position": position})


MIGRATIONS: tuple[tuple[Step, ...], ...] = (
    (  # 0 -> 1
        "CREATE TABLE settings (name TEXT PRIMARY KEY, value BLOB NOT NULL)",
        """CREATE TABLE figures (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, data BLOB NOT NULL)""",
        """CREATE TABLE actors (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, figure TEXT NOT NULL,
            method TEXT NOT NULL, q BLOB NOT NULL, pins BLOB NOT NULL)""",
        """CREATE TABLE objects (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, data BLOB NOT NULL)""",
        """CREATE TABLE tracks (
            id INTEGER PRIMARY KEY, actor INTEGER NOT NULL, kind TEXT NOT NULL,
            name TEXT NOT NULL, start_s REAL NOT NULL, fps REAL NOT NULL, data BLOB NOT NULL)""",
        """CREATE TABLE keys (
            id INTEGER PRIMARY KEY, track INTEGER NOT NULL, time_s REAL NOT NULL,
            ease TEXT NOT NULL, data BLOB NOT NULL)""",
        "CREATE INDEX keys_by_time ON keys (track, time_s)",
        """CREATE TABLE poses (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, figure TEXT NOT NULL,
            q BLOB NOT NULL, picture BLOB NOT NULL)""",
        """CREATE TABLE history (
            id INTEGER PRIMARY KEY, label TEXT NOT NULL, at_s REAL NOT NULL,
            changes BLOB NOT NULL)""",
        "CREATE TABLE requests (uid TEXT PRIMARY KEY, at_s REAL NOT NULL)",
        "CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL)",
    ),
    (  # 1 -> 2: objects can be placed and move in time
        "ALTER TABLE tracks ADD COLUMN thing INTEGER NOT NULL DEFAULT 0",
        objects_get_bodies,
    ),
)
VERSION = len(MIGRATIONS)


def connect(path: Path, *, create: bool) -> sqlite3.Connection:
    """Open a document's file, bringing its schema up to date.

    Write-ahead log with synchronous=FULL: a command is acknowledged only after it is on disk, so it
    survives a killed process or a power failure. The sync takes a few milliseconds and runs outside
    the event loop.
    """
    if not create and not path.is_file():
        raise FileFormatError(path, "there is no such document")
    try:
        connection = sqlite3.connect(
            path, check_same_thread=False, isolation_level=None, timeout=10.0
        )
        connection.row_factory = sqlite3.Row
        # the schema of an uploaded document must not run functions
        connection.execute("PRAGMA trusted_schema = OFF")
        application = int(connection.execute("PRAGMA application_id").fetchone()[0])
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if version > VERSION:
            raise FileFormatError(
                path, f"written by a newer writhe (schema {version})", remedy="update writhe"
            )
        if version > 0 and application != APPLICATION_ID:
            raise FileFormatError(path, "an SQLite file, but not a writhe document")
        if version == 0 and not create:
            raise FileFormatError(path, "not a writhe document", remedy="create one in the studio")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        migrate(connection, version)
    except sqlite3.DatabaseError as error:
        raise FileFormatError(path, f"not a readable document: {error}") from error
    return connection


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Run all migrations after `version`."""
    if version == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for steps in MIGRATIONS[version:]:
            for step in steps:
                if isinstance(step, str):
                    connection.execute(step)
                else:
                    step(connection)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise

"""Undoable edits.

Every command writes rows through `Edit`, which records each row before and after. The records are
written to the table `history` in the same transaction as the change, so commands are atomic.
"""

from __future__ import annotations

import sqlite3
import time
from typing import Any

import msgspec

from writhe.errors import WritheError

KEY_COLUMN = {
    "settings": "name",
    "figures": "id",
    "actors": "id",
    "objects": "id",
    "tracks": "id",
    "keys": "id",
    "poses": "id",
}
KEPT_COMMANDS, KEPT_REQUESTS = 1000, 5000

Row = dict[str, Any]


class Change(msgspec.Struct, frozen=True, array_like=True):
    """One row before and after a command; None for a missing row."""

    table: str
    key: int | str
    before: Row | None
    after: Row | None


class Edit:
    """Writes the rows of one command and records the changes."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.changes: list[Change] = []

    def row(self, table: str, key: int | str) -> Row | None:
        """The current row, or None."""
        found = self._connection.execute(
            f"SELECT * FROM {table} WHERE {KEY_COLUMN[table]} = ?", (key,)
        ).fetchone()
        return None if found is None else dict(found)

    def insert(self, table: str, **values: Any) -> int:
        """Insert a row with the next free id; returns the id."""
        if "id" not in values:
            highest = self._connection.execute(f"SELECT MAX(id) FROM {table}").fetchone()[0]
            values = {"id": (highest or 0) + 1, **values}
        self._record(table, values[KEY_COLUMN[table]], values)
        return int(values["id"])

    def update(self, table: str, key: int | str, **values: Any) -> None:
        """Change columns of an existing row."""
        row = self.row(table, key)
        if row is None:
            raise WritheError(f"there is no {table[:-1]} {key} in this document")
        self._record(table, key, {**row, **values})

    def delete(self, table: str, key: int | str) -> None:
        """Delete an existing row."""
        if self.row(table, key) is None:
            raise WritheError(f"there is no {table[:-1]} {key} in this document")
        self._record(table, key, None)

    def setting(self, name: str, value: Any) -> None:
        """Set one of the document's settings."""
        self._record("settings", name, {"name": name, "value": msgspec.msgpack.encode(value)})

    def _record(self, table: str, key: int | str, after: Row | None) -> None:
        before = self.row(table, key)
        if before == after:
            return
        self.changes.append(Change(table, key, before, after))
        write_row(self._connection, table, key, after)


def write_row(connection: sqlite3.Connection, table: str, key: int | str, row: Row | None) -> None:
    """Write a row, or delete it when `row` is None."""
    if table not in KEY_COLUMN:
        raise WritheError(f"the history names an unknown table {table!r}")
    if row is None:
        connection.execute(f"DELETE FROM {table} WHERE {KEY_COLUMN[table]} = ?", (key,))
        return
    columns = [c["name"] for c in connection.execute(f"PRAGMA table_info({table})")]
    known = [c for c in columns if c in row]
    marks = ", ".join("?" * len(known))
    connection.execute(
        f"INSERT OR REPLACE INTO {table} ({', '.join(known)}) VALUES ({marks})",
        [row[c] for c in known],
    )


class History:
    """The commands of a document and the undo position among them."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @property
    def cursor(self) -> int:
        """The number of the last command in effect; 0 for none."""
        found = self._connection.execute("SELECT value FROM meta WHERE name = 'cursor'").fetchone()
        return 0 if found is None else int(found["value"])

    def _move(self, cursor: int) -> None:
        self._connection.execute(
            "INSERT OR REPLACE INTO meta (name, value) VALUES ('cursor', ?)", (cursor,)
        )

    def label(self, *, redo: bool = False) -> str | None:
        """Label of the command that undo (or redo) would affect, or None."""
        found = self._neighbour(redo)
        return None if found is None else str(found["label"])

    def _neighbour(self, redo: bool) -> sqlite3.Row | None:
        side = "id > ? ORDER BY id" if redo else "id <= ? ORDER BY id DESC"
        found: sqlite3.Row | None = self._connection.execute(
            f"SELECT * FROM history WHERE {side} LIMIT 1", (self.cursor,)
        ).fetchone()
        return found

    def add(self, label: str, changes: list[Change]) -> None:
        """Add a command after the cursor; undone commands are deleted."""
        cursor = self.cursor
        self._connection.execute("DELETE FROM history WHERE id > ?", (cursor,))
        self._connection.execute(
            "INSERT INTO history (id, label, at_s, changes) VALUES (?, ?, ?, ?)",
            (cursor + 1, label, time.time(), msgspec.msgpack.encode(changes)),
        )
        self._connection.execute("DELETE FROM history WHERE id <= ?", (cursor + 1 - KEPT_COMMANDS,))
        self._move(cursor + 1)

    def step(self, *, redo: bool) -> str | None:
        """Undo or redo one command; returns its label, or None if there is none."""
        found = self._neighbour(redo)
        if found is None:
            return None
        changes = msgspec.msgpack.decode(found["changes"], type=list[Change])
        for change in changes if redo else reversed(changes):
            row = change.after if redo else change.before
            write_row(self._connection, change.table, change.key, row)
        self._move(int(found["id"]) if redo else int(found["id"]) - 1)
        return str(found["label"])

    def seen(self, uid: str) -> bool:
        """Whether a request was executed before; clients repeat them after a lost connection."""
        found = self._connection.execute("SELECT 1 FROM requests WHERE uid = ?", (uid,)).fetchone()
        return found is not None

    def remember(self, uid: str) -> None:
        """Record a request as executed, in the transaction of its command."""
        self._connection.execute(
            "INSERT OR REPLACE INTO requests VALUES (?, ?)", (uid, time.time())
        )
        self._connection.execute(
            "DELETE FROM requests WHERE rowid <= (SELECT MAX(rowid) FROM requests) - ?",
            (KEPT_REQUESTS,),
        )

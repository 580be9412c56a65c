"""Migration steps that SQL cannot express.

They must not use the current row types, because those may change.
"""

from __future__ import annotations

import sqlite3
from typing import Any

import msgspec


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

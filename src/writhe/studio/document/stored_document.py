"""The SQLite file of a document: commands with undo, settings, stored files and pictures."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Self, TypeVar

import msgspec

from writhe.errors import WritheError
from writhe.studio.document.history import Edit, History
from writhe.studio.document.schema import connect

Value = TypeVar("Value")
FILE = "file:"  # prefix of the keys of stored files


class StoredDocument:
    """One SQLite file. All changes go through `edit`, one command at a time.

    When its block ends, the command and its undo record are on disk.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.path = path
        self._connection = connection
        self._lock = threading.RLock()
        self._history = History(connection)
        self.revision = 0  # number of edits, undone and redone ones included, since it was opened

    @classmethod
    def create(cls, path: str | Path, name: str = "Untitled") -> Self:
        """Create an empty document; raises if the file exists."""
        target = Path(path)
        if target.exists():
            raise WritheError(f"{target} already exists; open it, or choose another name")
        document = cls(connect(target, create=True), target)
        document._put_meta("created", str(time.time()))
        with document._transaction():
            Edit(document._connection).setting("name", name)
        return document

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Open an existing document."""
        return cls(connect(Path(path), create=False), Path(path))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def to_bytes(self) -> bytes:
        """The whole document as the bytes of one file."""
        with self._lock:
            return self._connection.serialize()

    @property
    def created(self) -> str:
        """When the document was created; its copies have the same value."""
        return (self._meta("created") or b"").decode()

    # ---- changing ----

    @contextmanager
    def edit(self, label: str, request: str | None = None) -> Generator[Edit, None, None]:
        """One undoable command: `with document.edit("Mirror pose") as edit: edit.update(...)`.

        `request` identifies the command for a client that may send it twice.
        """
        with self._lock, self._transaction():
            edit = Edit(self._connection)
            yield edit
            if edit.changes:
                self._history.add(label, edit.changes)
                self._put_meta("modified", str(time.time()))
                self.revision += 1
            if request:
                self._history.remember(request)

    @contextmanager
    def unchanged(self) -> Generator[None, None, None]:
        """No other thread edits the document in this block."""
        with self._lock:
            yield

    def undo(self, request: str | None = None) -> str | None:
        """Undo the last command; returns its label, or None if there is none."""
        return self._step(request, redo=False)

    def redo(self, request: str | None = None) -> str | None:
        """Redo the last undone command; returns its label, or None if there is none."""
        return self._step(request, redo=True)

    def _step(self, request: str | None, *, redo: bool) -> str | None:
        with self._lock, self._transaction():
            if request:
                self._history.remember(request)
            self.revision += 1
            return self._history.step(redo=redo)

    @contextmanager
    def _transaction(self) -> Generator[None, None, None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def carried_out(self, request: str) -> bool:
        """Whether this request was executed before."""
        with self._lock:
            return self._history.seen(request)

    @property
    def undo_label(self) -> str | None:
        """Label of the command that undo would revert."""
        with self._lock:
            return self._history.label()

    @property
    def redo_label(self) -> str | None:
        """Label of the command that redo would repeat."""
        with self._lock:
            return self._history.label(redo=True)

    def forget_history(self) -> None:
        """Delete the undo history."""
        with self._lock, self._transaction():
            self._connection.execute("DELETE FROM history")

    # ---- settings ----

    def setting(self, name: str, kind: type[Value], default: Value) -> Value:
        """One of the document's settings, or the default."""
        with self._lock:
            found = self._connection.execute(
                "SELECT value FROM settings WHERE name = ?", (name,)
            ).fetchone()
        return default if found is None else msgspec.msgpack.decode(found["value"], type=kind)

    @property
    def name(self) -> str:
        """The document's title."""
        return self.setting("name", str, "Untitled")

    @property
    def fps(self) -> float:
        """Frames per second of the timeline."""
        return self.setting("fps", float, 30.0)

    @property
    def duration_s(self) -> float:
        """The length of the timeline."""
        return self.setting("duration_s", float, 4.0)

    # ---- files of characters; not commands, so not undoable ----

    def put_file(self, data: bytes) -> str:
        """Store the file of a character; returns its key. Undo keeps it, for redo."""
        key = hashlib.sha256(data).hexdigest()
        with self._lock:
            self._put_meta(f"{FILE}{key}", data)
        return key

    def file(self, key: str) -> bytes:
        """The file with this key."""
        found = self._meta(f"{FILE}{key}")
        if found is None:
            raise WritheError("the file of a character is missing in this document")
        return found

    # ---- picture on the start page; not a command, so not undoable ----

    def set_thumbnail(self, png: bytes) -> None:
        """Store a small picture of the document."""
        with self._lock, self._transaction():
            self._put_meta("thumbnail", png)

    @property
    def modified_s(self) -> float:
        """Time of the last command, or of creation, in seconds since 1970."""
        with self._lock:
            found = self._connection.execute(
                "SELECT MAX(CAST(value AS REAL)) FROM meta WHERE name IN ('modified', 'created')"
            ).fetchone()
        return float(found[0] or 0.0)

    @property
    def thumbnail(self) -> bytes:
        """The PNG picture, empty if there is none."""
        return self._meta("thumbnail") or b""

    # ---- certificate of the motion; not a command: it is computed after each ----

    def set_certificate(self, data: bytes) -> None:
        """Store the encoded certificate of the motion (see `features.motion.certificate`)."""
        with self._lock, self._transaction():
            self._put_meta("certificate", data)

    @property
    def certificate(self) -> bytes:
        """The encoded certificate stored last, empty if there is none."""
        return self._meta("certificate") or b""

    def _put_meta(self, name: str, value: str | bytes) -> None:
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    def _meta(self, name: str) -> bytes | None:
        with self._lock:
            found = self._connection.execute(
                "SELECT value FROM meta WHERE name = ?", (name,)
            ).fetchone()
        if found is None:
            return None
        value = found["value"]
        return value.encode() if isinstance(value, str) else bytes(value)

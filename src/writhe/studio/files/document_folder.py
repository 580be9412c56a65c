"""The folder of documents: list, create, copy, upload, download and delete.

Clients name a document by twelve random hexadecimal digits; only this module builds paths.
"""

from __future__ import annotations

import os
import re
import secrets
import sqlite3
import tempfile
from dataclasses import dataclass
from pathlib import Path

from writhe.errors import WritheError
from writhe.studio.document.document import SUFFIX, Document
from writhe.studio.files.upload_check import check_document
from writhe.user_folders import user_folder

_NUMBER = re.compile(r"[0-9a-f]{12}")
MAX_DOCUMENTS = 2000


def default_folder() -> Path:
    """The default folder of documents, in the user's data folder."""
    chosen = os.environ.get("WRITHE_DOCUMENTS_DIR")
    return Path(chosen) if chosen else user_folder("data") / "documents"


@dataclass(frozen=True)
class Entry:
    """A document on the start page."""

    id: str
    name: str
    modified_s: float
    has_picture: bool


class DocumentFolder:
    """A folder of documents."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def path(self, number: str) -> Path:
        """The file of a document; raises if the number is not valid."""
        if not _NUMBER.fullmatch(number):
            raise WritheError("a document's number must be twelve hexadecimal digits")
        return self.folder / f"{number}{SUFFIX}"

    def entries(self) -> list[Entry]:
        """All readable documents, most recently changed first."""
        found: list[Entry] = []
        for path in self.folder.glob(f"*{SUFFIX}"):
            if not _NUMBER.fullmatch(path.stem):
                continue
            try:
                with Document.open(path) as document:
                    changed_s = document.modified_s  # opening a file changes its modification time
                    has_picture = bool(document.thumbnail)
                    found.append(Entry(path.stem, document.name, changed_s, has_picture))
            except (WritheError, OSError):
                continue  # a damaged file must not hide the others
        return sorted(found, key=lambda entry: -entry.modified_s)

    def create(self, name: str = "", figure: str = "human") -> str:
        """A new document with one actor; returns its number."""
        taken = len(list(self.folder.glob(f"*{SUFFIX}")))
        if taken >= MAX_DOCUMENTS:
            raise WritheError(f"the folder holds {taken} documents; delete some first")
        number = secrets.token_hex(6)
        with Document.create(self.path(number), name[:80] or "Untitled") as document:
            document.add_actor(figure)
            document.forget_history()
        return number

    def copy(self, number: str) -> str:
        """A copy of a document under a new number."""
        other = secrets.token_hex(6)
        with Document.open(self.path(number)) as document:
            title = document.name
        _backup(self.path(number), self.path(other))
        with Document.open(self.path(other)) as document, document.edit("Copy") as edit:
            edit.setting("name", f"{title} copy"[:80])
        return other

    def download(self, number: str) -> tuple[bytes, str]:
        """A document as the bytes of one file, and a name for it."""
        with Document.open(self.path(number)) as document:
            title = re.sub(r"[^A-Za-z0-9 _-]+", "", document.name).strip() or "document"
            return document.to_bytes(), f"{title}{SUFFIX}"

    def upload(self, data: bytes) -> str:
        """Add an uploaded document after checking it; returns its number."""
        number = secrets.token_hex(6)
        with tempfile.TemporaryDirectory(prefix="writhe-") as folder:
            uploaded = Path(folder) / "document"
            uploaded.write_bytes(data)
            check_document(uploaded)
            _backup(uploaded, self.path(number))
        return number

    def delete(self, number: str) -> None:
        """Delete a document and its write-ahead logs."""
        path = self.path(number)
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)


def _backup(source: Path, target: Path) -> None:
    """Copy a document into a single file, without write-ahead logs."""
    one, other = sqlite3.connect(source), sqlite3.connect(target)
    with other:
        one.backup(other)
    one.close()
    other.close()

"""Uploaded documents: valid ones are accepted, all others rejected."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from writhe.errors import FileFormatError, WritheError
from writhe.studio.document import Document
from writhe.studio.files.document_folder import DocumentFolder


@pytest.fixture
def documents(tmp_path: Path) -> DocumentFolder:
    return DocumentFolder(tmp_path / "documents")


@pytest.fixture
def whole(documents: DocumentFolder) -> bytes:
    """The bytes of a document with rows in every table."""
    number = documents.create("Walk")
    with Document.open(documents.path(number)) as document:
        q = document.actor(1).configuration
        document.set_key(1, 0.0, q)
        document.set_key(1, 1.0, q)
        document.undo()
    data, name = documents.download(number)
    assert name == "Walk.writhe"
    return data


def test_documents_are_listed_newest_first_after_reading_too(
    documents: DocumentFolder,
) -> None:
    first, second = documents.create("First"), documents.create("Second")
    with Document.open(documents.path(first)) as document, document.edit("Rename") as edit:
        edit.setting("name", "First again")
    for _ in range(3):
        assert [entry.id for entry in documents.entries()] == [first, second]


def test_a_download_can_be_uploaded_again(documents: DocumentFolder, whole: bytes) -> None:
    number = documents.upload(whole)
    with Document.open(documents.path(number)) as document:
        assert document.name == "Walk"
        assert len(document.keys(document.tracks(1)[0].id)) == 1
        assert document.redo() == "Set key"


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW spy AS SELECT * FROM actors",
        "CREATE TRIGGER boom AFTER INSERT ON keys BEGIN DELETE FROM actors; END",
        "CREATE TABLE extra (id INTEGER)",
        "CREATE VIRTUAL TABLE extra USING fts5(x)",
        "DELETE FROM actors",
        "UPDATE actors SET q = x'00'",
        "UPDATE actors SET pins = x'C1'",
        "UPDATE actors SET figure = '../../etc/passwd'",
        "UPDATE keys SET data = x'0011'",
        "UPDATE tracks SET kind = 'spell'",
        "DROP TABLE poses",
        "INSERT INTO objects VALUES (1, 'x', 'spaceship', x'80')",
        "UPDATE settings SET value = x'C1' WHERE name = 'name'",
        "PRAGMA user_version = 77",
        "PRAGMA application_id = 5",
    ],
)
def test_a_tampered_document_is_rejected(
    documents: DocumentFolder, whole: bytes, tmp_path: Path, statement: str
) -> None:
    path = tmp_path / "tampered"
    path.write_bytes(whole)
    with sqlite3.connect(path) as connection:
        connection.execute(statement)
    connection.close()
    with pytest.raises(FileFormatError):
        documents.upload(path.read_bytes())
    assert len(documents.entries()) == 1


def test_broken_files_are_rejected_or_readable(documents: DocumentFolder, whole: bytes) -> None:
    """Flipped bits, removed and moved pieces: rejected, or accepted as a document."""
    rng = random.Random(5)
    refused = 0
    for k in range(400):
        data = bytearray(whole if k % 10 else rng.randbytes(rng.randint(0, 5000)))
        for _ in range(rng.randint(1, 30)):
            if not data:
                break
            at = rng.randrange(len(data))
            match rng.randrange(3):
                case 0:
                    data[at] = rng.randrange(256)
                case 1:
                    del data[at : at + rng.randint(1, 4000)]
                case _:
                    data[at : at + 64] = rng.randbytes(64)
        try:
            number = documents.upload(bytes(data))
        except WritheError:
            refused += 1
        else:  # what was changed does not matter: it must open and be of use
            with Document.open(documents.path(number)) as document:
                document.add_actor("hand")
            documents.delete(number)
    assert refused > 200
    assert [entry.name for entry in documents.entries()] == ["Walk"]

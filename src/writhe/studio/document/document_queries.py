"""Actors, objects, tracks, keys, saved poses and figures of a document, read from its file."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from writhe.errors import WritheError
from writhe.skeleton import Figure
from writhe.skeleton.source_file import SourceFile
from writhe.studio.document.row_types import (
    ActorRow,
    KeyRow,
    ObjectData,
    ObjectRow,
    PinRow,
    SavedPoseRow,
    TrackKind,
    TrackRow,
)
from writhe.studio.document.stored_document import StoredDocument

if TYPE_CHECKING:
    from writhe.studio.document.embedded_figures import EmbeddedModel

Value = TypeVar("Value")


class DocumentQueries(StoredDocument):
    """The rows of a document by kind. Every read queries the file."""

    def _rows(self, kind: type[Value], sql: str, *values: Any) -> list[Value]:
        with self._lock:
            found = self._connection.execute(sql, values).fetchall()
        return [msgspec.convert(dict(row), kind) for row in found]

    def actors(self) -> list[ActorRow]:
        """All actors in order of id."""
        with self._lock:
            found = self._connection.execute("SELECT * FROM actors ORDER BY id").fetchall()
        return [_actor(row) for row in found]

    def actor(self, number: int) -> ActorRow:
        """The actor with this id."""
        for actor in self.actors():
            if actor.id == number:
                return actor
        raise WritheError(f"there is no actor {number} in this document")

    def all_tracks(self) -> list[TrackRow]:
        """The tracks of all actors and objects."""
        return self._rows(TrackRow, "SELECT * FROM tracks ORDER BY id")

    def tracks(self, actor: int) -> list[TrackRow]:
        """The tracks of an actor."""
        return self._rows(TrackRow, "SELECT * FROM tracks WHERE actor = ? ORDER BY id", actor)

    def object_tracks(self, number: int) -> list[TrackRow]:
        """The tracks of an object."""
        return self._rows(TrackRow, "SELECT * FROM tracks WHERE thing = ? ORDER BY id", number)

    def track(self, actor: int, kind: TrackKind) -> TrackRow | None:
        """The actor's first track of a kind, or None."""
        return next((t for t in self.tracks(actor) if t.kind is kind), None)

    def keys(self, track: int) -> list[KeyRow]:
        """The keys of a track in order of time."""
        return self._rows(KeyRow, "SELECT * FROM keys WHERE track = ? ORDER BY time_s, id", track)

    def objects(self) -> list[ObjectRow]:
        """The objects of the scene."""
        with self._lock:
            found = self._connection.execute("SELECT * FROM objects ORDER BY id").fetchall()
        return [
            ObjectRow(
                row["id"],
                row["name"],
                row["kind"],
                msgspec.msgpack.decode(row["data"], type=ObjectData),
            )
            for row in found
        ]

    def object_row(self, number: int) -> ObjectRow:
        """The object with this id."""
        for item in self.objects():
            if item.id == number:
                return item
        raise WritheError(f"there is no object {number} in this document")

    def placement_keys(self, number: int) -> list[KeyRow]:
        """The placement keys of an object in order of time."""
        tracks = [t for t in self.object_tracks(number) if t.kind is TrackKind.PLACEMENT]
        return self.keys(tracks[0].id) if tracks else []

    def poses(self) -> list[SavedPoseRow]:
        """The saved poses."""
        return self._rows(SavedPoseRow, "SELECT * FROM poses ORDER BY id")

    def figure(self, name: str) -> Figure:
        """The figure of this name, built in or embedded in the document."""
        from writhe.skeleton.figures import figure, figure_names
        from writhe.studio.document.embedded_figures import decode_figure

        if name in figure_names():
            return figure(name)
        found = self.figure_row(name)
        if found is None:
            raise WritheError(f"this document has no figure {name!r}, and it is not built in")
        return decode_figure(found[1])

    def figure_row(self, name: str) -> tuple[int, bytes] | None:
        """The row and the encoded figure of this name; None if it is built in."""
        with self._lock:
            found = self._connection.execute(
                "SELECT id, data FROM figures WHERE name = ?", (name,)
            ).fetchone()
        return None if found is None else (int(found["id"]), bytes(found["data"]))

    def figure_version(self, name: str) -> int:
        """A number that changes when the user corrects the figure of this name; 0 at first."""
        return self.setting("figure_versions", dict[str, int], {}).get(name, 0)

    def next_figure_version(self) -> int:
        """A version that no figure of this document has had, undone ones included."""
        return time.time_ns() // 1000

    def figure_model(self, name: str) -> EmbeddedModel | None:
        """Where the file of an embedded figure is stored; None if it has no glTF file."""
        from writhe.studio.document.embedded_figures import decode_model

        found = self.figure_row(name)
        return None if found is None else decode_model(found[1])

    def figure_with_file(self, name: str) -> Figure:
        """The figure with its source file, if any, as exporting needs it."""
        figure, model = self.figure(name), self.figure_model(name)
        if model is None:
            return figure
        return replace(figure, source=SourceFile("gltf", Path(name), self.file(model.key)))

    def embedded_figure_names(self) -> list[str]:
        """The names of the figures embedded in the document."""
        with self._lock:
            found = self._connection.execute("SELECT name FROM figures ORDER BY id").fetchall()
        return [str(row["name"]) for row in found]


def _actor(row: sqlite3.Row) -> ActorRow:
    values = dict(row)
    pins = msgspec.msgpack.decode(values.pop("pins"), type=tuple[PinRow, ...])
    return ActorRow(**values, pins=pins)


def free_name(title: str, taken: Collection[str]) -> str:
    """The title, or with a number ("Box 2") where it is taken."""
    name, number = title, 2
    while name in taken:
        name, number = f"{title} {number}", number + 1
    return name

"""A document: actors, tracks, keys, saved poses; every command saved and undoable."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec
import numpy as np

from writhe.arrays import Floats, floats
from writhe.errors import WritheError
from writhe.skeleton import Figure, Motion
from writhe.studio.document import rows
from writhe.studio.document.history import Edit, History
from writhe.studio.document.rows import Actor, Body, Key, PinRow, SavedPose, Thing, Track, TrackKind
from writhe.studio.document.schema import connect
from writhe.studio.document.timeline import ActorTimeline, PoseKeys, Way

Value = TypeVar("Value")
SUFFIX = ".writhe"


class Document:
    """One SQLite file. Reading takes no copy: every answer comes from the file as it stands.

    All changes go through `edit`, one command at a time; when its block ends the command is on
    the disk together with what undoes it.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.path = path
        self._connection = connection
        self._lock = threading.RLock()
        self._history = History(connection)

    @classmethod
    def create(cls, path: str | Path, name: str = "Untitled") -> Document:
        """A new, empty document; refuses to overwrite."""
        place = Path(path)
        if place.exists():
            raise WritheError(f"{place} is already there; open it, or choose another name")
        document = cls(connect(place, create=True), place)
        document._put_meta("created", str(time.time()))
        with document._transaction():
            Edit(document._connection).setting("name", name)
        return document

    @classmethod
    def open(cls, path: str | Path) -> Document:
        """An existing document."""
        return cls(connect(Path(path), create=False), Path(path))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- changing ----

    @contextmanager
    def edit(self, label: str, request: str | None = None) -> Generator[Edit, None, None]:
        """One undoable command: `with document.edit("Mirror pose") as edit: edit.update(...)`.

        `request` names the command for a client that may send it twice.
        """
        with self._lock, self._transaction():
            edit = Edit(self._connection)
            yield edit
            if edit.changes:
                self._history.add(label, edit.changes)
                self._put_meta("modified", str(time.time()))
            if request:
                self._history.remember(request)

    def undo(self, request: str | None = None) -> str | None:
        """Take the last command back; returns its label, None where there is none."""
        return self._step(request, redo=False)

    def redo(self, request: str | None = None) -> str | None:
        """Bring back what was undone; returns its label, None where there is none."""
        return self._step(request, redo=True)

    def _step(self, request: str | None, *, redo: bool) -> str | None:
        with self._lock, self._transaction():
            if request:
                self._history.remember(request)
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
        """Whether this request was carried out before."""
        with self._lock:
            return self._history.seen(request)

    @property
    def undo_label(self) -> str | None:
        """What undo would take back."""
        with self._lock:
            return self._history.label()

    @property
    def redo_label(self) -> str | None:
        """What redo would bring back."""
        with self._lock:
            return self._history.label(redo=True)

    def forget_history(self) -> None:
        """Make the present state the one before which nothing can be undone."""
        with self._lock, self._transaction():
            self._connection.execute("DELETE FROM history")

    # ---- reading ----

    def _rows(self, kind: type[Value], sql: str, *values: Any) -> list[Value]:
        with self._lock:
            found = self._connection.execute(sql, values).fetchall()
        return [msgspec.convert(dict(row), kind) for row in found]

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
        """Frames a second of the timeline."""
        return self.setting("fps", float, 30.0)

    @property
    def duration_s(self) -> float:
        """The length of the timeline."""
        return self.setting("duration_s", float, 4.0)

    def actors(self) -> list[Actor]:
        """All actors, the oldest first."""
        with self._lock:
            found = self._connection.execute("SELECT * FROM actors ORDER BY id").fetchall()
        return [_actor(row) for row in found]

    def actor(self, number: int) -> Actor:
        """One actor by its number."""
        for actor in self.actors():
            if actor.id == number:
                return actor
        raise WritheError(f"there is no actor {number} in this document")

    def all_tracks(self) -> list[Track]:
        """The tracks of all actors and objects."""
        return self._rows(Track, "SELECT * FROM tracks ORDER BY id")

    def tracks(self, actor: int) -> list[Track]:
        """The tracks of an actor."""
        return self._rows(Track, "SELECT * FROM tracks WHERE actor = ? ORDER BY id", actor)

    def thing_tracks(self, thing: int) -> list[Track]:
        """The tracks of an object."""
        return self._rows(Track, "SELECT * FROM tracks WHERE thing = ? ORDER BY id", thing)

    def track(self, actor: int, kind: TrackKind) -> Track | None:
        """The actor's track of a kind, if it has one."""
        return next((t for t in self.tracks(actor) if t.kind is kind), None)

    def keys(self, track: int) -> list[Key]:
        """The keys of a track in order of time."""
        return self._rows(Key, "SELECT * FROM keys WHERE track = ? ORDER BY time_s, id", track)

    def objects(self) -> list[Thing]:
        """The objects of the scene."""
        with self._lock:
            found = self._connection.execute("SELECT * FROM objects ORDER BY id").fetchall()
        return [
            Thing(
                row["id"],
                row["name"],
                row["kind"],
                msgspec.msgpack.decode(row["data"], type=Body),
            )
            for row in found
        ]

    def thing(self, number: int) -> Thing:
        """One object by its number."""
        for thing in self.objects():
            if thing.id == number:
                return thing
        raise WritheError(f"there is no object {number} in this document")

    def place_keys(self, thing: int) -> list[Key]:
        """The keys that say where an object is over time."""
        tracks = [t for t in self.thing_tracks(thing) if t.kind is TrackKind.PLACE]
        return self.keys(tracks[0].id) if tracks else []

    def poses(self) -> list[SavedPose]:
        """The saved poses."""
        return self._rows(SavedPose, "SELECT * FROM poses ORDER BY id")

    def figure(self, name: str) -> Figure:
        """A built-in figure, or one that the document brings along."""
        from writhe.skeleton.figures import figure, figure_names
        from writhe.studio.document.embedded_figures import decode_figure

        if name in figure_names():
            return figure(name)
        with self._lock:
            found = self._connection.execute(
                "SELECT data FROM figures WHERE name = ?", (name,)
            ).fetchone()
        if found is None:
            raise WritheError(f"this document needs a figure {name!r} that is not there")
        return decode_figure(found["data"])

    def own_figures(self) -> list[str]:
        """The names of the figures that the document brings along."""
        with self._lock:
            found = self._connection.execute("SELECT name FROM figures ORDER BY id").fetchall()
        return [str(row["name"]) for row in found]

    # ---- time ----

    def timeline(self, actor: int) -> ActorTimeline:
        """The actor's tracks, ready to be asked for poses."""
        with self._lock:
            row = self.actor(actor)
            skeleton = self.figure(row.figure).skeleton
            keys = clip = None
            start_s = 0.0
            ways: list[Way] = []
            for track in self.tracks(actor):
                if track.kind is TrackKind.POSE:
                    found = self.keys(track.id)
                    if found:
                        keys = _pose_keys(found)
                elif track.kind in (TrackKind.CLIP, TrackKind.WAY):
                    q = rows.unpack(track.data).reshape(-1, skeleton.configuration_size)
                    sampled = Motion(skeleton, q, track.fps, track.name)
                    if track.kind is TrackKind.CLIP:
                        clip, start_s = sampled, track.start_s
                    else:
                        ways.append(Way(track.start_s, sampled))
        return ActorTimeline(skeleton, keys, clip, start_s, tuple(ways))

    def motion(self, actor: int, fps: float | None = None) -> Motion:
        """The actor's whole timeline as sampled motion; its standing pose where it has no keys."""
        rate = fps or self.fps
        timeline = self.timeline(actor)
        row = self.actor(actor)
        if timeline.empty:
            return Motion(timeline.skeleton, row.configuration[None], rate, row.name)
        count = round(timeline.end_s * rate) + 1
        q = timeline.sample(np.arange(count) / rate)
        return Motion(timeline.skeleton, q, rate, row.name)

    # ---- the picture on the start page; not a command, so not undoable ----

    def set_thumbnail(self, png: bytes) -> None:
        """Keep a small picture of the document."""
        with self._lock, self._transaction():
            self._put_meta("thumbnail", png)

    @property
    def modified_s(self) -> float:
        """When the last command was saved, or when it was made, in seconds since 1970."""
        with self._lock:
            found = self._connection.execute(
                "SELECT MAX(CAST(value AS REAL)) FROM meta WHERE name IN ('modified', 'created')"
            ).fetchone()
        return float(found[0] or 0.0)

    @property
    def thumbnail(self) -> bytes:
        """The small picture, empty where there is none."""
        with self._lock:
            found = self._connection.execute(
                "SELECT value FROM meta WHERE name = 'thumbnail'"
            ).fetchone()
        return b"" if found is None else bytes(found["value"])

    # ---- what was proven of the motion; not a command either: it comes after each by itself ----

    def set_certificate(self, data: bytes) -> None:
        """Keep what was proven of the whole motion (`studio.features.certificate` reads it)."""
        with self._lock, self._transaction():
            self._put_meta("certificate", data)

    @property
    def certificate(self) -> bytes:
        """What was last proven of the whole motion, empty where nothing was."""
        with self._lock:
            found = self._connection.execute(
                "SELECT value FROM meta WHERE name = 'certificate'"
            ).fetchone()
        return b"" if found is None else bytes(found["value"])

    def _put_meta(self, name: str, value: str | bytes) -> None:
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    # ---- whole commands for Python users ----

    def add_actor(self, figure: str = "human", name: str = "", method: str = "") -> int:
        """Add an actor in its starting pose, feet pinned where the figure has feet."""
        from writhe.studio.editing.edits import add_actor

        with self.edit("Add character") as edit:
            return add_actor(self, edit, figure, name, method)

    def set_key(self, actor: int, time_s: float, q: Floats) -> None:
        """Key a pose at a time, replacing a key that is there."""
        from writhe.studio.editing.edits import put_key

        size = self.figure(self.actor(actor).figure).skeleton.configuration_size
        with self.edit("Set key") as edit:
            put_key(self, edit, actor, time_s, floats(q, (size,), "the pose"))


def _actor(row: sqlite3.Row) -> Actor:
    values = dict(row)
    pins = msgspec.msgpack.decode(values.pop("pins"), type=tuple[PinRow, ...])
    return Actor(**values, pins=pins)


def _pose_keys(found: list[Key]) -> PoseKeys:
    times = np.array([key.time_s for key in found])
    q = np.stack([rows.unpack(key.data) for key in found])
    return PoseKeys(times, q, tuple(key.ease for key in found))

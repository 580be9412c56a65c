"""A document: actors, objects, tracks, keys, saved poses; every command is saved and undoable."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import msgspec
import numpy as np

from writhe.animation.keys import KeyBlend
from writhe.arrays import Floats, floats
from writhe.errors import WritheError
from writhe.skeleton import Figure, Motion
from writhe.skeleton.source_file import SourceFile
from writhe.studio.document import rows
from writhe.studio.document.history import Edit, History
from writhe.studio.document.rows import (
    ActorRow,
    Key,
    ObjectData,
    ObjectRow,
    PinRow,
    SavedPose,
    TrackKind,
    TrackRow,
)
from writhe.studio.document.schema import connect
from writhe.studio.document.timeline import (
    ActorTimeline,
    PoseKeys,
    SampledTrack,
    SolvedSpan,
    SolveSpan,
)

if TYPE_CHECKING:
    from writhe.studio.document.embedded_figures import EmbeddedModel
    from writhe.studio.editing.in_betweens import InBetweens

Value = TypeVar("Value")
SUFFIX = ".writhe"
FILE = "file:"  # prefix of the keys of stored files


class Document:
    """One SQLite file. Every read queries the file; only timelines are kept until it changes.

    All changes go through `edit`, one command at a time. When its block ends, the command and its
    undo record are on disk.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.path = path
        self._connection = connection
        self._lock = threading.RLock()
        self._history = History(connection)
        self._timelines: dict[int, tuple[int, ActorTimeline]] = {}  # with the total of changes
        self.revision = 0  # number of edits, undone and redone ones included, since it was opened

    @classmethod
    def create(cls, path: str | Path, name: str = "Untitled") -> Document:
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
    def open(cls, path: str | Path) -> Document:
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
        """Frames per second of the timeline."""
        return self.setting("fps", float, 30.0)

    @property
    def duration_s(self) -> float:
        """The length of the timeline."""
        return self.setting("duration_s", float, 4.0)

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

    def keys(self, track: int) -> list[Key]:
        """The keys of a track in order of time."""
        return self._rows(Key, "SELECT * FROM keys WHERE track = ? ORDER BY time_s, id", track)

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

    def placement_keys(self, number: int) -> list[Key]:
        """The placement keys of an object in order of time."""
        tracks = [t for t in self.object_tracks(number) if t.kind is TrackKind.PLACEMENT]
        return self.keys(tracks[0].id) if tracks else []

    def poses(self) -> list[SavedPose]:
        """The saved poses."""
        return self._rows(SavedPose, "SELECT * FROM poses ORDER BY id")

    def figure(self, name: str) -> Figure:
        """The figure of this name, built in or embedded in the document."""
        from writhe.skeleton.figures import figure, figure_names
        from writhe.studio.document.embedded_figures import decode_figure

        if name in figure_names():
            return figure(name)
        with self._lock:
            found = self._connection.execute(
                "SELECT data FROM figures WHERE name = ?", (name,)
            ).fetchone()
        if found is None:
            raise WritheError(f"this document has no figure {name!r}, and it is not built in")
        return decode_figure(found["data"])

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

        with self._lock:
            found = self._connection.execute(
                "SELECT data FROM figures WHERE name = ?", (name,)
            ).fetchone()
        return None if found is None else decode_model(found["data"])

    def put_file(self, data: bytes) -> str:
        """Store the file of a character; returns its key. Undo keeps it, for redo."""
        key = hashlib.sha256(data).hexdigest()
        with self._lock:
            self._put_meta(f"{FILE}{key}", data)
        return key

    def file(self, key: str) -> bytes:
        """The file with this key."""
        with self._lock:
            found = self._connection.execute(
                "SELECT value FROM meta WHERE name = ?", (f"{FILE}{key}",)
            ).fetchone()
        if found is None:
            raise WritheError("the file of a character is missing in this document")
        return bytes(found["value"])

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

    # ---- time ----

    def timeline(self, actor: int) -> ActorTimeline:
        """The actor's tracks as a timeline that can be sampled."""
        with self._lock:
            revision = self._connection.total_changes
            known = self._timelines.get(actor)
            if known is None or known[0] != revision:
                timeline = self._read_timeline(actor)
                if known is not None:
                    timeline.adopt(known[1])
                known = revision, timeline
                self._timelines[actor] = known
            return known[1]

    def _read_timeline(self, actor: int) -> ActorTimeline:
        from writhe.studio.editing.scene_builder import SceneKey

        with self._lock:
            row = self.actor(actor)
            skeleton = self.figure(row.figure).skeleton
            keys = clip = None
            start_s = 0.0
            sampled_tracks: list[SampledTrack] = []
            for track in self.tracks(actor):
                if track.kind is TrackKind.POSE:
                    found = self.keys(track.id)
                    if found:
                        keys = _pose_keys(found)
                elif track.kind in (TrackKind.CLIP, TrackKind.SAMPLED):
                    q = rows.unpack(track.data).reshape(-1, skeleton.configuration_size)
                    motion = Motion(skeleton, q, track.fps, track.name)
                    if track.kind is TrackKind.CLIP:
                        clip, start_s = motion, track.start_s
                    else:
                        sampled_tracks.append(SampledTrack(track.start_s, motion))
        solve = around = None
        if keys is not None and clip is None:
            solve = self._span_solver(row)
            placed = [[*self.placement_keys(item.id)] for item in self.objects()]
            scene_key = SceneKey.of(self)
            # what is held on another character follows that one: nothing is taken over then
            others = object() if scene_key.held else None
            around = (self.fps, row.figure, row.pins, scene_key, placed, others)
        return ActorTimeline(skeleton, keys, clip, start_s, tuple(sampled_tracks), solve, around)

    @cached_property
    def in_betweens(self) -> InBetweens:
        """Solves the frames between the keys of the actors."""
        from writhe.studio.editing.in_betweens import InBetweens

        return InBetweens(self, self._lock)

    def _span_solver(self, row: ActorRow) -> SolveSpan:
        """The function that solves the spans between an actor's keys, prepared on first use."""
        fps, known = self.fps, list[SolveSpan]()

        def solve(blend: KeyBlend, i: int) -> SolvedSpan | None:
            if not known:
                known.append(self.in_betweens.of_actor(row, self.figure(row.figure), fps))
            return known[0](blend, i)

        return solve

    def with_feet_of_previous_key(
        self, actor: int, q: Floats, time_s: float, *, shift: bool
    ) -> Floats:
        """A pose q (nq) with its feet at their positions in the previous key, if they are near.

        With `shift`, the whole body is first translated to bring its feet as near as possible.
        """
        from writhe.studio.editing.in_betweens import with_feet_near

        with self._lock:
            row, timeline = self.actor(actor), self.timeline(actor)
            keys = timeline.keys
            if keys is None or timeline.clip is not None:
                return q
            earlier = np.flatnonzero(keys.times_s < time_s - rows.SAME_TIME_S)
            if not len(earlier):
                return q
            figure = self.figure(row.figure)
            before = keys.q[earlier[-1]]
            if shift:
                q = with_feet_near(figure, q, before)
            return self.in_betweens.with_feet_of(row, figure, q, before)

    def motion(self, actor: int, fps: float | None = None) -> Motion:
        """The actor's timeline as sampled motion; a single frame if it has no tracks."""
        rate = fps or self.fps
        timeline = self.timeline(actor)
        row = self.actor(actor)
        if timeline.empty:
            return Motion(timeline.skeleton, row.configuration[None], rate, row.name)
        count = round(timeline.end_s * rate) + 1
        q = timeline.sample(np.arange(count) / rate)
        return Motion(timeline.skeleton, q, rate, row.name)

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
        with self._lock:
            found = self._connection.execute(
                "SELECT value FROM meta WHERE name = 'thumbnail'"
            ).fetchone()
        return b"" if found is None else bytes(found["value"])

    # ---- certificate of the motion; not a command: it is computed after each ----

    def set_certificate(self, data: bytes) -> None:
        """Store the encoded certificate of the motion (see `features.motion.certificate`)."""
        with self._lock, self._transaction():
            self._put_meta("certificate", data)

    @property
    def certificate(self) -> bytes:
        """The encoded certificate stored last, empty if there is none."""
        with self._lock:
            found = self._connection.execute(
                "SELECT value FROM meta WHERE name = 'certificate'"
            ).fetchone()
        return b"" if found is None else bytes(found["value"])

    def _put_meta(self, name: str, value: str | bytes) -> None:
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    # ---- whole commands for Python users ----

    def add_actor(self, figure: str = "human", name: str = "", method: str = "") -> int:
        """Add an actor in its starting pose with its feet (or root) pinned; returns its id."""
        from writhe.studio.editing.edits import add_actor

        with self.edit("Add character") as edit:
            return add_actor(self, edit, figure, name, method)

    def set_key(self, actor: int, time_s: float, q: Floats) -> None:
        """Set a pose key at a time, replacing one at that time."""
        from writhe.studio.editing.edits import put_key

        size = self.figure(self.actor(actor).figure).skeleton.configuration_size
        with self.edit("Set key") as edit:
            put_key(self, edit, actor, time_s, floats(q, (size,), "the pose"))


def _actor(row: sqlite3.Row) -> ActorRow:
    values = dict(row)
    pins = msgspec.msgpack.decode(values.pop("pins"), type=tuple[PinRow, ...])
    return ActorRow(**values, pins=pins)


def _pose_keys(found: list[Key]) -> PoseKeys:
    times = np.array([key.time_s for key in found])
    q = np.stack([rows.unpack(key.data) for key in found])
    return PoseKeys(times, q, tuple(key.ease for key in found))

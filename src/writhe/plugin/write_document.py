"""The scene of another program written into a document of the studio.

What came from a document and was not changed stays there as it is, with its keys, pins and tangles;
the rest is written as one command that can be undone in the studio.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from writhe.arrays import Floats, floats
from writhe.errors import WritheError
from writhe.plugin.armature import SkinnedMesh, mesh_from_plain, skin_of
from writhe.plugin.open_document import (
    ORIGINS,
    Origin,
    Origins,
    bones_of_figure,
    clip_digest,
    document_to_text,
    matrices_of,
    text_to_bytes,
)
from writhe.plugin.scene import Obstacle, Stage, placement_of
from writhe.skeleton import Motion, forward
from writhe.skeleton.figures import figure_names
from writhe.studio.document import Document, ObjectData, ObjectRow, TrackKind
from writhe.studio.document.document_queries import free_name
from writhe.studio.document.embedded_figures import encode_figure
from writhe.studio.document.history import Edit
from writhe.studio.document.row_types import pack
from writhe.studio.editing import edits, starting_poses
from writhe.studio.editing.scene import object_edits, placements, scene_objects

# of an entry of a matrix: other programs store values as 32-bit numbers
_SAME = 1e-4


@dataclass(frozen=True)
class WrittenActor:
    """A character: matrices (f, n, 4, 4) of its bones at the frames, or one frame if it is still.

    actor: its id in the document that it came from, 0 if it came from none.
    curves: its curves as text, which only the other program reads; length_m: of its bones.
    """

    name: str
    actor: int
    bones: tuple[str, ...]
    matrices: Floats
    curves: str
    length_m: tuple[float, ...]
    pins: Mapping[str, bool]
    meshes: tuple[SkinnedMesh, ...]


@dataclass(frozen=True)
class WrittenObject:
    """An obstacle: its matrices (f, 4, 4), and whether its mesh is not that of the document."""

    name: str
    item: int
    matrices: Floats
    reshaped: bool


def write_document(
    stage: Stage,
    target: Path,
    base: str,
    fps: float,
    actors: Sequence[WrittenActor],
    objects: Sequence[WrittenObject],
) -> dict[str, Any]:
    """Write a scene; returns a message, the document as text, and its ids of actors and objects.

    base: the document that the scene came from, as text; empty if it came from none. If `target` is
    that document, it is changed in place; any other file there is replaced.
    """
    with tempfile.TemporaryDirectory(prefix="writhe-") as folder:
        source = Path(folder) / "source.writhe"
        if base:
            source.write_bytes(text_to_bytes(base))
        else:
            Document.create(source, target.stem).close()
        with Document.open(source) as known, _opened(target, known) as document:
            writer = _Writer(stage, known, document, fps)
            with document.edit("From another program") as edit:
                writer.write(edit, actors, objects)
            return {
                "message": writer.message(),
                "text": document_to_text(document),
                "created": document.created,
                "actors": writer.actors,
                "objects": writer.objects,
            }


def _opened(target: Path, known: Document) -> Document:
    """The document to be written: the known one at `target`, or a copy of it there."""
    if target.exists():
        try:
            found = Document.open(target)
        except WritheError:
            pass
        else:
            if found.created == known.created:
                return found
            found.close()
        for suffix in ("", "-wal", "-shm"):
            target.with_name(target.name + suffix).unlink(missing_ok=True)
    target.write_bytes(known.to_bytes())
    return Document.open(target)


class _Writer:
    """Writes what has changed since `known` into `document`."""

    def __init__(self, stage: Stage, known: Document, document: Document, fps: float) -> None:
        self._stage, self._known, self._document = stage, known, document
        self._fps = fps
        self._origins = Origins.of(document)
        self.actors: dict[str, int] = {}
        self.objects: dict[str, int] = {}
        self._counts = {"unchanged": 0, "changed": 0, "new": 0, "removed": 0}

    def message(self) -> str:
        """How many characters and objects were written."""
        found = [f"{count} {word}" for word, count in self._counts.items() if count]
        return f"characters and objects: {', '.join(found) or 'none'}"

    def write(
        self, edit: Edit, actors: Sequence[WrittenActor], objects: Sequence[WrittenObject]
    ) -> None:
        """Write everything."""
        if not actors:
            raise WritheError("a document has at least one character: set one up first")
        if not self._known.actors():
            edit.setting("fps", float(min(120.0, max(1.0, self._fps))))
        for each in actors:
            self._count(self._write_actor(edit, each))
        for item in objects:
            self._count(self._write_object(edit, item))
        kept, solid = set(self.actors.values()), set(self.objects.values())
        present = {row.id for row in self._document.actors()}
        for row in self._known.actors():
            if row.id in present and row.id not in kept:
                edits.remove_actor(self._document, edit, row.id)
                self._count("removed")
        present = {row.id for row in self._document.objects()}
        for row in self._known.objects():
            if row.id in present and row.id not in solid:
                object_edits.remove_object(self._document, edit, row.id)
                self._count("removed")
        if self._origins != Origins.of(self._document):
            edit.setting(ORIGINS, self._origins)

    def _count(self, word: str) -> None:
        self._counts[word] += 1

    # ---- characters ----

    def _write_actor(self, edit: Edit, each: WrittenActor) -> str:
        rows = {row.id: row for row in self._known.actors()}
        row = rows.get(each.actor)
        present = {row.id for row in self._document.actors()}
        if row is not None and row.id in present:
            figure = self._known.figure(row.figure)
            if set(figure.skeleton.names) <= set(each.bones):
                bones = bones_of_figure(self._known, row.figure, figure)
                order = [each.bones.index(name) for name in figure.skeleton.names]
                q = bones.configurations(each.matrices[:, order])
                self.actors[each.name] = row.id
                if self._same_motion(row.id, q):
                    return "unchanged"
                self._put_motion(edit, row.id, Motion(figure.skeleton, q, self._fps, each.name))
                self._put_curves(edit, row.id, row.figure, each)
                return "changed"
        return self._add_actor(edit, each)

    def _same_motion(self, actor: int, q: Floats) -> bool:
        timeline, row = self._known.timeline(actor), self._known.actor(actor)
        times = np.arange(len(q)) / self._fps
        if timeline.empty:
            before = row.configuration[None].repeat(len(q), axis=0)
        elif len(q) < 2 or times[-1] < timeline.end_s - 0.5 / self._fps:
            return False
        else:
            before = timeline.sample(times)
        skeleton = timeline.skeleton
        one, other = forward(skeleton, before), forward(skeleton, q)
        turned = np.abs(one.rotations - other.rotations).max()
        return bool(max(turned, np.abs(one.positions - other.positions).max()) < _SAME)

    def _add_actor(self, edit: Edit, each: WrittenActor) -> str:
        character = self._stage.character(each.name)
        figure = character.figure
        if each.meshes:
            armature = replace(character.armature, meshes=each.meshes)
            figure = replace(figure, skin=skin_of(armature, figure.skeleton))
        title = free_name(
            each.name[:70], {*self._document.embedded_figure_names(), *figure_names()}
        )
        figure = replace(figure, name=title)
        edit.insert("figures", name=title, data=encode_figure(figure))
        number = edits.add_actor(self._document, edit, title, each.name)
        self.actors[each.name] = number
        order = [each.bones.index(name) for name in character.armature.bones]
        q = character.configurations(each.matrices[:, order])
        pins = tuple(
            starting_poses.pin_here(figure, q[0], bone, orientation=turn)
            for bone, turn in each.pins.items()
            if bone in figure.skeleton.names
        ) or starting_poses.starting_pins(figure, q[0])
        edit.update("actors", number, pins=edits.encode_pins(pins))
        lengths = dict(zip(each.bones, each.length_m, strict=True))
        own = [lengths[name] for name in figure.skeleton.names]
        self._origins = msgspec.structs.replace(
            self._origins, length_m={**self._origins.length_m, title: own}
        )
        self._put_motion(edit, number, Motion(figure.skeleton, q, self._fps, each.name))
        self._put_curves(edit, number, title, each)
        return "new"

    def _put_motion(self, edit: Edit, actor: int, motion: Motion) -> None:
        """Make a motion the actor's clip, in place of its keys; one frame is its pose."""
        document = self._document
        edit.update("actors", actor, q=pack(motion.q[0]))
        for track in document.tracks(actor):
            if track.kind in (TrackKind.POSE, TrackKind.SAMPLED, TrackKind.CLIP):
                for key in document.keys(track.id):
                    edit.delete("keys", key.id)
                edit.delete("tracks", track.id)
        if len(motion) > 1:
            edits.put_clip(document, edit, actor, motion, 0.0)

    def _put_curves(self, edit: Edit, actor: int, figure: str, each: WrittenActor) -> None:
        """Keep the curves of a motion, if the bones of the figure are those of the program."""
        clip = clip_digest(self._document, actor)
        if not each.curves or not clip or figure not in self._origins.length_m:
            return
        origin = Origin(self._document.put_file(each.curves.encode()), clip)
        self._origins = msgspec.structs.replace(
            self._origins, actors={**self._origins.actors, str(actor): origin}
        )

    # ---- objects ----

    def _write_object(self, edit: Edit, each: WrittenObject) -> str:
        rows = {row.id: row for row in self._known.objects()}
        row = rows.get(each.item)
        placed = np.array([placement_of(m) for m in each.matrices])
        present = {row.id for row in self._document.objects()}
        if row is None or row.id not in present:
            body = ObjectData(shapes=_shape_rows(self._stage.obstacles[each.name]))
            number = object_edits.insert_object(
                self._document, edit, each.name, scene_objects.OWN, body
            )
            self.objects[each.name] = number
            self._place(edit, number, placed)
            return "new"
        self.objects[each.name] = row.id
        if each.reshaped:
            body = msgspec.structs.replace(
                row.data, shapes=_shape_rows(self._stage.obstacles[each.name]), strands=()
            )
            edit.update(
                "objects", row.id, kind=scene_objects.OWN, data=msgspec.msgpack.encode(body)
            )
        moved = not self._same_placements(row, each.matrices)
        if moved:
            self._place(edit, row.id, placed)
        return "changed" if moved or each.reshaped else "unchanged"

    def _same_placements(self, row: ObjectRow, matrices: Floats) -> bool:
        times = np.arange(len(matrices)) / self._fps
        if len(matrices) < 2 and placements.moves(self._known, row):
            return False
        before = matrices_of(placements.placements(self._known, row, times))
        return bool(np.abs(before - matrices).max() < _SAME)

    def _place(self, edit: Edit, number: int, placed: Floats) -> None:
        """Put an object to its first placement (7,), with keys at all frames if it moves."""
        document = self._document
        x, y, z, *turn = (float(v) for v in placed[0])
        body = msgspec.structs.replace(
            document.object_row(number).data, position=(x, y, z), rotation=tuple(turn)
        )
        edit.update("objects", number, data=msgspec.msgpack.encode(body))
        for track in document.object_tracks(number):
            for key in document.keys(track.id):
                edit.delete("keys", key.id)
            edit.delete("tracks", track.id)
        if len(placed) < 2:
            return
        track = edits.track_for(document, edit, TrackKind.PLACEMENT, "Place", object_id=number)
        for frame, row in enumerate(placed):
            edit.insert(
                "keys", track=track, time_s=frame / self._fps, ease="smooth", data=pack(row)
            )


def _shape_rows(obstacle: Obstacle) -> tuple[Any, ...]:
    return tuple(scene_objects.shape_row(shape) for shape in obstacle.shapes)


def actor_from_plain(data: Mapping[str, Any]) -> WrittenActor:
    """A character from names and arrays, as another program sends it."""
    bones = tuple(str(name) for name in data["bones"])
    return WrittenActor(
        str(data["name"]),
        int(data["actor"]),
        bones,
        floats(data["matrices"], (None, len(bones), 4, 4), "matrices of bones"),
        str(data.get("curves", "")),
        tuple(float(x) for x in data["length_m"]),
        {str(bone): bool(turn) for bone, turn in data.get("pins", {}).items()},
        tuple(mesh_from_plain(mesh) for mesh in data.get("meshes", ())),
    )


def object_from_plain(data: Mapping[str, Any]) -> WrittenObject:
    """An obstacle from its name, id and matrices."""
    return WrittenObject(
        str(data["name"]),
        int(data["item"]),
        floats(data["matrices"], (None, 4, 4), "matrices of an obstacle"),
        bool(data["reshaped"]),
    )

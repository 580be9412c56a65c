"""Drawn paths for a hand or foot, stored as keys of a path track."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta

from writhe.arrays import Floats, Vector3
from writhe.studio.document import Document, TrackKind
from writhe.studio.document.history import Edit
from writhe.studio.editing import edits

LIMBS = {
    "right_arm": "Right hand",
    "left_arm": "Left hand",
    "right_leg": "Right foot",
    "left_leg": "Left foot",
}
LimbName = Literal["right_arm", "left_arm", "right_leg", "left_leg"]
Seconds = Annotated[float, Meta(ge=0.2, le=30.0)]
StyleName = Annotated[str, Meta(max_length=160)]
Points = Annotated[list[Vector3], Meta(min_length=2, max_length=200)]


class DrawnPath(msgspec.Struct, frozen=True):
    """Waypoints in the world frame for a limb, with the style and duration of the motion."""

    limb: LimbName
    style: StyleName
    seconds: Seconds
    points: Points


@dataclass(frozen=True)
class PathKey:
    """A drawn path with its key and start time."""

    key: int
    actor: int
    start_s: float
    path: DrawnPath

    def overlaps(self, start_s: float, end_s: float) -> bool:
        """Whether the path is followed at some time between `start_s` and `end_s`."""
        return self.start_s < end_s and self.start_s + self.path.seconds > start_s


def all_paths(document: Document) -> list[PathKey]:
    """The paths of a document, in order of time for each actor."""
    return [
        PathKey(key.id, track.actor, key.time_s, msgspec.msgpack.decode(key.data, type=DrawnPath))
        for track in document.all_tracks()
        if track.kind is TrackKind.PATH
        for key in document.keys(track.id)
    ]


def put_path(document: Document, edit: Edit, actor: int, start_s: float, path: DrawnPath) -> None:
    """Store a path, replacing the actor's paths that overlap it in time."""
    for other in all_paths(document):
        if other.actor == actor and other.overlaps(start_s, start_s + path.seconds):
            edit.delete("keys", other.key)
    track = edits.track_for(document, edit, TrackKind.PATH, "Path", actor=actor)
    edits.put_track_key(document, edit, track, start_s, msgspec.msgpack.encode(path))


def moved_path(data: bytes, turn: Floats, shift: Floats) -> bytes:
    """The data of a path key with every waypoint x moved to turn x + shift."""
    path = msgspec.msgpack.decode(data, type=DrawnPath)
    moved = np.array(path.points) @ turn.T + shift
    points = [(float(x), float(y), float(z)) for x, y, z in moved]
    return msgspec.msgpack.encode(msgspec.structs.replace(path, points=points))

"""Documents of the studio: one SQLite file each, readable and writable from Python.

from writhe.studio.document import Document

with Document.open("walk.writhe") as document:
    actor = document.actors()[0]
    motion = document.motion(actor.id)
"""

from writhe.studio.document.document import Document
from writhe.studio.document.row_types import (
    ActorRow,
    KeyRow,
    ObjectData,
    ObjectRow,
    PinRow,
    SavedPoseRow,
    ShapeRow,
    TrackKind,
    TrackRow,
)

__all__ = [
    "ActorRow",
    "Document",
    "KeyRow",
    "ObjectData",
    "ObjectRow",
    "PinRow",
    "SavedPoseRow",
    "ShapeRow",
    "TrackKind",
    "TrackRow",
]

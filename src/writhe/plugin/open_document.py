"""A document of the studio for another program: armatures with their motion, objects."""

from __future__ import annotations

import base64
import hashlib
import zlib
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.plugin.armature import capsules_to_plain
from writhe.plugin.bone_frames import BoneFrames
from writhe.plugin.built_in_human import armature_to_plain
from writhe.skeleton import Figure
from writhe.skeleton.quaternions import rotation_matrix
from writhe.studio.document import ActorRow, Document, ObjectRow, TrackKind
from writhe.studio.editing.scene import placements, scene_objects

ORIGINS = "other_program"  # the setting with what another program has written


class Origin(msgspec.Struct, frozen=True):
    """The curves that another program stored with an actor, to restore them unchanged.

    curves: the name under which they are stored as text; clip: the digest of the clip sampled from
    them.
    """

    curves: str
    clip: str


class Origins(msgspec.Struct, frozen=True):
    """Data that another program stored in a document: curves by actor, bone lengths by figure."""

    actors: dict[str, Origin] = {}
    length_m: dict[str, list[float]] = {}

    @classmethod
    def of(cls, document: Document) -> Origins:
        """The data stored in a document; empty if there is none."""
        return document.setting(ORIGINS, Origins, Origins())


def document_to_text(document: Document) -> str:
    """A whole document as text, which `text_to_bytes` reads."""
    return base64.b64encode(zlib.compress(document.to_bytes())).decode()


def text_to_bytes(text: str) -> bytes:
    """The file of a document from its text."""
    try:
        return zlib.decompress(base64.b64decode(text))
    except (ValueError, zlib.error) as error:
        raise WritheError(f"the document in this file is damaged: {error}") from error


def bones_of_figure(document: Document, name: str, figure: Figure) -> BoneFrames:
    """The bones that stand for the joints of a document's figure."""
    return BoneFrames.of(figure.skeleton, Origins.of(document).length_m.get(name, ()))


def document_to_plain(path: Path) -> dict[str, Any]:
    """The actors and objects of a document as arrays; see `_actor_to_plain`, `_object_to_plain`.

    created: what identifies the document; text: the document itself, which is needed to write it.
    """
    with Document.open(path) as document:
        actors = [_actor_to_plain(document, row) for row in document.actors()]
        times = np.arange(max((a["frames"] for a in actors), default=1)) / document.fps
        return {
            "name": document.name,
            "created": document.created,
            "fps": document.fps,
            "duration_s": document.duration_s,
            "actors": actors,
            "objects": [_object_to_plain(document, row, times) for row in document.objects()],
            "text": document_to_text(document),
        }


def _actor_to_plain(document: Document, row: ActorRow) -> dict[str, Any]:
    """An armature with its shapes, roles and pins, and its motion at the document's frames.

    rotation (f, n, 4), location (f, n, 3): of the bones, from their rest; one frame if it does not
    move. curves: those that another program wrote, if the motion is still theirs; else empty.
    """
    figure = document.figure(row.figure)
    bones = bones_of_figure(document, row.figure, figure)
    motion = document.motion(row.id)
    rotation, location = bones.channels(motion.q)
    return {
        "id": row.id,
        "name": row.name,
        **armature_to_plain(figure, bones),
        "capsules": _in_bones(figure, bones),
        "roles": dict(figure.roles),
        "pins": {
            pin.joint: pin.orientation_in_world is not None
            for pin in row.pins
            if pin.start_s is None and pin.end_s is None
        },
        "frames": len(motion),
        "rotation": rotation,
        "location": location,
        "curves": _curves(document, row),
    }


def _in_bones(figure: Figure, bones: BoneFrames) -> dict[str, Any]:
    """The capsules of a figure with their ends in the frames of the bones."""
    plain = capsules_to_plain(figure.capsules)
    back = np.linalg.inv(bones.in_joints)
    index = [figure.skeleton.index(joint) for joint in plain["joint"]]
    turn, shift = back[index, :3, :3], back[index, :3, 3]
    plain["ends"] = np.einsum("cab,ceb->cea", turn, plain["ends"]) + shift[:, None]
    return plain


def _curves(document: Document, row: ActorRow) -> str:
    origin = Origins.of(document).actors.get(str(row.id))
    if origin is None or clip_digest(document, row.id) != origin.clip:
        return ""
    return document.file(origin.curves).decode()


def clip_digest(document: Document, actor: int) -> str:
    """A digest of an actor's clip; empty if there is more than a clip, or none."""
    kinds = (TrackKind.CLIP, TrackKind.POSE, TrackKind.SAMPLED)
    tracks = [track for track in document.tracks(actor) if track.kind in kinds]
    clips = [track for track in tracks if track.kind is TrackKind.CLIP]
    keys = [key for track in tracks for key in document.keys(track.id)]
    if len(clips) != 1 or keys or any(t.kind is TrackKind.SAMPLED for t in tracks):
        return ""
    clip = clips[0]
    about = f"{clip.start_s:.6f} {clip.fps:.6f} ".encode()
    return hashlib.sha256(about + clip.data).hexdigest()


def _object_to_plain(document: Document, row: ObjectRow, times_s: Floats) -> dict[str, Any]:
    """An object as a mesh (vertices, triangles), and its matrices (f, 4, 4): one if it is still."""
    vertices, triangles = scene_objects.surface_of(row)
    moves = placements.moves(document, row)
    return {
        "id": row.id,
        "name": row.name,
        "pieces": len(scene_objects.shapes_of(row)),
        "vertices": vertices,
        "triangles": triangles,
        "matrices": matrices_of(
            placements.placements(document, row, times_s if moves else times_s[:1])
        ),
    }


def matrices_of(placed: Floats) -> Floats:
    """(f, 4, 4) of placements (f, 7)."""
    out = np.tile(np.eye(4), (len(placed), 1, 1))
    out[:, :3, :3] = [rotation_matrix(row[3:]) for row in placed]
    out[:, :3, 3] = placed[:, :3]
    return out

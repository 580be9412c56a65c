"""What commands about objects do to the rows of a document."""

from __future__ import annotations

import msgspec
import numpy as np

from writhe.arrays import Floats, Quaternion, Vector3
from writhe.database.posture import heading_quaternion
from writhe.errors import UnknownNameError, WritheError
from writhe.scene.objects import BUILT_IN
from writhe.skeleton import JointKind, forward
from writhe.studio.document import Actor, Body, Document, TrackKind
from writhe.studio.document.history import Edit
from writhe.studio.document.rows import pack
from writhe.studio.editing import scene_objects
from writhe.studio.editing.edits import put_track_key, track_for
from writhe.studio.view.figure_mesh import figure_shape

MOST_THINGS = 64
_WHOLE_BODY_M = 1.5  # figures smaller than this get smaller objects
_APART = 1.6  # and those, hands and such, are as wide as they are long
FARTHEST_M = 1000.0
SMALLEST_M, LARGEST_M = 0.001, 20.0


def add_thing(document: Document, edit: Edit, kind: str, position: Vector3 | None = None) -> int:
    """A new object, standing on the ground beside the figure unless told where."""
    if kind not in scene_objects.thing_kinds():
        raise UnknownNameError("object", kind, scene_objects.thing_kinds())
    size = scene_objects.START_SIZES_M.get(kind, (1.0, 1.0, 1.0))
    if position is None:
        shift = 0.15 * len(document.objects())
        position = scene_objects.PLACES_M.get(kind, (0.6 + shift, size[1] / 2, 0.4))
    title = scene_objects.TITLES.get(kind, kind.capitalize())
    return insert_thing(document, edit, title, kind, Body(position, size=size))


def add_beside(document: Document, edit: Edit, kind: str, actor: Actor, q: Floats) -> int:
    """A new object beside an actor, small beside a small one: a marble for a hand."""
    figure = document.figure(actor.figure)
    share = min(1.0, figure_shape(figure).height / _WHOLE_BODY_M)
    root = forward(figure.skeleton, q).positions[0]
    free = figure.skeleton.joints[0].kind is JointKind.FREE
    heading = heading_quaternion(q) if free else np.array([1.0, 0.0, 0.0, 0.0])
    number = add_thing(document, edit, kind)
    body = document.thing(number).body
    size = tuple(share * s for s in body.size) if kind in scene_objects.START_SIZES_M else body.size
    away = share if share == 1.0 else _APART * share
    seen = np.array(body.position) * [away, 1.0, away]
    c, s = 1.0 - 2.0 * heading[2] ** 2, 2.0 * heading[0] * heading[2]
    x, z = root[0] + c * seen[0] + s * seen[2], root[2] - s * seen[0] + c * seen[2]
    y = body.position[1] if share == 1.0 else root[1]
    place = msgspec.structs.replace(
        body,
        position=(float(x), float(y), float(z)),
        rotation=tuple(float(v) for v in heading),
        size=size,
    )
    edit.update("objects", number, data=msgspec.msgpack.encode(place))
    return number


def insert_thing(document: Document, edit: Edit, name: str, kind: str, body: Body) -> int:
    """A row for an object."""
    count = len(document.objects())
    if count >= MOST_THINGS:
        raise WritheError(f"a document holds at most {MOST_THINGS} objects")
    taken = {thing.name for thing in document.objects()}
    title, number = name, 2
    while title in taken:
        title, number = f"{name} {number}", number + 1
    return edit.insert("objects", name=title[:80], kind=kind, data=msgspec.msgpack.encode(body))


def place_thing(
    document: Document,
    edit: Edit,
    number: int,
    position: Vector3,
    rotation: Quaternion,
    time_s: float,
) -> None:
    """Put an object somewhere; one that has keys is keyed there at this time."""
    place = checked_place(position, rotation)
    body = document.thing(number).body
    x, y, z, *turn = (float(v) for v in place)
    changed = msgspec.structs.replace(body, position=(x, y, z), rotation=tuple(turn))
    edit.update("objects", number, data=msgspec.msgpack.encode(changed))
    if document.place_keys(number):
        _put_place_key(document, edit, number, time_s, place)


def key_thing(document: Document, edit: Edit, number: int, time_s: float) -> None:
    """Key where an object is at a time."""
    place = scene_objects.place_at(document, document.thing(number), time_s)
    _put_place_key(document, edit, number, time_s, place)


def _put_place_key(
    document: Document, edit: Edit, number: int, time_s: float, place: Floats
) -> None:
    track = track_for(document, edit, TrackKind.PLACE, "Place", thing=number)
    put_track_key(document, edit, track, time_s, pack(place))


def resize_thing(document: Document, edit: Edit, number: int, size: Vector3) -> None:
    """Another size for a box, ball, capsule or cylinder."""
    thing = document.thing(number)
    if thing.kind not in scene_objects.START_SIZES_M:
        raise WritheError(f"a {thing.kind} has the size it comes with")
    x, y, z = size
    if not all(np.isfinite(s) and SMALLEST_M <= s <= LARGEST_M for s in size):
        raise WritheError(f"an object measures {SMALLEST_M:g} to {LARGEST_M:g} m")
    if thing.kind == "ball":
        y = z = x
    elif thing.kind in ("capsule", "cylinder"):
        z = x
    changed = msgspec.structs.replace(thing.body, size=(x, y, z))
    edit.update("objects", number, data=msgspec.msgpack.encode(changed))


def remove_thing(document: Document, edit: Edit, number: int) -> None:
    """Remove an object with its keys and the contacts declared with it."""
    gone = scene_objects.label(document.thing(number))
    for track in document.thing_tracks(number):
        for key in document.keys(track.id):
            edit.delete("keys", key.id)
        edit.delete("tracks", track.id)
    edit.delete("objects", number)
    contacts = document.setting("contacts", list[tuple[str, str]], [])
    edit.setting("contacts", [pair for pair in contacts if gone not in pair])


def choose_scene(document: Document, edit: Edit, kind: str) -> None:
    """One built-in object in the scene instead of those that are there; "empty": none."""
    if kind != "empty" and kind not in BUILT_IN:
        raise UnknownNameError("scene", kind, ["empty", *sorted(BUILT_IN)])
    for thing in document.objects():
        remove_thing(document, edit, thing.id)
    if kind != "empty":
        add_thing(document, edit, kind)


def checked_place(position: Vector3, rotation: Quaternion) -> Floats:
    """(7,) a place from the page: finite, near enough, its quaternion of length 1."""
    place = np.array([*position, *rotation], dtype=np.float64)
    length = float(np.linalg.norm(place[3:]))
    if not np.isfinite(place).all() or np.abs(place[:3]).max() > FARTHEST_M:
        raise WritheError("the place is not within a kilometre")
    if not 0.5 < length < 2.0:
        raise WritheError("the rotation is not a unit quaternion")
    place[3:] /= length
    return place

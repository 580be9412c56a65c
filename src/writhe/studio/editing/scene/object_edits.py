"""Edits of the object rows of a document."""

from __future__ import annotations

import msgspec
import numpy as np

from writhe.arrays import Floats, Quaternion, Vector3
from writhe.database.posture import heading_quaternion
from writhe.errors import UnknownNameError, WritheError
from writhe.scene.objects import BUILT_IN
from writhe.skeleton import Figure, JointKind, forward
from writhe.skeleton.heading import heading_of, yaw_matrix
from writhe.skeleton.quaternions import rotation_matrix
from writhe.studio.document import ActorRow, Document, ObjectData, ObjectRow, TrackKind
from writhe.studio.document.document_queries import free_name
from writhe.studio.document.history import Edit
from writhe.studio.document.holds import all_holds, carriers
from writhe.studio.document.row_types import pack
from writhe.studio.editing.edits import put_track_key, track_for
from writhe.studio.editing.scene import placements, scene_objects
from writhe.studio.editing.scene.scene_builder import FARTHEST_M
from writhe.studio.view.figure_mesh import figure_shape

MAX_OBJECTS = 64
_WHOLE_BODY_M = 1.5  # objects added beside a shorter figure are scaled down
_APART = 1.6  # factor on the distance to a scaled-down object
_ASIDE_M = 0.25  # an object to be held is farther away where it is not in front
_ROOM_M = 0.8  # distance of an object to be held from the middle of other characters
_STAND = 0.8  # width of the stand of a bar, relative to the length of the bar
_STANDS_M = 0.01  # an object nearer than this to what is below it stands on it
SMALLEST_M, LARGEST_M = 0.001, 20.0
HEAVIEST_KG = 1000.0


def add_object(document: Document, edit: Edit, kind: str, position: Vector3 | None = None) -> int:
    """Add an object at a position, by default beside the figure; returns its id.

    By default it stands on the ground, and a bar lies on a stand, which is added with it.
    """
    number = _add(document, edit, kind, position)
    if kind == "bar" and position is None:
        _put_stand(document, edit, number)
    return number


def _add(document: Document, edit: Edit, kind: str, position: Vector3 | None = None) -> int:
    if kind not in scene_objects.object_kinds():
        raise UnknownNameError("object", kind, scene_objects.object_kinds())
    size = scene_objects.START_SIZES_M.get(kind, (1.0, 1.0, 1.0))
    if position is None:
        shift = 0.15 * len(document.objects())
        position = scene_objects.START_POSITIONS_M.get(kind, (0.6 + shift, size[1] / 2, 0.4))
    title = scene_objects.TITLES.get(kind, kind.capitalize())
    return insert_object(document, edit, title, kind, ObjectData(position, size=size))


def add_beside(
    document: Document,
    edit: Edit,
    kind: str,
    actor: ActorRow,
    q: Floats,
    *,
    to_walk_to: bool,
    time_s: float = 0.0,
) -> int:
    """Add an object beside an actor, where nobody is at a time, scaled down for a small figure.

    to_walk_to: a chair is some steps away from the actor; else the actor can sit down at once.
    """
    figure = document.figure(actor.figure)
    scale = min(1.0, figure_shape(figure).height / _WHOLE_BODY_M)
    root, angle, stands = _place_of(figure, q)
    if stands and kind in scene_objects.START_POSITIONS_M:
        scale = 1.0  # a chair has one size
    number = _add(document, edit, kind)
    body = document.object_row(number).data
    size = tuple(scale * s for s in body.size) if kind in scene_objects.START_SIZES_M else body.size
    away = scale if scale == 1.0 else _APART * scale
    offset, turn = np.array(body.position) * [away, 1.0, away], 0.0
    others = [_root_at(document, a, time_s) for a in document.actors() if a.id != actor.id]
    if kind == "bar" and not _is_free(root, angle, offset, others):
        offset = offset + np.array([0.0, 0.0, _ASIDE_M])
        angle = next((a for a in angle + _AROUND if _is_free(root, a, offset, others)), angle)
    if kind == "chair" and to_walk_to:
        others += [np.array(o.data.position) for o in document.objects() if o.id != number]
        places = [(np.array(place) * [away, 1.0, away], turn) for place, turn in _CHAIRS_TO_WALK_TO]
        free = (one for one in places if _is_free(root, angle, one[0], others))
        offset, turn = next(free, places[-1])
    x, _, z = _around(root, angle, offset)
    angle += turn
    heading = np.array([np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0])
    y = scale * body.position[1] if stands or scale == 1.0 else root[1]
    placed = msgspec.structs.replace(
        body,
        position=(float(x), float(y), float(z)),
        rotation=tuple(float(v) for v in heading),
        size=size,
    )
    edit.update("objects", number, data=msgspec.msgpack.encode(placed))
    if kind == "bar":
        _put_stand(document, edit, number)
    return number


def _place_of(figure: Figure, q: Floats) -> tuple[Floats, float, bool]:
    """Where a figure is (3,), its heading in rad, and whether it is a person on the floor."""
    frames, hips = forward(figure.skeleton, q), dict(figure.roles).get("hips")
    if hips is not None:
        return frames.position(hips), heading_of(figure, q), True
    if figure.skeleton.joints[0].kind is not JointKind.FREE:
        return frames.positions[0], 0.0, False
    w, _, y, _ = heading_quaternion(q)
    return frames.positions[0], 2.0 * float(np.arctan2(y, w)), False


def _put_stand(document: Document, edit: Edit, number: int) -> None:
    """Add a stand under a bar, as wide as it is long but for its ends."""
    bar = document.object_row(number)
    low, data = _corners(bar)[0], bar.data
    stand = msgspec.structs.replace(
        data,
        position=(data.position[0], 0.5 * float(low[1]), data.position[2]),
        size=(_STAND * data.size[0], float(low[1]), scene_objects.START_SIZES_M["stand"][2]),
    )
    insert_object(document, edit, "Stand", "stand", stand)


_AROUND = np.radians([90.0, -90.0, 180.0])
# places of a chair some steps from an actor that faces +z, and its rotation: in view, and seen from
# the side
_CHAIRS_TO_WALK_TO = [
    ((side * 1.4, 0.0, ahead), -side * np.pi / 2)
    for ahead in (0.4, 1.4, 2.4)
    for side in (1.0, -1.0)
]


def _around(root: Floats, angle: float, offset: Floats) -> Floats:
    """A place at an offset from a root, turned by an angle about the vertical (3,)."""
    return root + yaw_matrix(angle) @ offset


def _root_at(document: Document, actor: ActorRow, time_s: float) -> Floats:
    """(3,) where the root of an actor is at a time."""
    timeline = document.timeline(actor.id)
    return (actor.configuration if timeline.empty else timeline.at(time_s))[:3]


def _is_free(root: Floats, angle: float, offset: Floats, others: list[Floats]) -> bool:
    """Whether nobody stands near a place."""
    place = _around(root, angle, offset)
    return all(np.hypot(*(place - other)[[0, 2]]) > _ROOM_M for other in others)


def insert_object(document: Document, edit: Edit, name: str, kind: str, body: ObjectData) -> int:
    """Insert the row of an object under a free name; returns its id."""
    count = len(document.objects())
    if count >= MAX_OBJECTS:
        raise WritheError(f"a document holds at most {MAX_OBJECTS} objects")
    taken = {item.name for item in document.objects()}
    title = free_name(name, taken)
    return edit.insert("objects", name=title[:80], kind=kind, data=msgspec.msgpack.encode(body))


def place_object(
    document: Document,
    edit: Edit,
    number: int,
    position: Vector3,
    rotation: Quaternion,
    time_s: float,
) -> None:
    """Set an object's placement; one with placement keys gets a key at this time."""
    placement = checked_placement(position, rotation)
    check_free(document, number, time_s)
    body = document.object_row(number).data
    x, y, z, *turn = (float(v) for v in placement)
    changed = msgspec.structs.replace(body, position=(x, y, z), rotation=tuple(turn))
    edit.update("objects", number, data=msgspec.msgpack.encode(changed))
    if document.placement_keys(number):
        _put_placement_key(document, edit, number, time_s, placement)


def put_down(document: Document, edit: Edit, number: int, time_s: float) -> None:
    """Lower an object onto what is below it: another object, or the ground."""
    item = document.object_row(number)
    place = placements.placement_at(document, item, time_s)
    low, high = _corners(item, place)
    level = 0.0
    for other in document.objects():
        if other.id != number:
            under, top = _corners(other, placements.placement_at(document, other, time_s))
            beside = (low[[0, 2]] > top[[0, 2]]).any() or (high[[0, 2]] < under[[0, 2]]).any()
            if not beside and top[1] < low[1] + _STANDS_M:
                level = max(level, float(top[1]))
    x, y, z, *turn = (float(v) for v in place)
    w, i, j, k = turn
    place_object(document, edit, number, (x, y + level - float(low[1]), z), (w, i, j, k), time_s)


def check_free(document: Document, number: int, time_s: float) -> None:
    """Raise if something carries the object at this time."""
    if number in carriers(all_holds(document), time_s, time_s):
        name = document.object_row(number).name
        raise WritheError(f"{name} is held: drag the hand that holds it, or let go of it (Holds)")


def key_object(document: Document, edit: Edit, number: int, time_s: float) -> None:
    """Set a placement key where the object is at a time."""
    placement = placements.placement_at(document, document.object_row(number), time_s)
    _put_placement_key(document, edit, number, time_s, placement)


def _put_placement_key(
    document: Document, edit: Edit, number: int, time_s: float, placement: Floats
) -> None:
    track = track_for(document, edit, TrackKind.PLACEMENT, "Place", object_id=number)
    put_track_key(document, edit, track, time_s, pack(placement))


def resize_object(document: Document, edit: Edit, number: int, size: Vector3) -> None:
    """Set the size (x, y, z) in metres of a box, ball, capsule or cylinder.

    One that stands on the ground or on another object goes on standing there.
    """
    item = document.object_row(number)
    if item.kind not in scene_objects.START_SIZES_M:
        raise WritheError(f"a {item.kind} cannot be resized")
    x, y, z = size
    if not all(np.isfinite(s) and SMALLEST_M <= s <= LARGEST_M for s in size):
        raise WritheError(f"each size of an object must be {SMALLEST_M:g} to {LARGEST_M:g} m")
    if item.kind == "ball":
        y = z = x
    elif item.kind in ("capsule", "cylinder"):
        z = x
    elif item.kind == "bar":
        z = y
    changed = msgspec.structs.replace(item.data, size=(x, y, z))
    if not document.placement_keys(number) and _stands(document, item):
        grown = msgspec.structs.replace(item, data=changed)
        px, py, pz = changed.position
        rise_m = float(_corners(item)[0, 1] - _corners(grown)[0, 1])
        changed = msgspec.structs.replace(changed, position=(px, py + rise_m, pz))
    edit.update("objects", number, data=msgspec.msgpack.encode(changed))


def weigh_object(document: Document, edit: Edit, number: int, mass_kg: float | None) -> None:
    """Set the mass of an object, which counts in the balance of who carries it; None: by volume."""
    if mass_kg is not None and not (np.isfinite(mass_kg) and 0.0 <= mass_kg <= HEAVIEST_KG):
        raise WritheError(f"an object weighs 0 to {HEAVIEST_KG:g} kg")
    data = msgspec.structs.replace(document.object_row(number).data, mass_kg=mass_kg)
    edit.update("objects", number, data=msgspec.msgpack.encode(data))


def _stands(document: Document, item: ObjectRow) -> bool:
    """Whether an object stands on the ground or on another object."""
    lowest, highest = _corners(item)
    if abs(lowest[1]) < _STANDS_M:
        return True
    others = (_corners(other) for other in document.objects() if other.id != item.id)
    return any(
        abs(lowest[1] - top[1]) < _STANDS_M
        and (lowest[[0, 2]] < top[[0, 2]]).all()
        and (highest[[0, 2]] > low[[0, 2]]).all()
        for low, top in others
    )


def _corners(item: ObjectRow, placement: Floats | None = None) -> Floats:
    """(2, 3) the lowest and highest coordinates of an object, by default where it was placed."""
    if placement is None:
        placement = np.array([*item.data.position, *item.data.rotation])
    turn, place = rotation_matrix(placement[3:]), placement[:3]
    ends = [
        (shape.points_in_joint @ turn.T + place)[:, None] + [[-shape.radius_m], [shape.radius_m]]
        for shape in scene_objects.shapes_of(item)
    ]
    points = np.concatenate([part.reshape(-1, 3) for part in ends])
    return np.stack([points.min(axis=0), points.max(axis=0)])


def remove_object(document: Document, edit: Edit, number: int) -> None:
    """Remove an object with its keys and the contacts declared with it."""
    removed = scene_objects.object_label(document.object_row(number))
    for track in document.object_tracks(number):
        for key in document.keys(track.id):
            edit.delete("keys", key.id)
        edit.delete("tracks", track.id)
    edit.delete("objects", number)
    contacts = document.setting("contacts", list[tuple[str, str]], [])
    edit.setting("contacts", [pair for pair in contacts if removed not in pair])


def choose_scene(document: Document, edit: Edit, kind: str) -> None:
    """Replace all objects by one built-in object; "empty" leaves none."""
    if kind != "empty" and kind not in BUILT_IN:
        raise UnknownNameError("scene", kind, ["empty", *sorted(BUILT_IN)])
    for item in document.objects():
        remove_object(document, edit, item.id)
    if kind != "empty":
        add_object(document, edit, kind)


def checked_placement(position: Vector3, rotation: Quaternion) -> Floats:
    """A placement (7,) from the page, checked: finite, within 1 km, quaternion normalised."""
    placement = np.array([*position, *rotation], dtype=np.float64)
    length = float(np.linalg.norm(placement[3:]))
    if not np.isfinite(placement).all() or np.abs(placement[:3]).max() > FARTHEST_M:
        raise WritheError("the position must be within 1000 m of the origin")
    if not 0.5 < length < 2.0:
        raise WritheError("the rotation must be a unit quaternion")
    placement[3:] /= length
    return placement

"""The objects of a document as solids: what they are made of and where they are at a time."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.collision import Shape, ball, box, capsule, cylinder, hull
from writhe.collision.shapes import Core
from writhe.errors import UnknownNameError
from writhe.scene import KeyMotion
from writhe.scene.objects import BUILT_IN, built_in
from writhe.studio.document import Document, ShapeRow, Thing
from writhe.studio.document.rows import unpack

OWN = "own"
# what can be added and resized, with the size it starts with
START_SIZES_M = {
    "box": (0.4, 0.4, 0.4),
    "ball": (0.3, 0.3, 0.3),
    "capsule": (0.12, 1.0, 0.12),
    "cylinder": (0.4, 0.45, 0.4),
}
TITLES = {"capsule": "Rod"}
# where a built-in object is put beside an actor at the origin that faces +Z
PLACES_M = {"chair": (0.0, 0.0, -0.42), "ladder": (0.0, 0.0, 0.42)}


def thing_kinds() -> list[str]:
    """The objects that can be added by name."""
    return [*sorted(BUILT_IN), *START_SIZES_M]


def label(thing: Thing) -> str:
    """The object's name in the scene's layout."""
    return f"{thing.kind}{thing.id}"


def shapes_of(thing: Thing) -> tuple[Shape, ...]:
    """The solid shapes of an object in its own frame, its middle (a built-in one's foot) at 0."""
    x, y, z = thing.body.size
    match thing.kind:
        case "box":
            return (box((0.0, 0.0, 0.0), (x, y, z)),)
        case "ball":
            return (ball((0.0, 0.0, 0.0), x / 2),)
        case "capsule":
            half = max(0.0, (y - x) / 2)
            return (capsule((0.0, -half, 0.0), (0.0, half, 0.0), x / 2),)
        case "cylinder":
            return (cylinder((0.0, -y / 2, 0.0), (0.0, y / 2, 0.0), x / 2),)
        case "own":
            return tuple(_shape(row) for row in thing.body.shapes)
        case kind if kind in BUILT_IN:
            return built_in(kind)[0]
        case kind:
            raise UnknownNameError("object", kind, [*thing_kinds(), OWN])


def strands_of(thing: Thing) -> dict[str, Floats]:
    """The named lines along an object, for linking."""
    if thing.kind in BUILT_IN:
        return built_in(thing.kind)[1]
    half = thing.body.size[1] / 2
    if thing.kind in ("capsule", "cylinder"):
        return {"axis": np.array([[0.0, -half, 0.0], [0.0, half, 0.0]])}
    return {name: np.array(points) for name, points in thing.body.strands}


def _shape(row: ShapeRow) -> Shape:
    points = np.array(row.points)
    if row.core == "capsule":
        return capsule(points[0], points[1], row.radius_m)
    return hull(points, row.radius_m)


def shape_row(shape: Shape) -> ShapeRow:
    """A shape as a document keeps it."""
    points = tuple((float(x), float(y), float(z)) for x, y, z in shape.points_in_joint)
    core = "capsule" if shape.core is Core.SEGMENT else "hull"
    return ShapeRow(core, points, float(shape.radius_m))


def key_motion(document: Document, thing: int) -> KeyMotion | None:
    """An object's way through time; None for one that stands still."""
    keys = document.place_keys(thing)
    if not keys:
        return None
    places = np.array([unpack(key.data) for key in keys])
    return KeyMotion(np.array([key.time_s for key in keys]), places[:, :3], places[:, 3:])


def place_at(document: Document, thing: Thing, time_s: float) -> Floats:
    """(7,) position and quaternion of an object at a time."""
    motion = key_motion(document, thing.id)
    if motion is None:
        return np.array([*thing.body.position, *thing.body.rotation])
    return motion.at(np.array([time_s]))[0]

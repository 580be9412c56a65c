"""The objects of a document: their shapes, strands and placement at a time."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.collision import Shape, ball, box, capsule, cylinder, hull
from writhe.collision.shapes import Core
from writhe.errors import UnknownNameError
from writhe.scene import KeyMotion
from writhe.scene.object_mass import usual_mass_kg
from writhe.scene.objects import BUILT_IN, built_in
from writhe.studio.document import Document, ObjectRow, ShapeRow
from writhe.studio.document.row_types import unpack

OWN = "own"
# objects that can be added and resized, with their initial sizes
START_SIZES_M = {
    "box": (0.4, 0.4, 0.4),
    "ball": (0.3, 0.3, 0.3),
    "capsule": (0.12, 1.0, 0.12),
    "cylinder": (0.4, 0.45, 0.4),
    "bar": (1.0, 0.032, 0.032),
    "stand": (0.8, 0.98, 0.3),
}
TITLES = {"capsule": "Rod"}
_POST_M = 0.016  # radius of the posts of a stand
_REST = 0.35  # length of the rests of a stand, relative to its feet
# initial positions of objects for an actor at the origin that faces +Z
START_POSITIONS_M = {
    "chair": (0.0, 0.0, -0.42),
    "ladder": (0.0, 0.0, 0.42),
    "bar": (0.0, 1.0, 0.36),
}


def object_kinds() -> list[str]:
    """Names of the objects that can be added."""
    return [*sorted(BUILT_IN), *START_SIZES_M]


def object_label(item: ObjectRow) -> str:
    """The object's name in the scene's layout."""
    return f"{item.kind}{item.id}"


def shapes_of(item: ObjectRow) -> tuple[Shape, ...]:
    """The shapes of an object in its frame: origin at its centre, or on the floor if built in."""
    x, y, z = item.data.size
    match item.kind:
        case "box":
            return (box((0.0, 0.0, 0.0), (x, y, z)),)
        case "ball":
            return (ball((0.0, 0.0, 0.0), x / 2),)
        case "capsule":
            half = max(0.0, (y - x) / 2)
            return (capsule((0.0, -half, 0.0), (0.0, half, 0.0), x / 2),)
        case "bar":
            half = max(0.0, (x - y) / 2)
            return (capsule((-half, 0.0, 0.0), (half, 0.0, 0.0), y / 2),)
        case "cylinder":
            return (cylinder((0.0, -y / 2, 0.0), (0.0, y / 2, 0.0), x / 2),)
        case "stand":
            return _stand(x, y, z)
        case "own":
            return tuple(_shape(row) for row in item.data.shapes)
        case kind if kind in BUILT_IN:
            return built_in(kind)[0]
        case kind:
            raise UnknownNameError("object", kind, [*object_kinds(), OWN])


def _stand(width_m: float, height_m: float, depth_m: float) -> tuple[Shape, ...]:
    """Two posts with feet, and a rest on each: a bar lies on them along x."""
    r = min(_POST_M, 0.25 * min(width_m, height_m, depth_m))
    low, high, out = -height_m / 2 + r, height_m / 2 - r, depth_m / 2 - r
    shapes: list[Shape] = []
    for x in (-width_m / 2 + r, width_m / 2 - r):
        shapes.append(capsule((x, low, 0.0), (x, high, 0.0), r))
        shapes.append(capsule((x, low, -out), (x, low, out), r))
        shapes.append(capsule((x, high, -_REST * out), (x, high, _REST * out), r))
    return tuple(shapes)


def mass_of(item: ObjectRow) -> float:
    """The mass of an object, kg: as the user set it, else by its volume."""
    return _usual_mass(item) if item.data.mass_kg is None else item.data.mass_kg


@lru_cache(maxsize=256)
def _usual_mass(item: ObjectRow) -> float:
    return usual_mass_kg(shapes_of(item))


def surface_of(item: ObjectRow) -> tuple[Floats, Ints]:
    """Vertices (v, 3) in the object's frame and triangles (t, 3) of all its shapes."""
    from writhe.collision.mesh_pieces.surfaces import coarse_surface

    parts = [coarse_surface(shape) for shape in shapes_of(item)]
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in parts)])
    return (
        np.concatenate([vertices for vertices, _ in parts]),
        np.concatenate([t + at for (_, t), at in zip(parts, starts, strict=False)]),
    )


def strands_of(item: ObjectRow) -> dict[str, Floats]:
    """The named strands of an object, (points, 3) each, used for linking."""
    if item.kind in BUILT_IN:
        return built_in(item.kind)[1]
    if item.kind == "bar":
        half = item.data.size[0] / 2
        return {"axis": np.array([[-half, 0.0, 0.0], [half, 0.0, 0.0]])}
    half = item.data.size[1] / 2
    if item.kind in ("capsule", "cylinder"):
        return {"axis": np.array([[0.0, -half, 0.0], [0.0, half, 0.0]])}
    return {name: np.array(points) for name, points in item.data.strands}


def _shape(row: ShapeRow) -> Shape:
    points = np.array(row.points)
    if row.core == "capsule":
        return capsule(points[0], points[1], row.radius_m)
    return hull(points, row.radius_m)


def shape_row(shape: Shape) -> ShapeRow:
    """A shape as it is stored in a document."""
    points = tuple((float(x), float(y), float(z)) for x, y, z in shape.points_in_joint)
    core = "capsule" if shape.core is Core.SEGMENT else "hull"
    return ShapeRow(core, points, float(shape.radius_m))


def key_motion(document: Document, object_id: int) -> KeyMotion | None:
    """An object's placement over time; None without placement keys."""
    keys = document.placement_keys(object_id)
    if not keys:
        return None
    placements = np.array([unpack(key.data) for key in keys])
    times_s = np.array([key.time_s for key in keys])
    return KeyMotion(times_s, placements[:, :3], placements[:, 3:])

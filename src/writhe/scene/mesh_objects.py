"""Objects from mesh files: convex pieces that cover the mesh, standing on the floor."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
from scipy.spatial import ConvexHull

from writhe.arguments import checked
from writhe.arrays import Floats, Ints, number
from writhe.collision import Shape, hull, split_mesh
from writhe.errors import WritheError
from writhe.io.meshes import load_mesh
from writhe.scene.mesh_graph import connected_parts
from writhe.scene.scene import ObjectKind, SceneObject

MAX_PIECES = 24  # of the whole object
_LARGEST_M = 20.0
_THIN_M = 0.002  # rounding of pieces
_MAX_CORNERS = 120
_UNITS = (1.0, 0.01, 0.001)  # metres, centimetres, millimetres


@checked
def object_from_mesh(
    path: str | Path,
    name: str | None = None,
    *,
    scale: float | None = None,
    max_pieces: int = MAX_PIECES,
) -> SceneObject:
    """An object of a scene from an OBJ or glTF file, its origin in its middle, on the floor.

    Every closed part of the mesh is split into convex pieces that cover it; a part that is not
    closed becomes its convex hull. scale: metres per unit of the mesh; by default metres, or
    centimetres or millimetres for a mesh that would be larger than 20 m. The object can be moved.
    """
    file = Path(path)
    vertices, triangles = load_mesh(file)
    size = float(np.ptp(vertices, axis=0).max())
    if scale is None:
        scale = next((unit for unit in _UNITS if unit * size <= _LARGEST_M), _UNITS[-1])
    number(scale, "the scale of a mesh", above=0.0)
    if not 1e-3 <= scale * size <= _LARGEST_M:
        raise WritheError(
            f"{file.name} would be {scale * size:.3g} m large; objects are 1 mm to"
            f" {_LARGEST_M:g} m: give another scale"
        )
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    points = scale * (vertices - 0.5 * (low + high))
    parts = _parts(len(points), triangles)
    each = max(1, max_pieces // len(parts))
    shapes = [shape for part in parts for shape in _pieces(points, part, each)]
    height = 0.5 * scale * float((high - low)[1])
    label = name or "".join(c if c.isalnum() or c in "_- " else "_" for c in file.stem)
    return SceneObject(label, tuple(shapes), ObjectKind.MOVED, np.array([0.0, height, 0.0]))


def _parts(count: int, triangles: Ints) -> list[Ints]:
    """The triangles of every connected part of a mesh, largest first; the smallest are joined."""
    pairs = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]]])
    _, label = connected_parts(pairs, count)
    of = label[triangles[:, 0]]
    found = [triangles[of == k] for k in np.unique(of)]
    found.sort(key=len, reverse=True)
    if len(found) <= MAX_PIECES:
        return found
    return [*found[: MAX_PIECES - 1], np.concatenate(found[MAX_PIECES - 1 :])]


def _pieces(points: Floats, triangles: Ints, count: int) -> tuple[Shape, ...]:
    """Convex shapes that cover the triangles."""
    used, own = np.unique(triangles, return_inverse=True)
    faces = own.reshape(-1, 3)
    try:
        return split_mesh(points[used], faces, max_pieces=count, rounding_m=_THIN_M)
    except WritheError:  # not closed, or flat
        return (_cover(points[used]),)


def _cover(points: Floats) -> Shape:
    """A convex shape that contains points: their hull, or the box around a hull of many corners."""
    corners = points[np.unique(ConvexHull(points, qhull_options="QJ").vertices)]
    if len(corners) > _MAX_CORNERS:
        low, high = points.min(axis=0), points.max(axis=0)
        corners = np.array(list(product(*zip(low, high, strict=True))))
    return hull(corners, _THIN_M)

"""Imports the objects of a scene file (docs/scenes.md) and their keys into a document."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from writhe.collision.shapes import Core
from writhe.errors import FileFormatError, WritheError
from writhe.json_values import is_list, is_object
from writhe.scene import Scene, SceneObject
from writhe.scene.mesh_objects import object_from_mesh
from writhe.skeleton import forward
from writhe.skeleton.heading import heading_of, yaw_matrix
from writhe.skeleton.move_root import free_root
from writhe.studio.document import Document, ObjectData, TrackKind
from writhe.studio.document.history import Edit
from writhe.studio.document.row_types import pack
from writhe.studio.editing.edits import put_track_key, track_for
from writhe.studio.editing.scene import object_edits, scene_objects

MAX_SHAPES = 500
_BEFORE_M = 0.3  # from an actor to the object that is opened


def import_scene(document: Document, path: Path, name: str) -> str:
    """Replace the document's objects by those of a scene file; returns a message."""
    scene, actors = _objects_only(path)
    solid = [item for item in scene.objects if _solid(item)]
    if not solid:
        raise WritheError(f"{name} has no objects (the ground is always present)")
    shapes = sum(len(item.shapes) for item in solid)
    if shapes > MAX_SHAPES:
        raise WritheError(f"{name} has {shapes} shapes; at most {MAX_SHAPES} are allowed")
    with document.edit("Open scene") as edit:
        for item in document.objects():
            object_edits.remove_object(document, edit, item.id)
        for item in solid:
            _add_object(document, edit, item)
    report = f"{name}: {len(solid)} object{'s' if len(solid) != 1 else ''}."
    return report + (" Its characters were not imported: add them here." if actors else "")


def import_object(document: Document, path: Path, name: str, actor: int) -> str:
    """Add the mesh of a file as an object on the floor before an actor; returns a message."""
    item = object_from_mesh(path, name)
    figure = document.figure(document.actor(actor).figure)
    frames = forward(figure.skeleton, document.actor(actor).configuration)
    root = frames.positions[free_root(figure.skeleton)]
    corners = np.concatenate([shape.points_in_joint for shape in item.shapes])
    ahead = yaw_matrix(heading_of(figure, document.actor(actor).configuration))[:, 2]
    away = _BEFORE_M + float(np.abs(corners[:, [0, 2]]).max())
    place = root + away * ahead
    with document.edit("Open object") as edit:
        at = (float(place[0]), float(item.position_m[1]), float(place[2]))
        _add_object(document, edit, replace(item, position_m=np.array(at)))
    size = np.ptp(corners, axis=0)
    return (
        f"{name}: an object of {size[0]:.2g} x {size[1]:.2g} x {size[2]:.2g} m in"
        f" {len(item.shapes)} convex piece{'s' if len(item.shapes) != 1 else ''}."
    )


def _objects_only(path: Path) -> tuple[Scene, int]:
    """The scene without actors and contacts (they need figure files), and the actor count."""
    try:
        value: Any = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise FileFormatError(path, f"not JSON: {error}") from None
    actors = 0
    if is_object(value):
        found: Any = value.pop("actors", [])
        actors = len(found) if is_list(found) else 0
        value.pop("contacts", None)
        path.write_text(json.dumps(value), encoding="utf-8")
    return Scene.load(path), actors


def _solid(item: SceneObject) -> bool:
    return any(shape.core is not Core.HALF_SPACE for shape in item.shapes)


def _add_object(document: Document, edit: Edit, item: SceneObject) -> None:
    x, y, z, w, i, j, k = (float(v) for v in item.pose())
    own = not item.source
    body = ObjectData(
        position=(x, y, z),
        rotation=(w, i, j, k),
        shapes=tuple(
            scene_objects.shape_row(shape)
            for shape in item.shapes
            if shape.core is not Core.HALF_SPACE
        )
        if own
        else (),
        strands=tuple(
            (name, tuple((float(a), float(b), float(c)) for a, b, c in points))
            for name, points in item.strands.items()
        )
        if own
        else (),
        mass_kg=item.mass_kg or None,
    )
    kind = item.source or scene_objects.OWN
    number = object_edits.insert_object(document, edit, item.name, kind, body)
    if item.keys is None:
        return
    track = track_for(document, edit, TrackKind.PLACEMENT, "Place", object_id=number)
    placements = item.keys.at(item.keys.times_s)
    for time_s, placement in zip(item.keys.times_s, placements, strict=True):
        put_track_key(document, edit, track, float(time_s), pack(placement))

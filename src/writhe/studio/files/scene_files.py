"""Scene files (docs/scenes.md) into a document: its objects, with their keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from writhe.collision.shapes import Core
from writhe.errors import FileFormatError, WritheError
from writhe.scene import Scene, SceneObject
from writhe.studio.document import Body, Document, TrackKind
from writhe.studio.document.history import Edit
from writhe.studio.document.rows import pack
from writhe.studio.editing import object_edits, scene_objects
from writhe.studio.editing.edits import put_track_key, track_for

MOST_SHAPES = 500


def take_scene(document: Document, path: Path, name: str) -> str:
    """Put the objects of a scene file into the document instead of those that are there."""
    scene, actors = _objects_only(path)
    solid = [thing for thing in scene.objects if _solid(thing)]
    if not solid:
        raise WritheError(f"{name} holds no objects (the ground is always there)")
    shapes = sum(len(thing.shapes) for thing in solid)
    if shapes > MOST_SHAPES:
        raise WritheError(f"{name} has {shapes} shapes; the studio takes up to {MOST_SHAPES}")
    with document.edit("Open scene") as edit:
        for thing in document.objects():
            object_edits.remove_thing(document, edit, thing.id)
        for thing in solid:
            _take(document, edit, thing)
    said = f"{name}: {len(solid)} object{'s' if len(solid) != 1 else ''}."
    return said + (" Its characters are left out: add and place them here." if actors else "")


def _objects_only(path: Path) -> tuple[Scene, int]:
    """The file as a scene without actors and contacts, which belong to figures beside it."""
    try:
        value: Any = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise FileFormatError(path, f"not JSON: {error}") from None
    actors = 0
    if isinstance(value, dict):
        found: Any = value.pop("actors", [])
        actors = len(found) if isinstance(found, list) else 0
        value.pop("contacts", None)
        path.write_text(json.dumps(value), encoding="utf-8")
    return Scene.load(path), actors


def _solid(thing: SceneObject) -> bool:
    return any(shape.core is not Core.HALF_SPACE for shape in thing.shapes)


def _take(document: Document, edit: Edit, thing: SceneObject) -> None:
    x, y, z, w, i, j, k = (float(v) for v in thing.pose())
    own = not thing.source
    body = Body(
        position=(x, y, z),
        rotation=(w, i, j, k),
        shapes=tuple(
            scene_objects.shape_row(shape)
            for shape in thing.shapes
            if shape.core is not Core.HALF_SPACE
        )
        if own
        else (),
        strands=tuple(
            (name, tuple((float(a), float(b), float(c)) for a, b, c in points))
            for name, points in thing.strands.items()
        )
        if own
        else (),
    )
    kind = thing.source or scene_objects.OWN
    number = object_edits.insert_thing(document, edit, thing.name, kind, body)
    if thing.keys is None:
        return
    track = track_for(document, edit, TrackKind.PLACE, "Place", thing=number)
    places = thing.keys.at(thing.keys.times_s)
    for time_s, place in zip(thing.keys.times_s, places, strict=True):
        put_track_key(document, edit, track, float(time_s), pack(place))

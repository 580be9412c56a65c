"""Writes JSON scene files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from writhe.collision import Shape
from writhe.collision.shapes import Core
from writhe.errors import WritheError
from writhe.scene.reader import VERSION
from writhe.scene.scene import Actor, Scene, SceneObject


def save_scene(scene: Scene, path: Path) -> None:
    """Write a scene; a figure that is not built in is named by its `source` file."""
    document = {
        "writhe_scene": VERSION,
        "actors": [_actor(actor) for actor in scene.actors],
        "objects": [_object(item) for item in scene.objects],
        "contacts": [
            {"a": a, "b": b, "allowance_m": metres}
            for (a, b), metres in sorted(scene.policy.declared_m.items())
        ],
    }
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _actor(actor: Actor) -> dict[str, Any]:
    from writhe.skeleton.figures import figure, figure_names

    source = actor.source
    if not source and actor.figure.name in figure_names():
        source = actor.figure.name if figure(actor.figure.name) is actor.figure else ""
    if not source:
        raise WritheError(
            f"the figure of {actor.name!r} is neither built in nor from a file: set its `source`"
        )
    out: dict[str, Any] = {"name": actor.name, "figure": source}
    out |= {"position_m": actor.position_m.tolist(), "rotation": actor.rotation.tolist()}
    return out | ({"driven": True} if actor.driven else {})


def _object(item: SceneObject) -> dict[str, Any]:
    out: dict[str, Any] = {
        "name": item.name,
        "kind": item.kind.value,
        "position_m": item.position_m.tolist(),
        "rotation": item.rotation.tolist(),
    }
    if item.attached_to:
        out["attached_to"] = item.attached_to
    if item.mass_kg:
        out["mass_kg"] = item.mass_kg
    if item.source:
        out["built_in"] = item.source
    else:
        out["shapes"] = [_shape(shape) for shape in item.shapes]
        out["strands"] = {name: points.tolist() for name, points in item.strands.items()}
    if item.keys is not None:
        out["keys"] = {
            "times_s": item.keys.times_s.tolist(),
            "positions_m": item.keys.positions_m.tolist(),
            "rotations": item.keys.rotations.tolist(),
        }
    return out


def _shape(shape: Shape) -> dict[str, Any]:
    """The JSON of a shape; boxes and cylinders become hulls with a radius."""
    points = shape.points_in_joint
    if shape.core is Core.HALF_SPACE:
        normal = (points[1] - points[0]).tolist()
        return {"type": "half_space", "point": points[0].tolist(), "normal": normal}
    if shape.core is Core.SEGMENT:
        start, end = points.tolist()
        return {"type": "capsule", "start": start, "end": end, "radius_m": shape.radius_m}
    return {"type": "hull", "corners": points.tolist(), "radius_m": shape.radius_m}

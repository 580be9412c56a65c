"""Reads JSON scene files; docs/scenes.md is their specification."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from writhe.collision import (
    ContactPolicy,
    Shape,
    ball,
    box,
    capsule,
    cylinder,
    half_space,
    hull,
    split_mesh,
)
from writhe.errors import FileFormatError, WritheError
from writhe.scene.objects import BUILT_IN, built_in
from writhe.scene.scene import Actor, KeyMotion, ObjectKind, Scene, SceneObject
from writhe.scene.strict_json import Node, read_json
from writhe.skeleton import Figure
from writhe.skeleton.quaternions import rotation_matrix

VERSION = 1
MAX_ACTORS, MAX_OBJECTS, MAX_SHAPES, MAX_POINTS = 64, 1000, 5000, 100_000
MAX_TRIANGLES = 20_000
_UP = (0.0, 1.0, 0.0)


def load_scene(path: Path) -> Scene:
    """Read a scene file; errors name the file and the location in its JSON."""
    root = read_json(path)
    root.only("writhe_scene", "actors", "objects", "contacts")
    version = root.integer("writhe_scene")
    if version != VERSION:
        raise root.error(f"scene file version {version}; this writhe reads version {VERSION}")
    actors = tuple(_actor(node) for node in root.items("actors", MAX_ACTORS))
    objects = tuple(_object(node) for node in root.items("objects", MAX_OBJECTS))
    shapes = sum(len(item.shapes) for item in objects)
    if shapes > MAX_SHAPES:
        raise root.error(f"{shapes} shapes; at most {MAX_SHAPES} are allowed")
    policy = ContactPolicy()
    for node in root.items("contacts", 10_000):
        node.only("a", "b", "allowance_m")
        with node.errors():
            policy = policy.allow(node.text("a"), node.text("b"), node.number("allowance_m"))
    with root.errors():
        scene = Scene(actors, objects, policy)
        if actors or objects:
            _ = scene.layout.table
    return scene


def _actor(node: Node) -> Actor:
    node.only("name", "figure", "position_m", "rotation", "driven")
    source = node.text("figure")
    with node.errors():
        return Actor(
            name=node.text("name"),
            figure=_figure(node, source),
            position_m=node.vector("position_m", 3, (0.0, 0.0, 0.0)),
            rotation=node.vector("rotation", 4, (1.0, 0.0, 0.0, 0.0)),
            driven=node.flag("driven"),
            source=source,
        )


def _figure(node: Node, source: str) -> Figure:
    from writhe.skeleton.figures import figure, figure_names

    if source in figure_names():
        return figure(source)
    folder = node.file.resolve().parent
    path = (folder / source).resolve()
    if Path(source).is_absolute() or not path.is_relative_to(folder):
        raise node.error(
            f"the figure {source!r} is outside the scene's folder: put the file next to the scene,"
            f" or use one of {', '.join(figure_names())}"
        )
    if not path.is_file():
        raise node.error(
            f"{source!r} is neither a built-in figure ({', '.join(figure_names())}) nor a file"
        )
    from writhe.io import load_figure

    return load_figure(path)  # with the shapes of its meshes, as everywhere


def _object(node: Node) -> SceneObject:
    node.only(
        "name",
        "kind",
        "built_in",
        "position_m",
        "rotation",
        "shapes",
        "strands",
        "keys",
        "attached_to",
        "mass_kg",
    )
    source = node.text("built_in", "")
    shapes: tuple[Shape, ...] = tuple(
        shape for n in node.items("shapes", MAX_SHAPES) for shape in _shapes(n)
    )
    strands = {
        name: each.points(MAX_POINTS) for name, each in node.entries("strands", 1000).items()
    }
    if source:
        if source not in BUILT_IN:
            raise node.error(f"no built-in object {source!r}; available: {', '.join(BUILT_IN)}")
        if shapes or strands:
            raise node.error(
                "a built-in object has its own shapes and strands: leave out these keys"
            )
        shapes, strands = built_in(source)
    kind = node.text("kind", "fixed")
    if kind not in {k.value for k in ObjectKind}:
        raise node.error(f"kind must be fixed, moved or animated, not {kind!r}")
    keys = None
    if "keys" in node:
        inner = node.child("keys")
        inner.only("times_s", "positions_m", "rotations")
        times = inner.child("times_s").numbers(MAX_POINTS)
        with inner.errors():
            keys = KeyMotion(
                times,
                inner.child("positions_m").points(MAX_POINTS),
                inner.child("rotations").points(MAX_POINTS, 4)
                if "rotations" in inner
                else np.tile([1.0, 0.0, 0.0, 0.0], (len(times), 1)),
            )
    with node.errors():
        return SceneObject(
            name=node.text("name"),
            shapes=shapes,
            kind=ObjectKind(kind),
            position_m=node.vector("position_m", 3, (0.0, 0.0, 0.0)),
            rotation=node.vector("rotation", 4, (1.0, 0.0, 0.0, 0.0)),
            keys=keys,
            strands=strands,
            source=source,
            attached_to=node.text("attached_to", ""),
            mass_kg=node.number("mass_kg") if "mass_kg" in node else 0.0,
        )


_FIELDS = {
    "ball": ("centre", "radius_m"),
    "capsule": ("start", "end", "radius_m"),
    "cylinder": ("start", "end", "radius_m", "rounding_m"),
    "box": ("centre", "size", "rotation", "rounding_m"),
    "half_space": ("point", "normal"),
    "hull": ("corners", "radius_m"),
    "mesh": ("vertices", "triangles", "most_pieces", "rounding_m"),
}


def _shapes(node: Node) -> tuple[Shape, ...]:
    """The shapes of an entry: several for a mesh, else one."""
    if node.text("type") != "mesh":
        return (_shape(node),)
    node.only("type", *_FIELDS["mesh"])
    triangles = node.child("triangles")
    corners = triangles.points(MAX_TRIANGLES)
    if (corners != corners.round()).any():
        raise triangles.error("a triangle must be three integers: vertex indices from 0")
    with node.errors():
        return split_mesh(
            node.child("vertices").points(MAX_POINTS),
            corners.astype(np.int64),
            max_pieces=node.integer("most_pieces") if "most_pieces" in node else 24,
            rounding_m=node.number("rounding_m") if "rounding_m" in node else 0.002,
        )


def _shape(node: Node) -> Shape:
    kind = node.text("type")
    if kind not in _FIELDS:
        raise node.error(f"unknown shape type {kind!r}; available: {', '.join(_FIELDS)}")
    node.only("type", *_FIELDS[kind])
    zero = (0.0, 0.0, 0.0)
    rounding = node.number("rounding_m") if "rounding_m" in node else None
    try:
        if kind == "ball":
            return ball(node.vector("centre", 3, zero), node.number("radius_m"))
        if kind == "capsule":
            return capsule(node.vector("start", 3), node.vector("end", 3), node.number("radius_m"))
        if kind == "cylinder":
            return cylinder(
                node.vector("start", 3), node.vector("end", 3), node.number("radius_m"), rounding
            )
        if kind == "half_space":
            return half_space(node.vector("point", 3, zero), node.vector("normal", 3, _UP))
        if kind == "hull":
            return hull(node.child("corners").points(MAX_POINTS), node.number("radius_m"))
        rotation = node.vector("rotation", 4, (1.0, 0.0, 0.0, 0.0))
        solid = box(zero, node.vector("size", 3), rounding)
        return solid.moved(rotation_matrix(rotation), node.vector("centre", 3, zero))
    except FileFormatError:
        raise
    except WritheError as error:
        raise node.error(str(error)) from None

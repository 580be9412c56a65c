"""Imports characters: the figure, its file and one of its clips, as an actor of the document."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.errors import FileFormatError
from writhe.io import load, load_figure
from writhe.io.files import GLTF, USD
from writhe.io.gltf.container import Glb
from writhe.io.gltf.contents import contents, find_animation
from writhe.io.gltf.existing_document import open_document
from writhe.io.gltf.write import WrittenCharacter, nodes_of, packed_bytes
from writhe.skeleton import Figure, JointKind, Motion, Skeleton, forward
from writhe.skeleton.figures import figure_names
from writhe.studio.document import Document
from writhe.studio.document.document_queries import free_name
from writhe.studio.document.embedded_figures import EmbeddedModel, encode_figure
from writhe.studio.document.row_types import pack
from writhe.studio.editing import edits, starting_poses
from writhe.studio.view.figure_mesh import bone_capsules

NO_CLIP = "-"
BESIDE_M = 1.4  # between characters


def inspect(path: Path) -> dict[str, Any]:
    """Whether a file holds a character (a mesh to show) or an object (a mesh without joints).

    Its animations are listed by name.

    `current` is the number of the animation that is read by default.
    """
    suffix = path.suffix.lower()
    if suffix == ".fbx":
        from writhe.io.fbx.read import fbx_document

        glb = Glb(fbx_document(path))
    elif suffix in GLTF:
        glb = Glb(path)
    else:
        return {"character": suffix in USD, "object": False, "animations": [], "current": 0}
    found = contents(glb)
    return {
        "character": found["meshes"] > 0,
        "object": found["meshes"] > 0 and not found["skins"] and not found["animations"],
        "animations": found["animations"],
        "current": find_animation(glb, None) or 0,
    }


def import_character(
    document: Document, path: Path, title: str, *, actor: int | None, animation: str | None
) -> tuple[str, int]:
    """Show a character as an actor with a clip of its file; returns a message and the actor.

    actor: the one whose body is replaced; None adds an actor, or replaces the only one of a new
    document. animation: the name of the clip, "-" for none; by default the first.
    """
    wanted = None if animation == NO_CLIP else animation
    figure = _with_body(load_figure(path, animation=wanted))
    motion = None if animation == NO_CLIP else _motion(path, wanted, figure)
    taken = {*document.embedded_figure_names(), *figure_names()}
    name = free_name(title, taken)
    figure = replace(figure, name=name)
    model = _stored_model(document, figure)
    q = starting_poses.starting_pose(figure) if motion is None else motion.q[0]
    in_place = actor if actor is not None else _untouched(document)
    with document.edit("Open character") as edit:
        edit.insert("figures", name=name, data=encode_figure(figure, model))
        if in_place is None:
            number = edits.add_actor(document, edit, name, name)
            aside = BESIDE_M * (len(document.actors()) - 1)
            q = shifted(figure.skeleton, q[None], aside)[0]
            motion = motion and replace(motion, q=shifted(figure.skeleton, motion.q, aside))
        else:
            number = in_place
            edits.clear_tracks(document, edit, number)
        pins = edits.encode_pins(starting_poses.starting_pins(figure, q))
        edit.update("actors", number, figure=name, name=name, q=pack(q), pins=pins)
        if motion is not None and len(motion) > 1:
            if all(document.timeline(other.id).empty for other in document.actors()):
                edit.setting("fps", float(min(120.0, max(1.0, motion.fps))))
                edit.setting("duration_s", max(0.5, motion.duration_s))
            edits.put_clip(document, edit, number, motion, 0.0)
    return _report(figure, motion), number


def _report(figure: Figure, motion: Motion | None) -> str:
    text = f"{figure.name}: {len(figure.skeleton)} joints"
    if motion is None or len(motion) < 2:
        return f"{text}."
    return f"{text}, with its clip {motion.name!r} of {motion.duration_s:.1f} s."


def _motion(path: Path, animation: str | None, figure: Figure) -> Motion | None:
    try:
        motion = load(path, animation=animation)
    except FileFormatError:
        return None  # a character without animation
    return motion if motion.skeleton.names == figure.skeleton.names else None


def _stored_model(document: Document, figure: Figure) -> EmbeddedModel | None:
    """Store the file of a figure in the document, with all its parts in one .glb."""
    if figure.source is None or figure.source.format != "gltf":
        return None
    nodes, units_m = nodes_of(WrittenCharacter(figure.skeleton, None, figure))
    data = figure.source.data
    if figure.source.attached or data[:4] != b"glTF":
        data = packed_bytes(open_document(figure.source))
    return EmbeddedModel(document.put_file(data), tuple(nodes), tuple(float(u) for u in units_m))


def _untouched(document: Document) -> int | None:
    """The only actor of a document in which nothing has been done yet."""
    actors = document.actors()
    fresh = len(actors) == 1 and not document.undo_label and not document.objects()
    return actors[0].id if fresh and document.timeline(actors[0].id).empty else None


def shifted(skeleton: Skeleton, q: Floats, aside_m: float) -> Floats:
    """Configurations (n, nq) with the topmost free joint moved along x of the world."""
    tree = skeleton.tree
    free = [j for j, joint in enumerate(skeleton.joints) if joint.kind is JointKind.FREE]
    out = q.copy()
    if free:
        j = free[0]
        parent = int(tree.parent[j])
        rest = forward(skeleton, skeleton.rest_configuration)
        above = np.eye(3) if parent < 0 else rest.rotations[parent]
        at = int(tree.q_start[j])
        out[:, at : at + 3] += (above @ tree.rest[j]).T @ np.array([aside_m, 0.0, 0.0])
    return out


def _with_body(figure: Figure) -> Figure:
    return figure if figure.capsules else replace(figure, capsules=bone_capsules(figure))

"""What a glTF file holds: its animations by name, and counts of meshes, skins, images."""

from __future__ import annotations

from typing import Any

import numpy as np

from writhe.errors import UnknownNameError
from writhe.io.gltf.container import Glb
from writhe.io.gltf.nodes import node_note
from writhe.io.gltf.read_sampled import channel_target
from writhe.io.gltf.vrm import vrm_version
from writhe.json_values import is_list


def animation_names(glb: Glb) -> list[str]:
    """The names of all animations; "animation 1" and so on for those without a name."""
    out: list[str] = []
    for number, entry in enumerate(glb.items("animations")):
        given = glb.record(entry, "an animation").get("name")
        text = "".join(c for c in given if c.isprintable()) if isinstance(given, str) else ""
        out.append(text[:256] or f"animation {number + 1}")
    return out


def find_animation(glb: Glb, wanted: str | int | None) -> int | None:
    """The number of an animation, given its name or number.

    By default the one that writhe wrote last, else the first; None if the file has no animation.
    """
    names = animation_names(glb)
    if wanted is None:
        noted = [
            n for n, entry in enumerate(glb.items("animations")) if node_note(entry).get("current")
        ]
        return (noted or [0])[-1] if names else None
    if isinstance(wanted, str) and wanted in names:
        return names.index(wanted)
    number = int(wanted) if isinstance(wanted, int) or wanted.isdecimal() else -1
    if not 0 <= number < len(names):
        raise UnknownNameError(f"animation of {glb.path}", str(wanted), names)
    return number


def animated_nodes(glb: Glb) -> set[int]:
    """The nodes that any animation moves."""
    count = len(glb.items("nodes"))
    found: set[int] = set()
    for number in range(len(glb.items("animations"))):
        animation = glb.item("animations", number)
        for entry in glb.sequence(animation.get("channels", []), "channels"):
            channel = glb.record(entry, "an animation channel")
            moved = channel_target(glb, channel, count)
            if moved is not None:
                found.add(moved[0])
    return found


def contents(glb: Glb) -> dict[str, Any]:
    """A summary of the file for people and programs."""
    meshes = [glb.record(mesh, "a mesh") for mesh in glb.items("meshes")]
    morphs = 0
    for mesh in meshes:
        primitives = glb.sequence(mesh.get("primitives", []), "the primitives of a mesh")
        counts = [
            len(glb.sequence(glb.record(p, "a primitive").get("targets", []), "morph targets"))
            for p in primitives
        ]
        morphs += max(counts, default=0)
    animations = [
        {"name": name, **_length(glb, glb.item("animations", number))}
        for number, name in enumerate(animation_names(glb))
    ]
    return {
        "animations": animations,
        "meshes": len(meshes),
        "skins": len(glb.items("skins")),
        "morph_targets": morphs,
        "materials": len(glb.items("materials")),
        "images": len(glb.items("images")),
        "vrm": vrm_version(glb),
    }


def _length(glb: Glb, animation: dict[str, Any]) -> dict[str, Any]:
    """Duration and kinds of channels of an animation."""
    samplers = glb.sequence(animation.get("samplers", []), "samplers")
    start, end = np.inf, 0.0
    for entry in samplers:
        accessor = glb.item("accessors", glb.record(entry, "a sampler").get("input"))
        for bound, at in (("min", start), ("max", end)):
            value = accessor.get(bound)
            if is_list(value) and len(value) == 1 and isinstance(value[0], int | float):
                at = min(at, value[0]) if bound == "min" else max(at, value[0])
            if bound == "min":
                start = at
            else:
                end = at
    channels = glb.sequence(animation.get("channels", []), "channels")
    targets = [glb.record(glb.record(c, "a channel").get("target"), "a target") for c in channels]
    morphs = any(target.get("path") == "weights" for target in targets)
    return {
        "duration_s": float(max(0.0, end - start)) if np.isfinite(start) else 0.0,
        "channels": len(channels),
        "morphs": morphs,
    }

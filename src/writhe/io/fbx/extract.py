"""Program: reads an FBX file with ufbx and writes its arrays to an .npz file.

Run as `python extract.py FILE OUTPUT [REFINE]`. It imports nothing of writhe, keeps all objects of
ufbx alive and ends without clean-up, because these crash the interpreter when they are collected.
"""

from __future__ import annotations

import gc
import itertools
import json
import os
import sys
from typing import Any

import numpy as np

MAX_POSES = 200_000
# maps of a material that glTF has too, by their names in ufbx
_MAPS = ("base_color", "normal_map", "emission_color", "ambient_occlusion", "opacity")
_NUMBERS = ("base_factor", "metalness", "roughness", "emission_factor")

_kept: list[Any] = []


def _keep(value: Any) -> Any:
    _kept.append(value)
    return value


def _matrix(m: Any) -> list[list[float]]:
    _keep(m)
    columns = [_keep(c) for c in (m.c0, m.c1, m.c2, m.c3)]
    rows = [[c.x for c in columns], [c.y for c in columns], [c.z for c in columns]]
    return [*rows, [0.0, 0.0, 0.0, 1.0]]


def _local(t: Any) -> list[float]:
    _keep(t)
    a, r, s = _keep(t.translation), _keep(t.rotation), _keep(t.scale)
    return [a.x, a.y, a.z, r.w, r.x, r.y, r.z, s.x, s.y, s.z]


def _corner_values(attribute: Any) -> Any:
    """(corners, width) of an attribute of a mesh; None if it has none."""
    _keep(attribute)
    if not attribute.exists:
        return None
    values = np.array(_keep(attribute.values), dtype=np.float64)
    return values[np.array(_keep(attribute.indices), dtype=np.int64)]


def _mesh(mesh: Any, k: int, number: dict[int, int], arrays: dict[str, Any]) -> dict[str, Any]:
    """Store the arrays of a mesh under names that end in k; returns what is text."""
    arrays[f"vertices{k}"] = np.array(mesh.vertices, dtype=np.float64)
    arrays[f"indices{k}"] = np.array(mesh.vertex_indices, dtype=np.int64)
    arrays[f"faces{k}"] = np.array(
        [(_keep(f).index_begin, f.num_indices) for f in mesh.faces], dtype=np.int64
    )
    normals, colours = _corner_values(mesh.vertex_normal), _corner_values(mesh.vertex_color)
    if normals is not None:
        arrays[f"normals{k}"] = normals
    if colours is not None:
        arrays[f"colours{k}"] = colours
    layers = [_corner_values(layer.vertex_uv) for layer in _keep(list(mesh.uv_sets))]
    layers = [layer for layer in layers if layer is not None]
    for layer, values in enumerate(layers):
        arrays[f"uvs{k}_{layer}"] = values
    if len(mesh.face_material):
        arrays[f"face_material{k}"] = np.array(mesh.face_material, dtype=np.int64)
    deformers = _keep(list(mesh.skin_deformers))
    if deformers:
        _skin(deformers[0], k, number, arrays)
    morphs: list[dict[str, Any]] = []
    for deformer in _keep(list(mesh.blend_deformers)):
        for channel in _keep(list(deformer.channels)):
            shape = _keep(channel.target_shape)
            if shape is None:
                continue
            arrays[f"morph_vertices{k}_{len(morphs)}"] = np.array(
                shape.offset_vertices, dtype=np.int64
            )
            arrays[f"morph_offsets{k}_{len(morphs)}"] = np.array(
                shape.position_offsets, dtype=np.float64
            ).reshape(-1, 3)
            morphs.append({"name": channel.name, "weight": float(channel.weight)})
            _channels.append(channel)
    instances = _keep(list(mesh.instances))
    return {
        "name": mesh.name or (instances[0].name if instances else ""),
        "skinned": bool(deformers),
        "nodes": [number[_keep(node).element_id] for node in instances],
        "materials": [-1 if m is None else int(m.typed_id) for m in _keep(list(mesh.materials))],
        "uvs": len(layers),
        "morphs": morphs,
    }


_channels: list[Any] = []  # of all morph targets, in the order of the meshes


def _skin(deformer: Any, k: int, number: dict[int, int], arrays: dict[str, Any]) -> None:
    clusters = [c for c in _keep(list(deformer.clusters)) if _keep(c.bone_node) is not None]
    arrays[f"bones{k}"] = np.array(
        [number[c.bone_node.element_id] for c in clusters], dtype=np.int64
    )
    arrays[f"to_bone{k}"] = np.array([_matrix(c.geometry_to_bone) for c in clusters])
    arrays[f"bind{k}"] = np.array([_matrix(c.bind_to_world) for c in clusters])
    parts = [
        (np.array(c.vertices, dtype=np.int64), np.array(c.weights, dtype=np.float64))
        for c in clusters
    ]
    arrays[f"weight_cluster{k}"] = np.concatenate(
        [np.full(len(v), i, dtype=np.int64) for i, (v, _) in enumerate(parts)]
    )
    arrays[f"weight_vertex{k}"] = np.concatenate([v for v, _ in parts])
    arrays[f"weight{k}"] = np.concatenate([w for _, w in parts])


def _texture(texture: Any) -> int:
    """The number of the texture of a map, -1 for none; of layers, the first file."""
    if _keep(texture) is None:
        return -1
    files = _keep(list(texture.file_textures))
    return int((files[0] if files else texture).typed_id)


def _material(material: Any) -> dict[str, Any]:
    maps = _keep(material.pbr)
    out: dict[str, Any] = {"name": material.name}
    for name in (*_MAPS, *_NUMBERS):
        one = _keep(getattr(maps, name))
        value = _keep(one.value_vec4)
        numbers = [value.x, value.y, value.z, value.w]
        out[name] = {
            "value": numbers if one.has_value else None,
            "components": int(one.value_components),
            "texture": _texture(one.texture) if one.texture_enabled else -1,
        }
    return out


def _textures(scene: Any, arrays: dict[str, Any]) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for i, texture in enumerate(_keep(list(scene.textures))):
        content = _keep(texture.content)
        if content is not None and len(content):
            arrays[f"image{i}"] = np.frombuffer(bytes(content), dtype=np.uint8)
        out.append({"name": texture.name, "file": texture.relative_filename or texture.filename})
    return out


def _animations(ufbx: Any, scene: Any, nodes: list[Any], arrays: dict[str, Any]) -> dict[str, Any]:
    """Store the local transforms of all nodes in each stack, (frames, nodes, 10)."""
    stacks = _keep(list(scene.anim_stacks))
    fps = float(scene.settings.frames_per_second) or 30.0
    total = 0
    for i, stack in enumerate(stacks):
        anim, begin, end = _keep(stack.anim), stack.time_begin, stack.time_end
        count = min(MAX_POSES - total, round((end - begin) * fps) + 1)
        if count < 1:
            break
        total += count
        times = [begin + f / fps for f in range(count)]
        arrays[f"frames{i}"] = np.array(
            [[_local(ufbx.evaluate_transform(anim, n, t)) for n in nodes] for t in times]
        )
        if _channels:
            arrays[f"weights{i}"] = np.array(
                [[ufbx.evaluate_blend_weight(anim, c, t) for c in _channels] for t in times]
            )
    names = [stack.name for stack in stacks]
    return {"stacks": names, "fps": fps}


def _key_times(stack: Any, begin: float, end: float) -> tuple[list[float], bool]:
    """The times of all keys of a stack within it, with both ends; whether a curve has steps."""
    times, steps = {begin, end}, False
    for layer in _keep(list(stack.layers)):
        for value in _keep(list(layer.anim_values)):
            for curve in _keep(list(value.curves)):
                if curve is None:
                    continue
                keys = _keep(curve.keyframes)
                for i in range(len(keys)):
                    key = _keep(keys[i])
                    times.add(float(key.time))
                    steps = steps or int(key.interpolation) < 2  # constant until or from the key
    return sorted(t for t in times if begin <= t <= end), steps


def _keys(
    ufbx: Any, scene: Any, nodes: list[Any], refine: int, arrays: dict[str, Any]
) -> dict[str, Any]:
    """Store the transforms of all nodes at the keys of each stack and between them.

    times{i} (rows,), rows{i} (rows, nodes, 10), between{i} (rows - 1, 3, nodes, 10), jumps{i}
    (rows - 1,): where a curve has steps, each key has two rows, before and from it on.
    """
    fps, total = float(scene.settings.frames_per_second) or 30.0, 0
    for i, stack in enumerate(_keep(list(scene.anim_stacks))):
        anim, begin, end = _keep(stack.anim), stack.time_begin, stack.time_end
        keys, steps = _key_times(stack, begin, end)
        longest = 1.0 / fps  # between two rows: cubic curves bend
        times: list[float] = []
        for a, b in itertools.pairwise(keys):
            parts = refine * max(1, round((b - a) / longest))
            times += [a + (b - a) * k / parts for k in range(parts)]
        times.append(keys[-1])
        total += 4 * len(times)
        if total > MAX_POSES:
            raise ValueError(f"over {MAX_POSES} poses are needed to follow its keys")

        def pose(time: float, anim: Any = anim) -> list[list[float]]:
            return [_local(ufbx.evaluate_transform(anim, n, time)) for n in nodes]

        at, rows, between, jumps = [times[0]], [pose(times[0])], list[Any](), list[bool]()
        for a, b in itertools.pairwise(times):
            # times of keys are rounded: those inside an interval stay away from its ends
            inside = [pose(a + s * (b - a)) for s in (0.25, 0.5, 0.75)]
            last = pose(b - min(1e-6, 1e-3 * (b - a))) if steps else pose(b)
            at.append(b)
            rows.append(last)
            between.append(inside)
            jumps.append(False)
            if steps:
                at.append(b)
                rows.append(pose(b))
                between.append([rows[-1]] * 3)
                jumps.append(True)
        arrays[f"times{i}"] = np.array(at) - begin
        arrays[f"rows{i}"] = np.array(rows)
        arrays[f"between{i}"] = np.array(between).reshape(len(rows) - 1, 3, len(nodes), 10)
        arrays[f"jumps{i}"] = np.array(jumps, dtype=bool)
    return {"stacks": [stack.name for stack in scene.anim_stacks], "fps": fps}


def main(path: str, output: str, refine: int = 0) -> None:
    """Read all, or with `refine` (rows for each key and frame) the motion at the keys."""
    import ufbx

    scene = ufbx.load_file(
        path,
        target_axes=ufbx.axes_right_handed_y_up,
        target_unit_meters=1.0,
        space_conversion=ufbx.SpaceConversion.MODIFY_GEOMETRY,
        inherit_mode_handling=ufbx.InheritModeHandling.COMPENSATE,
    )
    nodes = _keep(list(_keep(scene.nodes)))
    number = {node.element_id: i for i, node in enumerate(nodes)}
    arrays: dict[str, Any] = {}
    arrays["parent"] = np.array(
        [-1 if n.parent is None else number[n.parent.element_id] for n in nodes], dtype=np.int64
    )
    arrays["local"] = np.array([_local(n.local_transform) for n in nodes])
    arrays["geometry"] = np.array([_matrix(n.geometry_to_node) for n in nodes])
    arrays["bone"] = np.array([n.bone is not None for n in nodes])
    arrays["mesh"] = np.array([n.mesh is not None for n in nodes])
    meshes: list[dict[str, Any]] = []
    motion = _keys(ufbx, scene, nodes, refine, arrays) if refine else None
    for mesh in _keep(list(scene.meshes)):
        if len(mesh.faces):
            meshes.append(_mesh(mesh, len(meshes), number, arrays))
    about = {
        "names": [n.name for n in nodes],
        "meshes": meshes,
        "materials": [_material(m) for m in _keep(list(scene.materials))],
        "textures": _textures(scene, arrays),
        "unit": float(scene.settings.original_unit_meters),
        **(motion or _animations(ufbx, scene, nodes, arrays)),
    }
    arrays["about"] = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
    np.savez(output, **arrays)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    gc.disable()
    try:
        main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 0)
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.stderr.flush()
        os._exit(1)

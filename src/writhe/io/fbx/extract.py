"""Program: reads an FBX file with ufbx and writes its arrays to an .npz file.

Run as `python extract.py FILE OUTPUT [STACK]`. It imports nothing of writhe, keeps all objects of
ufbx alive and ends without clean-up, because these crash the interpreter when they are collected.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from typing import Any

MAX_FRAMES = 200_000


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


def main(path: str, output: str, stack: str | None) -> None:
    import numpy as np
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
    arrays["bone"] = np.array([n.bone is not None for n in nodes])
    arrays["mesh"] = np.array([n.mesh is not None for n in nodes])
    meshes = 0
    for mesh in _keep(list(scene.meshes)):
        deformers = _keep(list(mesh.skin_deformers))
        if not deformers or len(mesh.faces) == 0:
            continue
        clusters = [c for c in _keep(list(deformers[0].clusters)) if _keep(c.bone_node) is not None]
        arrays[f"vertices{meshes}"] = np.array(mesh.vertices, dtype=np.float64)
        arrays[f"indices{meshes}"] = np.array(mesh.vertex_indices, dtype=np.int64)
        arrays[f"faces{meshes}"] = np.array(
            [(_keep(f).index_begin, f.num_indices) for f in mesh.faces], dtype=np.int64
        )
        arrays[f"bones{meshes}"] = np.array(
            [number[c.bone_node.element_id] for c in clusters], dtype=np.int64
        )
        arrays[f"to_bone{meshes}"] = np.array([_matrix(c.geometry_to_bone) for c in clusters])
        arrays[f"bind{meshes}"] = np.array([_matrix(c.bind_to_world) for c in clusters])
        parts = [
            (np.array(c.vertices, dtype=np.int64), np.array(c.weights, dtype=np.float64))
            for c in clusters
        ]
        arrays[f"weight_cluster{meshes}"] = np.concatenate(
            [np.full(len(v), i, dtype=np.int64) for i, (v, _) in enumerate(parts)]
        )
        arrays[f"weight_vertex{meshes}"] = np.concatenate([v for v, _ in parts])
        arrays[f"weight{meshes}"] = np.concatenate([w for _, w in parts])
        meshes += 1
    stacks = _keep(list(scene.anim_stacks))
    names = [s.name for s in stacks]
    fps = float(scene.settings.frames_per_second) or 30.0
    chosen = -1
    candidates = range(len(stacks))
    if stack is not None:
        candidates = [i for i in candidates if stack in (names[i], str(i))]
    for i in candidates:
        anim, begin, end = _keep(stacks[i].anim), stacks[i].time_begin, stacks[i].time_end
        count = min(MAX_FRAMES, round((end - begin) * fps) + 1)
        frames = np.array(
            [[_local(ufbx.evaluate_transform(anim, n, begin + f / fps)) for n in nodes]
             for f in range(count)]
        )  # fmt: skip
        if chosen < 0 or np.ptp(frames, axis=0).max(initial=0.0) > 1e-6:
            chosen = i
            arrays["frames"] = frames
        if np.ptp(frames, axis=0).max(initial=0.0) > 1e-6:
            break  # the first animation in which something moves
    about = {
        "names": [n.name for n in nodes],
        "meshes": meshes,
        "stacks": names,
        "durations": [float(s.time_end - s.time_begin) for s in stacks],
        "chosen": chosen,
        "fps": fps,
        "unit": float(scene.settings.original_unit_meters),
    }
    arrays["about"] = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
    np.savez(output, **arrays)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    gc.disable()
    try:
        main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.stderr.flush()
        os._exit(1)

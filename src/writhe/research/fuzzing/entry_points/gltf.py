"""Entry points `writhe certify FILE.glb`, `.vrm`: linear, stepped and cubic curves."""

from __future__ import annotations

import json
import struct
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from writhe.collision import CollisionTable
from writhe.research.evaluation.export_mechanism import export_mechanism
from writhe.research.evaluation.independent import CurveMotion, Mechanism, Track
from writhe.research.evaluation.independent.rotations import of_vector, product
from writhe.research.fuzzing.case import Case
from writhe.research.fuzzing.entry_points.certify_file import certify_with_table


def linear_gltf(rng: np.random.Generator) -> Case:
    """Linear curves; rotations by slerp."""
    return _gltf(rng, "gltf linear", "LINEAR")


def step_gltf(rng: np.random.Generator) -> Case:
    """Steps: the pose jumps at each key, and the old and the new pose must be clear."""
    return _gltf(rng, "gltf step", "STEP")


def cubic_gltf(rng: np.random.Generator) -> Case:
    """Cubic Hermite splines with tangents."""
    return _gltf(rng, "gltf cubic", "CUBICSPLINE")


def vrm_file(rng: np.random.Generator) -> Case:
    """A .vrm or .vrma file, or a glTF file under a suffix of another format."""
    kind = str(rng.choice([".vrm", ".vrma", ".npz", ".bvh", ".fbx", ".motion"]))
    interpolation = str(rng.choice(["LINEAR", "STEP", "CUBICSPLINE"]))
    return _gltf(rng, "vrm", interpolation, kind, _HUMANOIDS[int(rng.integers(len(_HUMANOIDS)))])


_BONES = {"hips": 0, "leftUpperLeg": 1, "leftLowerLeg": 2, "rightUpperLeg": 4, "rightLowerLeg": 5}
_HUMANOIDS: tuple[dict[str, Any], ...] = (
    {"VRMC_vrm": {"humanoid": {"humanBones": {b: {"node": n} for b, n in _BONES.items()}}}},
    {"VRM": {"humanoid": {"humanBones": [{"bone": b, "node": n} for b, n in _BONES.items()]}}},
    {"VRMC_vrm_animation": {"humanoid": {"humanBones": {"hips": {"node": 0}}}}},
)


def _gltf(
    rng: np.random.Generator,
    entry_point: str,
    interpolation: str,
    suffix: str = ".glb",
    extensions: dict[str, Any] | None = None,
) -> Case:
    parents, offset, rest = random_nodes(rng)
    tracks = _tracks(rng, offset, rest, interpolation)
    data = _glb(parents, offset, rest, tracks, extensions or {})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"case{suffix}"
        path.write_bytes(data)
        answer, table = certify_with_table(path)
    mechanism = nodes_mechanism(table, parents)
    motion = CurveMotion(offset, rest, tuple(tracks))
    return Case.of(entry_point, mechanism, (motion,), answer, "", {f"case{suffix}": data})


def nodes_mechanism(table: CollisionTable, parents: list[int]) -> Mechanism:
    """The shapes of a file on nodes n0, n1, ... whose complete local transforms are given."""
    read = export_mechanism(table)
    at = {name: int(name[1:]) for name in read.names}
    n = len(parents)
    return replace(
        read,
        names=tuple(f"n{j}" for j in range(n)),
        parent=tuple(parents),
        offset=np.zeros((n, 3)),
        rest=np.tile([1.0, 0.0, 0.0, 0.0], (n, 1)),
        solids=tuple(replace(s, joint=at[read.names[s.joint]]) for s in read.solids),
    )


def random_nodes(rng: np.random.Generator) -> tuple[list[int], np.ndarray, np.ndarray]:
    parents, offsets = [-1], [np.zeros(3)]
    for _ in range(2):
        at = 0
        for link in range(3):
            parents.append(at)
            at = len(parents) - 1
            spread = np.array([0.3, 0.15, 0.1]) if link == 0 else np.array([0.1, 0.3, 0.1])
            offsets.append(rng.uniform(-1, 1, 3) * spread + np.array([0, 0.15, 0]) * (link > 0))
    turned = rng.normal(0, rng.choice([0.0, 0.5]), (len(parents), 3))
    return parents, _single(np.array(offsets)), _single(of_vector(turned))


def _tracks(
    rng: np.random.Generator, offset: np.ndarray, rest: np.ndarray, interpolation: str
) -> list[Track]:
    """A rotation curve for every node and a translation curve for the root."""
    tracks: list[Track] = []
    shared = _keys(rng)
    for j in range(len(offset)):
        times = shared if rng.random() < 0.7 else _keys(rng)
        size = float(rng.choice([0.05, 0.3, 0.9]))
        local = product(rest[j], of_vector(np.cumsum(rng.normal(0, size, (len(times), 3)), 0)))
        values = np.roll(local, -1, axis=-1)
        if rng.random() < 0.3:  # the other quaternion of the same rotation
            values *= rng.choice([-1.0, 1.0], (len(times), 1))
        tracks.append(
            Track(j, "rotation", times, _curve(rng, values, interpolation), interpolation)
        )
    places = offset[0] + np.cumsum(rng.normal(0, 0.1, (len(shared), 3)), axis=0)
    values = _curve(rng, places, interpolation)
    tracks.append(Track(0, "translation", shared, values, interpolation))
    return tracks


def _keys(rng: np.random.Generator) -> np.ndarray:
    count = int(rng.integers(2, 5))
    if rng.random() < 0.6:
        return _single(np.arange(count) / 30.0)
    return _single(np.concatenate([[0.0], np.cumsum(rng.uniform(0.02, 0.3, count - 1))]))


def _curve(rng: np.random.Generator, values: np.ndarray, interpolation: str) -> np.ndarray:
    if interpolation != "CUBICSPLINE":
        return _single(values)
    tangents = rng.normal(0, rng.choice([0.0, 0.5, 5.0]), (len(values), 2, values.shape[1]))
    return _single(np.stack([tangents[:, 0], values, tangents[:, 1]], axis=1))


def _single(values: np.ndarray) -> np.ndarray:
    """Rounded to single precision, as stored in the file."""
    return values.astype(np.float32).astype(float)


def _glb(
    parents: list[int],
    offset: np.ndarray,
    rest: np.ndarray,
    tracks: list[Track],
    extensions: dict[str, Any],
) -> bytes:
    binary = bytearray()
    views: list[dict[str, Any]] = []
    accessors: list[dict[str, Any]] = []

    def accessor(values: np.ndarray, kind: str) -> int:
        data = values.astype("<f4").tobytes()
        views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(data)})
        binary.extend(data)
        count = values.size // {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[kind]
        entry: dict[str, Any] = {"bufferView": len(views) - 1, "componentType": 5126}
        entry |= {"count": count, "type": kind}
        if kind == "SCALAR":
            entry |= {"min": [float(values.min())], "max": [float(values.max())]}
        accessors.append(entry)
        return len(accessors) - 1

    nodes: list[dict[str, Any]] = []
    for j in range(len(parents)):
        node: dict[str, Any] = {"name": f"n{j}", "translation": offset[j].tolist()}
        node["rotation"] = np.roll(rest[j], -1).tolist()
        children = [k for k, parent in enumerate(parents) if parent == j]
        if children:
            node["children"] = children
        nodes.append(node)
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    for track in tracks:
        kind = "VEC4" if track.path == "rotation" else "VEC3"
        times, values = accessor(track.times, "SCALAR"), accessor(track.values, kind)
        target = {"node": track.joint, "path": track.path}
        channels.append({"sampler": len(samplers), "target": target})
        samplers.append({"input": times, "output": values, "interpolation": track.interpolation})
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": nodes,
        "animations": [{"samplers": samplers, "channels": channels}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(binary)}],
    } | ({"extensions": extensions} if extensions else {})
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
    chunks += struct.pack("<II", len(binary), 0x004E4942) + bytes(binary)
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks

"""Reads BVH and glTF files into motions for the check, with a parser of its own.

Only what the tests need is read: files that are well formed, with joints as nodes.
"""

from __future__ import annotations

import base64
import json
import struct
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from writhe.research.evaluation.independent.motions import (
    AnyMotion,
    ChannelMotion,
    CurveMotion,
    Track,
)
from writhe.research.evaluation.independent.rotations import product

_DTYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTH = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}


@dataclass(frozen=True)
class StoredFile:
    """The joints of a file and the ways in which programs interpolate its motion.

    offset (n, 3), rest (n, 4, wxyz): the frame of each joint in its parent's, for a `Mechanism`.
    turned (n, 4): the rotation of each joint's frame in the world at rest.
    rate: units of time of the motions per second.
    """

    names: tuple[str, ...]
    parent: tuple[int, ...]
    offset: np.ndarray
    rest: np.ndarray
    turned: np.ndarray
    motions: tuple[AnyMotion, ...]
    rate: float


def read_bvh(text: str, metres_per_unit: float = 1.0) -> StoredFile:
    """A BVH file: Euler angles unwrapped, by slerp and, where that differs, as stored.

    Position channels replace the offset of their joint.
    """
    head, _, tail = text.partition("MOTION")
    names: list[str] = []
    parent: list[int] = []
    offset: list[list[float]] = []
    channels: list[list[str]] = []
    stack: list[int] = []
    in_end_site = False
    for line in head.splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] in ("ROOT", "JOINT"):
            names.append(words[1])
            parent.append(stack[-1] if stack else -1)
            stack.append(len(names) - 1)
            offset.append([0.0, 0.0, 0.0])
            channels.append([])
        elif words[0] == "End":
            in_end_site = True
        elif words[0] == "OFFSET" and not in_end_site:
            offset[stack[-1]] = [float(word) for word in words[1:4]]
        elif words[0] == "CHANNELS":
            channels[stack[-1]] = words[2:]
        elif words[0] == "}":
            if in_end_site:
                in_end_site = False
            else:
                stack.pop()
    lines = [line for line in tail.splitlines() if line.strip()]
    frame_time = float(lines[1].split(":")[1])
    rows = np.array([[float(word) for word in line.split()] for line in lines[2:]])
    n = len(names)
    angles, shift = np.zeros((len(rows), n, 3)), np.zeros((len(rows), n, 3))
    orders: list[tuple[int, ...]] = []
    column = 0
    base = np.array(offset)
    for j in range(n):
        order: list[int] = []
        for word in channels[j]:
            axis = "XYZ".index(word[0])
            if word.endswith("position"):
                shift[:, j, axis] = rows[:, column] - base[j, axis]
            else:
                angles[:, j, len(order)] = np.radians(rows[:, column])
                order.append(axis)
            column += 1
        orders.append(tuple(order))
    turning = ChannelMotion(tuple(orders), angles, metres_per_unit * shift)
    motions: list[AnyMotion] = [turning, turning.slerped()]
    if (np.abs(np.diff(angles, axis=0)) > np.pi).any():
        motions.append(replace(turning, as_stored=True))
    plain = np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))
    return StoredFile(
        tuple(names), tuple(parent), metres_per_unit * base, plain, plain, tuple(motions),
        1.0 / frame_time,
    )  # fmt: skip


def read_gltf(data: bytes, animation: int = -1) -> StoredFile:
    """A glTF file, binary or with embedded buffers: all its nodes, and one of its animations.

    Nodes that no animation moves keep their pose. Scales are multiplied into the translations.
    """
    document, buffers = _contents(data)
    nodes = document["nodes"]
    n = len(nodes)
    above = [-1] * n
    for j, node in enumerate(nodes):
        for child in node.get("children", ()):
            above[child] = j
    order = sorted(range(n), key=lambda j: _depth(above, j))
    at = {node: i for i, node in enumerate(order)}
    parent = tuple(-1 if above[j] < 0 else at[above[j]] for j in order)
    scale = np.ones(n)  # of what is below a node
    offset, rest = np.zeros((n, 3)), np.zeros((n, 4))
    turned = np.zeros((n, 4))
    for i, j in enumerate(order):
        size = np.array(nodes[j].get("scale", [1.0, 1.0, 1.0]), float)
        outer = 1.0 if parent[i] < 0 else scale[parent[i]]
        scale[i] = outer * size.mean()
        offset[i] = outer * np.array(nodes[j].get("translation", [0.0, 0.0, 0.0]), float)
        turn = np.roll(np.array(nodes[j].get("rotation", [0.0, 0.0, 0.0, 1.0]), float), 1)
        rest[i] = turn / np.linalg.norm(turn)
        turned[i] = rest[i] if parent[i] < 0 else product(turned[parent[i]], rest[i])
    tracks: list[Track] = []
    for channel in document["animations"][animation]["channels"]:
        path, i = channel["target"]["path"], at[channel["target"]["node"]]
        if path not in ("translation", "rotation"):
            continue
        sampler = document["animations"][animation]["samplers"][channel["sampler"]]
        kind = sampler.get("interpolation", "LINEAR")
        times = _array(document, buffers, sampler["input"])[:, 0]
        values = _array(document, buffers, sampler["output"])
        if kind == "CUBICSPLINE":
            values = values.reshape(len(times), 3, -1)
        if path == "translation" and parent[i] >= 0:
            values = values * scale[parent[i]]
        tracks.append(Track(i, path, times, values, kind))
    names = tuple(str(nodes[j].get("name", f"node_{j}")) for j in order)
    motion = CurveMotion(offset, rest, tuple(tracks))
    plain = np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))
    return StoredFile(names, parent, np.zeros((n, 3)), plain, turned, (motion,), 1.0)


def _contents(data: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """The JSON of a file and its buffers."""
    inside = b""
    if data[:4] == b"glTF":
        size = struct.unpack_from("<I", data, 12)[0]
        text = data[20 : 20 + size]
        inside = data[28 + size :]
    else:
        text = data
    document = json.loads(text)
    buffers = [
        base64.b64decode(entry["uri"].partition(",")[2]) if "uri" in entry else inside
        for entry in document.get("buffers", [])
    ]
    return document, buffers


def _array(document: dict[str, Any], buffers: list[bytes], number: int) -> np.ndarray:
    """(count, width) the values of an accessor."""
    accessor = document["accessors"][number]
    view = document["bufferViews"][accessor["bufferView"]]
    start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    width = _WIDTH[accessor["type"]]
    dtype = np.dtype(_DTYPES[accessor["componentType"]])
    values = np.frombuffer(buffers[int(view["buffer"])], dtype, accessor["count"] * width, start)
    return values.astype(float).reshape(-1, width)


def _depth(parent: list[int], node: int) -> int:
    count = 0
    while parent[node] >= 0:
        node, count = parent[node], count + 1
    return count

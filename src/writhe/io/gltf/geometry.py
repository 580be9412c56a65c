"""The triangles of a glTF mesh primitive, in the frame of its mesh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.io.gltf.accessors import COMPONENTS
from writhe.io.gltf.compression import draco_mesh
from writhe.io.gltf.container import Glb

TRIANGLES, STRIP, FAN = 4, 5, 6
DRAWN = (TRIANGLES, STRIP, FAN)  # modes of primitives that have triangles
SLOTS = 4  # joints per vertex that are kept


@dataclass(frozen=True)
class Geometry:
    """Vertices (v, 3), triangles (t, 3) and, in a skinned mesh, joints and weights (v, 4)."""

    vertices: Floats
    triangles: Ints
    joints: Ints | None = None
    weights: Floats | None = None


def mesh_geometries(glb: Glb, node: dict[str, Any], *, skinned: bool = False) -> list[Geometry]:
    """The triangle primitives of a node's mesh, with the default weights of its morph targets.

    Points and lines are left out. skinned: read joints (of the skin's list) and weights too.
    """
    mesh = glb.item("meshes", node.get("mesh"))
    shares = glb.sequence(node.get("weights", mesh.get("weights", [])), "the morph weights")
    out: list[Geometry] = []
    for entry in glb.sequence(mesh.get("primitives"), "the primitives of a mesh"):
        primitive = glb.record(entry, "a mesh primitive")
        mode = primitive.get("mode", TRIANGLES)
        if mode in DRAWN:
            out.append(_geometry(glb, primitive, mode, shares, skinned))
    return out


def _geometry(
    glb: Glb, primitive: dict[str, Any], mode: int, shares: list[Any], skinned: bool
) -> Geometry:
    attributes = glb.record(primitive.get("attributes"), "the attributes of a mesh")
    packed = draco_mesh(glb, primitive)
    if packed is None:
        vertices = glb.array(attributes.get("POSITION"), "VEC3", "the positions of a mesh")
        triangles = _triangles(glb, primitive, mode, len(vertices))
    else:
        triangles, vertices = packed[0], _unpacked(glb, packed[1], attributes, "POSITION", 3)
    if len(triangles) and int(triangles.max()) >= len(vertices):
        glb.fail("a triangle refers to a vertex that does not exist")
    vertices = _morphed(glb, primitive, vertices, shares)
    if not skinned:
        return Geometry(vertices, triangles)
    joints: list[Ints] = []
    weights: list[Floats] = []
    for slot in range(2):
        names = f"JOINTS_{slot}", f"WEIGHTS_{slot}"
        if slot > 0 and names[0] not in attributes:
            continue
        if packed is not None and names[0] in packed[1]:
            joints.append(_unpacked(glb, packed[1], attributes, names[0], 4).astype(np.int64))
            weights.append(_unpacked(glb, packed[1], attributes, names[1], 4))
        else:
            joints.append(glb.integers(attributes.get(names[0]), "VEC4", "the joints of a mesh"))
            weights.append(glb.array(attributes.get(names[1]), "VEC4", "the weights of a mesh"))
    if any(len(rows) != len(vertices) for rows in (*joints, *weights)):
        glb.fail("positions, joints and weights of a mesh differ in number")
    found = _largest(np.concatenate(joints, axis=1), np.concatenate(weights, axis=1))
    total = found[1].sum(axis=1, keepdims=True)
    if (total <= 1e-9).any():
        glb.fail("a vertex has no weights", "bind every vertex to a joint")
    return Geometry(vertices, triangles, found[0], found[1] / total)


def _largest(joints: Ints, weights: Floats) -> tuple[Ints, Floats]:
    """The four largest weights of each vertex, at least 0, and their joints."""
    weights = np.maximum(weights, 0.0)
    if weights.shape[1] > SLOTS:
        keep = np.argsort(-weights, axis=1, kind="stable")[:, :SLOTS]
        joints = np.take_along_axis(joints, keep, axis=1)
        weights = np.take_along_axis(weights, keep, axis=1)
    return np.where(weights > 0, joints, 0), weights


def _triangles(glb: Glb, primitive: dict[str, Any], mode: int, count: int) -> Ints:
    """(t, 3) from a list, strip or fan of triangles."""
    flat = np.arange(count, dtype=np.int64)
    if "indices" in primitive:
        flat = glb.integers(primitive["indices"], "SCALAR", "the indices of a mesh")[:, 0]
    if mode == TRIANGLES or len(flat) < 3:
        return flat[: len(flat) // 3 * 3].reshape(-1, 3)
    if mode == FAN:
        return np.stack([flat[1:-1], flat[2:], np.full(len(flat) - 2, flat[0])], axis=1)
    strip = np.stack([flat[:-2], flat[1:-1], flat[2:]], axis=1)
    strip[1::2] = strip[1::2, [0, 2, 1]]  # every other triangle is wound the other way
    return strip


def _unpacked(
    glb: Glb, packed: dict[str, np.ndarray], attributes: dict[str, Any], name: str, width: int
) -> Floats:
    """An attribute of a Draco mesh; normalised integers are decoded as its accessor says."""
    if name not in packed or packed[name].ndim != 2 or packed[name].shape[1] != width:
        glb.fail(f"a compressed mesh has no {name}")
    values = packed[name].astype(np.float64)
    accessor = glb.item("accessors", attributes.get(name))
    if accessor.get("normalized") is True:
        kind = COMPONENTS.get(accessor.get("componentType", 0))
        if kind is not None and kind.kind in "iu":
            values = np.maximum(values / float(np.iinfo(str(kind)).max), -1.0)
    return values


def _morphed(glb: Glb, primitive: dict[str, Any], vertices: Floats, shares: list[Any]) -> Floats:
    """The vertices with each morph target added by its weight."""
    targets = glb.sequence(primitive.get("targets", []), "the morph targets of a mesh")
    for entry, share in zip(targets, shares, strict=False):
        target = glb.record(entry, "a morph target")
        if not isinstance(share, int | float) or share == 0 or "POSITION" not in target:
            continue
        shift = glb.array(target["POSITION"], "VEC3", "the positions of a morph target")
        if len(shift) != len(vertices):
            glb.fail("a morph target and its mesh differ in number of vertices")
        vertices = vertices + min(max(float(share), -1e3), 1e3) * shift
    return vertices

"""The meshes of a glTF character, skinned or fixed to bones, as one skin in the rest pose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.io.gltf.compression import DRACO
from writhe.io.gltf.container import Glb
from writhe.io.gltf.geometry import DRAWN, TRIANGLES, Geometry, mesh_geometries
from writhe.io.gltf.nodes import (
    GlbNodes,
    depth_first,
    node_note,
    node_parents,
    world_matrices,
)
from writhe.io.mesh_skin import WELD_M, welded_skin
from writhe.skeleton import Skeleton, Skin, forward

# posed vertices, triangles, joints of the skeleton, weights
_Part = tuple[Floats, Ints, Ints, Floats]


def read_skin(glb: Glb, nodes: GlbNodes, skeleton: Skeleton) -> Skin | None:
    """All triangle meshes of the character in the pose of the nodes, welded; None without meshes.

    Skinning follows glTF: v = sum_j w_j W_j B_j v with W_j the node's world matrix and B_j its
    inverse bind matrix. The pose of the nodes may differ from the bind pose. A mesh without a skin
    on or below a joint follows that joint with weight 1.
    """
    world = world_matrices(glb)
    carrier = _carriers(glb, nodes)
    parts: list[_Part] = []
    for n in range(len(glb.items("nodes"))):
        node = glb.item("nodes", n)
        if "mesh" not in node or node_note(node).get("kind") == "prop":
            continue
        if "skin" in node:
            skin = glb.item("skins", node["skin"])
            joint_index, matrices = _joint_matrices(glb, skin, nodes, skeleton)
            parts += [
                _skinned(glb, part, joint_index, matrices)
                for part in mesh_geometries(glb, node, skinned=True)
            ]
        elif n in carrier:
            joint = skeleton.index(nodes.names[carrier[n]])
            parts += [_rigid(part, joint, world[n]) for part in mesh_geometries(glb, node)]
    parts = [part for part in parts if len(part[0])]
    if not parts:
        return None
    first = np.cumsum([0, *(len(part[0]) for part in parts)])
    points = np.concatenate([part[0] for part in parts])
    joints = np.concatenate([part[2] for part in parts])
    weights = np.concatenate([part[3] for part in parts])
    triangles = np.concatenate([part[1] + at for part, at in zip(parts, first, strict=False)])
    if not np.isfinite(points).all() or np.abs(points).max() > 1e6:
        glb.fail("the mesh has coordinates above 1e6 m")
    # vertices of different body parts are not merged even where they coincide
    keys = np.empty((len(points), 4))
    keys[:, :3], keys[:, 3] = points, WELD_M * joints[np.arange(len(joints)), weights.argmax(1)]
    return welded_skin(keys, points, triangles, joints, weights)


def other_meshes(glb: Glb, nodes: GlbNodes) -> int:
    """How many nodes show meshes that are no part of the character, such as objects around it."""
    carrier = _carriers(glb, nodes)
    count = 0
    for n in range(len(glb.items("nodes"))):
        node = glb.item("nodes", n)
        own = "skin" in node or n in carrier
        count += "mesh" in node and (not own or node_note(node).get("kind") == "prop")
    return count


@dataclass(frozen=True)
class PosedPrimitive:
    """A triangle primitive in the rest pose of the skeleton, with all its attributes.

    linear (v, 3, 3): from directions of the mesh to the world. joints (v, 4) of the skeleton.
    """

    name: str
    mesh: dict[str, Any]
    primitive: dict[str, Any]
    vertices: Floats
    triangles: Ints
    joints: Ints
    weights: Floats
    linear: Floats
    normals: Floats | None
    uvs: tuple[Floats, ...]


def posed_primitives(glb: Glb, nodes: GlbNodes, skeleton: Skeleton) -> Iterator[PosedPrimitive]:
    """The triangle meshes of the character one by one; Draco and strips as plain triangles."""
    world, carrier = world_matrices(glb), _carriers(glb, nodes)
    for n in range(len(glb.items("nodes"))):
        node = glb.item("nodes", n)
        skinned = "skin" in node
        if "mesh" not in node or not (skinned or n in carrier):
            continue
        mesh = glb.item("meshes", node["mesh"])
        drawn = [p for p in mesh["primitives"] if p.get("mode", TRIANGLES) in DRAWN]
        for primitive, part in zip(drawn, mesh_geometries(glb, node, skinned=skinned), strict=True):
            if skinned:
                joint_index, matrices = _joint_matrices(
                    glb, glb.item("skins", node["skin"]), nodes, skeleton
                )
                points, triangles, joints, weights = _skinned(glb, part, joint_index, matrices)
                assert part.joints is not None
                linear = np.einsum("vs,vsab->vab", weights, matrices[part.joints][..., :3, :3])
            else:
                joint = skeleton.index(nodes.names[carrier[n]])
                points, triangles, joints, weights = _rigid(part, joint, world[n])
                linear = np.tile(world[n][:3, :3], (len(points), 1, 1))
            attributes = primitive["attributes"]
            normals = None
            if "NORMAL" in attributes and DRACO not in primitive.get("extensions", {}):
                given = glb.array(attributes["NORMAL"], "VEC3", "the normals of a mesh")
                normals = np.einsum("vab,vb->va", linear, given)
                normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
            uvs = tuple(
                glb.array(attributes[f"TEXCOORD_{layer}"], "VEC2", "texture coordinates")
                for layer in range(2)
                if f"TEXCOORD_{layer}" in attributes
                and DRACO not in primitive.get("extensions", {})
            )
            yield PosedPrimitive(
                str(node.get("name") or mesh.get("name") or "Mesh"),
                mesh,
                primitive,
                points,
                triangles,
                joints,
                weights,
                linear,
                normals,
                uvs,
            )


def _carriers(glb: Glb, nodes: GlbNodes) -> dict[int, int]:
    """For each node on or below a joint that can move: the position of that joint in `nodes`."""
    parents = node_parents(glb)
    index_of = {n: i for i, n in enumerate(nodes.order)}
    moves: list[bool] = []
    for i, above in enumerate(nodes.parent):
        moves.append(nodes.moving[i] or (above >= 0 and moves[above]))
    carrier: dict[int, int] = {}
    for n in depth_first(glb, parents):
        own = index_of.get(n)
        if own is not None and moves[own]:
            carrier[n] = own
        elif own is None and parents[n] in carrier:
            carrier[n] = carrier[parents[n]]
    return carrier


def _joint_matrices(
    glb: Glb, skin: dict[str, Any], nodes: GlbNodes, skeleton: Skeleton
) -> tuple[Ints, Floats]:
    """For each joint of the skin: its index in the skeleton (m,), and W B (m, 4, 4)."""
    joints = glb.sequence(skin.get("joints"), "the joints of a skin")
    index_of = {node: i for i, node in enumerate(nodes.order)}
    if not joints or not all(isinstance(j, int) and j in index_of for j in joints):
        glb.fail("a skin refers to joints that do not exist")
    rest = forward(skeleton, skeleton.rest_configuration)
    joint_index = np.array(
        [skeleton.index(nodes.names[index_of[j]]) for j in joints], dtype=np.int64
    )
    world = np.tile(np.eye(4), (len(joints), 1, 1))
    scale = np.array([nodes.scale[index_of[j]] for j in joints])
    world[:, :3, :3] = rest.rotations[joint_index] * scale[:, None, None]
    world[:, :3, 3] = rest.positions[joint_index]
    if "inverseBindMatrices" not in skin:
        return joint_index, world
    inverse = glb.array(skin["inverseBindMatrices"], "MAT4", "the inverse bind matrices")
    if len(inverse) < len(joints):
        glb.fail(f"{len(inverse)} inverse bind matrices for {len(joints)} joints")
    return joint_index, world @ inverse[: len(joints)].reshape(-1, 4, 4).transpose(0, 2, 1)


def _skinned(glb: Glb, part: Geometry, joint_index: Ints, matrices: Floats) -> _Part:
    assert part.joints is not None and part.weights is not None
    if int(part.joints.max()) >= len(joint_index):
        glb.fail("a vertex refers to a joint that the skin does not have")
    posed = np.zeros_like(part.vertices)
    for slot in range(part.joints.shape[1]):
        m = matrices[part.joints[:, slot]]
        moved = np.einsum("vab,vb->va", m[:, :3, :3], part.vertices) + m[:, :3, 3]
        posed += part.weights[:, slot, None] * moved
    return posed, part.triangles, joint_index[part.joints], part.weights


def _rigid(part: Geometry, joint: int, world: Floats) -> _Part:
    posed = part.vertices @ world[:3, :3].T + world[:3, 3]
    triangles = part.triangles
    if float(np.linalg.det(world[:3, :3])) < 0.0:  # a mirrored copy is inside out
        triangles = triangles[:, ::-1]
    joints = np.full((len(posed), 4), joint, dtype=np.int64)
    weights = np.zeros((len(posed), 4))
    weights[:, 0] = 1.0
    return posed, triangles, joints, weights

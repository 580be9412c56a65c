"""The skinned meshes of a glTF file as one skin in the rest pose."""

from __future__ import annotations

from typing import Any

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.io.gltf.container import Glb
from writhe.io.gltf.nodes import GlbNodes
from writhe.io.weld import weld
from writhe.skeleton import Skeleton, Skin, forward

TRIANGLES = 4
_POINTS_AND_LINES = (0, 1, 2, 3)
# nearer vertices are merged: files split them at seams of texture or normals
WELD_M = 1e-6


def read_skin(glb: Glb, nodes: GlbNodes, skeleton: Skeleton) -> Skin | None:
    """All skinned triangle meshes in the pose of the nodes, welded; None if there are none.

    Skinning follows glTF: v = sum_j w_j W_j B_j v with W_j the node's world matrix and B_j its
    inverse bind matrix. The pose of the nodes may differ from the bind pose.
    """
    parts: list[tuple[Floats, Ints, Ints, Floats]] = []
    count = 0
    for n in range(len(glb.items("nodes"))):
        node = glb.item("nodes", n)
        if "mesh" not in node or "skin" not in node:
            continue
        joint_index, matrices = _joint_matrices(
            glb, glb.item("skins", node["skin"]), nodes, skeleton
        )
        mesh = glb.item("meshes", node["mesh"])
        for entry in glb.sequence(mesh.get("primitives"), "the primitives of a mesh"):
            primitive = glb.record(entry, "a mesh primitive")
            mode = primitive.get("mode", TRIANGLES)
            if mode in _POINTS_AND_LINES:
                continue
            if mode != TRIANGLES:
                glb.fail("a mesh is made of triangle strips or fans", "export plain triangles")
            part = _primitive(glb, primitive, joint_index, matrices)
            parts.append((part[0], part[1] + count, part[2], part[3]))
            count += len(part[0])
    if not parts:
        return None
    vertices, triangles, joints, weights = zip(*parts, strict=True)
    points = np.concatenate(vertices)
    first, welded = weld(points, np.concatenate(triangles), WELD_M)
    return Skin(
        np.ascontiguousarray(points[first]),
        welded,
        np.ascontiguousarray(np.concatenate(joints)[first]),
        np.ascontiguousarray(np.concatenate(weights)[first]),
    )


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


def _primitive(
    glb: Glb, primitive: dict[str, Any], joint_index: Ints, matrices: Floats
) -> tuple[Floats, Ints, Ints, Floats]:
    attributes = glb.record(primitive.get("attributes"), "the attributes of a mesh")
    vertices = glb.array(attributes.get("POSITION"), "VEC3", "the positions of a mesh")
    joints = glb.integers(attributes.get("JOINTS_0"), "VEC4", "the joints of a mesh")
    weights = glb.array(attributes.get("WEIGHTS_0"), "VEC4", "the weights of a mesh")
    if not len(vertices) == len(joints) == len(weights):
        glb.fail("positions, joints and weights of a mesh differ in number")
    weights = np.maximum(weights, 0.0)
    total = weights.sum(axis=1, keepdims=True)
    if (total <= 1e-9).any():
        glb.fail("a vertex has no weights", "bind every vertex to a joint")
    weights /= total
    if int(np.where(weights > 0, joints, 0).max()) >= len(joint_index):
        glb.fail("a vertex refers to a joint that the skin does not have")
    joints = np.where(weights > 0, joints, 0)
    if "indices" in primitive:
        flat = glb.integers(primitive["indices"], "SCALAR", "the indices of a mesh")[:, 0]
        if int(flat.max()) >= len(vertices):
            glb.fail("a triangle refers to a vertex that does not exist")
    else:
        flat = np.arange(len(vertices), dtype=np.int64)
    triangles = flat[: len(flat) // 3 * 3].reshape(-1, 3)
    posed = np.zeros_like(vertices)
    for slot in range(4):
        m = matrices[joints[:, slot]]
        moved = np.einsum("vab,vb->va", m[:, :3, :3], vertices) + m[:, :3, 3]
        posed += weights[:, slot, None] * moved
    if not np.isfinite(posed).all() or np.abs(posed).max() > 1e6:
        glb.fail("the mesh has coordinates above 1e6 m")
    return posed, triangles, joint_index[joints], weights

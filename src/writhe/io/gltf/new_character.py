"""Adds a skeleton that was not read from glTF to a document: joints as nodes, and its skin."""

from __future__ import annotations

from typing import Any

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.io.gltf.builder import FLOAT, SHORT, VERTICES, GltfBuilder
from writhe.skeleton import JointKind, Skeleton, Skin, forward, quaternions

_COLOUR = ("skin", [0.62, 0.66, 0.72, 1.0])


def add_skeleton(builder: GltfBuilder, skeleton: Skeleton) -> list[int]:
    """Add the joints and tips in the rest pose; returns the node of each joint."""
    first = len(builder.entries("nodes"))
    nodes: list[dict[str, Any]] = []
    for joint in skeleton.joints:
        note: dict[str, Any] = {"kind": joint.kind.name.lower()}
        if joint.kind in (JointKind.HINGE, JointKind.PRISMATIC):
            note["axis"] = [float(x) for x in joint.axis]
        node: dict[str, Any] = {
            "name": joint.name,
            "translation": [float(x) for x in joint.offset_in_parent],
            "rotation": xyzw(quaternions.normalised(np.asarray(joint.rest))).tolist(),
            "extras": {"writhe": note},
        }
        children = [first + int(c) for c in skeleton.children(joint.name)]
        if children:
            node["children"] = children
        nodes.append(node)
    for tip in skeleton.tips:
        parent = nodes[skeleton.index(tip.joint)]
        parent.setdefault("children", []).append(first + len(nodes))
        nodes.append(
            {
                "name": tip.name,
                "translation": [float(x) for x in tip.offset_in_joint],
                "extras": {"writhe": {"kind": "tip"}},
            }
        )
    roots = [first + j for j, joint in enumerate(skeleton.joints) if joint.parent is None]
    if len(roots) > 1:  # the joints of a skin must share an ancestor
        note = {"writhe": {"kind": "group"}}
        nodes.append({"name": "roots", "children": roots, "extras": note})
        roots = [first + len(nodes) - 1]
    builder.entries("nodes").extend(nodes)
    builder.scene_nodes().extend(roots)
    return list(range(first, first + len(skeleton)))


def add_skin(
    builder: GltfBuilder, skeleton: Skeleton, skin: Skin, name: str, nodes: list[int]
) -> None:
    """Add a mesh with its weights, bound in the rest pose to the nodes of the joints."""
    joints, weights = clean_weights(skin.joints, skin.weights)
    attributes = {
        "JOINTS_0": builder.accessor(joints, SHORT, "VEC4", VERTICES),
        "WEIGHTS_0": builder.accessor(weights, FLOAT, "VEC4", VERTICES),
    }
    mesh = builder.mesh(name, skin.vertices, skin.triangles, _COLOUR, attributes)
    inverse = builder.accessor(_inverse_bind(skeleton), FLOAT, "MAT4")
    bound = builder.add("skins", {"joints": nodes, "inverseBindMatrices": inverse})
    node = builder.add("nodes", {"name": f"{name} skin", "mesh": mesh, "skin": bound})
    builder.scene_nodes().append(node)


def xyzw(rotations: Floats) -> Floats:
    """Quaternions in the order of glTF."""
    return np.roll(rotations, -1, axis=-1)


def _inverse_bind(skeleton: Skeleton) -> Floats:
    """(n, 16) inverse world matrices of the rest pose, column-major."""
    rest = forward(skeleton, skeleton.rest_configuration)
    matrices = np.zeros((len(skeleton), 4, 4))
    matrices[:, :3, :3] = rest.rotations.transpose(0, 2, 1)
    matrices[:, :3, 3] = -np.einsum("jab,jb->ja", matrices[:, :3, :3], rest.positions)
    matrices[:, 3, 3] = 1.0
    return matrices.transpose(0, 2, 1).reshape(-1, 16)


def clean_weights(joints: Ints, weights: Floats) -> tuple[Ints, Floats]:
    """Joints and weights (v, 4) as glTF requires: no joint twice, joint 0 for weight 0, sum 1."""
    joints, weights = joints.copy(), np.maximum(weights, 0.0).astype(np.float64)
    for slot in range(1, 4):
        for earlier in range(slot):
            same = joints[:, slot] == joints[:, earlier]
            weights[same, earlier] += weights[same, slot]
            weights[same, slot] = 0.0
    single = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
    single[single < 1e-6] = 0.0
    single /= single.sum(axis=1, keepdims=True)
    joints[single == 0.0] = 0
    return joints, single.astype(np.float64)

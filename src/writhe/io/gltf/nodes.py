"""The nodes of a glTF scene that are joints, with their rest transforms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.io.file_size_limits import MAX_NAME_LENGTH, check_joint_count, unique_names
from writhe.io.gltf.container import Glb
from writhe.json_values import is_object
from writhe.skeleton import quaternions

MAX_COORDINATE = 1e6  # metres
UNIFORM = 1e-3  # largest relative difference of the three scales of a node
ORTHOGONAL = 1e-4  # largest dot product of two axes of a node's matrix


@dataclass
class GlbNodes:
    """All nodes that are joints or ancestors of joints, parents first, without scale.

    `offset` is in metres; `scale` is the product of all scales from the root down to the node,
    `uneven` the largest relative difference of the node's own three scales from their mean.
    """

    order: list[int]  # node indices of the file
    names: list[str]
    parent: list[int]  # index in `order`, -1 for roots
    offset: Floats  # (n, 3)
    rest: Floats  # (n, 4)
    scale: Floats  # (n,)
    uneven: Floats  # (n,)
    moving: list[bool]  # whether a skin, an animation or a humanoid table uses the node
    notes: list[dict[str, Any]]  # the `extras` that writhe wrote
    tips: list[tuple[str, int, Floats]]  # name, index in `order`, offset


def node_note(node: dict[str, Any]) -> dict[str, Any]:
    """What writhe wrote into the `extras` of a node; an empty dictionary if nothing."""
    extras = node.get("extras")
    note = extras.get("writhe") if is_object(extras) else None
    return note if is_object(note) else {}


def node_parents(glb: Glb) -> list[int]:
    """The parent of each node, -1 for roots; raises if a node has two parents."""
    nodes = glb.items("nodes")
    if len(nodes) > 1 << 20:
        glb.fail("the file has more than a million nodes")
    parent = [-1] * len(nodes)
    for at in range(len(nodes)):
        for child in glb.sequence(glb.item("nodes", at).get("children", []), "children"):
            c = glb.index(child, len(nodes), "nodes")
            if parent[c] >= 0:
                glb.fail(f"node {c} has two parents")
            parent[c] = at
    return parent


def depth_first(glb: Glb, parent: list[int]) -> list[int]:
    """All nodes, parents before children; raises if they form a cycle."""
    order: list[int] = []
    stack = [n for n in range(len(parent) - 1, -1, -1) if parent[n] < 0]
    while stack:
        at = stack.pop()
        order.append(at)
        stack.extend(reversed(glb.item("nodes", at).get("children", [])))
    if len(order) != len(parent):
        glb.fail("the nodes form a cycle")
    return order


def local_transform(glb: Glb, node: dict[str, Any], what: str) -> tuple[Floats, Floats, Floats]:
    """Translation (3), rotation (wxyz) and scale (3) of a node."""
    if "matrix" in node:
        m = glb.numbers(node["matrix"], 16, f"the matrix of {what}").reshape(4, 4).T
        scale = np.linalg.norm(m[:3, :3], axis=0)
        if np.linalg.det(m[:3, :3]) <= 1e-12 or not np.isfinite(scale).all():
            glb.fail(
                f"the matrix of {what} mirrors or flattens", "apply the transform in your tool"
            )
        axes = m[:3, :3] / scale
        if np.abs(axes.T @ axes - np.eye(3)).max() > ORTHOGONAL:
            glb.fail(f"the matrix of {what} shears", "apply the transform in your tool")
        translation, rotation = m[:3, 3], quaternions.from_matrices(axes)
    else:
        given = node.get("translation", [0, 0, 0])
        translation = glb.numbers(given, 3, f"the translation of {what}")
        xyzw = glb.numbers(node.get("rotation", [0, 0, 0, 1]), 4, f"the rotation of {what}")
        rotation = quaternions.normalised(np.roll(xyzw, 1))
        scale = glb.numbers(node.get("scale", [1, 1, 1]), 3, f"the scale of {what}")
    if np.abs(translation).max() > MAX_COORDINATE or np.abs(scale).max() > MAX_COORDINATE:
        glb.fail(f"{what} has a translation or scale above {MAX_COORDINATE:g}")
    return translation, rotation, scale


def node_matrix(glb: Glb, node: dict[str, Any], what: str) -> Floats:
    """(4, 4) the local transform of a node."""
    if "matrix" in node:
        return glb.numbers(node["matrix"], 16, f"the matrix of {what}").reshape(4, 4).T
    translation, rotation, scale = local_transform(glb, node, what)
    out = np.eye(4)
    out[:3, :3] = quaternions.rotate(rotation[None], np.eye(3)).T * scale
    out[:3, 3] = translation
    return out


def world_matrices(glb: Glb) -> dict[int, Floats]:
    """The world matrix (4, 4) of each node in the pose of the file."""
    parents = node_parents(glb)
    world: dict[int, Floats] = {}
    for n in depth_first(glb, parents):
        local = node_matrix(glb, glb.item("nodes", n), f"node {n}")
        world[n] = local if parents[n] < 0 else world[parents[n]] @ local
    return world


def joint_nodes(glb: Glb, animated: set[int], humanoid: set[int] | None = None) -> GlbNodes:
    """Find the joints: those of all skins and of a humanoid table, and animated nodes below them.

    Without any of these the joints are the animated nodes and their children, else all nodes
    without a mesh, else all nodes.
    """
    parent = node_parents(glb)
    order = depth_first(glb, parent)
    used: set[int] = set()
    for s in range(len(glb.items("skins"))):
        joints = glb.sequence(glb.item("skins", s).get("joints"), "the joints of a skin")
        used |= {glb.index(j, len(parent), "nodes") for j in joints}
    used |= humanoid or set()
    notes = [node_note(glb.item("nodes", n)) for n in range(len(parent))]
    kinds = [note.get("kind") for note in notes]  # untrusted: may be of any type
    animated = {n for n in animated if kinds[n] != "prop"}
    joints_found = used | {
        n for n, kind in enumerate(kinds) if isinstance(kind, str) and kind in _KINDS
    }
    if joints_found:
        below: set[int] = set()
        for n in order:
            if n in joints_found or parent[n] in below:
                below.add(n)
        joints_found |= animated & below
    else:
        joints_found = animated | {n for n in order if parent[n] in animated and kinds[n] != "prop"}
    for ignored in ({"mesh", "camera"}, {"camera"}):
        if not joints_found:
            joints_found = {
                n for n in order if not ignored & set(glb.item("nodes", n)) and kinds[n] != "prop"
            }
            used = joints_found if ignored == {"camera"} else used
    if not joints_found:
        glb.fail("the file has no nodes that could be joints")
    ancestors: set[int] = set()
    for n in joints_found:
        at = parent[n]
        while at >= 0 and at not in ancestors:
            ancestors.add(at)
            at = parent[at]
    kept = [n for n in order if n in joints_found | ancestors]
    return _build(glb, kept, parent, used, used | (animated & joints_found), notes)


_TRANSFORM = {"translation", "rotation", "scale", "matrix"}
_KINDS = {"fixed", "hinge", "prismatic", "ball", "free", "tip", "group"}


def _build(
    glb: Glb,
    kept: list[int],
    parent: list[int],
    used: set[int],
    moving: set[int],
    notes: list[dict[str, Any]],
) -> GlbNodes:
    has_children = {parent[n] for n in kept}
    ends = {n for n in kept if notes[n].get("kind") == "tip" and n not in has_children}
    ends -= {n for n in ends if parent[n] < 0 or n in used or n in moving}
    # other programs may have moved or animated what writhe wrote as a mere group
    groups = {n for n in kept if notes[n].get("kind") == "group" and parent[n] < 0} - moving
    groups -= {n for n in groups if _TRANSFORM & set(glb.item("nodes", n))}
    order = [n for n in kept if n not in ends and n not in groups]
    if not order:
        glb.fail("the file has no nodes that could be joints")
    check_joint_count(glb.path, len(kept))
    index_of = {n: i for i, n in enumerate(order)}
    names = unique_names([_name(glb, n) for n in order + sorted(ends)])
    count = len(order)
    out = GlbNodes(
        order,
        names[:count],
        [index_of.get(parent[n], -1) for n in order],
        np.zeros((count, 3)),
        np.zeros((count, 4)),
        np.ones(count),
        np.zeros(count),
        [n in moving for n in order],
        [notes[n] for n in order],
        [],
    )
    for i, n in enumerate(order):
        at, rotation, scale = local_transform(glb, glb.item("nodes", n), f"node {out.names[i]!r}")
        size = float(scale.mean())
        if size <= 1e-9 or np.abs(scale - size).max() > UNIFORM * size:
            glb.fail(
                f"node {out.names[i]!r} has the scale {scale.tolist()}, not the same in x, y, z",
                "apply scales in the program that wrote the file",
            )
        above = out.scale[out.parent[i]] if out.parent[i] >= 0 else 1.0
        out.offset[i], out.rest[i], out.scale[i] = above * at, rotation, above * size
        out.uneven[i] = np.abs(scale / size - 1.0).max()
    if max(np.abs(out.offset).max(), out.scale.max()) > MAX_COORDINATE:
        glb.fail(f"the skeleton has an offset or scale above {MAX_COORDINATE:g}")
    for name, n in zip(names[count:], sorted(ends), strict=True):
        at, _, _ = local_transform(glb, glb.item("nodes", n), f"node {name!r}")
        owner = index_of.get(parent[n], -1)
        if owner >= 0:
            out.tips.append((name, owner, out.scale[owner] * at))
    return out


def _name(glb: Glb, node: int) -> str:
    given = glb.item("nodes", node).get("name")
    text = "".join(c for c in given if c.isprintable()).strip() if isinstance(given, str) else ""
    return text[:MAX_NAME_LENGTH] or f"node_{node}"

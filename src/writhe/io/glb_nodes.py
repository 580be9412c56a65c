"""Which nodes of a glTF scene are joints, and the skeleton that they make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.io.file_size_limits import MAX_NAME_LENGTH, check_joint_count, unique_names
from writhe.io.glb_container import Glb
from writhe.skeleton import quaternions

LARGEST_PLACE = 1e6  # metres, or whatever the file takes for them
UNIFORM = 1e-3  # how far the three scales of a node may differ


@dataclass
class GlbNodes:
    """All nodes that are or carry joints, parents before children, scale taken out.

    `offset` is in metres; `scale` is the product of all scales from the root down to the node.
    """

    order: list[int]  # node numbers of the file
    names: list[str]
    parent: list[int]  # place in `order`, -1 for roots
    offset: Floats  # (n, 3)
    rest: Floats  # (n, 4)
    scale: Floats  # (n,)
    skinned: list[bool]  # a skin uses it
    notes: list[dict[str, Any]]  # what writhe wrote about it
    tips: list[tuple[str, int, Floats]]  # name, place in `order`, offset


def _note(node: dict[str, Any]) -> dict[str, Any]:
    extras = node.get("extras")
    note = extras.get("writhe") if isinstance(extras, dict) else None
    return note if isinstance(note, dict) else {}


def node_parents(glb: Glb) -> list[int]:
    """The parent of each node, -1 for roots; a loop or a second parent is refused."""
    nodes = glb.items("nodes")
    if len(nodes) > 1 << 20:
        glb.fail("the file has over a million nodes")
    parent = [-1] * len(nodes)
    for at in range(len(nodes)):
        for child in glb.sequence(glb.item("nodes", at).get("children", []), "children"):
            c = glb.index(child, len(nodes), "nodes")
            if parent[c] >= 0:
                glb.fail(f"node {c} has two parents")
            parent[c] = at
    return parent


def _depth_first(glb: Glb, parent: list[int]) -> list[int]:
    order: list[int] = []
    stack = [n for n in range(len(parent) - 1, -1, -1) if parent[n] < 0]
    while stack:
        at = stack.pop()
        order.append(at)
        stack.extend(reversed(glb.item("nodes", at).get("children", [])))
    if len(order) != len(parent):
        glb.fail("the nodes hang in a loop")
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
        place, turn = m[:3, 3], quaternions.from_matrices(m[:3, :3] / scale)
    else:
        place = glb.numbers(node.get("translation", [0, 0, 0]), 3, f"the translation of {what}")
        xyzw = glb.numbers(node.get("rotation", [0, 0, 0, 1]), 4, f"the rotation of {what}")
        turn = quaternions.normalised(np.roll(xyzw, 1))
        scale = glb.numbers(node.get("scale", [1, 1, 1]), 3, f"the scale of {what}")
    if np.abs(place).max() > LARGEST_PLACE or np.abs(scale).max() > LARGEST_PLACE:
        glb.fail(f"{what} is out of all bounds")
    return place, turn, scale


def joint_nodes(glb: Glb, animated: set[int]) -> GlbNodes:
    """Find the joints: those of all skins, or the animated nodes, or all nodes without a mesh."""
    parent = node_parents(glb)
    order = _depth_first(glb, parent)
    used: set[int] = set()
    for s in range(len(glb.items("skins"))):
        joints = glb.sequence(glb.item("skins", s).get("joints"), "the joints of a skin")
        used |= {glb.index(j, len(parent), "nodes") for j in joints}
    notes = [_note(glb.item("nodes", n)) for n in range(len(parent))]
    kinds = [note.get("kind") for note in notes]  # a stranger's file may hold anything here
    wanted = used | {n for n, kind in enumerate(kinds) if isinstance(kind, str) and kind in _KINDS}
    if not wanted:
        wanted = animated | {n for n in order if parent[n] in animated}
    if not wanted:
        wanted = {n for n in order if not {"mesh", "camera"} & set(glb.item("nodes", n))}
    if not wanted:
        glb.fail("the file has no nodes that could be joints")
    ancestors: set[int] = set()
    for n in wanted:
        at = parent[n]
        while at >= 0 and at not in ancestors:
            ancestors.add(at)
            at = parent[at]
    kept = [n for n in order if n in wanted | ancestors]
    return _build(glb, kept, parent, used, notes)


_KINDS = {"fixed", "hinge", "prismatic", "ball", "free", "tip", "group"}


def _build(
    glb: Glb, kept: list[int], parent: list[int], used: set[int], notes: list[dict[str, Any]]
) -> GlbNodes:
    has_children = {parent[n] for n in kept}
    ends = {n for n in kept if notes[n].get("kind") == "tip" and n not in has_children}
    ends -= {n for n in ends if parent[n] < 0 or n in used}
    groups = {n for n in kept if notes[n].get("kind") == "group" and parent[n] < 0}
    order = [n for n in kept if n not in ends and n not in groups]
    if not order:
        glb.fail("the file has no nodes that could be joints")
    check_joint_count(glb.path, len(kept))
    place = {n: i for i, n in enumerate(order)}
    names = unique_names([_name(glb, n) for n in order + sorted(ends)])
    count = len(order)
    out = GlbNodes(
        order,
        names[:count],
        [place.get(parent[n], -1) for n in order],
        np.zeros((count, 3)),
        np.zeros((count, 4)),
        np.ones(count),
        [n in used for n in order],
        [notes[n] for n in order],
        [],
    )
    for i, n in enumerate(order):
        at, turn, scale = local_transform(glb, glb.item("nodes", n), f"node {out.names[i]!r}")
        size = float(scale.mean())
        if size <= 1e-9 or np.abs(scale - size).max() > UNIFORM * size:
            glb.fail(
                f"node {out.names[i]!r} has the scale {scale.tolist()}, not the same in x, y, z",
                "apply scales in the program that wrote the file",
            )
        above = out.scale[out.parent[i]] if out.parent[i] >= 0 else 1.0
        out.offset[i], out.rest[i], out.scale[i] = above * at, turn, above * size
    if max(np.abs(out.offset).max(), out.scale.max()) > LARGEST_PLACE:
        glb.fail("the skeleton is out of all bounds")
    for name, n in zip(names[count:], sorted(ends), strict=True):
        at, _, _ = local_transform(glb, glb.item("nodes", n), f"node {name!r}")
        owner = place.get(parent[n], -1)
        if owner >= 0:
            out.tips.append((name, owner, out.scale[owner] * at))
    return out


def _name(glb: Glb, node: int) -> str:
    given = glb.item("nodes", node).get("name")
    text = "".join(c for c in given if c.isprintable()).strip() if isinstance(given, str) else ""
    return text[:MAX_NAME_LENGTH] or f"node_{node}"

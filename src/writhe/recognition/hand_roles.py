"""Fingers: chains below the wrist, by name or by their order across the palm."""

from __future__ import annotations

import numpy as np

from writhe.recognition.rest_tree import RestTree
from writhe.recognition.roles import FINGERS, RigKind


def finger_roles(tree: RestTree, side: str, wrist: int) -> tuple[dict[str, int], set[int]]:
    """Role to joint for the fingers of a hand, and all joints that belong to fingers."""
    roots = list(_roots(tree, wrist))
    chains = [_finger_chain(tree, root) for root in roots]
    members = {j for root in roots for j in (root, *tree.below(root)) if not _end(tree, j)}
    named: dict[str, list[int]] = {}
    for chain in chains:
        finger = next((f for j in chain if (f := tree.names[j].finger)), None)
        if finger is not None and finger not in named:
            named[finger] = chain
    if len(named) < len(FINGERS):
        ordered = _by_order(tree, wrist, chains)
        if all(ordered.get(finger, [None])[-1] == chain[-1] for finger, chain in named.items()):
            named = ordered or named
    roles: dict[str, int] = {}
    for finger, chain in named.items():
        for number, joint in enumerate(_phalanges(tree, finger, chain)[:3], start=1):
            roles[f"{side}_{finger}_{number}"] = joint
    return roles, members


def _roots(tree: RestTree, wrist: int) -> list[int]:
    """The first joints of the fingers: children of the wrist, or of a palm below it."""
    found: list[int] = []
    for c in tree.children[wrist]:
        if tree.is_off_body(c):
            continue
        branches = [b for b in tree.children[c] if not tree.is_off_body(b)]
        if len(branches) >= 2 and tree.names[c].finger is None:
            found += branches
        else:
            found.append(c)
    return found


def _finger_chain(tree: RestTree, root: int) -> list[int]:
    return [j for j in tree.chain(root) if not _end(tree, j)]


def _end(tree: RestTree, joint: int) -> bool:
    return tree.names[joint].kind is RigKind.END or tree.names[joint].kind not in (
        None,
        RigKind.FINGER,
    )


def _phalanges(tree: RestTree, finger: str, chain: list[int]) -> list[int]:
    """The chain without the bone in the palm and without the marker at the fingertip."""
    if finger != "thumb":
        in_palm = [j for j in chain if tree.names[j].phalanx == 0]
        chain = [j for j in chain if j not in in_palm]
        if len(chain) > 3 and not in_palm and not tree.children[chain[-1]]:
            numbers = [tree.names[j].number for j in chain]
            if numbers[0] == 0 and numbers[-1] == 3:
                return chain[1:]
    return chain


def _by_order(tree: RestTree, wrist: int, chains: list[list[int]]) -> dict[str, list[int]]:
    """Roles of five chains of two or more joints: the thumb starts apart from the other four."""
    usable = [c for c in chains if len(c) >= 2]
    if len(usable) != 5:
        return {}
    starts = np.array([tree.positions[c[0]] for c in usable])
    ends = np.array([tree.positions[c[-1]] for c in usable])
    directions = ends - starts
    directions /= np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-12)
    middle = np.median(directions, axis=0)
    thumb = int(np.argmin(directions @ middle))
    rest = [i for i in range(5) if i != thumb]
    if all(
        len(usable[i]) == len(usable[thumb]) + 1 for i in rest
    ):  # the other chains begin with a metacarpal
        usable = [c if i == thumb else c[1:] for i, c in enumerate(usable)]
        starts = np.array([tree.positions[c[0]] for c in usable])
    # across the palm: the direction in which the starts of the four fingers spread most
    spread = starts[rest] - starts[rest].mean(axis=0)
    across = np.linalg.svd(spread)[2][0]
    order = sorted(rest, key=lambda i: float(starts[i] @ across))
    if abs(float((starts[thumb] - starts[order[0]]) @ across)) > abs(
        float((starts[thumb] - starts[order[-1]]) @ across)
    ):
        order.reverse()
    if np.linalg.norm(starts[thumb] - tree.positions[wrist]) > np.linalg.norm(
        starts[order[0]] - tree.positions[wrist]
    ):
        return {}  # the thumb starts nearer to the wrist than the knuckles do
    return dict(zip(FINGERS, (usable[thumb], *(usable[i] for i in order)), strict=True))

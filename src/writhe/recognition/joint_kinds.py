"""The kind of every joint of a rig: body, helper, end marker, finger, face, attachment, ..."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np

from writhe.recognition.rest_tree import RestTree
from writhe.recognition.roles import RigKind
from writhe.skeleton.limbs import ARM, LEG, SIDES

_ON_BONE = 0.25  # a helper lies within this fraction of the bone's length of the bone


def joint_kinds(tree: RestTree, roles: Mapping[str, int], fingers: set[int]) -> dict[str, RigKind]:
    """Joint name to kind; without roles, by names alone."""
    kinds: dict[int, RigKind] = {}
    for j in range(len(tree)):
        kind = tree.names[j].kind
        if kind is not None:
            kinds[j] = kind
    for j in fingers:
        if kinds.get(j) not in (RigKind.HELPER, RigKind.END):
            kinds[j] = RigKind.FINGER
    _ends_of_fingers(tree, roles, kinds, fingers)
    hips = roles.get("hips")
    if hips is not None:
        above = tree.parent[hips]
        while above >= 0:
            kinds[above] = RigKind.CONTAINER
            above = tree.parent[above]
        _beside_the_body(tree, hips, kinds)
    _between_roles(tree, roles, kinds)
    for role, j in roles.items():
        kinds[j] = RigKind.FINGER if role.rsplit("_", 1)[-1].isdigit() else RigKind.BODY
    _below_the_ends(tree, roles, kinds)
    _structural_helpers(tree, roles, kinds)
    for j in range(len(tree)):  # children of hair, cloth or a weapon are of the same kind
        p = tree.parent[j]
        inherited = kinds.get(p) if p >= 0 else None
        if (
            j not in kinds
            and inherited is not None
            and inherited
            in (
                RigKind.HAIR,
                RigKind.CLOTH,
                RigKind.ATTACHMENT,
                RigKind.FACE,
                RigKind.HELPER,
                RigKind.TOE,
            )
        ):
            kinds[j] = inherited
    if hips is None:
        _without_roles(tree, kinds)
    names = tree.skeleton.names
    return {names[j]: kinds.get(j, RigKind.UNKNOWN) for j in range(len(tree))}


def _ends_of_fingers(
    tree: RestTree, roles: Mapping[str, int], kinds: dict[int, RigKind], fingers: set[int]
) -> None:
    """Leaves beyond the third joint of a finger are end markers."""
    last = {j for role, j in roles.items() if role.endswith("_3")}
    for j in fingers:
        if not tree.children[j] and tree.parent[j] in last:
            kinds[j] = RigKind.END


def _beside_the_body(tree: RestTree, hips: int, kinds: dict[int, RigKind]) -> None:
    """Joints outside the subtree of the hips are targets of controls, or containers of objects."""
    for j in range(len(tree)):
        if j not in kinds and not tree.contains(hips, j):
            kinds[j] = RigKind.HELPER


def _without_roles(tree: RestTree, kinds: dict[int, RigKind]) -> None:
    """For animals and robots: joints above the first branching are containers, the others body."""
    for root in (j for j in range(len(tree)) if tree.parent[j] < 0):
        first = root
        while len(tree.children[first]) == 1 and tree.children[tree.children[first][0]]:
            first = tree.children[first][0]
        branches = len(tree.children[first]) > 1
        for j in (root, *tree.below(root)):
            above = branches and not tree.contains(first, j)
            kinds.setdefault(j, RigKind.CONTAINER if above else RigKind.BODY)


def _between_roles(tree: RestTree, roles: Mapping[str, int], kinds: dict[int, RigKind]) -> None:
    """Joints on the path between two roles are body, unless the name says helper or twist."""
    chains: list[tuple[str, ...]] = [("hips", "spine", "chest", "neck", "head")]
    for side in SIDES:
        chains.append(("chest", *(f"{side}_{p}" for p in ARM)))
        chains.append(("hips", *(f"{side}_{p}" for p in LEG)))
    for chain in chains:
        present = [roles[r] for r in chain if r in roles]
        if present and chain[0] not in roles and "hips" in roles:
            present = [roles["hips"], *present]
        for a, b in itertools.pairwise(present):
            if not tree.contains(a, b):
                continue
            for j in tree.path_down(a, b)[1:-1]:
                if kinds.get(j) is not RigKind.HELPER:
                    kinds[j] = RigKind.BODY


def _below_the_ends(tree: RestTree, roles: Mapping[str, int], kinds: dict[int, RigKind]) -> None:
    """Unnamed joints below the head are face or hair; below the toes, toes or end markers."""
    head = roles.get("head")
    if head is not None:
        for j in tree.below(head):
            if j in kinds:
                continue
            leaf = not tree.children[j] and not tree.tips.get(j)
            alone = leaf and tree.parent[j] == head and len(tree.children[head]) == 1
            kinds[j] = RigKind.END if alone else RigKind.FACE
    for side in SIDES:
        for role in ("toe", "ankle"):
            foot = roles.get(f"{side}_{role}")
            if foot is None:
                continue
            for j in tree.below(foot):
                if j not in kinds:
                    kinds[j] = RigKind.TOE if tree.children[j] else RigKind.END


def _structural_helpers(
    tree: RestTree, roles: Mapping[str, int], kinds: dict[int, RigKind]
) -> None:
    """Leaves that lie on a bone of an arm or leg, beside the chain, are twist bones."""
    for side in SIDES:
        for chain in (ARM, LEG):
            for upper, lower in itertools.pairwise(chain):
                a, b = roles.get(f"{side}_{upper}"), roles.get(f"{side}_{lower}")
                if a is None or b is None:
                    continue
                bone = tree.positions[b] - tree.positions[a]
                length = max(float(np.linalg.norm(bone)), 1e-9)
                for j in tree.children[a]:
                    if j in kinds or tree.contains(j, b) or tree.children[j]:
                        continue
                    off = tree.positions[j] - tree.positions[a]
                    along = float(off @ bone) / length**2
                    aside = float(np.linalg.norm(off - along * bone)) / length
                    if -0.05 <= along <= 1.05 and aside < _ON_BONE:
                        kinds[j] = RigKind.HELPER

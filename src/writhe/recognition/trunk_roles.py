"""Hips, spine, chest, neck and head: the joints of the trunk, from the legs up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from writhe.arrays import Floats
from writhe.recognition.body_search import BodyCandidate
from writhe.recognition.rest_tree import RestTree

# relative to the length of a leg (hip to ankle)
_HEAD_BONE = 0.14  # a longer bone at the end of the neck leads to the top of the head
# the length of a leg by which the head is measured is at most this, times that of the trunk
_LEG_OF_TRUNK = 1.8
_HIPS_ABOVE = 0.2  # largest distance from the legs' parent to a joint named after the hips


def trunk_roles(tree: RestTree, body: BodyCandidate) -> dict[str, int]:
    """Role to joint for the midline of a body."""
    leg = _leg_length(tree, body)
    roles = {"hips": _hips(tree, body, leg)}
    path = tree.path_down(roles["hips"], body.arms_at)
    top = len(path) - 1
    neck_carries_arms = top > 1 and _is_neck(tree, body, path[top], leg)
    chest = path[top - 1] if neck_carries_arms else path[top]
    between = path[1 : path.index(chest) + 1]
    lumbar = [j for j in between if not tree.coincident(j, roles["hips"])] or between
    lumbar = [j for j in lumbar if tree.names[j].value("hips") < 0.9] or lumbar
    if len(lumbar) > 1:
        roles["spine"], roles["chest"] = lumbar[0], chest
    elif lumbar:
        roles["chest" if _says_chest(tree, lumbar[0]) else "spine"] = lumbar[0]
    above = _neck_chain(tree, body, path[top])
    if neck_carries_arms:
        above = [path[top], *above]
    roles |= _neck_and_head(tree, body, above, chest, leg)
    return roles


def _leg_length(tree: RestTree, body: BodyCandidate) -> float:
    lengths = [
        tree.distance(x.joints["hip"], x.joints["knee"])
        + (
            tree.distance(x.joints["knee"], x.joints["ankle"])
            if "ankle" in x.joints
            else float(tree.reach[x.joints["knee"]])
        )
        for x in body.legs
    ]
    return float(np.mean(lengths))


def _hips(tree: RestTree, body: BodyCandidate, leg: float) -> int:
    """The joint that carries legs and trunk, or one just above it that is named after the hips."""
    found = body.hips
    if tree.names[found].value("hips") >= 0.9:
        return found
    above = tree.parent[found]
    while above >= 0 and tree.distance(above, found) < _HIPS_ABOVE * leg:
        if tree.names[above].value("hips") >= 0.9:
            return above
        above = tree.parent[above]
    return found


def _is_neck(tree: RestTree, body: BodyCandidate, arms_at: int, leg: float) -> bool:
    """Whether the arms are attached to the neck, as Biped does; without names, by its height."""
    if tree.names[arms_at].roles:
        return tree.names[arms_at].value("neck") > 0
    if not body.posture.is_informative:
        return False
    shoulders = [tree.positions[x.joints["shoulder"]] for x in body.arms]
    above = tree.positions[arms_at] - 0.5 * (shoulders[0] + shoulders[1])
    up = _up(tree, body)
    return float(above @ up) > 0.03 * leg


def _trunk(tree: RestTree, body: BodyCandidate) -> Floats:
    """The vector from the hips to the shoulders."""
    shoulders = [tree.positions[x.joints["shoulder"]] for x in body.arms]
    hips = [tree.positions[x.joints["hip"]] for x in body.legs]
    return 0.5 * (shoulders[0] + shoulders[1] - hips[0] - hips[1])


def _trunk_length(tree: RestTree, body: BodyCandidate) -> float:
    return float(np.linalg.norm(_trunk(tree, body)))


def _up(tree: RestTree, body: BodyCandidate) -> Floats:
    """The direction from the hips to the shoulders."""
    return _trunk(tree, body) / max(_trunk_length(tree, body), 1e-12)


def _says_chest(tree: RestTree, joint: int) -> bool:
    plain = tree.names[joint].plain
    return any(word in plain for word in ("chest", "thorax", "upperback", "ribcage"))


def _neck_chain(tree: RestTree, body: BodyCandidate, arms_at: int) -> list[int]:
    """The joints above the arms' parent up to the head or beyond it."""
    limbs = {j for x in (*body.arms, *body.legs) for j in x.joints.values()}
    open_children = [
        c
        for c in tree.children[arms_at]
        if not tree.is_off_body(c)
        and not any(tree.contains(c, j) for j in limbs)
        and tree.names[c].side is None
    ]
    if not open_children:
        return []
    up = _up(tree, body)

    def rank(c: int) -> tuple[float, float]:
        below = (c, *tree.below(c))
        named = max(
            max(tree.names[j].value("neck"), tree.names[j].value("head")) for j in below[:40]
        )
        points = [tree.positions[j] for j in below] + [
            t for j in below for t in tree.tips.get(j, [])
        ]
        rise = max(float((p - tree.positions[arms_at]) @ up) for p in points)
        return (named, rise if body.posture.is_informative else float(tree.reach[c]))

    best = max(open_children, key=rank)
    named, rise = rank(best)
    if named <= 0 and body.posture.is_informative and rise <= 0:
        return []
    chain = [best]
    while tree.children[chain[-1]]:
        if tree.names[chain[-1]].value("head") >= 0.7:
            break
        chain.append(_towards_head(tree, chain[-1]))
    return chain


def _towards_head(tree: RestTree, joint: int) -> int:
    def rank(c: int) -> tuple[bool, float, float]:
        return (
            not tree.is_off_body(c),
            max(tree.names[c].value("head"), tree.names[c].value("neck")),
            float(tree.bone[c] + tree.reach[c]),
        )

    return max(tree.children[joint], key=rank)


def _neck_and_head(
    tree: RestTree, body: BodyCandidate, chain: Sequence[int], chest: int, leg: float
) -> dict[str, int]:
    if not chain:
        return {}
    head = _head(tree, body, chain, leg)
    before = list(chain[: chain.index(head)]) if head is not None else list(chain)
    before = [j for j in before if not tree.is_off_body(j)]
    collars = [x.joints.get("clavicle", x.joints["shoulder"]) for x in body.arms]
    free = [j for j in before if not any(tree.coincident(j, o) for o in (chest, *collars))]
    neck = next(iter(free or before), None)
    found: dict[str, int] = {}
    if neck is not None:
        found["neck"] = neck
    if head is not None:
        found["head"] = head
    return found


def _head(tree: RestTree, body: BodyCandidate, chain: Sequence[int], leg: float) -> int | None:
    named = [j for j in chain if tree.names[j].value("head") >= 0.7]
    if named:
        return named[0]
    free = [j for j in chain if not tree.is_off_body(j)]
    if not free:
        return None
    if any(tree.names[j].value("neck") >= 0.7 for j in free) and len(free) == 1:
        return None  # a neck but no head
    limbs = [x.joints["shoulder"] for x in body.arms]
    for j in free[:-1]:
        others = [
            c
            for c in tree.children[j]
            if c not in chain
            and not tree.coincident(c, j)
            and not any(tree.contains(c, m) for m in limbs)
        ]
        if others:  # eyes, jaw or hair
            return j
    last = free[-1]
    ends_here = not tree.children[last] and not tree.tips.get(last)
    if ends_here and len(free) > 1:
        bone = tree.positions[last] - tree.positions[free[-2]]
        aside = (
            body.posture.is_informative and float(bone @ _up(tree, body)) < 0.5 * tree.bone[last]
        )
        size = (
            min(leg, _LEG_OF_TRUNK * _trunk_length(tree, body))
            if body.posture.is_informative
            else leg
        )
        if aside or tree.bone[last] > _HEAD_BONE * size:
            return free[-2]
    return last

"""Which joints of a limb are its clavicle, shoulder, elbow, wrist (or hip, knee, ankle, toe).

Every assignment of roles to the joints of the limb's chain is scored by the joint names
(`joint_name_words`) and by the bone lengths; the one with the highest score wins. The two limbs of
a pair get the same assignment, so that both sides agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from writhe.recognition.rest_tree import COINCIDENT, RestTree
from writhe.recognition.roles import RigKind
from writhe.skeleton.limbs import ARM, LEG

_LONGEST_CHAIN = 14  # joints of a limb that are considered
_MISSING = 0.4  # cost of a missing clavicle or toe
_MISSING_END = 1.5  # cost of a missing wrist or ankle
_SKIPPED_TOE = 0.3
_FINGERS_AT_WRIST = 0.7
_PAST_BONE = 0.6  # cost of a hip beyond a bone as long as the thigh
_PAST_HAND = 1.0  # cost of a wrist beyond the joint from which the fingers start


@dataclass(frozen=True)
class LimbCandidate:
    """One assignment of roles (without side) to joints of a limb, with its scores."""

    joints: dict[str, int]
    named: float
    lengths: float
    score: float


def match_limb_pair(tree: RestTree, pair: tuple[int, int], arm: bool) -> tuple[LimbCandidate, ...]:
    """The best assignments of two similar limbs as arms or as legs; empty if there are none."""
    chains = [_usable(tree, tree.chain(root), arm) for root in pair]
    if len(chains[0]) == len(chains[1]):
        best: tuple[LimbCandidate, ...] = ()
        for choice in _choices(len(chains[0]), arm):
            candidates = [_candidate(tree, chain, choice, arm) for chain in chains]
            if candidates[0] is None or candidates[1] is None:
                continue
            together = (candidates[0], candidates[1])
            if not best or _total(together) > _total(best):
                best = together
        return best
    found: list[LimbCandidate] = []
    for chain in chains:
        options = [_candidate(tree, chain, choice, arm) for choice in _choices(len(chain), arm)]
        good = [o for o in options if o is not None]
        if not good:
            return ()
        found.append(max(good, key=lambda o: o.score))
    return tuple(found)


def _total(candidates: tuple[LimbCandidate, ...]) -> float:
    return sum(r.score for r in candidates)


def _usable(tree: RestTree, chain: list[int], arm: bool) -> list[int]:
    """The joints of a chain that may have a role: no helpers, end markers or fingers."""
    kept: list[int] = []
    for j in chain:
        if arm and tree.names[j].kind is RigKind.FINGER:
            break
        if not tree.is_off_body(j):
            kept.append(j)
    return kept[:_LONGEST_CHAIN]


def _choices(count: int, arm: bool) -> Iterator[dict[str, int]]:
    parts = ARM if arm else LEG
    needed = parts[1:3] if arm else parts[:2]
    optional = (parts[0], parts[3]) if arm else (parts[2], parts[3])
    for with_first in (True, False):
        for with_last in (True, False):
            if not arm and with_last and not with_first:
                continue  # no toe without an ankle
            used = [
                p
                for p in parts
                if p in needed
                or (p == optional[0] and with_first)
                or (p == optional[1] and with_last)
            ]
            for chosen in combinations(range(count), len(used)):
                yield dict(zip(used, chosen, strict=True))


def _candidate(
    tree: RestTree, chain: list[int], choice: dict[str, int], arm: bool
) -> LimbCandidate | None:
    joints = {part: chain[i] for part, i in choice.items()}
    upper, middle, lower = ("shoulder", "elbow", "wrist") if arm else ("hip", "knee", "ankle")
    top, bend, end = joints[upper], joints[middle], joints.get(lower)
    first = _along(tree, chain, choice[upper], choice[middle])
    # without a wrist or ankle, the last bone ends at the tip of the limb
    second = (
        float(tree.reach[bend])
        if end is None
        else _along(tree, chain, choice[middle], choice[lower])
    )
    minimum = 0.03 * tree.span
    if first < minimum or (end is not None and second < minimum):
        return None
    second = max(second, 1e-3 * tree.span)
    telling = _names_tell(tree, chain)
    values = {part: tree.names[j].value(part) if telling else 0.0 for part, j in joints.items()}
    named = float(np.mean([max(0.0, v) for v in values.values()]))
    lengths = _length_fit(tree, chain, choice, arm, first, second)
    score = sum(values.values()) + 2.0 * lengths
    parts = ARM if arm else LEG
    for part in parts:
        if part not in joints:
            score -= _MISSING_END if part == lower else _MISSING
    if arm and end is not None:
        score += _FINGERS_AT_WRIST * (_fingers(tree, end) >= 3)
        passed = chain[choice["elbow"] + 1 : choice["wrist"]]
        score -= _PAST_HAND * any(_is_hand(tree, j) for j in passed)
    if not arm and "toe" in joints and end is not None:
        skipped = choice["toe"] - choice["ankle"] - 1
        score -= (0.05 if values["toe"] > 0.9 else _SKIPPED_TOE) * skipped
    score -= 0.5 * (tree.bone[top] < COINCIDENT * tree.span)  # CMU's LHipJoint is at the hips
    before = choice[upper] - (choice["clavicle"] + 1 if "clavicle" in choice else 0)
    score -= 0.15 * max(0, before)
    if not arm:  # a leg does not begin after a long bone
        score -= _PAST_BONE * _along(tree, chain, 0, choice[upper]) / first
    # a segment cut into pieces (forearm, forearm.001): its first joint has the role
    score -= 0.05 * sum(_is_piece(tree, j) for j in (top, bend))
    score -= 0.2 * ("clavicle" in joints and _is_piece(tree, joints["clavicle"]))
    return LimbCandidate(joints, named, lengths, score)


def _names_tell(tree: RestTree, chain: list[int]) -> bool:
    """Whether the names distinguish the joints of a limb (`arm_1`, `arm_2` do not)."""
    named = [tree.names[j].roles for j in chain if tree.names[j].roles]
    return len(named) < 3 or any(roles != named[0] for roles in named)


def _is_piece(tree: RestTree, joint: int) -> bool:
    """Whether the joint above has the same word in its name (a segment cut into pieces)."""
    p = tree.parent[joint]
    roles = tree.names[joint].roles
    return p >= 0 and bool(roles) and tree.names[p].roles == roles


def _along(tree: RestTree, chain: list[int], start: int, stop: int) -> float:
    return tree.distance(chain[start], chain[stop])


def _fingers(tree: RestTree, joint: int) -> int:
    return sum(not tree.is_off_body(c) for c in tree.children[joint])


def _is_hand(tree: RestTree, joint: int) -> bool:
    """Whether several chains start from a joint; twist bones are leaves."""
    onward = tree.main_child(joint)
    return any(
        c != onward and not tree.is_off_body(c) and tree.reach[c] > 0.005 * tree.span
        for c in tree.children[joint]
    )


def _length_fit(
    tree: RestTree,
    chain: list[int],
    choice: dict[str, int],
    arm: bool,
    first: float,
    second: float,
) -> float:
    """How well the bones have the proportions of a human arm or leg: 0 to 1."""
    cost = min(1.5, (np.log(first / second) / 0.4) ** 2)
    if arm:
        hand = float(tree.reach[chain[choice["wrist"]]]) if "wrist" in choice else 0.0
        cost += max(0.0, hand / second - 1.0)
        if "clavicle" in choice:
            collar = _along(tree, chain, choice["clavicle"], choice["shoulder"])
            cost += max(0.0, collar / first - 0.7)
            cost += 0.5 * (collar < COINCIDENT * tree.span)
    elif "ankle" in choice:
        foot = float(tree.reach[chain[choice["ankle"]]])
        cost += max(0.0, foot / second - 0.75)
        if "toe" in choice:
            cost += 0.5 * (
                _along(tree, chain, choice["ankle"], choice["toe"]) < COINCIDENT * tree.span
            )
    # the two long bones make up most of the limb
    whole = (
        first + second + max(0.0, float(tree.reach[chain[choice["shoulder" if arm else "hip"]]]))
    )
    cost += max(0.0, (0.8 if arm else 0.9) - 2 * (first + second) / max(whole, 1e-9)) * 2.0
    return float(np.exp(-cost))

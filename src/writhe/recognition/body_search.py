"""Finds the arms, legs and trunk of a person: the best two pairs of limbs on a common trunk."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from writhe.recognition.limb_roles import LimbCandidate, match_limb_pair
from writhe.recognition.rest_posture import RestPosture, read_posture
from writhe.recognition.rest_tree import RestTree

_PELVIS_EDGES = 3  # most joints between the hips and the parent of the legs


@dataclass(frozen=True)
class BodyCandidate:
    """Hypothesis: which limbs of a skeleton are a person's arms and legs, as (left, right)."""

    hips: int
    legs_at: int
    arms_at: int
    legs: tuple[LimbCandidate, ...]
    arms: tuple[LimbCandidate, ...]
    posture: RestPosture
    sides_named: float  # fraction of limbs whose names contain a side
    sides: float  # certainty of left and right, 0 to 1
    named: float  # how well names fit, 0 to 1
    formed: float  # how well proportions and rest pose fit, 0 to 1
    score: float


def find_body(tree: RestTree) -> BodyCandidate | None:
    """The most likely arms and legs; None if there are not two pairs of limbs on one trunk."""
    arms = [(p, r) for p in tree.pairs if (r := match_limb_pair(tree, p, arm=True))]
    legs = [(p, r) for p in tree.pairs if (r := match_limb_pair(tree, p, arm=False))]
    best: BodyCandidate | None = None
    for leg_pair, leg_candidates in legs:
        for arm_pair, arm_candidates in arms:
            if leg_pair == arm_pair:
                continue
            candidate = _body(tree, leg_pair, leg_candidates, arm_pair, arm_candidates)
            if candidate is not None and (best is None or candidate.score > best.score):
                best = candidate
    return best


def _body(
    tree: RestTree,
    leg_pair: tuple[int, int],
    legs: tuple[LimbCandidate, ...],
    arm_pair: tuple[int, int],
    arms: tuple[LimbCandidate, ...],
) -> BodyCandidate | None:
    legs_at, arms_at = tree.parent[leg_pair[0]], tree.parent[arm_pair[0]]
    hips = tree.common_ancestor(legs_at, arms_at)
    if hips < 0 or arms_at == hips:
        return None
    if any(tree.contains(limb, arms_at) for limb in (*leg_pair, *arm_pair)):
        return None
    if any(tree.contains(limb, legs_at) for limb in arm_pair):
        return None
    if len(tree.path_down(hips, legs_at)) > _PELVIS_EDGES:
        return None
    arms, legs, certain, named_sides, posture = _in_order(tree, legs, arms, (hips, arms_at))
    named = float(np.mean([r.named for r in (*arms, *legs)]))
    formed = _form(tree, legs, arms, hips, arms_at, posture)
    score = sum(r.score for r in (*arms, *legs)) + 4.0 * formed + 2.0 * named_sides
    if posture.is_informative:
        score += 2.0 * posture.upright
    # joints between hips and legs lower the score: most skeletons have none
    score -= 0.2 * (len(tree.path_down(hips, legs_at)) - 1)
    return BodyCandidate(
        hips, legs_at, arms_at, legs, arms, posture, named_sides, certain, named, formed, score
    )


def _in_order(
    tree: RestTree,
    legs: tuple[LimbCandidate, ...],
    arms: tuple[LimbCandidate, ...],
    trunk: tuple[int, int],
) -> tuple[tuple[LimbCandidate, ...], tuple[LimbCandidate, ...], float, float, RestPosture]:
    """Arms and legs with the left one first; the certainty of that; the fraction of named sides."""
    flips = [_named_flip(tree, limbs) for limbs in (arms, legs)]
    known = [f for f in flips if f is not None]
    named_sides = len(known) / 2.0
    if known:
        arms = arms[::-1] if flips[0] else arms
        legs = legs[::-1] if flips[1] else legs
        if flips[0] is None:
            arms = _same_side(tree, legs, arms)
        if flips[1] is None:
            legs = _same_side(tree, arms, legs)
        return (
            arms,
            legs,
            1.0 if len(known) == 2 else 0.9,
            named_sides,
            read_posture(tree, legs, arms, trunk),
        )
    arms = _same_side(tree, legs, arms)
    posture = read_posture(tree, legs, arms, trunk)
    if posture.first_is_left is False:
        arms, legs = arms[::-1], legs[::-1]
        posture = read_posture(tree, legs, arms, trunk)
    return arms, legs, posture.side_certainty, named_sides, posture


def _named_flip(tree: RestTree, limbs: tuple[LimbCandidate, ...]) -> bool | None:
    """Whether, by its names, the first limb is the right one; None if the names have no side."""
    vote = 0
    for sign, limb in zip((1, -1), limbs, strict=True):
        for j in limb.joints.values():
            vote += sign * {"left": 1, "right": -1, None: 0}[tree.names[j].side]
    return None if vote == 0 else vote < 0


def _same_side(
    tree: RestTree, known: tuple[LimbCandidate, ...], other: tuple[LimbCandidate, ...]
) -> tuple[LimbCandidate, ...]:
    """`other` ordered so that its first limb is on the side of the first of `known`."""

    def first(limb: LimbCandidate) -> int:
        return limb.joints.get("shoulder", limb.joints.get("hip", 0))

    across = tree.positions[first(known[0])] - tree.positions[first(known[1])]
    apart = tree.positions[first(other[0])] - tree.positions[first(other[1])]
    return other if float(across @ apart) >= 0 else other[::-1]


def _form(
    tree: RestTree,
    legs: tuple[LimbCandidate, ...],
    arms: tuple[LimbCandidate, ...],
    hips: int,
    arms_at: int,
    posture: RestPosture,
) -> float:
    """How well the proportions fit a human, 0 to 1: limbs, trunk / legs, arms / legs."""

    def length(limb: LimbCandidate, parts: tuple[str, ...]) -> float:
        joints = [limb.joints[p] for p in parts if p in limb.joints]
        return sum(tree.distance(a, b) for a, b in itertools.pairwise(joints))

    leg = float(np.mean([length(x, ("hip", "knee", "ankle")) for x in legs]))
    arm = float(np.mean([length(x, ("shoulder", "elbow", "wrist")) for x in arms]))
    if posture.is_informative:
        shoulders = sum(tree.positions[x.joints["shoulder"]] for x in arms)
        trunk = 0.5 * float(
            np.linalg.norm(shoulders - sum(tree.positions[x.joints["hip"]] for x in legs))
        )
    else:
        path = tree.path_down(hips, arms_at)
        trunk = sum(tree.distance(a, b) for a, b in itertools.pairwise(path))
    if min(leg, arm) <= 0.0:
        return 0.0
    fit = float(np.mean([x.lengths for x in (*legs, *arms)]))
    fit *= float(np.exp(-((max(0.0, abs(np.log(arm / leg / 0.65)) - 0.3) / 0.4) ** 2)))
    fit *= float(np.exp(-((max(0.0, abs(np.log(max(trunk, 1e-6) / leg / 0.5)) - 0.4) / 0.5) ** 2)))
    if posture.is_informative:
        fit *= float(np.clip((posture.upright + 0.2) / 0.9, 0.0, 1.0))
    else:
        fit *= 0.7
    return fit

"""Whether a rest pose is that of a standing person: symmetry, legs below the trunk, sides."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats, unit
from writhe.recognition.limb_roles import LimbCandidate
from writhe.recognition.rest_tree import RestTree

_MIRROR_DEGREES = 30.0
# cosine between the trunk and the direction from the feet to the hips
STANDING = 0.6
LYING = 0.35
COLLAPSED = -0.5  # legs and trunk in the same direction: a rest pose with all bones along one axis


@dataclass(frozen=True)
class RestPosture:
    """Properties of the rest pose. `is_informative` is False for collapsed or asymmetric ones."""

    is_informative: bool
    upright: float  # cosine between trunk and legs; 1 is a standing person, 0 a quadruped
    first_is_left: bool | None  # whether the first limb of each pair is left; None if unknown
    side_certainty: float

    @property
    def standing(self) -> bool:
        """Whether the rest pose is informative and shows a standing body."""
        return self.is_informative and self.upright > STANDING

    @property
    def on_all_fours(self) -> bool:
        """Whether the rest pose is informative and its trunk is level."""
        return self.is_informative and self.upright < LYING


def read_posture(
    tree: RestTree,
    legs: tuple[LimbCandidate, ...],
    arms: tuple[LimbCandidate, ...],
    trunk: tuple[int, int],
) -> RestPosture:
    """Examine the rest pose; the first leg and the first arm must be on the same side.

    trunk: joints at the bottom and at the top of the trunk.
    """
    at = tree.positions
    hip = [at[leg.joints["hip"]] for leg in legs]
    foot = [at[leg.joints.get("ankle", leg.joints["knee"])] for leg in legs]
    shoulder = [at[arm.joints["shoulder"]] for arm in arms]
    across = unit(hip[0] - hip[1])
    across_arms = unit(shoulder[0] - shoulder[1])
    legs_up = unit(hip[0] + hip[1] - foot[0] - foot[1])
    middle = 0.5 * (hip[0] + hip[1])
    chest = 0.5 * (shoulder[0] + shoulder[1])
    trunk_up = unit(chest - middle)
    is_informative = (
        float(across @ across_arms) > 0.8
        and abs(float(across @ legs_up)) < 0.3
        and abs(float(across @ trunk_up)) < 0.3
        and _mirrored(tree, legs, across)
        and _mirrored(tree, arms, across)
    )
    upright = float(trunk_up @ legs_up)
    if not is_informative or upright < COLLAPSED:
        return RestPosture(False, upright, None, 0.0)
    first_is_left, certainty = _front(tree, legs, across, trunk_up)
    return RestPosture(is_informative, upright, first_is_left, certainty)


def _front(
    tree: RestTree, legs: tuple[LimbCandidate, ...], across: Floats, up: Floats
) -> tuple[bool | None, float]:
    """Whether the first side is the left one: by the feet, the knees, or the usual axes."""
    ahead = np.cross(across, up)  # forward, if the first side is left
    leg_length = sum(tree.distance(leg.joints["hip"], leg.joints["knee"]) for leg in legs)
    toes = np.zeros(3)
    for leg in legs:
        start = leg.joints.get("ankle")
        if start is None:
            continue
        ends = [tree.positions[j] for j in tree.below(start)]
        ends += [t for j in (start, *tree.below(start)) for t in tree.tips.get(j, [])]
        if ends:
            toes += max((e - tree.positions[start] for e in ends), key=lambda v: float(v @ v))
    measure = float(toes @ ahead) / max(leg_length, 1e-9)
    if abs(measure) > 0.06:
        return measure > 0, 0.95
    bend = 0.0
    for leg in legs:
        if "ankle" in leg.joints:
            a, k, e = (tree.positions[leg.joints[p]] for p in ("hip", "knee", "ankle"))
            bend += float((k - 0.5 * (a + e)) @ ahead)
    if abs(bend) / max(leg_length, 1e-9) > 0.03:
        return bend > 0, 0.8
    usual = np.array([1.0, 0.0, 0.0])  # Y up or Z up: most characters have their left at +X
    if abs(float(across @ usual)) > 0.9:
        return float(across @ usual) > 0, 0.5
    return None, 0.0


def _mirrored(tree: RestTree, limbs: tuple[LimbCandidate, ...], across: Floats) -> bool:
    """Whether the bones of one limb are those of the other, reflected across the body's plane."""
    parts = [p for p in limbs[0].joints if p in limbs[1].joints]
    cosine = np.cos(np.radians(_MIRROR_DEGREES))
    for a, b in itertools.pairwise(parts):
        bones = [tree.positions[m.joints[b]] - tree.positions[m.joints[a]] for m in limbs]
        first, second = bones
        if min(np.linalg.norm(first), np.linalg.norm(second)) < 0.01 * tree.span:
            continue
        reflected = first - 2.0 * float(first @ across) * across
        if float(unit(reflected) @ unit(second)) < cosine:
            return False
    return True
